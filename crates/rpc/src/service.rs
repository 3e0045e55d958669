//! What a server serves: services, the calls they get and the replies they give.

use crate::call_queue::CallKind;
use crate::exception::RpcException;
use crate::exceptions;
use crate::in_flight::Share;
use crate::reply_memory::ReplyShare;
use bytes::Bytes;
use finback_proto::Message;
use finback_proto::footprint::{self, Measured};
use std::any::Any;
use std::fmt;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Priority from which on calls are the cluster's own and not refused when too much is in flight: they are what
/// makes it less.
pub(crate) const HIGH_PRIORITY: u32 = 100;
/// Major and minor version of a client that takes whatever there is.
const NEWEST_VERSION: (u32, u32) = (u32::MAX, 0);

/// A protobuf service: what answers the calls of the connections that name it.
pub trait Service: Send + Sync + 'static {
    /// Name that clients put into the connection header, such as `ClientService`.
    fn name(&self) -> &'static str;

    /// Answers one call, on the thread that read it from the socket, or on another one if calls queue there. What needs to wait returns [`Outcome::Pending`] or
    /// [`Outcome::Waiting`]; the future is then run to its end, even if the client has gone.
    ///
    /// A panic becomes an `IOException` for the client.
    fn call(&self, call: Call) -> Outcome;

    /// Among which calls this one counts, should it have to wait.
    fn kind(&self, _call: &Call) -> CallKind {
        CallKind::Priority
    }
}

/// One request.
#[derive(Debug, Clone)]
pub struct Call {
    /// The client's number for this call.
    pub call_id: u32,
    /// What the client says of the trace that the call is part of: an encoded `RPCTInfo`, **not** checked; empty if it says
    /// nothing. Shares memory with what was read from the socket.
    pub trace_info: Bytes,
    /// Which method of the service.
    pub method: MethodName,
    /// The encoded request message; shares memory with what was read from the socket, so whoever keeps a
    /// small part of it for long should copy that part.
    pub param: Bytes,
    /// Cell block in the layout of KeyValueCodecWithTags (`u32 length | KeyValue` per cell), whatever the
    /// client's codec; empty if the request has none. Its lengths are the client's, **not** checked.
    pub cells: Bytes,
    /// HBase's priority: 0 normal, 200 for system tables. Advisory.
    pub priority: u32,
    /// When the client stops waiting.
    pub deadline: Option<Instant>,
    /// When the request had been read.
    pub received: Instant,
    /// When it was begun.
    pub begun: Instant,
    /// Who calls.
    pub connection: Arc<ConnectionInfo>,
    /// What is counted for the request, where that is worth counting.
    pub(crate) share: Option<Arc<Share>>,
}

impl Call {
    /// Decodes the request message. What a large one takes in memory is counted like the bytes of requests, until the
    /// call is answered.
    ///
    /// # Errors
    /// For the client: a DoNotRetryIOException, if the bytes are no such message; a RequestTooBigException, if decoded
    /// they would take many times their length; a CallQueueTooBigException, if too much is in flight.
    pub fn decode<M: Measured>(&self) -> Result<M, RpcException> {
        if self.param.len() > footprint::UNMEASURED_BYTES {
            self.make_room_for::<M>()?;
        }
        M::decode(self.param.clone())
            .map_err(|e| exceptions::do_not_retry(format!("malformed parameter of {}: {e}", self.method)))
    }

    fn make_room_for<M: Measured>(&self) -> Result<(), RpcException> {
        let budget = footprint::budget(self.param.len() + self.cells.len());
        let bytes = footprint::measure::<M>(&self.param, budget)
            .map_err(|e| exceptions::request_too_big(e.to_string()))?;
        let Some(share) = &self.share else { return Ok(()) };
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let has_room =
            if self.is_of_the_cluster() { share.try_grow_beyond(bytes) } else { share.try_grow(bytes) };
        if has_room { Ok(()) } else { Err(share.refusal()) }
    }

    /// Whether it is one of the cluster's own, such as on `hbase:meta`: refused or put off last, since others may wait for it.
    pub fn is_of_the_cluster(&self) -> bool {
        self.priority >= HIGH_PRIORITY
    }

    /// What is left until the client stops waiting, at `now`; none if it waits for ever.
    pub fn remaining(&self, now: Instant) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(now))
    }
}

/// Name of a method; sharing the memory of the request, so that it costs no allocation.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MethodName(Bytes);

impl MethodName {
    /// A name that is known at compile time.
    pub const fn from_static(name: &'static str) -> Self {
        Self(Bytes::from_static(name.as_bytes()))
    }

