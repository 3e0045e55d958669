//! HBase's RPC transport.
//!
//! What is here: the connection preamble and header, request and response frames, cell block codecs,
//! exceptions; a server ([`Server`]) of [`Service`]s; and two [`Channel`]s to call services by,
//! [`Loopback`] within the process and [`SocketChannel`] over TCP.
//!
//! Guarantees: whatever bytes a peer sends, nothing panics, and memory grows only with what has really
//! arrived, or did before by the same connection, up to limits that have names ([`Limits`]). A service that answers at once does so on the task that read
//! the request: no hand-over, no lock shared between connections. Replies that are ready together leave together.
//!
//! This crate does not know what the services do: no tables, no regions, no cells beyond their framing.

mod call_metrics;
mod call_queue;
mod cell_format;
mod cell_pieces;
mod channel;
mod codec;
mod connection;
mod connection_threads;
mod exception;
pub mod exceptions;
mod frame;
mod handshake;
mod in_flight;
mod limits;
mod loopback;
mod outbox;
mod outgoing;
mod preamble;
mod reply_memory;
mod request;
mod response;
mod run;
mod server;
mod service;
mod socket_channel;
mod unread;

pub use call_queue::{CallKind, CallQueueLimits};
pub use cell_pieces::{CellPieces, CellPiecesBuilder};
pub use channel::{Channel, ChannelExt, RawReply, RawReplyFuture, Request};
pub use connection_threads::{ConnectionThreads, Schedulers};
pub use exception::RpcException;
pub use limits::Limits;
pub use loopback::Loopback;
pub use reply_memory::{ReplyMemory, ReplyShare};
pub use server::{Server, ServerBuilder, bind};
pub use service::{Call, ConnectionInfo, MethodName, Outcome, PendingReply, Reply, Service};
pub use socket_channel::{ConnectOptions, SocketChannel, SocketLimits};
