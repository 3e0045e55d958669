//! Reads one family: merged sources under the matcher, row by row.
//!
//! Every operation may stop for a block ([`ScanInterrupt`]). It is then repeated after [`StoreScanner::provide`], and
//! goes on where it stopped: what was decided about a cell is kept in `verdict` until it is carried out.

use crate::error::Interrupt;
use crate::heap::Heap;
use crate::matcher::{Matcher, PlainCells, Step, Verdict};
use crate::mob::MobReads;
use crate::row_range::successor;
use crate::scan_output::ScanOutput;
use finback_cell::key::Key;
use finback_cell::{Bytes, Cell, CellOrder};
use finback_filter::Filter;
use finback_hfile::{Block, ScanInterrupt, TakeRows};
use finback_memstore::SegmentScanner;
use std::cmp::Ordering;
use std::sync::Arc;

/// What stands at the reading position within the current row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A cell of the result: [`StoreScanner::cell`]; [`StoreScanner::accept`] moves on.
    Cell,
    /// Nothing more in this row.
    EndOfRow,
    /// The budget of cells to look at is used up.
    Yield,
}

/// Settings of one store's read.
pub(crate) struct StoreRead {
    /// Order of the cells.
    pub(crate) order: CellOrder,
    /// The family.
    pub(crate) family: Bytes,
    /// Cells with higher sequence ids are not seen.
    pub(crate) read_point: u64,
    /// Nor are those with lower ones.
    pub(crate) lowest: u64,
    /// Whether rows come in descending order.
    pub(crate) reversed: bool,
    /// Whether only one row is read: nothing is to be looked for behind it.
    pub(crate) single_row: bool,
    /// Cells per row to skip.
    pub(crate) store_offset: u32,
    /// Cells per row to return at most.
    pub(crate) store_limit: Option<u32>,
}

/// A read of one family.
pub(crate) struct StoreScanner {
    read: StoreRead,
    heap: Heap,
    matcher: Matcher,
    /// Whether the scanner has cells in the row being read.
    in_row: bool,
    /// Whether the sources stand behind that row already.
    past_row: bool,
    /// Whether they stand at a cell of that row for certain: they have not moved since it was begun.
    at_row: bool,
    /// The flat key that the current step seeks to, kept while the step is interrupted.
    target: Vec<u8>,
    verdict: Option<Verdict>,
    cells_in_row: u32,
    /// In reversed reads: the row found by a move that was interrupted before its seek was done.
    previous: Option<Vec<u8>>,
    /// In reversed reads: the filter wants nothing more of the row, nor of any behind this one that comes before it.
    hinted_row: Option<Vec<u8>>,
    /// No row is left.
    exhausted: bool,
    /// Of a family that is loaded on demand: whether the sources stand at or before all rows still to come.
    sought: bool,
    /// Where references may come: what goes from them to MOB files.
    mob: Option<Box<MobReads>>,
}

impl StoreScanner {
    pub(crate) fn new(read: StoreRead, heap: Heap, matcher: Matcher, mob: Option<Box<MobReads>>) -> Self {
        Self {
            read,
            heap,
            matcher,
            in_row: false,
            past_row: false,
            at_row: false,
            target: Vec::new(),
            verdict: None,
            cells_in_row: 0,
            previous: None,
            hinted_row: None,
            exhausted: false,
            sought: false,
            mob,
        }
    }

    /// Forward: moves to the first row at or after `row`.
    pub(crate) fn start_at(&mut self, row: &[u8]) -> Result<(), ScanInterrupt> {
        self.heap.seek(&Key::first_on_row(row))
    }

    /// Reversed: moves to the greatest row before `row` (`None`: the last row).
    pub(crate) fn start_before(&mut self, row: Option<&[u8]>) -> Result<(), ScanInterrupt> {
        if self.previous.is_none() {
            self.previous = self.heap.previous_row(row)?;
        }
        match &self.previous {
            Some(found) => self.heap.seek(&Key::first_on_row(found))?,
            None => self.exhausted = true,
        }
        self.previous = None;
        Ok(())
    }

    /// The row at which the scanner stands.
    pub(crate) fn current_row(&self) -> Option<&[u8]> {
        if self.exhausted {
            return None;
        }
        self.heap.peek().map(|(cell, _)| cell.row())
    }

