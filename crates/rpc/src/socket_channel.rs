//! Calls over TCP: one connection to one service, requests pipelined.

mod calling_frames;
mod limits;
mod responses;
mod waiting;

use crate::channel::{Channel, RawReply, RawReplyFuture, Request};
use crate::exception::RpcException;
use crate::exceptions;
use calling_frames::{CALL_ID_MASK, RequestFrame, opening};
pub use limits::SocketLimits;
use responses::read_responses;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;
use waiting::Waiting;

/// Requests waiting to be written; a caller beyond waits.
const MAX_QUEUED_REQUESTS: usize = 256;
/// Of requests up to this size only the number counts: all that may wait are little.
const SMALL_REQUEST_BYTES: usize = 4 << 10;
/// What is copied together to be written at once; longer cell blocks are written from where they are.
const WRITE_BYTES: usize = 64 << 10;

/// What to tell the server about ourselves.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// Name of the service to call.
    pub service: String,
    /// Name of the user.
    pub user: String,
}

/// A connection to a service of another process. When it breaks, all calls fail, those to come too: connect again.
///
/// A call that is dropped before its answer has come is forgotten; the server may still run it.
pub struct SocketChannel {
    requests: mpsc::Sender<Queued>,
    waiting: Arc<Waiting>,
    next_call_id: AtomicU32,
    in_flight: Semaphore,
    queue_bytes: Arc<Semaphore>,
    limits: SocketLimits,
    tasks: [JoinHandle<()>; 2],
}

/// A request to be written, and its part of the bytes that may wait for that.
struct Queued {
    frame: RequestFrame,
    _bytes: Option<OwnedSemaphorePermit>,
}

impl SocketChannel {
    /// Connects, with the limits of [`SocketLimits::default`].
    ///
    /// # Errors
    /// Of the system: nobody listens there, or it is out of reach.
    pub async fn connect(address: SocketAddr, options: &ConnectOptions) -> io::Result<Self> {
        Self::connect_within(address, options, SocketLimits::default()).await
    }

    /// Connects.
    ///
    /// # Errors
    /// Of the system: nobody listens there, it is out of reach, or it does not answer in time.
    pub async fn connect_within(
        address: SocketAddr,
        options: &ConnectOptions,
        limits: SocketLimits,
    ) -> io::Result<Self> {
        let opening = opening(options, limits.cell_tags);
        let connecting = async {
            let mut stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            rustix::net::sockopt::set_socket_keepalive(&stream, true)?;
            stream.write_all(&opening).await?;
            io::Result::Ok(stream)
        };
        let timeout = limits.connect_timeout;
        let stream = tokio::time::timeout(timeout, connecting).await.map_err(|_| {
            io::Error::new(io::ErrorKind::TimedOut, format!("no connection within {timeout:?}"))
        })??;
        Ok(Self::over(stream, limits))
    }

    fn over(stream: TcpStream, limits: SocketLimits) -> Self {
        let (reader, writer) = stream.into_split();
        let (requests, queue) = mpsc::channel(MAX_QUEUED_REQUESTS);
        let waiting = Arc::new(Waiting::default());
        let tasks = [
            tokio::spawn(write_requests(writer, queue, Arc::clone(&waiting), limits.clone())),
            tokio::spawn(read_responses(reader, Arc::clone(&waiting), limits.max_response_bytes)),
        ];
        Self {
            requests,
            waiting,
            next_call_id: AtomicU32::new(0),
            in_flight: Semaphore::new(limits.max_in_flight),
            queue_bytes: Arc::new(Semaphore::new(limits.max_queued_bytes)),
            limits,
            tasks,
        }
    }

    /// Whether the connection is gone: no call will be answered any more.
    pub fn is_closed(&self) -> bool {
        self.waiting.is_closed()
    }

    async fn exchange(&self, request: Request) -> Result<RawReply, RpcException> {
        let _in_flight = self.in_flight.acquire().await.map_err(|_| self.waiting.reason())?;
        let call_id = self.next_call_id.fetch_add(1, Ordering::Relaxed) & CALL_ID_MASK;
        let frame = RequestFrame::new(call_id, request)?;
        let _bytes = self.room_for(frame.len()).await?;
        let call = self.waiting.register(call_id)?;
        self.requests.send(Queued { frame, _bytes }).await.map_err(|_| self.waiting.reason())?;
        call.answer().await
    }

