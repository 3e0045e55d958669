//! What a user's read does with each cell of one family: expiry, deletes, time range, columns, versions, filter.
//!
//! The steps and their order are HBase's (its `UserScanQueryMatcher` and `RawScanQueryMatcher`).

use crate::columns::{ColumnCode, ColumnTracker, VersionLimits};
use crate::delete_tracker::{DeleteTracker, Deleted};
use crate::family_rules::FamilyRules;
use crate::new_version_tracker::{NewVersionTracker, Standing};
use finback_cell::{Bytes, Cell, KeepDeletedCells, Scan, TimeRange, tag};
use finback_filter::{Filter, FilterCode, FilterError};

/// What to do with a cell, and where to go after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Whether the cell is part of the result.
    pub(crate) include: bool,
    /// Where to go next.
    pub(crate) then: Step,
}

/// How to move on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The next cell.
    Next,
    /// The next column (or the next one asked for).
    NextColumn,
    /// The end of the row.
    NextRow,
    /// The key that the filter gave.
    Hint,
}

/// Puts that nothing but themselves decides about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainCells {
    oldest: i64,
    time_range: TimeRange,
    one_version: bool,
}

impl PlainCells {
    /// Whether `cell` is one, where `before` is the cell before it in the same row, if any.
    #[inline]
    pub(crate) fn include(&self, before: Option<&Cell<'_>>, cell: &Cell<'_>) -> bool {
        let timestamp = cell.timestamp();
        cell.is_put()
            && timestamp >= self.oldest
            && self.time_range.contains(timestamp)
            && cell.tags().is_empty()
            && before.is_none_or(|before| cell.qualifier() != before.qualifier())
    }

    /// Whether nothing behind `cell` is wanted of its column, if it is the first of the column, and the column the first of the row.
    pub(crate) fn hide_older(&self, cell: &Cell<'_>) -> bool {
        self.one_version && self.include(None, cell)
    }
}

const SKIP: Verdict = Verdict { include: false, then: Step::Next };
const NEXT_ROW: Verdict = Verdict { include: false, then: Step::NextRow };
const HINT: Verdict = Verdict { include: false, then: Step::Hint };

/// Settings and state of a read of one family.
pub(crate) struct Matcher {
    raw: bool,
    keep_deleted: bool,
    time_range: TimeRange,
    now: i64,
    oldest: i64,
    min_versions: u32,
    /// Versions returned of each column.
    max_result: u32,
    deletes: DeleteTracker,
    /// In the place of `deletes` under NEW_VERSION_BEHAVIOR.
    new_versions: Option<NewVersionTracker>,
    columns: ColumnTracker,
    filtered_count: u32,
    filtered_qualifier: Vec<u8>,
    filtered_any: bool,
    /// Timestamp and type of the last cell without a qualifier whose column was left: others alike are leapt over.
    left_without_qualifier: Option<(i64, u8)>,
}

impl Matcher {
    /// A matcher for `scan` over a family of these rules at time `now` (milliseconds).
    pub(crate) fn new(
        scan: &Scan,
        time_range: TimeRange,
        rules: &FamilyRules,
        wanted: Option<Vec<Bytes>>,
        now: i64,
        is_filtered: bool,
    ) -> Self {
        let oldest = if scan.raw { i64::MIN } else { rules.oldest_unexpired(now) };
        let family_versions = if scan.raw { u32::MAX } else { rules.max_versions };
        let max_result = scan.max_versions.min(family_versions);
        let new_version_behavior = rules.new_version_behavior && !scan.raw;
        let limit = if is_filtered && !new_version_behavior { family_versions } else { max_result };
        let min_versions = rules.min_versions;
        let limits = VersionLimits { limit, min_versions, oldest, new_version_behavior };
        Self {
            raw: scan.raw,
            keep_deleted: rules.keep_deleted != KeepDeletedCells::False,
            time_range,
            now,
            oldest,
            min_versions,
            max_result,
            deletes: DeleteTracker::default(),
            new_versions: new_version_behavior.then(|| NewVersionTracker::new(family_versions)),
            columns: ColumnTracker::new(limits, wanted),
            filtered_count: 0,
            filtered_qualifier: Vec::new(),
            filtered_any: false,
            left_without_qualifier: None,
        }
    }

    /// A new row.
    pub(crate) fn reset(&mut self) {
        self.deletes.reset();
        if let Some(new_versions) = &mut self.new_versions {
            new_versions.reset();
        }
        self.columns.reset();
        self.filtered_any = false;
        self.left_without_qualifier = None;
    }

    /// The column to seek to when columns were asked for.
    pub(crate) fn column_hint(&self) -> Option<&Bytes> {
        self.columns.hint()
    }

    /// Which cells behind one that was included are so too, for certain and without a look at what was seen before them; none if
    /// each has to be decided about.
    pub(crate) fn plain_cells(&self) -> Option<PlainCells> {
        let decides_each = self.raw || self.new_versions.is_some() || !self.deletes.is_empty();
        let one_version = self.columns.takes_one_of_each();
        (!decides_each && self.columns.takes_newest_of_each()).then_some(PlainCells {
            oldest: self.oldest,
            time_range: self.time_range,
            one_version,
        })
    }

    /// Goes on behind a cell that was included as one of [`Matcher::plain_cells`].
    pub(crate) fn included_plain(&mut self, cell: &Cell<'_>) {
        self.columns.begin_column(cell);
    }

