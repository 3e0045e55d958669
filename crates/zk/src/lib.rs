//! A small ZooKeeper responder, so that default HBase clients find a standalone server.
//!
//! HBase 2.x clients learn the cluster id, the location of `hbase:meta` and the active master by reading three
//! nodes from ZooKeeper. A standalone server has no ZooKeeper, so this crate answers those reads itself, on
//! ZooKeeper's own port and in ZooKeeper's own wire format (client versions 3.4 to 3.8).
//!
//! Guarantees:
//! * Reads (`exists`, `getData`, `getChildren`, `getChildren2`, `getACL`), writes (`create`, `create2`, `delete`, `setData`,
//!   `setACL`, `multi`), `sync`, pings, `auth`, `setWatches` and `closeSession` are answered in request order. Everything else
//!   is answered with ZooKeeper's `Unimplemented`.
//! * The nodes that the server's owner protects are changed by nobody else. All others are everybody's: the only access control
//!   list is the open one, and another is refused, not kept without effect.
//! * The writes of a `multi` are done together or not at all.
//! * A client cannot make the server allocate or wait without limit: see [`Limits`]. What clients write has room for 4,096 nodes
//!   and 1 MiB, all together; it is in memory, and gone with the process.
//! * A watch that a read leaves fires once, when its node changes, and before its client sees the change; a client that comes
//!   back brings its watches along. A session has a bounded number of them: more are accepted, and never fire.
//! * Ephemeral nodes go when their session is closed, or when its client has not come back within the session's time; then the
//!   client is told that the session is over. A session that has no such nodes is never over: any session id that a client
//!   presents is as good as a fresh one, also after the process was started anew.
//!
//! Beside it, [`Reader`] reads nodes of a ZooKeeper, for those of Finback's own programs that have to find a cluster.
//!
//! This crate does not know about HBase: the caller builds the paths and the values of the [`Tree`].

mod attachments;
mod jute;
mod protocol;
mod reader;
mod responder;
mod session;
mod tree;
mod unread;
mod watches;

pub use reader::Reader;
pub use responder::{Limits, Responder};
pub use tree::{InvalidPath, Tree};

/// Why a connection of a client was closed by the responder, or why a [`Reader`] got no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A frame announced more bytes than a reading client has reason to send, or a negative number of them.
    #[error("frame of {length} bytes announced; between 0 and {limit} are accepted")]
    FrameLength {
        /// The announced length.
        length: i32,
        /// The accepted maximum.
        limit: usize,
    },
    /// A frame ended inside a field, or a field announced a length that its frame does not have.
    #[error("field {field} of {wanted} bytes at offset {offset} of a frame that has {available} bytes left")]
    Truncated {
        /// ZooKeeper's name of the field.
        field: &'static str,
        /// Offset of the field within the frame's payload.
        offset: usize,
        /// Bytes wanted; negative as announced by the client.
        wanted: i64,
        /// Bytes that are left.
        available: usize,
    },
    /// A string field that is not UTF-8, or is null where a string is needed.
    #[error("field {field} at offset {offset} is not a UTF-8 string")]
    NotAString {
        /// ZooKeeper's name of the field.
        field: &'static str,
        /// Offset of the field within the frame's payload.
        offset: usize,
    },
    /// A reader was told that its session is over.
    #[error("the session has expired")]
    SessionExpired,
    /// A reader was refused an answer, with one of ZooKeeper's error codes.
    #[error("ZooKeeper answers error {error} for {path}")]
    Refused {
        /// The node asked for.
        path: String,
        /// ZooKeeper's code.
        error: i32,
    },
    /// A reader got an answer to something that it has not asked.
    #[error("ZooKeeper answers request {answered} instead of {asked}")]
    OutOfOrder {
        /// `xid` of the request.
        asked: i32,
        /// `xid` of the answer.
        answered: i32,
    },
    /// The other end sent nothing for longer than its session, or the reader, allows.
    #[error("nothing received for {0:?}")]
    Idle(std::time::Duration),
    /// The client does not take its replies.
    #[error("replies not taken for {0:?}")]
    SlowReader(std::time::Duration),
    /// The client does not take its replies, and others do not either.
    #[error("replies of {0} bytes not taken, and too many of others")]
    TooMuchUnread(usize),
    /// The socket failed.
    #[error("socket: {0}")]
    Io(#[from] std::io::Error),
}