    /// Begins to read `row`, which may have cells in this family or not. `is_here`: it is known to be
    /// [`StoreScanner::current_row`].
    pub(crate) fn begin_row(&mut self, row: &[u8], is_here: bool) {
        self.in_row = is_here || self.current_row() == Some(row);
        self.cells_in_row = 0;
        self.hinted_row = None;
        if self.in_row {
            self.at_row = true;
            self.past_row = false;
            self.matcher.reset();
            self.verdict = None;
        }
    }

    /// Goes to `row`, in place of [`StoreScanner::start_at`] and [`StoreScanner::finish_row`], and begins to read it: for a
    /// family of which not every row is read.
    pub(crate) fn join_row(&mut self, row: &[u8]) -> Result<(), ScanInterrupt> {
        if !self.exhausted {
            self.verdict = None;
            self.target.clear();
            let first = Key::first_on_row(row);
            if self.sought && !self.read.reversed {
                self.heap.reseek(&first)?;
            } else {
                self.heap.seek(&first)?;
            }
            self.sought = true;
        }
        self.begin_row(row, false);
        Ok(())
    }

    /// Forgets where [`StoreScanner::join_row`] went: the next call of it seeks anew, from wherever the sources stand.
    pub(crate) fn forget_joined_row(&mut self) {
        self.sought = false;
    }

    /// Whether any cell of the row that was begun has passed, though the row's offset may have left it out.
    pub(crate) fn has_passed_any(&self) -> bool {
        self.cells_in_row > 0
    }

