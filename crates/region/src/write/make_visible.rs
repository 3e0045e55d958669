//! The last steps of a write: from its place in the log into the memstore, and before the eyes of readers.

use crate::region::Region;
use bytes::Bytes;
use finback_wal::Position;

/// An edit that has its place in the log and is not visible yet.
pub(super) struct MakeVisible<'a> {
    pub(super) region: &'a Region,
    pub(super) sequence_id: u64,
    /// Its place, if it has one.
    pub(super) position: Option<Position>,
    pub(super) cells: Bytes,
    pub(super) replaces_older: bool,
    pub(super) applied: bool,
    pub(super) readable: bool,
}

impl MakeVisible<'_> {
    /// Inserts the cells and completes the sequence id. The receiver, if any, resolves when readers see the edit.
    pub(super) fn apply(&mut self) -> Option<tokio::sync::oneshot::Receiver<()>> {
        self.applied = true;
        self.region.insert_edit(&self.cells, self.sequence_id, self.replaces_older);
        let readable = self.region.mvcc.complete(self.sequence_id);
        self.readable = readable.is_none();
        self.region.after_growth();
        readable
    }

    /// The log failed: completes the sequence id without the cells.
    pub(super) fn give_up(&mut self) {
        (self.applied, self.readable) = (true, true);
        self.region.mvcc.abandon(self.sequence_id);
    }
}

impl Drop for MakeVisible<'_> {
    fn drop(&mut self) {
        if !self.applied {
            let left = self.position.map(|position| self.region.environment.wal.leave(position));
            match left.transpose() {
                Ok(_) => drop(self.apply()),
                Err(_) => self.give_up(),
            }
        }
        if !self.readable {
            // The row locks go before readers see the edit: who reads under the next lock must wait for it.
            self.region.mvcc.note_dropped(self.sequence_id);
        }
    }
}
