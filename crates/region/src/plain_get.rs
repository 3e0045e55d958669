//! Gets of a row that one source of a store has alone, and all of it in memory, in puts that nothing but themselves decides about: they
//! are taken from there at once. Most gets are such. What it takes to open a scanner, which merges sources, may wait for blocks, and decides
//! about each cell, is half of what another get costs.

use crate::error::RegionError;
use crate::region::Region;
use crate::relevant::{BloomAnswer, Relevant};
use crate::row_range::RowRange;
use crate::scan_limits::ScanLimits;
use crate::scan_output::ScanOutput;
use crate::store::Store;
use finback_cell::key::Key;
use finback_cell::{Bytes, Cell, CellOrder, FamilySelection, Scan, TimeRange};
use smallvec::SmallVec;
use std::cell::{Cell as Slot, OnceCell};
use std::cmp::Ordering;

/// Cells of a row of one family at most: what is looked at in vain is not to be much.
const MOST_CELLS: usize = 64;

/// Columns named at most: each cell is compared with all of them.
const MOST_COLUMNS: usize = 8;

/// Bytes of a column's name in a memstore at most: it is copied.
const LONGEST_COLUMN: usize = 1 << 10;

/// Gets that are read otherwise between two tries, after many in vain.
const LONGEST_PAUSE: u8 = 64;

thread_local! {
    /// Gets of this thread that are read otherwise before the next try, and how many these were.
    static PAUSE: Slot<(u8, u8)> = const { Slot::new((0, 0)) };

    /// Whether the file that this thread has last asked for a row, and no other, did not have it.
    static LAST_WAS_ABSENT: Slot<bool> = const { Slot::new(false) };
}

impl Region {
    /// Reads a get's row without a filter into `out`, as a result if it has one; waits for blocks that are not in memory.
    ///
    /// # Errors
    /// As [`Region::scanner`]; what a read of a file fails with.
    pub fn get(&self, get: &Scan, out: &mut ScanOutput) -> Result<(), RegionError> {
        if self.find_at_once(get, out, usize::MAX) {
            return Ok(());
        }
        let mut scanner = self.scanner(get, None)?;
        while let Err(interrupt) = scanner.next(out, &ScanLimits::NONE) {
            if let Err(failure) = scanner.fetch(interrupt) {
                out.drop_result();
                return Err(failure);
            }
        }
        Ok(())
    }

    /// Tries [`Region::find_plain`], and that seldom where it mostly is in vain.
    pub fn find_at_once(&self, get: &Scan, out: &mut ScanOutput, most_bytes: usize) -> bool {
        let (left, pause) = PAUSE.get();
        if left > 0 {
            PAUSE.set((left - 1, pause));
            return false;
        }
        let was_found = self.find_plain(get, out, most_bytes);
        let pause = if was_found { 0 } else { pause.saturating_mul(2).clamp(1, LONGEST_PAUSE) };
        PAUSE.set((pause, pause));
        was_found
    }

    /// Finds the row of a get without a filter at once, if that can be done; whether it could. Nothing is found by it then that a scanner
    /// would not have found, and all of that. Otherwise, or if it would be more than `most_bytes`, `out` is as it was, and a
    /// [scanner](Region::scanner) is to be asked, also for what is wrong with the get.
    pub fn find_plain(&self, get: &Scan, out: &mut ScanOutput, most_bytes: usize) -> bool {
        let was_found = self.try_find_plain(get, out, most_bytes);
        if was_found {
            if out.open_cells > 0 {
                out.rows_scanned += 1;
                out.rows_completed += 1;
            }
            out.close_result(false);
        } else {
            out.drop_result();
        }
        was_found
    }

    fn try_find_plain(&self, get: &Scan, out: &mut ScanOutput, most_bytes: usize) -> bool {
        let takes_all = get.time_range == TimeRange::ALL
            && get.family_time_ranges.is_empty()
            && get.store_limit.is_none()
            && get.store_offset == 0;
        let is_ordinary =
            takes_all && !get.raw && !get.read_uncommitted && get.cache_blocks && get.read_point.is_none();
        if !is_ordinary
            || get.families.len() > self.stores.len()
            || get.max_versions == 0
            || self.order != CellOrder::User
            || !self.is_readable()
        {
            return false;
        }
        let range = self.clamp(get);
        let Some(row) = range.single() else { return false };
        // What compactions could leave out that is seen as of now is kept.
        let registered = self.mvcc.register_scanner(None);
        let now = OnceCell::new();
        let now = || *now.get_or_init(|| self.environment.host.now_ms());
        let end = out.cells.len().saturating_add(most_bytes);
        let (found, _) = self.file_switch.look(|| {
            out.drop_result();
            let mut wanted = 0;
            for store in &self.stores {
                let selection = get.families.iter().find(|selection| selection.family == store.family.name);
                if get.families.is_empty() || selection.is_some() {
                    wanted += 1;
                    let mut row = PlainRow { row, read_point: registered.get(), out, end };
                    if !store.find_plain(get, &range, selection, &now, &mut row) {
                        return false;
                    }
                }
            }
            wanted >= get.families.len()
        });
        found
    }
}

/// The row that is looked for, and where its cells go.
struct PlainRow<'a> {
    row: &'a [u8],
    read_point: u64,
    out: &'a mut ScanOutput,
    /// Where the cells end at most.
    end: usize,
}

