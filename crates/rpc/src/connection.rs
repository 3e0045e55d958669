//! One connection of a client: one task that reads requests, calls the service and writes replies. Of long reads that queue in it
//! another thread may carry out some ([`handed_over`]). What becomes of a request is in [`calls`].

mod calls;
mod cell_block;
mod handed_over;
mod left_unread;
mod patience;
mod slow_request;
mod waiting;

use crate::call_metrics::{Begun, CallMetrics};
use crate::connection_threads;
use crate::exception::RpcException;
use crate::frame::FrameBuffer;
use crate::handshake::{Handshake, Session, handshake};
use crate::in_flight::Share;
use crate::outbox::{Finished, Outbox};
use crate::outgoing::{MAX_SLICES, Outgoing};
use crate::response::push_result;
use crate::server::Shared;
use crate::service::Reply;
use crate::unread::UnreadPart;
use handed_over::HandedOver;
use left_unread::LeftUnread;
use slow_request::SlowRequest;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use waiting::WaitingCalls;

/// How often to look whether replies that the client does not take, or a request of which the rest does not come, are in the way of
/// others.
const CROWD_LOOK: Duration = Duration::from_secs(1);
/// A connection that has moved to another thread stays there at least so long.
const STAYS: Duration = if cfg!(test) { Duration::ZERO } else { Duration::from_secs(1) };
/// Answers that took so long go to the client before more calls are carried out: it works on them meanwhile, and has the next
/// requests sooner. Sending them costs a tenth of that.
const SENT_AFTER: Duration = Duration::from_micros(40);
/// How long to go on reading from a client that is to see our last words: closing with bytes unread would reset the
/// connection, and the client might lose them.
const LINGER: Duration = Duration::from_secs(1);

/// What happened to the socket.
enum Event {
    Read(io::Result<usize>),
    Wrote(io::Result<usize>),
    /// A call may have ended, or somebody wants it to look around.
    Finished,
    /// Nothing, for a while.
    Nothing,
}

/// What is being read.
enum Reading {
    /// Requests.
    Frames,
    /// The rest of a request that has been refused.
    Skipping(usize),
    /// Nothing more: the client has ended its side, or is to be closed.
    Ended,
}

/// Serves a client until it goes, misbehaves, or the server stops.
pub(crate) async fn serve(
    mut stream: TcpStream,
    remote: SocketAddr,
    shared: Arc<Shared>,
    outbox: Arc<Outbox>,
) {
    let mut frames = FrameBuffer::of_client();
    let limit = shared.limits.header_timeout;
    let handshake = timeout(limit, handshake(&mut stream, &mut frames, &shared, remote));
    let end = tokio::select! {
        biased;
        end = handshake => end,
        // Nobody nudges before the first call but a server that stops.
        () = poll_fn(|cx| outbox.poll(cx)) => return,
    };
    let session = match end {
        Ok(Ok(Handshake::Session(session))) => {
            shared.metrics.connected(true);
            session
        }
        Ok(Ok(Handshake::Close(last_words))) => {
            shared.metrics.connected(false);
            return close(stream, &last_words).await;
        }
        Ok(Err(error)) => return tracing::debug!(%remote, %error, "no connection header"),
        Err(_) => return tracing::debug!(%remote, "no connection header within {limit:?}"),
    };
    let info = Arc::clone(&session.info);
    let now = Instant::now();
    let connection = Connection {
        stream,
        frames,
        session,
        share: shared.in_flight.share(),
        outbox: Arc::clone(&outbox),
        waiting: WaitingCalls::default(),
        handed_over: HandedOver::default(),
        finished: Vec::new(),
        outgoing: Outgoing::default(),
        unread: UnreadPart::new(&shared.unread),
        shared,
        reading: Reading::Frames,
        pending: 0,
        has_more: false,
        left_unread: LeftUnread::default(),
        slow_request: SlowRequest::default(),
        crowded: None,
        carried_out: 0,
        received: now,
        looked: Some(now),
        progress: now,
        stays_until: None,
    };
    let end = connection.run().await;
    outbox.close();
    info.set_lost();
    match end {
        Ok(stream) => close(stream, &[]).await,
        Err(error) => tracing::debug!(%remote, %error, "connection lost"),
    }
}

