//! Writes of hbase:meta: one at a time, in order, those that wait in the meantime together.

use std::collections::VecDeque;

use finback_rpc::RpcException;

use super::{Core, Purpose};
use crate::{action::Action, meta_edit::MetaEdit};

/// Edits that are put into one request at most, unless one write alone has more: what is atomic stays together.
const MAX_EDITS_PER_REQUEST: usize = 2000;

/// Edits that become visible together.
#[derive(Debug)]
pub(super) struct MetaWrite {
    pub(super) edits: Vec<MetaEdit>,
    pub(super) then: Then,
}

/// What waits for a write.
#[derive(Debug)]
pub(super) enum Then {
    Nothing,
    Procedure(u64),
    /// The region's intended transition stands in hbase:meta.
    Announced(String),
    /// The region's new state stands in hbase:meta.
    Settled(String),
    /// As Settled, after giving up.
    Failed(String, RpcException),
}

/// The queue. Its length is bounded by the regions and procedures that there are: each has at most one write in it.
#[derive(Debug, Default)]
pub(super) struct MetaWrites {
    queue: VecDeque<MetaWrite>,
    in_flight: bool,
    pub(super) paused: bool,
    attempt: u32,
    /// So many of the next go one by one: some of them was refused.
    alone: usize,
    last_timestamp: u64,
}

impl MetaWrites {
    /// Cells with this timestamp exist: those to come need a larger one, whatever the clock says.
    pub(super) fn seen_timestamp(&mut self, timestamp: u64) {
        self.last_timestamp = self.last_timestamp.max(timestamp);
    }

    /// A timestamp larger than all before, so that no edit is hidden behind an earlier delete marker.
    pub(super) fn next_timestamp(&mut self, now: u64) -> u64 {
        self.last_timestamp = now.max(self.last_timestamp + 1);
        self.last_timestamp
    }

    fn take_batch(&mut self) -> Vec<MetaWrite> {
        if self.alone > 0 {
            self.alone -= 1;
            return self.queue.pop_front().into_iter().collect();
        }
        let mut edits = 0;
        let mut batch = Vec::new();
        while let Some(next) = self.queue.front() {
            edits += next.edits.len();
            if !batch.is_empty() && edits > MAX_EDITS_PER_REQUEST {
                break;
            }
            batch.extend(self.queue.pop_front());
        }
        batch
    }
}

impl Core {
    /// Queues a write.
    pub(super) fn write_meta(&mut self, edits: Vec<MetaEdit>, then: Then) {
        self.meta.queue.push_back(MetaWrite { edits, then });
    }

    /// Sends what waits, if hbase:meta is open and nothing is under way.
    pub(super) fn flush_meta_writes(&mut self) {
        if self.meta.in_flight || self.meta.paused || self.meta.queue.is_empty() {
            return;
        }
        let location = self.state.meta_location().filter(|server| self.state.servers.contains_key(server));
        let Some(server) = location.cloned() else { return };
        let writes = self.meta.take_batch();
        let at = self.meta.next_timestamp(self.now);
        let mutations =
            writes.iter().flat_map(|write| &write.edits).map(|edit| edit.to_mutation(at)).collect();
        self.meta.in_flight = true;
        self.act(Action::WriteMeta { server, mutations }, Purpose::MetaWrites(writes));
    }

    /// A failed write is repeated until it succeeds: it may have been applied, and to forget it would let memory and hbase:meta
    /// differ. Its edits can be applied twice. What is refused for good was not applied, and the others must not wait for it:
    /// they are sent one by one, and the step fails whose it is.
    pub(super) fn meta_written(&mut self, writes: Vec<MetaWrite>, result: Result<(), RpcException>) {
        self.meta.in_flight = false;
        if let Err(e) = result {
            self.meta.attempt += 1;
            tracing::warn!(attempt = self.meta.attempt, "writing hbase:meta: {e}");
            match &writes[..] {
                [MetaWrite { then: Then::Procedure(id), .. }] if e.do_not_retry => {
                    self.meta.attempt = 0;
                    return self.step_failed(*id, e);
                }
                [_, _, ..] if e.do_not_retry => self.meta.alone = writes.len(),
                _ => {}
            }
            writes.into_iter().rev().for_each(|write| self.meta.queue.push_front(write));
            self.meta.paused = true;
            self.pause(self.meta.attempt, Purpose::MetaPause);
            return;
        }
        self.meta.attempt = 0;
        let mut announced = Vec::new();
        for write in writes {
            if let Then::Procedure(id) = write.then {
                self.leave_parents(id, &write.edits);
            }
            write.edits.iter().for_each(|edit| edit.apply(&mut self.state, self.now));
            match write.then {
                Then::Nothing => {}
                Then::Procedure(id) => self.step_done(id),
                Then::Announced(region) => announced.push(region),
                Then::Settled(region) => self.region_settled(&region, Ok(())),
                Then::Failed(region, exception) => self.region_settled(&region, Err(exception)),
            }
        }
        self.request_transitions(&announced);
    }
}
