//! One connection of a client: one task that reads requests, calls the service and writes replies. Of long reads that queue in it
//! another thread may carry out some ([`handed_over`]).

mod handed_over;
mod patience;
mod waiting;

use crate::call_metrics::{Begun, CallMetrics};
use crate::call_queue::{CallKind, QueuePlace, kind_of};
use crate::connection_threads;
use crate::exception::RpcException;
use crate::exceptions;
use crate::frame::{FrameBuffer, Next};
use crate::handshake::{Handshake, Session, handshake};
use crate::in_flight::Share;
use crate::outbox::{Finished, Outbox};
use crate::outgoing::{MAX_SLICES, Outgoing};
use crate::request::{self, RequestHeader};
use crate::response::{push_exception, push_result};
use crate::run::{self, Guarded};
use crate::server::Shared;
use crate::service::{Call, HIGH_PRIORITY, MethodName, Outcome, Reply};
use crate::unread::UnreadPart;
use bytes::Bytes;
use finback_proto::footprint;
use handed_over::{HandedCall, HandedOver};
use patience::Patience;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use waiting::{WaitingCall, WaitingCalls};

/// Bytes of a frame that is refused within which its header must stand.
const MAX_REFUSED_HEADER_BYTES: usize = 64 << 10;
/// What a pending call costs besides the bytes of its request.
const CALL_OVERHEAD_BYTES: usize = 1 << 10;
/// The shortest time that a client is believed to wait.
const MIN_TIMEOUT: Duration = Duration::from_millis(20);
/// How often to look whether replies that the client does not take are in the way of others.
const CROWD_LOOK: Duration = Duration::from_secs(1);
/// A connection that has moved to another thread stays there at least so long.
const STAYS: Duration = if cfg!(test) { Duration::ZERO } else { Duration::from_secs(1) };
/// Answers that took so long go to the client before more calls are carried out: it works on them meanwhile, and has the next
/// requests sooner. Sending them costs a tenth of that.
const SENT_AFTER: Duration = Duration::from_micros(40);
/// Calls of which no more than this are carried out in that time are long enough to be handed over: to have another thread carry
/// out a short one costs as much again.
const LONG_CALLS: usize = 2;
/// How many of them are handed over at once.
const BATCH_CALLS: RangeInclusive<usize> = 2..=4;
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

/// A call that may begin.
struct Prepared {
    call: Call,
    kind: CallKind,
    begun: Begun,
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
    let mut frames = FrameBuffer::default();
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
        let room = if self.others_wait() { 1 } else { limits.max_outgoing_bytes };
        self.outgoing.len() < room
            // Those of calls under way, too.
            && self.session.info.reply_bytes() < limits.max_outgoing_bytes
            && self.pending < limits.max_pending_calls
            && !self.shared.is_draining()
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

