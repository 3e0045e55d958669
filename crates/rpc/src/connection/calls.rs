//! Calls out of the frames that a connection has read: each is decoded, refused, carried out, or handed over.

use super::handed_over::{self, Counted, HandedCall};
use super::slow_request::SlowRequest;
use super::waiting::WaitingCall;
use super::{Connection, Reading, SENT_AFTER, count};
use crate::call_metrics::Begun;
use crate::call_queue::{CallKind, kind_of};
use crate::connection_threads;
use crate::exception::RpcException;
use crate::exceptions;
use crate::frame::{self, Next};
use crate::in_flight::Share;
use crate::request::{self, RequestHeader};
use crate::response::{push_exception, push_result};
use crate::run::{self, Guarded};
use crate::service::{Call, HIGH_PRIORITY, MethodName, Outcome};
use bytes::Bytes;
use finback_proto::footprint;
use std::io;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of a frame that is refused within which its header must stand.
const MAX_REFUSED_HEADER_BYTES: usize = 64 << 10;
/// What a pending call costs besides the bytes of its request.
const CALL_OVERHEAD_BYTES: usize = 1 << 10;
/// The shortest time that a client is believed to wait.
const MIN_TIMEOUT: Duration = Duration::from_millis(20);
/// Calls of which no more than this are carried out in that time are long enough to be handed over: to have another thread carry
/// out a short one costs as much again.
const LONG_CALLS: usize = 2;
/// Up to so many bytes of one that is handed over are its own: frames that were read together count in one place who has a part of
/// them, and two threads that do so for each row wait for one another.
const COPIED_BYTES: usize = 16 << 10;
/// How many of them are handed over at once.
const BATCH_CALLS: RangeInclusive<usize> = 2..=4;

/// A call that may begin.
struct Prepared {
    call: Call,
    kind: CallKind,
    begun: Begun,
}

impl Connection {
    /// Takes every whole frame that has been read, as far as there is room and its answers need not be sent first.
    pub(super) fn begin_calls(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.has_more) && self.hand_over()? {
            self.looked = Some(Instant::now());
        }
        let began = self.looked;
        self.carried_out = 0;
        self.left_unread.look_again();
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
        if self.others_wait() && self.unread.counted() == 0 && self.frames.whole_frames(1) > 0 {
            self.shared.unread.note_held_up();
        }
        Ok(())
    }

    /// Makes room for the rest of a frame, or refuses it. Whether to look at the frames again.
    fn make_room(&mut self, missing: usize) -> io::Result<bool> {
        let room = self.frames.room_wanted(missing);
        // The first chunk, and one behind what is left of it, are the connection's own; what a frame needs beyond is counted.
        let is_small = room == 0 || self.frames.len() < frame::READ_CHUNK && room <= frame::READ_CHUNK;
        if !is_small && self.leaves_unread() {
            return Ok(false);
        }
        if !is_small && self.share.is_empty() {
            self.slow_request = SlowRequest::counted_since(self.received);
        }
        if is_small || self.share.try_grow(room) {
            self.frames.make_room(room);
            return Ok(false);
        }
        let Some((header, _)) = request::split_header(self.frames.front(MAX_REFUSED_HEADER_BYTES)) else {
            return Err(malformed("no request header at the start of a large frame"));
        };
        self.refuse(header.call_id, &self.shared.in_flight.refusal());
        let there = self.frames.len();
        self.frames.skip(there);
        self.share = self.shared.in_flight.share();
        self.reading = Reading::Skipping(missing);
        Ok(true)
    }

    /// Answers a frame that is too long, as soon as its header has come, and ends the connection.
    fn refuse_too_big(&mut self, length: usize) -> io::Result<()> {
        match request::split_header(self.frames.front(MAX_REFUSED_HEADER_BYTES)) {
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
            let Next::Frame(mut frame) = self.frames.next(self.shared.limits.max_request_bytes) else {
                break;
            };
            if frame.len() <= COPIED_BYTES {
                frame = Bytes::copy_from_slice(&frame);
            }
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
            self.refuse(header.call_id, &self.shared.in_flight.refusal());
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
        let cells = self.cells(sent, &mut share)?;
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
    fn count_pending(&mut self, share: Option<Arc<Share>>, kind: CallKind, begun: Begun) -> Counted {
        let share = share.unwrap_or_else(|| Arc::new(self.shared.in_flight.share()));
        share.raise_to(begun.bytes + CALL_OVERHEAD_BYTES);
        self.pending += 1;
        (share, self.shared.queues.place(kind))
    }
}

fn malformed(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
