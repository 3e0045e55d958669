//! The part of ZooKeeper's client protocol that is spoken here.
//!
//! ```text
//! frame            u32 length | payload                                          (both ways)
//!
//! ConnectRequest   int protocolVersion | long lastZxidSeen | int timeOut | long sessionId | buffer passwd
//!                  [ | boolean readOnly ]                                        (absent before 3.4)
//! ConnectResponse  int protocolVersion | int timeOut | long sessionId | buffer passwd [ | boolean readOnly ]
//!
//! request          int xid | int type | body
//! reply            int xid | long zxid | int err | body                          (no body when err is not 0)
//! event            int -1 | long -1 | int 0 | int type | int state | ustring path
//!
//! Stat             long czxid | long mzxid | long ctime | long mtime | int version | int cversion
//!                  | int aversion | long ephemeralOwner | int dataLength | int numChildren | long pzxid
//! ```

use bytes::{BufMut, BytesMut};

use crate::Error;
use crate::jute::{JuteReader, put_buffer, put_count};
use crate::tree::{Done, Write};
use crate::watches::EventType;

mod writes;

use writes::put_multi;

/// Bytes of the length before each payload.
pub(crate) const LENGTH_BYTES: usize = 4;

/// A session password has 16 bytes. Everybody may change what a session owns, so there is nothing to protect: they are zeros.
const PASSWORD: [u8; 16] = [0; 16];

/// ZooKeeper's error codes that this responder uses (`KeeperException.Code`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorCode {
    /// There is no room for more.
    SystemError = -1,
    /// Of a write that was not tried, because one before it failed.
    RuntimeInconsistency = -2,
    MarshallingError = -5,
    Unimplemented = -6,
    BadArguments = -8,
    NoNode = -101,
    NoAuth = -102,
    BadVersion = -103,
    NoChildrenForEphemerals = -108,
    NodeExists = -110,
    NotEmpty = -111,
    /// There are no others than the open one.
    InvalidAcl = -114,
}

/// What a client sends first, before any request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ConnectRequest {
    /// The session timeout that the client wishes, in milliseconds.
    pub(crate) timeout_ms: i32,
    /// Zero for a new session.
    pub(crate) session_id: i64,
    /// Whether the request had the `readOnly` flag; the response has it when the request had it.
    pub(crate) has_read_only_flag: bool,
}

impl ConnectRequest {
    pub(crate) fn decode(payload: &[u8]) -> Result<Self, Error> {
        let mut reader = JuteReader::new(payload);
        reader.int("protocolVersion")?;
        reader.long("lastZxidSeen")?;
        let timeout_ms = reader.int("timeOut")?;
        let session_id = reader.long("sessionId")?;
        reader.buffer("passwd")?;
        let has_read_only_flag = !reader.is_at_end();
        Ok(Self { timeout_ms, session_id, has_read_only_flag })
    }
}

/// Appends the answer to a [`ConnectRequest`] as a frame.
pub(crate) fn put_connect_response(
    out: &mut BytesMut,
    timeout_ms: i32,
    session_id: i64,
    with_read_only_flag: bool,
) {
    let frame = begin_frame(out);
    out.put_i32(0);
    out.put_i32(timeout_ms);
    out.put_i64(session_id);
    put_buffer(out, &PASSWORD);
    if with_read_only_flag {
        out.put_u8(0);
    }
    end_frame(out, frame);
}

/// The header of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RequestHeader {
    /// Chosen by the client; its reply carries it back.
    pub(crate) xid: i32,
    /// ZooKeeper's `OpCode`.
    pub(crate) op_code: i32,
}

impl RequestHeader {
    pub(crate) fn decode(reader: &mut JuteReader<'_>) -> Result<Self, Error> {
        Ok(Self { xid: reader.int("xid")?, op_code: reader.int("type")? })
    }
}

/// A request that this responder answers; borrowed from its frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request<'a> {
    Exists {
        path: &'a str,
        watch: bool,
    },
    GetData {
        path: &'a str,
        watch: bool,
    },
    GetChildren {
        path: &'a str,
        watch: bool,
        with_stat: bool,
    },
    SetWatches(WatchList<'a>),
    GetAcl {
        path: &'a str,
    },
    /// There is one server, which has seen everything: the path is the answer.
    Sync {
        path: &'a str,
    },
    Write(Write<'a>),
    /// All of them, or none.
    Multi(Vec<Write<'a>>),
    /// Answered with success and nothing else: `ping`, `auth`.
    Acknowledge,
    CloseSession,
    /// Containers, nodes with a time to live, watches that stay, and the like.
    Unimplemented,
}

/// The watches that a client brings along when it comes back (`setWatches`), by what it was told of their nodes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct WatchList<'a> {
    /// The last change that the client has seen.
    pub(crate) seen_zxid: i64,
    /// Nodes whose value it read.
    pub(crate) data: Vec<&'a str>,
    /// Nodes that were not there.
    pub(crate) missing: Vec<&'a str>,
    /// Nodes whose children it read.
    pub(crate) children: Vec<&'a str>,
}

impl<'a> WatchList<'a> {
    fn decode(reader: &mut JuteReader<'a>) -> Result<Self, Error> {
        Ok(Self {
            seen_zxid: reader.long("relativeZxid")?,
            data: reader.ustrings("dataWatches")?,
            missing: reader.ustrings("existWatches")?,
            children: reader.ustrings("childWatches")?,
        })
    }
}

impl<'a> Request<'a> {
    /// Decodes the body that follows the header.
    pub(crate) fn decode(op_code: i32, reader: &mut JuteReader<'a>) -> Result<Self, Error> {
        Ok(match op_code {
            3 => {
                let (path, watch) = watched_path(reader)?;
                Self::Exists { path, watch }
            }
            4 => {
                let (path, watch) = watched_path(reader)?;
                Self::GetData { path, watch }
            }
            8 | 12 => {
                let (path, watch) = watched_path(reader)?;
                Self::GetChildren { path, watch, with_stat: op_code == 12 }
            }
            6 => Self::GetAcl { path: reader.ustring("path")? },
            9 => Self::Sync { path: reader.ustring("path")? },
            1 | 2 | 5 | 7 | 15 => Self::Write(Write::decode(op_code, reader)?),
            14 => Self::Multi(Write::decode_all(reader)?),
            // Of setWatches2 the watches that stay are passed over: there are none.
            101 | 105 => Self::SetWatches(WatchList::decode(reader)?),
            11 | 100 => Self::Acknowledge,
            -11 => Self::CloseSession,
            _ => Self::Unimplemented,
        })
    }
}

/// `ustring path | boolean watch`, the body of all reads.
fn watched_path<'a>(reader: &mut JuteReader<'a>) -> Result<(&'a str, bool), Error> {
    let path = reader.ustring("path")?;
    Ok((path, reader.boolean("watch")?))
}