    /// Decides about the next cell of the current row.
    #[inline]
    pub(crate) fn check(
        &mut self,
        cell: &Cell<'_>,
        sequence_id: u64,
        filter: Option<&mut (dyn Filter + 'static)>,
    ) -> Result<Verdict, FilterError> {
        if self
            .left_without_qualifier
            .is_some_and(|left| left == (cell.timestamp(), cell.type_code()) && cell.qualifier().is_empty())
        {
            return Ok(SKIP);
        }
        let verdict = self.check_unfiltered(cell, sequence_id);
        match filter {
            Some(filter) if verdict.include => self.apply_filter(cell, verdict, filter),
            _ => Ok(verdict),
        }
    }

    #[inline]
    fn check_unfiltered(&mut self, cell: &Cell<'_>, sequence_id: u64) -> Verdict {
        let timestamp = cell.timestamp();
        // Under NEW_VERSION_BEHAVIOR the expired count as versions of their time.
        if self.min_versions == 0 && timestamp < self.oldest && self.new_versions.is_none() {
            return self.leave_column(cell);
        }
        if tag::ttl_ms(cell.tags()).is_some_and(|ttl| timestamp.saturating_add(ttl) < self.now) {
            return SKIP;
        }
        if !self.raw {
            if cell.is_delete() {
                self.note_marker(cell, sequence_id);
                return SKIP;
            }
            match self.hidden(cell, sequence_id) {
                Deleted::No => {}
                Deleted::Column => return self.leave_column(cell),
                Deleted::Version => return SKIP,
            }
        }
        if !self.time_range.contains(timestamp) {
            return if timestamp < self.time_range.min { self.leave_column(cell) } else { SKIP };
        }
        match self.columns.check_column(cell.qualifier()) {
            ColumnCode::NextColumn => return self.next_column(cell, false),
            ColumnCode::NextRow => return NEXT_ROW,
            _ => {}
        }
        match self.columns.check_version(cell) {
            ColumnCode::Include => Verdict { include: true, then: Step::Next },
            ColumnCode::IncludeLastOfColumn => self.last_of_column(cell),
            ColumnCode::Skip => SKIP,
            ColumnCode::NextColumn | ColumnCode::NextRow => self.leave_column(cell),
        }
    }

    #[inline]
    fn hidden(&mut self, put: &Cell<'_>, sequence_id: u64) -> Deleted {
        let Some(new_versions) = &mut self.new_versions else { return self.deletes.check(put) };
        match new_versions.check(put, sequence_id) {
            Standing::Visible => Deleted::No,
            // Alone: older versions may have been written later.
            Standing::Deleted(_) | Standing::Masked => Deleted::Version,
        }
    }

    fn note_marker(&mut self, marker: &Cell<'_>, sequence_id: u64) {
        let counts = if self.keep_deleted {
            self.time_range.contains(marker.timestamp())
        } else {
            self.time_range.contains_or_precedes(marker.timestamp())
        };
        match &mut self.new_versions {
            Some(new_versions) if counts => new_versions.add(marker, sequence_id),
            None if counts => self.deletes.add(marker),
            _ => {}
        }
    }

    /// No further cell of this column matters.
    fn leave_column(&mut self, cell: &Cell<'_>) -> Verdict {
        self.columns.done_with(cell.qualifier());
        self.next_column(cell, false)
    }

    fn next_column(&mut self, cell: &Cell<'_>, include: bool) -> Verdict {
        // Family markers share the empty qualifier and may still follow its cells: they must be seen.
        if cell.qualifier().is_empty() {
            self.left_without_qualifier = Some((cell.timestamp(), cell.type_code()));
            return Verdict { include, then: Step::Next };
        }
        Verdict { include, then: if self.columns.is_done() { Step::NextRow } else { Step::NextColumn } }
    }

    fn last_of_column(&mut self, cell: &Cell<'_>) -> Verdict {
        self.columns.done_with(cell.qualifier());
        self.next_column(cell, true)
    }

    fn apply_filter(
        &mut self,
        cell: &Cell<'_>,
        verdict: Verdict,
        filter: &mut (dyn Filter + 'static),
    ) -> Result<Verdict, FilterError> {
        let merged = match filter.filter_cell(cell)? {
            FilterCode::Skip => return Ok(Verdict { include: false, ..verdict }),
            FilterCode::NextColumn => return Ok(self.leave_column(cell)),
            FilterCode::NextRow => return Ok(NEXT_ROW),
            // As in HBase, also when the columns that are wanted have been seen: the hint may lead far beyond the next row.
            FilterCode::SeekNextUsingHint => return Ok(HINT),
            FilterCode::Include => verdict,
            FilterCode::IncludeAndNextColumn if verdict.then == Step::Next => self.last_of_column(cell),
            FilterCode::IncludeAndNextColumn => verdict,
            FilterCode::IncludeAndSeekNextRow => Verdict { include: true, then: Step::NextRow },
        };
        if self.exceeds_versions(cell) {
            return Ok(if merged.then == Step::NextRow { NEXT_ROW } else { self.leave_column(cell) });
        }
        Ok(merged)
    }

    /// Counts a cell that the filter let through; whether its column now has more than the request wants.
    fn exceeds_versions(&mut self, cell: &Cell<'_>) -> bool {
        if !self.filtered_any || self.filtered_qualifier != cell.qualifier() {
            self.filtered_any = true;
            self.filtered_qualifier.clear();
            self.filtered_qualifier.extend_from_slice(cell.qualifier());
            self.filtered_count = 0;
        }
        self.filtered_count += 1;
        self.filtered_count > self.max_result
    }
}
