//! What a flush or a compaction keeps: hidden and surplus puts go; markers stay, but in a compaction of all files.
//!
//! Cells that some open scanner must not yet see, or may still see in an older state ("unstable": newer than the
//! smallest read point), are always kept, hide nothing and count for nothing.

use crate::columns::{ColumnCode, ColumnTracker, VersionLimits};
use crate::delete_tracker::{DeleteTracker, Deleted};
use crate::matcher::oldest_unexpired;
use finback_cell::{Cell, ColumnFamilyDescriptor, KeepDeletedCells, tag};

/// State of one pass over sorted cells.
pub(crate) struct FlushMatcher {
    smallest_read_point: u64,
    keep_deleted: KeepDeletedCells,
    now: i64,
    oldest: i64,
    min_versions: u32,
    keep_everything: bool,
    /// In a compaction of all files: the timestamp of the oldest put in them.
    earliest_put: Option<i64>,
    row: Vec<u8>,
    started: bool,
    deletes: DeleteTracker,
    columns: ColumnTracker,
    /// The column whose remaining cells are all dropped.
    left_column: Option<Vec<u8>>,
}

impl FlushMatcher {
    pub(crate) fn new(family: &ColumnFamilyDescriptor, smallest_read_point: u64, now: i64) -> Self {
        let oldest = oldest_unexpired(family, now);
        let min_versions = family.min_versions();
        let limits = VersionLimits { limit: family.max_versions(), min_versions, oldest };
        Self {
            smallest_read_point,
            keep_deleted: family.keep_deleted_cells(),
            now,
            oldest,
            min_versions,
            keep_everything: family.new_version_behavior(),
            earliest_put: None,
            row: Vec::new(),
            started: false,
            deletes: DeleteTracker::default(),
            columns: ColumnTracker::new(limits, None),
            left_column: None,
        }
    }

    /// For a compaction of all files, whose oldest put has this timestamp: a marker goes when nothing is left for it
    /// to hide.
    pub(crate) fn dropping_markers(mut self, earliest_put: i64) -> Self {
        self.earliest_put = Some(earliest_put);
        self
    }

    /// Whether the next cell is written.
    pub(crate) fn keeps(&mut self, cell: &Cell<'_>, sequence_id: u64) -> bool {
        if !self.started || self.row != cell.row() {
            self.started = true;
            self.row.clear();
            self.row.extend_from_slice(cell.row());
            self.deletes.reset();
            self.columns.reset();
            self.left_column = None;
        }
        if self.keep_everything || sequence_id > self.smallest_read_point {
            return true;
        }
        if self.left_column.as_deref() == Some(cell.qualifier()) {
            return false;
        }
        self.keeps_stable(cell)
    }

    fn keeps_stable(&mut self, cell: &Cell<'_>) -> bool {
        let timestamp = cell.timestamp();
        let expired = timestamp < self.oldest;
        if self.min_versions == 0 && expired {
            return self.drop_column(cell);
        }
        if tag::ttl_ms(cell.tags()).is_some_and(|ttl| timestamp.saturating_add(ttl) < self.now) {
            return false;
        }
        if cell.is_delete() {
            let hides = match self.keep_deleted {
                KeepDeletedCells::False => true,
                KeepDeletedCells::True => false,
                KeepDeletedCells::Ttl => expired,
            };
            if hides {
                self.deletes.add(cell);
            }
            return self.keeps_marker(cell, hides);
        }
        match self.deletes.check(cell) {
            Deleted::No => {}
            Deleted::Column => return self.drop_column(cell),
            Deleted::Version => return false,
        }
        match self.columns.check_version(cell) {
            ColumnCode::Include | ColumnCode::IncludeLastOfColumn => true,
            ColumnCode::Skip => false,
            ColumnCode::NextColumn | ColumnCode::NextRow => self.drop_column(cell),
        }
    }

    /// A marker that hides what comes after it is not needed once all files are in; one that is itself kept
    /// (KEEP_DELETED_CELLS) goes with the puts that it deleted.
    fn keeps_marker(&mut self, marker: &Cell<'_>, hides: bool) -> bool {
        match self.earliest_put {
            None => true,
            Some(_) if hides => false,
            Some(earliest) if marker.timestamp() < earliest => false,
            Some(_) => match self.columns.check_version(marker) {
                ColumnCode::Include | ColumnCode::IncludeLastOfColumn => true,
                ColumnCode::Skip => false,
                ColumnCode::NextColumn | ColumnCode::NextRow => self.drop_column(marker),
            },
        }
    }

    fn drop_column(&mut self, cell: &Cell<'_>) -> bool {
        // Family markers share the empty qualifier and may still follow.
        if !cell.qualifier().is_empty() {
            self.left_column = Some(cell.qualifier().to_vec());
        }
        false
    }
}
