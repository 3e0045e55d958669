//! The last steps of a write: from its place in the log into the memstore, and before the eyes of readers.

use crate::error::RegionError;
use crate::given_up::GivesUp;
use crate::region::Region;
use crate::row_lock::{RowLock, Settles};
use crate::store::Store;
use crate::unsettled::{MAX_UNSETTLED_BYTES, Unsettled};
use bytes::Bytes;
use finback_cell::block::CellIter;
use finback_wal::Position;
use smallvec::SmallVec;

/// An edit that has its place in the log and is not visible yet.
pub(crate) struct Appended<'a> {
    pub(super) region: &'a Region,
    pub(super) sequence_id: u64,
    /// Its place, if it has one.
    pub(super) position: Option<Position>,
    pub(super) cells: Bytes,
    pub(super) replaces_older: bool,
    /// Whether it is to be on disk before it is visible.
    pub(super) wait_for_sync: bool,
    /// Those of its cells that the log has not.
    pub(super) unlogged: Bytes,
    /// Whether nothing that it was made of was unsettled: then nobody else inserts into its row before it has let go of it.
    pub(super) is_made_of_settled: bool,
    pub(super) applied: bool,
    pub(super) readable: bool,
    /// If the row was let go of; dropped when the rest is done.
    pub(super) settles: Option<Settles<'a>>,
}

impl<'a> Appended<'a> {
    /// Gives the lock of its only row back, if it is not too large for that and waits for the log: see [`crate::unsettled`].
    pub(crate) fn let_go(&mut self, locks: &mut SmallVec<[RowLock<'a>; 1]>) {
        let is_small = self.unlogged.is_empty() && self.cells.len() <= MAX_UNSETTLED_BYTES;
        if let Some(position) = self.position
            && self.wait_for_sync
            && is_small
            && let Some(lock) = locks.pop()
        {
            let (sequence_id, cells) = (self.sequence_id, self.cells.clone());
            self.settles = Some(lock.let_go(Unsettled { sequence_id, position, cells }));
        }
    }

    /// Waits for the log, as far as that is asked for, and until readers see the edit. Gives back the sequence id.
    pub(crate) async fn commit(mut self) -> Result<u64, RegionError> {
        if let Some(settles) = &self.settles {
            settles.let_successors_run().await;
        }
        if let (Some(position), true) = (self.position, self.wait_for_sync)
            && let Err(error) = self.region.environment.wal.sync(position).await
        {
            self.give_up();
            return Err(error.into());
        }
        if let Some(readable) = self.apply() {
            // Resolves always: the writers before complete, or are dropped, which completes them, or the region is given up.
            readable.await.map_err(|_| self.region.not_served())?;
            self.readable = true;
        }
        Ok(self.sequence_id)
    }

    /// Inserts the cells and completes the sequence id. The receiver, if any, resolves when readers see the edit. A panic in
    /// here gives the region up.
    fn apply(&mut self) -> Option<tokio::sync::oneshot::Receiver<()>> {
        self.applied = true;
        let guard = GivesUp(self.region);
        {
            // What replaces older cells in a memstore must have the row for itself.
            let replaces = self.replaces_older && self.region.stores.iter().any(Store::keeps_one_version);
            let retaken = self.settles.as_ref().filter(|_| replaces).and_then(Settles::retake);
            let has_row = retaken.is_some() || self.settles.is_none() && self.is_made_of_settled;
            let replaces = replaces && has_row;
            self.before_unlogged();
            self.region.insert_edit(&self.cells, self.sequence_id, replaces);
        }
        let readable = self.region.mvcc.complete(self.sequence_id);
        self.readable = readable.is_none();
        guard.disarm();
        self.region.after_growth();
        readable
    }

    /// Tells the stores that leave out versions for the sake of cells that are in no log.
    fn before_unlogged(&self) {
        if self.unlogged.is_empty() {
            return;
        }
        let under_way = self.region.read_point() + 1;
        for store in self.region.stores.iter().filter(|store| store.keeper.leaves_out_versions()) {
            if CellIter::over_checked(&self.unlogged).any(|cell| cell.family() == &store.family.name[..]) {
                store.before_unlogged(under_way);
            }
        }
    }

    /// The log failed: completes the sequence id without the cells.
    fn give_up(&mut self) {
        (self.applied, self.readable) = (true, true);
        // Who has waited for all writes before, and so is made of none of them, must not leave this one to be found by others.
        self.settles = None;
        self.region.mvcc.abandon(self.sequence_id);
    }
}

impl Drop for Appended<'_> {
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
