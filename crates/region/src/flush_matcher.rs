//! What a flush or a compaction keeps: hidden and surplus puts go; markers stay, but in a compaction of all files.
//!
//! Cells that some open scanner must not yet see, or may still see in an older state ("unstable": newer than the
//! smallest read point), are kept, hide nothing and count for nothing. Puts among them go that a marker hides which all see: it
//! may not be there any more when they come to be seen.
//!
//! Under NEW_VERSION_BEHAVIOR what is hidden depends on what was written before: everything is kept but by a compaction
//! of all files.

use crate::columns::{ColumnCode, ColumnTracker, VersionLimits};
use crate::delete_tracker::{DeleteTracker, Deleted};
use crate::family_rules::FamilyRules;
use crate::new_version_tracker::{NewVersionTracker, Standing};
use finback_cell::{Bytes, Cell, KeepDeletedCells, tag};

/// Rows of which a compaction has all files.
struct Whole {
    rows: RowRange,
    earliest_put: i64,
}

/// From the first row to before the second; empty is open.
pub(crate) type RowRange = (Bytes, Bytes);

/// State of one pass over sorted cells.
pub(crate) struct FlushMatcher {
    smallest_read_point: u64,
    keep_deleted: KeepDeletedCells,
    now: i64,
    oldest: i64,
    min_versions: u32,
    /// Where a compaction has all files.
    whole: Option<Whole>,
    /// In such a row: the timestamp of the oldest put in the files.
    earliest_put: Option<i64>,
    /// Markers younger than this are kept.
    purge_after_ms: i64,
    row: Vec<u8>,
    started: bool,
    deletes: DeleteTracker,
    /// In the place of `deletes` under NEW_VERSION_BEHAVIOR.
    new_versions: Option<NewVersionTracker>,
    columns: ColumnTracker,
    /// Counts what KEEP_DELETED_CELLS keeps under NEW_VERSION_BEHAVIOR.
    deleted_columns: ColumnTracker,
    /// The column whose remaining cells are all dropped.
    left_column: Option<Vec<u8>>,
}

impl FlushMatcher {
    pub(crate) fn new(rules: &FamilyRules, smallest_read_point: u64, now: i64) -> Self {
        let oldest = rules.oldest_unexpired(now);
        let min_versions = rules.min_versions;
        let (limit, new_version_behavior) = (rules.max_versions, rules.new_version_behavior);
        let limits = VersionLimits { limit, min_versions, oldest, new_version_behavior };
        Self {
            smallest_read_point,
            keep_deleted: rules.keep_deleted,
            now,
            oldest,
            min_versions,
            whole: None,
            earliest_put: None,
            purge_after_ms: 0,
            row: Vec::new(),
            started: false,
            deletes: DeleteTracker::default(),
            new_versions: new_version_behavior.then(|| NewVersionTracker::new(limit)),
            columns: ColumnTracker::new(limits, None),
            deleted_columns: ColumnTracker::new(limits, None),
            left_column: None,
        }
    }

    /// For a compaction of all files of these rows, whose oldest put has this timestamp: a marker goes when nothing is
    /// left for it to hide.
    pub(crate) fn dropping_markers(mut self, rows: RowRange, earliest_put: i64) -> Self {
        self.whole = Some(Whole { rows, earliest_put });
        self
    }

    /// Keeps markers that are younger, for puts that come late.
    pub(crate) fn purging_markers_after(mut self, purge_after_ms: i64) -> Self {
        self.purge_after_ms = purge_after_ms;
        self
    }

    /// Whether the next cell is written.
    pub(crate) fn keeps(&mut self, cell: &Cell<'_>, sequence_id: u64) -> bool {
        if !self.started || self.row != cell.row() {
            self.begin_row(cell.row());
        }
        let keeps_everything = self.new_versions.is_some() && self.earliest_put.is_none();
        if keeps_everything {
            return true;
        }
        // As in HBase, also of what no read sees yet.
        if self.min_versions == 0 && cell.timestamp() < self.oldest && self.new_versions.is_none() {
            return self.drop_column(cell);
        }
        if tag::ttl_ms(cell.tags()).is_some_and(|ttl| cell.timestamp().saturating_add(ttl) < self.now) {
            return false;
        }
        if sequence_id > self.smallest_read_point {
            let is_hidden = self.new_versions.is_none()
                && self.earliest_put.is_some()
                && cell.is_put()
                && self.deletes.check(cell) != Deleted::No;
            return !is_hidden;
        }
        if self.left_column.as_deref() == Some(cell.qualifier()) {
            return false;
        }
        self.keeps_stable(cell, sequence_id)
    }