/// What ZooKeeper tells about a node besides its data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) created_zxid: i64,
    pub(crate) modified_zxid: i64,
    pub(crate) created_ms: i64,
    pub(crate) modified_ms: i64,
    pub(crate) version: i32,
    pub(crate) children_version: i32,
    pub(crate) data_length: i32,
    pub(crate) children_count: i32,
    pub(crate) children_zxid: i64,
    pub(crate) acl_version: i32,
    /// The session with which the node goes; zero if it stays.
    pub(crate) ephemeral_owner: i64,
}

impl Stat {
    fn put(&self, out: &mut BytesMut) {
        out.put_i64(self.created_zxid);
        out.put_i64(self.modified_zxid);
        out.put_i64(self.created_ms);
        out.put_i64(self.modified_ms);
        out.put_i32(self.version);
        out.put_i32(self.children_version);
        out.put_i32(self.acl_version);
        out.put_i64(self.ephemeral_owner);
        out.put_i32(self.data_length);
        out.put_i32(self.children_count);
        out.put_i64(self.children_zxid);
    }
}

/// What is answered to a request, after the reply's header.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReplyBody<'a> {
    Empty,
    Error(ErrorCode),
    Stat(Stat),
    Data {
        data: &'a [u8],
        stat: Stat,
    },
    Children {
        names: &'a [&'a str],
        stat: Option<Stat>,
    },
    Path(&'a str),
    /// Everybody may do everything.
    Acl(Stat),
    Done(&'a Done),
    /// Of the writes of a multi, all of which are done, or which of them was not possible, and why.
    Multi {
        writes: usize,
        outcome: &'a Result<Vec<Done>, (usize, ErrorCode)>,
    },
}

/// Appends a reply as a frame.
pub(crate) fn put_reply(out: &mut BytesMut, xid: i32, zxid: i64, body: &ReplyBody<'_>) {
    let frame = begin_frame(out);
    out.put_i32(xid);
    out.put_i64(zxid);
    out.put_i32(if let ReplyBody::Error(code) = body { *code as i32 } else { 0 });
    match body {
        ReplyBody::Empty | ReplyBody::Error(_) => {}
        ReplyBody::Stat(stat) => stat.put(out),
        ReplyBody::Data { data, stat } => {
            put_buffer(out, data);
            stat.put(out);
        }
        ReplyBody::Children { names, stat } => {
            put_count(out, names.len());
            names.iter().for_each(|name| put_buffer(out, name.as_bytes()));
            stat.iter().for_each(|stat| stat.put(out));
        }
        ReplyBody::Path(path) => put_buffer(out, path.as_bytes()),
        ReplyBody::Acl(stat) => {
            writes::put_open_acl(out);
            stat.put(out);
        }
        ReplyBody::Done(done) => done.put(out),
        ReplyBody::Multi { writes, outcome } => put_multi(out, *writes, outcome),
    }
    end_frame(out, frame);
}

/// Appends what has happened to a watched node as a frame: a reply to no request.
pub(crate) fn put_event(out: &mut BytesMut, event: EventType, path: &str) {
    const NO_REQUEST: i32 = -1;
    const SYNC_CONNECTED: i32 = 3;
    let frame = begin_frame(out);
    out.put_i32(NO_REQUEST);
    out.put_i64(-1);
    out.put_i32(0);
    out.put_i32(event as i32);
    out.put_i32(SYNC_CONNECTED);
    put_buffer(out, path.as_bytes());
    end_frame(out, frame);
}

/// Leaves room for the length of a frame; returns where.
pub(crate) fn begin_frame(out: &mut BytesMut) -> usize {
    let start = out.len();
    out.put_i32(0);
    start
}

/// Fills in the length of the frame that began at `start`.
pub(crate) fn end_frame(out: &mut BytesMut, start: usize) {
    let length = i32::try_from(out.len() - start - LENGTH_BYTES).expect("a reply is smaller than 2 GiB");
    out[start..start + LENGTH_BYTES].copy_from_slice(&length.to_be_bytes());
}

/// Payload length of the frame at the start of `received`, when its length has arrived.
pub(crate) fn frame_length(received: &[u8], limit: usize) -> Result<Option<usize>, Error> {
    let Some(length) = received.first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
    let length = i32::from_be_bytes(*length);
    match usize::try_from(length) {
        Ok(bytes) if bytes <= limit => Ok(Some(bytes)),
        _ => Err(Error::FrameLength { length, limit }),
    }
}

#[cfg(test)]
mod tests;