    /// A name read from a request; none if it is not UTF-8.
    pub fn from_bytes(name: Bytes) -> Option<Self> {
        std::str::from_utf8(&name).is_ok().then_some(Self(name))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        // Checked when it was made: the default is never seen.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// What a service may know about the connection of a call.
#[derive(Debug)]
pub struct ConnectionInfo {
    /// Name of the user on whose behalf the calls are.
    pub user: String,
    /// The user who really calls, if it acts as proxy of [`ConnectionInfo::user`].
    pub real_user: Option<String>,
    /// The service that the connection is for.
    pub service: &'static str,
    /// Major and minor version of the client, zero if it does not say.
    pub version: (u32, u32),
    /// The client's address.
    pub remote: SocketAddr,
    /// Whether the client takes cell blocks. If not, cells must go into the reply message.
    pub has_codec: bool,
    /// What the service keeps for the connection until it ends.
    pub kept: OnceLock<Arc<dyn Any + Send + Sync>>,
    closed: AtomicBool,
    lost: AtomicBool,
    loss: Notify,
    /// What all replies to it hold, whether they are done or not, as far as it is counted.
    reply_bytes: AtomicUsize,
}

impl ConnectionInfo {
    /// Describes a new connection.
    pub fn new(
        service: &'static str,
        user: String,
        real_user: Option<String>,
        version: (u32, u32),
        remote: SocketAddr,
        has_codec: bool,
    ) -> Self {
        let (closed, lost, loss) = (AtomicBool::new(false), AtomicBool::new(false), Notify::new());
        let (kept, reply_bytes) = (OnceLock::new(), AtomicUsize::new(0));
        Self { user, real_user, service, version, remote, has_codec, kept, closed, lost, loss, reply_bytes }
    }

    /// Describes calls from within this process, which take what HBase's newest clients take.
    pub fn in_process(service: &'static str) -> Self {
        let remote = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        Self::new(service, "hbase".to_owned(), None, NEWEST_VERSION, remote, true)
    }

    /// Whether the calls are from within this process.
    pub fn is_of_this_process(&self) -> bool {
        self.remote.port() == 0
    }

    /// Whether the client says that it is of this version or of a later one (HBase's `VersionInfoUtil.hasMinimumVersion`).
    pub fn is_at_least(&self, major: u32, minor: u32) -> bool {
        self.version >= (major, minor)
    }

    /// Whether the client has gone, or at least sends nothing more: long work for it is not worth while.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Bytes that replies to it hold.
    pub(crate) fn reply_bytes(&self) -> usize {
        self.reply_bytes.load(Ordering::Relaxed)
    }

    /// A reply holds so many bytes instead of others.
    pub(crate) fn count_reply(&self, before: usize, now: usize) {
        if now >= before {
            self.reply_bytes.fetch_add(now - before, Ordering::Relaxed);
        } else {
            self.reply_bytes.fetch_sub(before - now, Ordering::Relaxed);
        }
    }

    pub(crate) fn set_closed(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    /// The connection has ended: no reply gets to the client any more.
    pub(crate) fn set_lost(&self) {
        self.set_closed();
        self.lost.store(true, Ordering::SeqCst);
        self.loss.notify_waiters();
    }

    /// Ready when the connection has ended.
    pub(crate) async fn lost(&self) {
        // From here on it is told; what was before is in the flag.
        let loss = self.loss.notified();
        if !self.lost.load(Ordering::SeqCst) {
            loss.await;
        }
    }
}

/// What a successful call gives back.
#[derive(Debug, Default)]
pub struct Reply {
    /// The encoded response message.
    pub message: Vec<u8>,
    /// Cell block in the layout of KeyValueCodecWithTags; empty if there are no cells, and always for a
    /// client without codec.
    pub cells: Vec<u8>,
    /// Whether none of the cells has tags, as somebody knows who has seen each.
    pub is_untagged: bool,
    /// What is counted for it, until the client has it.
    pub share: Option<ReplyShare>,
    /// When it was ready, if somebody has looked at the clock.
    pub ended: Option<Instant>,
}

impl Reply {
    /// A reply without cell block.
    pub fn new<M: Message>(message: &M) -> Self {
        Self { message: message.encode_to_vec(), ..Self::default() }
    }

    /// A reply with a cell block.
    pub fn with_cells<M: Message>(message: &M, cells: Vec<u8>) -> Self {
        Self { message: message.encode_to_vec(), cells, ..Self::default() }
    }

    /// With what is counted for it.
    #[must_use]
    pub fn counted(mut self, mut share: ReplyShare) -> Self {
        // What it took to build it is no longer there.
        let bytes = self.message.capacity().saturating_add(self.cells.capacity());
        if share.bytes() > 0 && share.try_hold(bytes.min(share.bytes())) {
            self.share = Some(share);
        }
        self
    }
}

/// The future of a call that has to wait.
pub type PendingReply = Pin<Box<dyn Future<Output = Result<Reply, RpcException>> + Send>>;

/// What a service says to a call.
pub enum Outcome {
    /// The answer is here.
    Ready(Result<Reply, RpcException>),
    /// The answer needs to wait for something, and may then take long: a task of its own carries it on.
    Pending(PendingReply),
    /// The answer needs to wait for something, and has little left to do then: its connection carries it on, where it can.
    Waiting(PendingReply),
}

impl Outcome {
    /// The answer, a message without cells.
    pub fn message<M: Message>(message: &M) -> Self {
        Self::Ready(Ok(Reply::new(message)))
    }

    /// The answer is an exception.
    pub fn exception(exception: RpcException) -> Self {
        Self::Ready(Err(exception))
    }

    /// The answer will come from a future.
    pub fn pending(future: impl Future<Output = Result<Reply, RpcException>> + Send + 'static) -> Self {
        Self::Pending(Box::pin(future))
    }

    /// Waits for the answer on the calling task.
    pub async fn wait(self) -> Result<Reply, RpcException> {
        match self {
            Self::Ready(result) => result,
            Self::Pending(future) | Self::Waiting(future) => future.await,
        }
    }
}

impl From<Result<Reply, RpcException>> for Outcome {
    fn from(result: Result<Reply, RpcException>) -> Self {
        Self::Ready(result)
    }
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready(result) => f.debug_tuple("Ready").field(result).finish(),
            Self::Pending(_) => f.write_str("Pending"),
            Self::Waiting(_) => f.write_str("Waiting"),
        }
    }
}