    fn begin_row(&mut self, row: &[u8]) {
        self.started = true;
        let is_in = |(start, end): &RowRange| row >= &start[..] && (end.is_empty() || row < &end[..]);
        self.earliest_put =
            self.whole.as_ref().filter(|whole| is_in(&whole.rows)).map(|whole| whole.earliest_put);
        self.row.clear();
        self.row.extend_from_slice(row);
        self.deletes.reset();
        if let Some(new_versions) = &mut self.new_versions {
            new_versions.reset();
        }
        self.columns.reset();
        self.deleted_columns.reset();
        self.left_column = None;
    }

    fn keeps_stable(&mut self, cell: &Cell<'_>, sequence_id: u64) -> bool {
        let timestamp = cell.timestamp();
        if self.new_versions.is_some() {
            return self.keeps_new_version(cell, sequence_id);
        }
        if cell.is_delete() {
            let goes = self.deleted_goes(timestamp);
            if goes {
                self.deletes.add(cell);
            }
            return self.keeps_marker(cell, goes);
        }
        match self.deletes.check(cell) {
            Deleted::No => self.keeps_version(cell),
            Deleted::Column => self.drop_column(cell),
            Deleted::Version => false,
        }
    }

    /// Whether what a marker of this timestamp hides is dropped.
    fn deleted_goes(&self, marker_timestamp: i64) -> bool {
        match self.keep_deleted {
            KeepDeletedCells::False => true,
            KeepDeletedCells::True => false,
            KeepDeletedCells::Ttl => marker_timestamp < self.oldest,
        }
    }

    fn keeps_version(&mut self, cell: &Cell<'_>) -> bool {
        match self.columns.check_version(cell) {
            ColumnCode::Include | ColumnCode::IncludeLastOfColumn => true,
            ColumnCode::Skip => false,
            ColumnCode::NextColumn | ColumnCode::NextRow => self.drop_column(cell),
        }
    }

    /// Under NEW_VERSION_BEHAVIOR, in a compaction of all files. What can be seen stays: HBase may drop it where the
    /// family keeps deleted cells, as it then counts cells and markers alike.
    fn keeps_new_version(&mut self, cell: &Cell<'_>, sequence_id: u64) -> bool {
        let Some(new_versions) = &mut self.new_versions else { return true };
        if cell.is_delete() {
            new_versions.add(cell, sequence_id);
            let timestamp = cell.timestamp();
            let has_puts = self.earliest_put.is_some_and(|put| timestamp >= put);
            return self.is_young(timestamp) || has_puts && !self.deleted_goes(timestamp);
        }
        match new_versions.check(cell, sequence_id) {
            Standing::Visible => self.keeps_version(cell),
            Standing::Masked => false,
            Standing::Deleted(marker) if self.deleted_goes(marker) => false,
            Standing::Deleted(_) => {
                let code = self.deleted_columns.check_version(cell);
                matches!(code, ColumnCode::Include | ColumnCode::IncludeLastOfColumn)
            }
        }
    }

    /// A marker that hides what comes after it is not needed once all files are in; one that is itself kept
    /// (KEEP_DELETED_CELLS) goes with the puts that it deleted.
    fn keeps_marker(&mut self, marker: &Cell<'_>, hides: bool) -> bool {
        match self.earliest_put {
            None => true,
            Some(_) if self.is_young(marker.timestamp()) => true,
            Some(_) if hides => false,
            Some(earliest) if marker.timestamp() < earliest => false,
            Some(_) => self.keeps_version(marker),
        }
    }

    /// Whether a marker is to wait for puts that come late.
    fn is_young(&self, timestamp: i64) -> bool {
        self.purge_after_ms > 0 && self.now.saturating_sub(timestamp) <= self.purge_after_ms
    }

    fn drop_column(&mut self, cell: &Cell<'_>) -> bool {
        // Family markers share the empty qualifier and may still follow.
        if !cell.qualifier().is_empty() {
            self.left_column = Some(cell.qualifier().to_vec());
        }
        false
    }
}