/// Counts a call that has been carried out, and says when it ended.
#[inline]
fn count(metrics: &CallMetrics, begun: Begun, result: &Result<Reply, RpcException>) -> Instant {
    let (ended, bytes) = match result {
        Ok(reply) => (reply.ended, reply.message.len() + reply.cells.len()),
        Err(exception) => {
            metrics.failed(exception);
            (None, exception.message.len())
        }
    };
    let ended = ended.unwrap_or_else(Instant::now);
    metrics.answered(begun, ended, bytes);
    ended
}

/// Writes what is left to say, and closes so that the client can read it.
async fn close(mut stream: TcpStream, last_words: &[u8]) {
    let farewell = async {
        stream.write_all(last_words).await?;
        stream.shutdown().await?;
        let mut sink = [0; 4 << 10];
        while stream.read(&mut sink).await? > 0 {}
        io::Result::Ok(())
    };
    // Whether it succeeds does not matter: the connection ends here.
    let _ = timeout(LINGER, farewell).await;
}

struct Connection {
    stream: TcpStream,
    frames: FrameBuffer,
    session: Session,
    shared: Arc<Shared>,
    /// What is counted for the frame that is being received.
    share: Share,
    outbox: Arc<Outbox>,
    /// Calls that have no task of their own.
    waiting: WaitingCalls,
    /// Calls that another thread carries out.
    handed_over: HandedOver,
    /// Results that are to be written.
    finished: Vec<Finished>,
    outgoing: Outgoing,
    /// What is counted of it in the whole server.
    unread: UnreadPart,
    reading: Reading,
    /// Calls whose results are still to come.
    pending: usize,
    /// Whether requests were left for when the answers to those before them have been sent.
    has_more: bool,
    /// What is not read yet for want of memory.
    left_unread: LeftUnread,
    /// What is in the way of others until the rest of it has come.
    slow_request: SlowRequest,
    /// Since when no call begins anywhere before replies are taken, and there are many here.
    crowded: Option<Instant>,
    /// Frames that were taken before that, for calls that were carried out here.
    carried_out: usize,
    /// When the last bytes came.
    received: Instant,
    /// The time, if it has just been looked at: after reading, writing, and a call.
    looked: Option<Instant>,
    /// When the client last took bytes, or there began to be some for it.
    progress: Instant,
    /// Not before then does it move to another thread.
    stays_until: Option<Instant>,
}

impl Connection {
    /// Serves until the connection is to be closed; an error if it is broken.
    async fn run(mut self) -> io::Result<TcpStream> {
        loop {
            let had_nothing_to_say = self.outgoing.is_empty();
            self.collect_finished();
            self.begin_calls()?;
            self.unread.set(self.outgoing.len());
            if had_nothing_to_say && !self.outgoing.is_empty() {
                self.progress = self.now();
            }
            self.looked = None;
            if self.is_done() {
                return Ok(self.stream);
            }
            self.move_if_wanted().await;
            match self.next_event().await? {
                Event::Read(read) => self.have_read(read?),
                Event::Wrote(wrote) => self.have_written(wrote?)?,
                Event::Finished | Event::Nothing => {}
            }
        }
    }

    /// Goes on on another thread, if this one is busy.
    async fn move_if_wanted(&mut self) {
        let now = self.received.max(self.progress);
        if self.stays_until.is_none_or(|until| until <= now)
            && let Some((stream, destination)) = connection_threads::leave(&self.stream, now)
        {
            self.stream = stream;
            self.stays_until = Some(now + STAYS);
            connection_threads::moved(destination).await;
        }
    }

    /// The time, as it has been looked at if nothing was done since.
    fn now(&mut self) -> Instant {
        self.looked.take().unwrap_or_else(Instant::now)
    }

    fn is_done(&self) -> bool {
        let no_more_calls = matches!(self.reading, Reading::Ended) || self.shared.is_draining();
        no_more_calls && self.pending == 0 && self.outgoing.is_empty()
    }