    /// Finds the next cell of `row`, the one that was begun, that belongs to the result. `budget` counts down by cells
    /// looked at.
    pub(crate) fn find(
        &mut self,
        row: &[u8],
        mut filter: Option<&mut (dyn Filter + 'static)>,
        budget: &mut usize,
    ) -> Result<Found, Interrupt> {
        loop {
            if !self.in_row || self.hinted_row.is_some() {
                return Ok(Found::EndOfRow);
            }
            if self.verdict.is_some_and(|verdict| verdict.include) {
                return Ok(Found::Cell);
            }
            self.leave_cell(row)?;
            if !self.in_row {
                return Ok(Found::EndOfRow);
            }
            let next = self.heap.peek();
            // As in HBase, the family is done within the row at once, and for good, even if the filter should change its
            // mind with the next row. It need not be the row behind this one: a reversed read goes the other way.
            if filter.as_deref().is_some_and(Filter::filter_all_remaining) {
                self.exhausted = true;
                return Ok(Found::EndOfRow);
            }
            let at_row = self.at_row;
            let Some((cell, sequence_id)) = next.filter(|(cell, _)| at_row || cell.row() == row) else {
                self.past_row = true;
                return Ok(Found::EndOfRow);
            };
            if *budget == 0 {
                return Ok(Found::Yield);
            }
            *budget -= 1;
            let verdict = if sequence_id > self.read.read_point || sequence_id < self.read.lowest {
                Verdict { include: false, then: Step::Next }
            } else {
                let verdict = self.matcher.check(&cell, sequence_id, filter.as_deref_mut())?;
                match verdict.then {
                    Step::Hint if self.read.reversed => {
                        self.hinted_row = self.read.take_hint_back(&cell, filter.as_deref_mut());
                        Verdict { include: false, then: Step::Next }
                    }
                    Step::Hint => self.read.take_hint(&cell, filter.as_deref_mut(), &mut self.target),
                    _ => verdict,
                }
            };
            self.verdict = Some(self.limit(verdict));
        }
    }

    /// Leaves the cell that was looked at last, if there is one.
    #[inline]
    fn leave_cell(&mut self, row: &[u8]) -> Result<(), ScanInterrupt> {
        let Some(verdict) = self.verdict else { return Ok(()) };
        let is_done = verdict.then == Step::NextRow;
        // A row that is joined is left by the way to the next one. Of a single row nothing is to be moved behind its last cell.
        if (is_done && self.sought) || (self.read.single_row && (is_done || self.heap.is_last_of_row())) {
            (self.in_row, self.past_row) = (false, true);
            return Ok(());
        }
        self.at_row = false;
        self.step(row, verdict.then)?;
        self.verdict = None;
        Ok(())
    }

    /// Whether there are cells of `row`, the one that was begun, behind the one that was accepted, of which none may belong
    /// to the result.
    pub(crate) fn may_have_more(&mut self, row: &[u8]) -> Result<bool, ScanInterrupt> {
        if self.hinted_row.is_some() {
            return Ok(false);
        }
        if self.in_row && self.verdict.is_none_or(|verdict| !verdict.include) {
            self.leave_cell(row)?;
        }
        Ok(self.in_row && !self.exhausted && self.heap.peek().is_some_and(|(cell, _)| cell.row() == row))
    }

    /// Applies the row's store limit and offset to a verdict. With the last cell that is wanted the row is done, and its
    /// next ones are shown to no filter; a limit of none is as good as one, as in HBase.
    fn limit(&mut self, verdict: Verdict) -> Verdict {
        if !verdict.include {
            return verdict;
        }
        self.cells_in_row = self.cells_in_row.saturating_add(1);
        let (count, offset) = (self.cells_in_row, self.read.store_offset);
        let is_last = |limit: u32| count >= limit.saturating_add(offset);
        match count > offset {
            false => Verdict { include: false, ..verdict },
            true if self.read.store_limit.is_some_and(is_last) => Verdict { then: Step::NextRow, ..verdict },
            true => verdict,
        }
    }

    /// Puts the cell that [`StoreScanner::find`] found into the output, or what it leads to, or what `transform` makes of it; see
    /// [`ScanOutput::push_or_leave`].
    #[inline]
    pub(crate) fn put_found(
        &mut self,
        out: &mut ScanOutput,
        (end, left): (usize, &mut usize),
        transform: impl FnOnce(&Cell<'_>, &mut Vec<u8>) -> bool,
    ) -> Result<bool, Interrupt> {
        let Some((cell, sequence_id)) = self.heap.peek() else { return Ok(true) };
        match &mut self.mob {
            None => Ok(out.push_or_leave(&cell, end, left, transform)),
            Some(mob) => mob.put((&cell, sequence_id), out, (end, left), transform),
        }
    }

    /// Takes the found cell as read.
    #[inline]
    pub(crate) fn accept(&mut self) {
        if let Some(verdict) = &mut self.verdict {
            verdict.include = false;
        }
    }

    /// Goes on behind a cell that was accepted, as long as cells come that belong to the result for certain and `take` takes
    /// them: as [`StoreScanner::find`] and [`StoreScanner::accept`] would do without a filter, at a fraction of the time.
    pub(crate) fn accept_plain(&mut self, mut take: impl FnMut(&Cell<'_>) -> bool) {
        let goes_on = self.verdict == Some(Verdict { include: false, then: Step::Next });
        if !goes_on || self.exhausted || self.decides_each_cell() {
            return;
        }
        let Some(plain) = self.matcher.plain_cells() else { return };
        let (read_point, mut taken) = (self.read.read_point, 0);
        self.heap.advance_in_row(|before, cell, sequence_id| {
            let takes = sequence_id <= read_point && plain.include(Some(before), cell) && take(cell);
            taken += u32::from(takes);
            takes
        });
        if taken == 0 {
            return;
        }
        if let Some((cell, _)) = self.heap.peek() {
            self.matcher.included_plain(&cell);
        }
        self.cells_in_row = self.cells_in_row.saturating_add(taken);
        self.at_row = false;
    }

    /// Between two rows: goes on behind whole rows before `stop` (empty: no end), as long as all of their cells belong to the
    /// result for certain, no other source has anything of them that is wanted, and `rows`, made of the cells that do and the read point,
    /// takes them; whether any was taken. As a row begun and finished would do, at a fraction of the time.
    pub(crate) fn advance_rows<R: TakeRows>(
        &mut self,
        stop: &[u8],
        rows: impl FnOnce(PlainCells, u64) -> R,
    ) -> bool {
        let read = &self.read;
        if read.reversed || read.single_row || self.decides_each_cell() || self.exhausted {
            return false;
        }
        self.matcher.reset();
        let Some(plain) = self.matcher.plain_cells() else { return false };
        self.heap.advance_rows(stop, &mut rows(plain, read.read_point))
    }

    /// Whether a cell may have to be left out, or be another one, that is seen and plain.
    fn decides_each_cell(&self) -> bool {
        let read = &self.read;
        read.store_limit.is_some() || read.store_offset > 0 || read.lowest > 0 || self.mob.is_some()
    }

    /// Leaves `row`, the one that was begun.
    pub(crate) fn finish_row(&mut self, row: &[u8]) -> Result<(), ScanInterrupt> {
        if !self.in_row || self.exhausted {
            return Ok(());
        }
        self.verdict = None;
        self.target.clear();
        if self.read.reversed {
            // The row itself is before its own successor.
            let behind_hinted = self.hinted_row.as_deref().map(|row| successor(self.read.order, row));
            self.start_before(Some(behind_hinted.as_deref().unwrap_or(row)))?;
            self.hinted_row = None;
        } else if !self.past_row {
            self.go_behind(row)?;
        }
        self.in_row = false;
        Ok(())
    }

    /// Moves behind `row`: mostly to the next cell, for which no key has to be compared.
    fn go_behind(&mut self, row: &[u8]) -> Result<(), ScanInterrupt> {
        if self.heap.advance_if(|here, next| here.row() == row && next.row() != row) {
            return Ok(());
        }
        self.heap.reseek(&Key::last_on_row(row))
    }

    fn step(&mut self, row: &[u8], step: Step) -> Result<(), ScanInterrupt> {
        match step {
            Step::Next => return self.heap.next(),
            Step::NextRow => return self.go_behind(row),
            Step::NextColumn => {
                if let Some(column) = self.matcher.column_hint() {
                    let reaches = |here: &Cell<'_>, next: &Cell<'_>| {
                        here.row() == row
                            && here.qualifier() < column
                            && (next.row() != row || next.qualifier() >= column)
                    };
                    if self.heap.advance_if(reaches) {
                        return Ok(());
                    }
                    return self.heap.reseek(&Key::first_on_column(row, &self.read.family, column));
                }
                let leaves = |here: &Cell<'_>, next: &Cell<'_>| {
                    here.row() == row && (next.row() != row || next.qualifier() != here.qualifier())
                };
                if self.target.is_empty() && self.heap.advance_if(leaves) {
                    return Ok(());
                }
                // The current cell changes while sources are moved one after the other: remember its column.
                if self.target.is_empty()
                    && let Some((cell, _)) = self.heap.peek()
                {
                    Key::last_on_column(row, cell.family(), cell.qualifier()).write(&mut self.target);
                }
            }
            Step::Hint => {}
        }
        self.heap.reseek(&Key::from_checked(&self.target))?;
        self.target.clear();
        Ok(())
    }

    /// Lets go of all blocks. Nothing else may be done before [`StoreScanner::unpark`] was successful.
    pub(crate) fn park(&mut self) {
        self.heap.park();
        if let Some(mob) = &mut self.mob {
            mob.park();
        }
    }

    /// Goes back to where it was parked.
    pub(crate) fn unpark(&mut self) -> Result<(), ScanInterrupt> {
        self.heap.unpark()
    }

    /// The family.
    pub(crate) fn family(&self) -> &[u8] {
        &self.read.family
    }

    /// Its scanners of memstore segments.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &SegmentScanner> {
        self.heap.segments()
    }

    /// Bytes of the blocks that this scanner keeps in memory.
    pub(crate) fn held_bytes(&self) -> usize {
        self.heap.held_bytes() + self.mob.as_ref().map_or(0, |mob| mob.held_bytes())
    }

    /// Hands over the block that was asked for.
    pub(crate) fn provide(&mut self, block: Arc<Block>) {
        match &mut self.mob {
            Some(mob) if mob.waits() => mob.provide(block),
            _ => self.heap.provide(block),
        }
    }
}

impl StoreRead {
    /// Fetches the filter's hint; without one that lies ahead the cell is only skipped.
    fn take_hint(
        &self,
        cell: &Cell<'_>,
        filter: Option<&mut (dyn Filter + 'static)>,
        target: &mut Vec<u8>,
    ) -> Verdict {
        let hint = filter.and_then(|filter| filter.next_cell_hint(cell));
        let ahead =
            hint.filter(|hint| self.order.compare_keys(&hint.as_key(), &Key::of(cell)) == Ordering::Greater);
        let Some(hint) = ahead else { return Verdict { include: false, then: Step::Next } };
        target.clear();
        hint.as_key().write(target);
        Verdict { include: false, then: Step::Hint }
    }

    /// The row to go back to, by the filter's hint. As in HBase, reversed reads follow hints to other rows only: within a row a
    /// marker that a hint leaps over counts.
    fn take_hint_back(
        &self,
        cell: &Cell<'_>,
        filter: Option<&mut (dyn Filter + 'static)>,
    ) -> Option<Vec<u8>> {
        let hint = filter.and_then(|filter| filter.next_cell_hint(cell))?;
        let row = hint.as_key().row;
        (self.order.compare_rows(row, cell.row()) == Ordering::Less).then(|| row.to_vec())
    }
}