    /// Waits until there is room in the queue for so many bytes.
    async fn room_for(&self, bytes: usize) -> Result<Option<OwnedSemaphorePermit>, RpcException> {
        if bytes <= SMALL_REQUEST_BYTES {
            return Ok(None);
        }
        let bytes = u32::try_from(bytes.min(self.limits.max_queued_bytes)).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.queue_bytes).acquire_many_owned(bytes).await;
        room.map(Some).map_err(|_| self.waiting.reason())
    }

    /// What becomes of a call that was not answered in time.
    fn timed_out(&self, method: &str, timeout: Duration) -> RpcException {
        let silence = self.waiting.silence();
        if silence >= self.limits.silence {
            let reason = format!("the server has been silent for {silence:?}");
            self.waiting.close(exceptions::connection_closed(reason));
        }
        exceptions::call_timeout(format!("no answer to {method} within {timeout:?}"))
    }
}

impl Channel for SocketChannel {
    fn call_encoded(&self, request: Request) -> RawReplyFuture<'_> {
        Box::pin(async move {
            let (method, timeout) = (request.method, request.timeout);
            let exchange = self.exchange(request);
            match timeout {
                None => exchange.await,
                Some(timeout) => tokio::time::timeout(timeout, exchange)
                    .await
                    .unwrap_or_else(|_| Err(self.timed_out(method, timeout))),
            }
        })
    }
}

impl Drop for SocketChannel {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Writes what is queued, as much as there is in one go, until the connection is gone or nobody has called for long.
async fn write_requests(
    mut writer: OwnedWriteHalf,
    mut queue: mpsc::Receiver<Queued>,
    waiting: Arc<Waiting>,
    limits: SocketLimits,
) {
    let mut requests = Vec::new();
    let reason = loop {
        let received = queue.recv_many(&mut requests, MAX_QUEUED_REQUESTS);
        let count = match limits.idle {
            None => received.await,
            Some(idle) => match tokio::time::timeout(idle, received).await {
                Ok(count) => count,
                Err(_) if waiting.is_empty() => break "closed after a time without calls".to_owned(),
                Err(_) => continue,
            },
        };
        if count == 0 || waiting.is_closed() {
            return;
        }
        match write(&mut writer, &mut requests, limits.write_stall).await {
            Ok(()) => {}
            Err(error) => break format!("cannot send: {error}"),
        }
    };
    waiting.close(exceptions::connection_closed(reason));
}

async fn write(writer: &mut OwnedWriteHalf, requests: &mut Vec<Queued>, stall: Duration) -> io::Result<()> {
    let mut together = Vec::new();
    for Queued { frame, _bytes } in requests.drain(..) {
        if together.is_empty() {
            together = frame.head;
        } else {
            together.extend_from_slice(&frame.head);
        }
        if frame.cells.len() > WRITE_BYTES {
            let pieces = std::iter::once(&together[..]).chain(frame.cells.iter().map(|piece| &piece[..]));
            write_all(writer, &mut pieces.map(IoSlice::new).collect::<Vec<_>>(), stall).await?;
            together.clear();
            continue;
        }
        frame.cells.iter().for_each(|piece| together.extend_from_slice(piece));
        if together.len() > WRITE_BYTES {
            write_all(writer, &mut [IoSlice::new(&together)], stall).await?;
            together.clear();
        }
    }
    write_all(writer, &mut [IoSlice::new(&together)], stall).await
}

/// Writes all of it, as long as the other end takes some of it now and then.
async fn write_all(
    writer: &mut OwnedWriteHalf,
    mut pieces: &mut [IoSlice<'_>],
    stall: Duration,
) -> io::Result<()> {
    // Empty ones at the front are passed over.
    IoSlice::advance_slices(&mut pieces, 0);
    while !pieces.is_empty() {
        let written = tokio::time::timeout(stall, writer.write_vectored(pieces))
            .await
            .map_err(|_| io::Error::new(io::ErrorKind::TimedOut, format!("nothing taken for {stall:?}")))??;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        IoSlice::advance_slices(&mut pieces, written);
    }
    Ok(())
}
