//! One client's session, from frames to frames, without a socket.

use bytes::BytesMut;

use crate::Error;
use crate::jute::JuteReader;
use crate::protocol::{
    ConnectRequest, ErrorCode, ReplyBody, Request, RequestHeader, put_connect_response, put_reply,
};
use crate::tree::{Tree, is_valid};

/// Shortest session timeout, in milliseconds: a shorter one would drop clients for a garbage collection.
pub(crate) const MIN_TIMEOUT_MS: i32 = 4_000;

/// Longest session timeout, in milliseconds: twice the default of HBase's clients. Bounds how long a client
/// that vanished keeps its connection.
pub(crate) const MAX_TIMEOUT_MS: i32 = 180_000;

/// Whether the connection goes on after a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Wait for the next request.
    Serve,
    /// The client has closed its session: send what is there, then close.
    Close,
}

/// An open session.
#[derive(Debug)]
pub(crate) struct Session {
    timeout_ms: i32,
}

impl Session {
    /// Answers the first frame of a connection. `fresh_id` names the session when the client has no name for it.
    pub(crate) fn open(payload: &[u8], fresh_id: i64, out: &mut BytesMut) -> Result<Self, Error> {
        let request = ConnectRequest::decode(payload)?;
        let timeout_ms = request.timeout_ms.clamp(MIN_TIMEOUT_MS, MAX_TIMEOUT_MS);
        let id = if request.session_id == 0 { fresh_id } else { request.session_id };
        put_connect_response(out, timeout_ms, id, request.has_read_only_flag);
        Ok(Self { timeout_ms })
    }

    /// The session timeout that was told to the client, in milliseconds.
    pub(crate) fn timeout_ms(&self) -> i32 {
        self.timeout_ms
    }

    /// Answers one request. An error means that not even its header could be read.
    pub(crate) fn answer(&self, payload: &[u8], tree: &Tree, out: &mut BytesMut) -> Result<Next, Error> {
        let mut reader = JuteReader::new(payload);
        let RequestHeader { xid, op_code } = RequestHeader::decode(&mut reader)?;
        // Taken before the read, so that a client never believes to have seen more than it has.
        let zxid = tree.zxid();
        let mut reply = |body: ReplyBody<'_>| put_reply(out, xid, zxid, &body);
        match Request::decode(op_code, &mut reader) {
            Err(_) => reply(ReplyBody::Error(ErrorCode::MarshallingError)),
            Ok(Request::Acknowledge) => reply(ReplyBody::Empty),
            Ok(Request::Unimplemented) => reply(ReplyBody::Error(ErrorCode::Unimplemented)),
            Ok(Request::CloseSession) => {
                reply(ReplyBody::Empty);
                return Ok(Next::Close);
            }
            Ok(Request::Exists { path }) => match tree.get(path) {
                Some((_, stat)) => reply(ReplyBody::Stat(stat)),
                None => reply(missing(path)),
            },
            Ok(Request::GetData { path }) => match tree.get(path) {
                Some((data, stat)) => reply(ReplyBody::Data { data: &data, stat }),
                None => reply(missing(path)),
            },
            Ok(Request::GetChildren { path, with_stat }) => match tree.children(path) {
                Some((names, stat)) => {
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    reply(ReplyBody::Children { names: &names, stat: with_stat.then_some(stat) });
                }
                None => reply(missing(path)),
            },
        }
        Ok(Next::Serve)
    }
}

/// Why there is no such node.
fn missing(path: &str) -> ReplyBody<'static> {
    ReplyBody::Error(if is_valid(path) { ErrorCode::NoNode } else { ErrorCode::BadArguments })
}

#[cfg(test)]
mod tests;
