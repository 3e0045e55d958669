//! One client's session, from frames to frames, without a socket.

use bytes::BytesMut;

use crate::Error;
use crate::jute::JuteReader;
use crate::protocol::{
    ConnectRequest, ErrorCode, ReplyBody, Request, RequestHeader, Stat, WatchList, put_connect_response,
    put_event, put_reply,
};
use crate::tree::{Tree, is_valid};
use crate::watches::{Watched, Watches, as_of};

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
    id: i64,
    timeout_ms: i32,
    watches: Watches,
}

impl Session {
    /// Answers the first frame of a connection. `fresh_id` names the session when the client has no name for it. None if it is
    /// over, which `is_over` knows: the client is told, and begins another one.
    pub(crate) fn open(
        payload: &[u8],
        fresh_id: i64,
        is_over: impl FnOnce(i64) -> bool,
        out: &mut BytesMut,
    ) -> Result<Option<Self>, Error> {
        let request = ConnectRequest::decode(payload)?;
        let id = if request.session_id == 0 { fresh_id } else { request.session_id };
        if is_over(id) {
            put_connect_response(out, 0, 0, request.has_read_only_flag);
            return Ok(None);
        }
        let timeout_ms = request.timeout_ms.clamp(MIN_TIMEOUT_MS, MAX_TIMEOUT_MS);
        put_connect_response(out, timeout_ms, id, request.has_read_only_flag);
        Ok(Some(Self { id, timeout_ms, watches: Watches::default() }))
    }

    /// The session's name.
    pub(crate) fn id(&self) -> i64 {
        self.id
    }

    /// The session timeout that was told to the client, in milliseconds.
    pub(crate) fn timeout_ms(&self) -> i32 {
        self.timeout_ms
    }

    /// Answers one request, after what its client has to know first: a client is told that a node has changed before it sees
    /// what it is now. An error means that not even the request's header could be read.
    pub(crate) fn answer(
        &mut self,
        payload: &[u8],
        tree: &Tree,
        now_ms: i64,
        out: &mut BytesMut,
    ) -> Result<Next, Error> {
        let mut reader = JuteReader::new(payload);
        let RequestHeader { xid, op_code } = RequestHeader::decode(&mut reader)?;
        // Taken before the read, so that a client never believes to have seen more than it has.
        let zxid = tree.zxid();
        let request = Request::decode(op_code, &mut reader);
        let mut reply = |session: &mut Self, body: ReplyBody<'_>| {
            session.tell(tree, out);
            put_reply(out, xid, zxid, &body);
        };
        match request {
            Err(_) => reply(self, ReplyBody::Error(ErrorCode::MarshallingError)),
            Ok(Request::Acknowledge) => reply(self, ReplyBody::Empty),
            Ok(Request::Unimplemented) => reply(self, ReplyBody::Error(ErrorCode::Unimplemented)),
            Ok(Request::CloseSession) => {
                reply(self, ReplyBody::Empty);
                return Ok(Next::Close);
            }
            Ok(Request::SetWatches(list)) => {
                reply(self, ReplyBody::Empty);
                self.watch_again(&list, tree);
                self.tell(tree, out);
            }
            Ok(Request::Write(write)) => match tree.write(&[write], self.id, now_ms) {
                Ok(done) => reply(self, done.first().map_or(ReplyBody::Empty, ReplyBody::Done)),
                Err((_, code)) => reply(self, ReplyBody::Error(code)),
            },
            Ok(Request::Multi(writes)) => {
                let outcome = tree.write(&writes, self.id, now_ms);
                reply(self, ReplyBody::Multi { writes: writes.len(), outcome: &outcome });
            }
            Ok(Request::Sync { path }) => reply(self, ReplyBody::Path(path)),
            Ok(Request::GetAcl { path }) => {
                let stat = tree.get(path).map(|(_, stat)| stat);
                reply(self, stat.map_or_else(|| missing(path), ReplyBody::Acl));
            }
            Ok(Request::Exists { path, watch }) => {
                let stat = tree.get(path).map(|(_, stat)| stat);
                reply(self, stat.map_or_else(|| missing(path), ReplyBody::Stat));
                self.watch(watch && is_valid(path), path, Watched::Data, stat);
            }
            Ok(Request::GetData { path, watch }) => match tree.get(path) {
                Some((data, stat)) => {
                    reply(self, ReplyBody::Data { data: &data, stat });
                    self.watch(watch, path, Watched::Data, Some(stat));
                }
                None => reply(self, missing(path)),
            },
            Ok(Request::GetChildren { path, watch, with_stat }) => match tree.children(path) {
                Some((names, stat)) => {
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    reply(self, ReplyBody::Children { names: &names, stat: with_stat.then_some(stat) });
                    self.watch(watch, path, Watched::Children, Some(stat));
                }
                None => reply(self, missing(path)),
            },
        }
        Ok(Next::Serve)
    }

    /// Appends what has happened to nodes that are watched.
    pub(crate) fn tell(&mut self, tree: &Tree, out: &mut BytesMut) {
        for (path, event) in self.watches.fired(tree) {
            put_event(out, event, &path);
        }
    }

    fn watch(&mut self, is_wanted: bool, path: &str, watched: Watched, stat: Option<Stat>) {
        if is_wanted {
            self.watches.add(path, watched, stat);
        }
    }

    fn watch_again(&mut self, list: &WatchList<'_>, tree: &Tree) {
        let told = |path: &str| as_of(list.seen_zxid, tree.get(path).map(|(_, stat)| stat));
        list.data.iter().for_each(|path| self.watches.add(path, Watched::Data, Some(told(path))));
        list.missing.iter().for_each(|path| self.watches.add(path, Watched::Data, None));
        list.children.iter().for_each(|path| self.watches.add(path, Watched::Children, Some(told(path))));
    }
}

/// Why there is no such node.
fn missing(path: &str) -> ReplyBody<'static> {
    ReplyBody::Error(if is_valid(path) { ErrorCode::NoNode } else { ErrorCode::BadArguments })
}

#[cfg(test)]
mod tests;