/// Which cells of a store are taken.
struct PlainColumns<'a> {
    family: &'a [u8],
    /// `None`: all.
    columns: Option<&'a [Bytes]>,
    /// Cells that are older have expired.
    oldest: i64,
    one_version: bool,
    /// Cells looked at.
    seen: usize,
}

impl PlainColumns<'_> {
    /// Takes the cell, or leaves it out; false if something else decides about it. `before`: the column of the cell before it.
    #[inline]
    fn take(
        &mut self,
        before: Option<&[u8]>,
        cell: &Cell<'_>,
        sequence_id: u64,
        row: &mut PlainRow<'_>,
    ) -> bool {
        self.seen += 1;
        // Files that were made elsewhere may have anything.
        let order = before.map_or(Ordering::Less, |before| before.cmp(cell.qualifier()));
        let is_plain = cell.is_put()
            && order != Ordering::Greater
            && cell.family() == self.family
            && cell.timestamp() >= self.oldest
            && cell.tags().is_empty()
            && sequence_id <= row.read_point
            && self.seen <= MOST_CELLS;
        if !is_plain {
            return false;
        }
        if self.columns.is_some_and(|columns| columns.iter().all(|column| column != cell.qualifier())) {
            return true;
        }
        if order == Ordering::Equal {
            return self.one_version;
        }
        let is_within = row.out.ends_within(row.end, cell);
        if is_within {
            row.out.push(cell, |_, _| false);
        }
        is_within
    }
}

impl Store {
    /// Finds the store's part of the row; false if that cannot be done.
    fn find_plain(
        &self,
        get: &Scan,
        range: &RowRange<&Bytes>,
        selection: Option<&FamilySelection>,
        now: &dyn Fn() -> i64,
        row: &mut PlainRow<'_>,
    ) -> bool {
        self.recent_reads.note();
        let columns = selection.and_then(|selection| selection.qualifiers.as_deref());
        let rules = &self.rules;
        if rules.new_version_behavior
            || rules.max_versions == 0
            || !rules.caches_blocks
            || self.mob_threshold.is_some()
            || columns.is_some_and(|columns| columns.len() > MOST_COLUMNS)
        {
            return false;
        }
        let relevant = Relevant::new(get, range, (&self.family.name, rules), self.order, now);
        let oldest = if rules.ttl_ms.is_some() { rules.oldest_unexpired(now()) } else { i64::MIN };
        let one_version = get.max_versions.min(rules.max_versions) == 1;
        let mut plain = PlainColumns { family: &self.family.name, columns, oldest, one_version, seen: 0 };
        // Segments first, as for a scanner.
        let segments = self.memstore.look_at_segments();
        let files = self.files.load();
        for segment in segments.iter() {
            if !segment.timestamps().is_some_and(|(min, max)| relevant.times(min, max)) {
                continue;
            }
            let had_some = plain.seen > 0;
            let mut scanner = segment.scanner();
            scanner.seek(&Key::first_on_row(row.row));
            let mut column: Option<SmallVec<[u8; 32]>> = None;
            while let Some((cell, sequence_id)) = scanner.peek().filter(|(cell, _)| cell.row() == row.row) {
                let is_short = cell.qualifier().len() <= LONGEST_COLUMN;
                if had_some || !is_short || !plain.take(column.as_deref(), &cell, sequence_id, row) {
                    return false;
                }
                if column.as_deref() != Some(cell.qualifier()) {
                    column = Some(cell.qualifier().into());
                }
                scanner.next();
            }
        }
        let mut matter =
            files.iter().filter(|file| relevant.file(file) && !self.leaves_out(file, &relevant)).peekable();
        let mut is_first = true;
        while let Some(file) = matter.next() {
            // Of rows that are there the filter of a file that is asked alone tells nothing; of others it tells sooner than the file.
            let is_only = is_first && matter.peek().is_none() && plain.seen == 0;
            let asks_filter = !is_only || LAST_WAS_ABSENT.get();
            is_first = false;
            if asks_filter {
                match relevant.bloom(file, &self.cache) {
                    BloomAnswer::No => continue,
                    BloomAnswer::Perhaps if plain.seen == 0 || file.reader().bloom_type().is_none() => {}
                    BloomAnswer::Perhaps | BloomAnswer::Ask(_) => return false,
                }
            }
            if file.reference().is_some() || file.refers_to_mob() {
                return false;
            }
            let found_before = row.out.cells.len();
            let (had_some, bulk_sequence_id) = (plain.seen > 0, file.bulk_sequence_id());
            let found = file.reader().take_row_in_memory(
                &*self.cache,
                self.data_priority,
                row.row,
                |before, cell, sequence_id| {
                    let before = before.map(Cell::qualifier);
                    !had_some && plain.take(before, cell, bulk_sequence_id.unwrap_or(sequence_id), row)
                },
            );
            if let Some(has_some) = found.filter(|_| is_only) {
                LAST_WAS_ABSENT.set(!has_some);
            }
            let may_be_absent = !asks_filter && row.out.cells.len() == found_before;
            if found.is_none()
                && !(may_be_absent && matches!(relevant.bloom(file, &self.cache), BloomAnswer::No))
            {
                return false;
            }
        }
        true
    }
}