    /// Takes every whole frame that has been read, as far as there is room and its answers need not be sent first.
    fn begin_calls(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.has_more) && self.hand_over()? {
            self.looked = Some(Instant::now());
        }
        let began = self.looked;
        self.carried_out = 0;
        while self.has_room() {
            if let (Some(began), Some(ended)) = (began, self.looked)
                && !self.outgoing.is_empty()
                && ended.saturating_duration_since(began) >= SENT_AFTER
            {
                self.has_more = self.frames.len() > 0;
                break;
            }
            match self.reading {
                Reading::Frames => {}
                Reading::Skipping(rest) => {
                    let rest = rest - self.frames.skip(rest);
                    self.reading = if rest > 0 { Reading::Skipping(rest) } else { Reading::Frames };
                    if rest > 0 {
                        self.frames.make_room(self.frames.room_wanted(rest));
                        break;
                    }
                }
                Reading::Ended => break,
            }
            match self.frames.next(self.shared.limits.max_request_bytes) {
                Next::Frame(frame) => {
                    self.carried_out += 1;
                    if let Some(prepared) = self.prepare(frame)? {
                        self.carry_out(prepared);
                    }
                }
                Next::Partial { missing } => {
                    if !self.make_room(missing)? {
                        break;
                    }
                }
                Next::TooBig { length } => {
                    self.refuse_too_big(length)?;
                    break;
                }
                Next::Negative => return Err(malformed("negative frame length")),
            }
        }
        Ok(())
    }

    /// Makes room for the rest of a frame, or refuses it. Whether to look at the frames again.
    fn make_room(&mut self, missing: usize) -> io::Result<bool> {
        let room = self.frames.room_wanted(missing);
        // The first chunk is the connection's own; what a frame needs beyond it is counted.
        if room == 0 || self.frames.len() < crate::frame::READ_CHUNK || self.share.try_grow(room) {
            self.frames.make_room(room);
            return Ok(false);
        }
        let Some((header, _)) = request::split_header(self.frames.partial()) else {
            return Err(malformed("no request header at the start of a large frame"));
        };
        self.refuse(header.call_id, &self.shared.in_flight.too_much());
        let there = self.frames.len();
        self.frames.skip(there);
        self.share = self.shared.in_flight.share();
        self.reading = Reading::Skipping(missing);
        Ok(true)
    }

    /// Answers a frame that is too long, as soon as its header has come, and ends the connection.
    fn refuse_too_big(&mut self, length: usize) -> io::Result<()> {
        match request::split_header(self.frames.partial()) {
            Some((header, _)) => {
                let limit = self.shared.limits.max_request_bytes;
                let host = self.session.info.remote.ip();
                let message = format!(
                    "RPC data length of {length} received from {host} is greater than max allowed {limit}. Set \
                     \"hbase.ipc.max.request.size\" on server to override this limit (not recommended)"
                );
                self.refuse(header.call_id, &exceptions::request_too_big(message));
                self.reading = Reading::Ended;
                Ok(())
            }
            None if self.frames.len() < MAX_REFUSED_HEADER_BYTES => {
                self.frames.make_room(self.frames.room_wanted(MAX_REFUSED_HEADER_BYTES));
                Ok(())
            }
            None => Err(malformed("no request header at the start of a frame that is too long")),
        }
    }

    /// Lets another thread, if there is one with less to do, carry out a half of the reads that queue here, up to the first call that is
    /// none. Whether anything was done.
    fn hand_over(&mut self) -> io::Result<bool> {
        let may = self.carried_out <= LONG_CALLS
            && matches!(self.reading, Reading::Frames)
            && self.handed_over.has_room()
            && self.shared.queues.has_ample_room(CallKind::Read)
            && !self.others_wait();
        let helper = if may { connection_threads::helper() } else { None };
        let Some(helper) = helper else { return Ok(false) };
        let count = self.frames.whole_frames(2 * BATCH_CALLS.end()) / 2;
        if !BATCH_CALLS.contains(&count) {
            return Ok(false);
        }
        let mut other = None;
        let mut handed = Vec::with_capacity(count);
        for _ in 0..count {
            if !self.has_room() {
                break;
            }
            let Next::Frame(frame) = self.frames.next(self.shared.limits.max_request_bytes) else { break };
            match self.prepare(frame)? {
                Some(Prepared { call, kind: kind @ CallKind::Read, begun }) => {
                    let counted = self.count_pending(call.share.clone(), kind, begun);
                    handed.push(HandedCall { call, begun, counted });
                }
                Some(call) => {
                    other = Some(call);
                    break;
                }
                None => {}
            }
        }
        if !handed.is_empty() {
            let shared = (&self.shared, &self.outbox);
            self.handed_over.send(helper, handed, &self.session.service, shared);
        }
        if let Some(call) = other {
            self.carry_out(call);
        }
        Ok(true)
    }

    /// The call in a frame; none if it is over already.
    fn prepare(&mut self, frame: Bytes) -> io::Result<Option<Prepared>> {
        let bytes = frame.len();
        let share = self.share_of_frame(bytes);
        let Some((header, body)) = request::split_header(frame) else {
            return Err(malformed("no request header"));
        };
        let deadline = self.deadline(&header);
        let begun = Begun { received: self.received, begun: self.now(), bytes };
        if deadline.is_some_and(|deadline| deadline <= begun.begun) {
            // The client has given up already, and takes no answer any more.
            return Ok(None);
        }
        if header.priority < HIGH_PRIORITY && self.shared.in_flight.is_full() {
            self.refuse(header.call_id, &self.shared.in_flight.too_much());
            return Ok(None);
        }
        let call_id = header.call_id;
        let call = match self.decode(header, body, (deadline, begun.begun), share) {
            Ok(call) => call,
            Err(exception) => {
                self.refuse(call_id, &exception);
                return Ok(None);
            }
        };
        let kind = kind_of(&call, self.session.service.kind(&call));
        if let Err(exception) = self.shared.queues.check(kind) {
            self.refuse(call_id, &exception);
            return Ok(None);
        }
        Ok(Some(Prepared { call, kind, begun }))
    }

    fn carry_out(&mut self, Prepared { call, kind, begun }: Prepared) {
        let (call_id, share) = (call.call_id, call.share.clone());
        match run::call(&*self.session.service, call) {
            Outcome::Ready(result) => {
                self.looked = Some(count(&self.shared.metrics, begun, &result));
                push_result(&mut self.outgoing, call_id, result, self.session.cells);
            }
            Outcome::Waiting(future) => {
                let counted = self.count_pending(share, kind, begun);
                let metrics = Arc::clone(&self.shared.metrics);
                self.waiting.push(WaitingCall {
                    call_id,
                    begun,
                    future: Guarded(future),
                    metrics,
                    _counted: counted,
                });
            }
            Outcome::Pending(future) => {
                let counted = self.count_pending(share, kind, begun);
                handed_over::spawn(call_id, future, counted, begun, (&self.shared, &self.outbox));
            }
        }
    }

    /// Answers a call with an exception.
    fn refuse(&mut self, call_id: u32, exception: &RpcException) {
        self.shared.metrics.failed(exception);
        push_exception(&mut self.outgoing, call_id, exception);
    }

    /// What is counted for the frame that has just been taken: nothing, for a small one, so that its call does not touch
    /// what all connections share.
    fn share_of_frame(&mut self, bytes: usize) -> Option<Arc<Share>> {
        let is_counted = !self.share.is_empty() || bytes > footprint::UNMEASURED_BYTES;
        is_counted.then(|| Arc::new(std::mem::replace(&mut self.share, self.shared.in_flight.share())))
    }

    fn deadline(&self, header: &RequestHeader) -> Option<Instant> {
        match header.timeout_ms {
            0 => None,
            ms => self.received.checked_add(Duration::from_millis(ms.into()).max(MIN_TIMEOUT)),
        }
    }

    fn decode(
        &self,
        header: RequestHeader,
        body: Bytes,
        (deadline, begun): (Option<Instant>, Instant),
        mut share: Option<Arc<Share>>,
    ) -> Result<Call, RpcException> {
        let (param, sent) = request::split_body(&header, body)?;
        let cells = self.session.cells.decode(sent.clone(), self.shared.limits.max_request_bytes);
        let cells = cells.map_err(|e| exceptions::do_not_retry(format!("the request has {e}")))?;
        // What a block was made into is counted beside what was sent, where it is more.
        if cells.len() > sent.len() + footprint::UNMEASURED_BYTES {
            let share = share.get_or_insert_with(|| Arc::new(self.shared.in_flight.share()));
            if !share.try_grow(cells.len()) {
                return Err(share.too_much());
            }
        }
        Ok(Call {
            call_id: header.call_id,
            trace_info: header.trace_info,
            method: header.method.unwrap_or(MethodName::from_static("")),
            param,
            cells,
            priority: header.priority,
            deadline,
            received: self.received,
            begun,
            connection: Arc::clone(&self.session.info),
            share,
        })
    }

    /// Counts a call that does not end at once.
    fn count_pending(
        &mut self,
        share: Option<Arc<Share>>,
        kind: CallKind,
        begun: Begun,
    ) -> (Arc<Share>, QueuePlace) {
        let share = share.unwrap_or_else(|| Arc::new(self.shared.in_flight.share()));
        share.raise_to(begun.bytes + CALL_OVERHEAD_BYTES);
        self.pending += 1;
        (share, self.shared.queues.place(kind))
    }

    async fn next_event(&mut self) -> io::Result<Event> {
        let patience = self.patience();
        let until_look = CROWD_LOOK.min(self.shared.limits.crowded_stall_timeout);
        let look = self.outgoing.counted_since().map(|_| Instant::now() + until_look);
        let event = poll_fn(|cx| self.poll_event(cx));
        let Some(Patience { until: deadline, lack }) = patience else {
            return Ok(event.await);
        };
        let until = look.map_or(deadline, |look| look.min(deadline));
        match tokio::time::timeout_at(until.into(), event).await {
            Ok(event) => Ok(event),
            Err(_) if until < deadline => Ok(Event::Nothing),
            Err(_) => Err(self.out_of_patience(lack)),
        }
    }

    fn is_within_request(&self) -> bool {
        self.frames.len() > 0 || matches!(self.reading, Reading::Skipping(_))
    }

    /// Whether more bytes are wanted of the client.
    fn reads(&self) -> bool {
        !matches!(self.reading, Reading::Ended) && self.has_room()
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
        self.shared.metrics.sent(bytes);
        self.progress = Instant::now();
        self.looked = Some(self.progress);
        Ok(())
    }
}

fn malformed(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