    /// Whether another call may begin, given what this client has not yet taken or waits for.
    fn has_room(&self) -> bool {
        let limits = &self.shared.limits;
        !self.has_replies_to_take()
            // Those of calls under way, too.
            && self.session.info.reply_bytes() < limits.max_outgoing_bytes
            && self.pending < limits.max_pending_calls
            && !self.shared.is_draining()
    }

    /// Whether no call may begin before the client has taken some of its replies.
    fn has_replies_to_take(&self) -> bool {
        let room = if self.others_wait() { 1 } else { self.shared.limits.max_outgoing_bytes };
        self.outgoing.len() >= room
    }

    /// Whether there is too much that clients have not taken.
    fn others_wait(&self) -> bool {
        self.shared.unread.bytes() > self.shared.limits.max_unread_bytes
    }

    fn collect_finished(&mut self) {
        if self.pending == 0 {
            return;
        }
        self.outbox.take(&mut self.finished);
        let mut finished = std::mem::take(&mut self.finished);
        self.pending -= finished.len();
        for Finished { call_id, result } in finished.drain(..) {
            push_result(&mut self.outgoing, call_id, result, self.session.cells);
        }
        self.finished = finished;
    }

    async fn next_event(&mut self) -> io::Result<Event> {
        let may_be_in_the_way = self.look_at_request() | self.look_at_unread();
        let patience = self.patience();
        let until_look = CROWD_LOOK.min(self.shared.limits.crowded_stall_timeout);
        let look = may_be_in_the_way.then(|| Instant::now() + until_look);
        let look = look.into_iter().chain(self.left_unread.until()).min();
        let event = poll_fn(|cx| self.poll_event(cx));
        let deadline = patience.as_ref().map(|patience| patience.until);
        let Some(until) = look.into_iter().chain(deadline).min() else {
            return Ok(event.await);
        };
        match (tokio::time::timeout_at(until.into(), event).await, patience) {
            (Ok(event), _) => Ok(event),
            (Err(_), Some(patience)) if patience.until <= until => Err(self.out_of_patience(patience.lack)),
            (Err(_), _) => Ok(Event::Nothing),
        }
    }

    fn is_within_request(&self) -> bool {
        self.frames.len() > 0 || matches!(self.reading, Reading::Skipping(_))
    }

    /// Whether more bytes are wanted of the client.
    fn reads(&self) -> bool {
        !matches!(self.reading, Reading::Ended) && self.has_room() && self.left_unread.until().is_none()
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        if !self.outgoing.is_empty()
            && let Poll::Ready(wrote) = self.poll_write(cx)
        {
            return Poll::Ready(Event::Wrote(wrote));
        }
        if self.has_more {
            return Poll::Ready(Event::Finished);
        }
        if self.waiting.poll(cx, &mut self.finished) | self.outbox.poll(cx).is_ready() {
            return Poll::Ready(Event::Finished);
        }
        if self.reads() {
            let read = pin!(self.stream.read_buf(self.frames.bytes_mut()));
            return std::future::Future::poll(read, cx).map(Event::Read);
        }
        Poll::Pending
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut slices = [IoSlice::new(&[]); MAX_SLICES];
        let count = self.outgoing.slices(&mut slices);
        Pin::new(&mut self.stream).poll_write_vectored(cx, &slices[..count])
    }

    fn have_read(&mut self, bytes: usize) {
        self.received = Instant::now();
        self.looked = Some(self.received);
        self.shared.metrics.received(bytes);
        if bytes == 0 {
            // It may have ended only its own side: what has begun is still answered.
            self.reading = Reading::Ended;
            self.session.info.set_closed();
        }
    }

    fn have_written(&mut self, bytes: usize) -> io::Result<()> {
        if bytes == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.outgoing.advance(bytes);
        self.unread.taken(bytes);
        self.shared.metrics.sent(bytes);
        self.progress = Instant::now();
        self.looked = Some(self.progress);
        Ok(())
    }
}
