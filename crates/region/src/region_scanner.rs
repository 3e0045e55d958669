//! Reads a region row by row: its stores side by side, under the filter, into [`ScanOutput`], up to limits. Those that the
//! filter does not need may come later, for the rows that pass ([`joined`]).
//!
//! A plain state machine: it does no I/O and never waits. [`RegionScanner::next`] may stop for a block that is not in
//! memory; give it with [`RegionScanner::provide`] and call again with the same output. It holds its read point from
//! opening to dropping, so that it sees one state of the region, whatever is written meanwhile.

use crate::error::{Interrupt, RegionError};
use crate::file_switch::FilesSeen;
use crate::host::or_without;
use crate::mvcc::ReadPoint;
use crate::row_range::{RowRange, successor};
use crate::scan_limits::{ScanLimits, ScanStop};
use crate::scan_output::ScanOutput;
use crate::store_scanner::{Found, StoreScanner};
use finback_cell::{Bytes, CellOrder};
use finback_filter::{BlockTail, Filter};
use finback_hfile::{Block, ScanInterrupt};
use smallvec::SmallVec;
use std::sync::Arc;

mod joined;
mod plain_rows;

use joined::Joined;
use plain_rows::Pace;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Stores from this one on must still be positioned.
    Start(usize),
    BetweenRows,
    /// Reading this store's part of the row.
    InRow(usize),
    /// The filter has seen what it needs of the row.
    Decide,
    /// This store, and those behind it, must still come to the row.
    Join(usize),
    /// Reading this store's part of a row that passed.
    InJoined(usize),
    RowEnd,
    /// Stores from this one on must still leave the row.
    LeaveRow(usize),
    Done,
}

/// A scan of one region in progress.
pub struct RegionScanner {
    read_point: ReadPoint,
    order: CellOrder,
    range: RowRange,
    /// Those that each row is looked for in, and then those that are loaded on demand.
    stores: Vec<StoreScanner>,
    joined: Joined,
    filter: Option<Box<dyn Filter>>,
    whole_rows: bool,
    phase: Phase,
    row: SmallVec<[u8; 32]>,
    carried: Option<(Vec<u8>, u32)>,
    /// Whether a part of the row was given out already.
    was_cut: bool,
    /// Bytes of the cell that the last call left to the next one.
    left_bytes: usize,
    asking: usize,
    /// Whether the stores have let go of their blocks.
    parked: bool,
    files_seen: FilesSeen,
    pace: Pace,
}

impl RegionScanner {
    pub(crate) fn new(
        read_point: ReadPoint,
        order: CellOrder,
        range: &RowRange<&Bytes>,
        (mut stores, files_seen): (Vec<StoreScanner>, FilesSeen),
        mut filter: Option<Box<dyn Filter>>,
        on_demand: bool,
    ) -> Self {
        if let Some(filter) = &mut filter {
            filter.set_reversed(range.reversed);
        }
        let joined = Joined::divide(&mut stores, filter.as_deref(), on_demand);
        // Without a store there is nothing to be read, and nothing to be kept: so end most reads of rows that are not there.
        let range = if stores.is_empty() { RowRange::default() } else { range.cloned() };
        let whole_rows = filter.as_ref().is_some_and(finback_filter::Filter::has_filter_row);
        Self {
            read_point,
            order,
            range,
            stores,
            joined,
            filter,
            whole_rows,
            phase: Phase::Start(0),
            row: SmallVec::new(),
            carried: None,
            was_cut: false,
            left_bytes: 0,
            asking: 0,
            parked: false,
            files_seen,
            pace: Pace::default(),
        }
    }

    /// Sequence id as of which this scan reads.
    pub fn read_point(&self) -> u64 {
        self.read_point.get()
    }

    pub(crate) fn registration(&self) -> &ReadPoint {
        &self.read_point
    }

    /// The row last looked at; empty before the first.
    pub fn current_row(&self) -> &[u8] {
        &self.row
    }

    /// Whether the scan stands inside a row: more of it may follow.
    pub fn is_in_row(&self) -> bool {
        match self.phase {
            Phase::Start(_) | Phase::BetweenRows | Phase::LeaveRow(_) | Phase::Done => false,
            Phase::InRow(_) | Phase::Decide | Phase::Join(_) | Phase::InJoined(_) | Phase::RowEnd => true,
        }
    }

    /// Whether the filter decides over whole rows, so that rows cannot be cut.
    pub fn needs_whole_rows(&self) -> bool {
        self.whole_rows
    }

    /// Bytes that this scanner keeps in memory: blocks of files, what was found of a row for the next reply, and the filter.
    pub fn held_bytes(&self) -> usize {
        self.stores.iter().map(StoreScanner::held_bytes).sum::<usize>() + self.carried_bytes()
    }

    /// Bytes of the cell that comes next, if the last call ended before it for its size; 0 otherwise.
    pub fn next_cell_bytes(&self) -> usize {
        self.left_bytes
    }

    /// Bytes of what was found of a row for the next reply, and of the filter: all that it holds when it has let go of its
    /// blocks.
    pub fn carried_bytes(&self) -> usize {
        let found = self.carried.as_ref().map_or(0, |(cells, _)| cells.capacity());
        found + self.filter.as_ref().map_or(0, Filter::memory_bytes)
    }

    /// Lets go of all blocks until the next call of [`RegionScanner::next`], which asks for them again.
    pub fn park(&mut self) {
        self.stores.iter_mut().for_each(StoreScanner::park);
        let in_hand = self.joined_in_hand();
        for number in (self.joined.first..self.stores.len()).filter(|&number| Some(number) != in_hand) {
            self.stores[number].forget_joined_row();
        }
        self.parked = true;
    }

    fn unpark(&mut self) -> Result<(), ScanInterrupt> {
        for number in (0..self.joined.first).chain(self.joined_in_hand()) {
            self.asking = number;
            self.stores[number].unpark()?;
        }
        self.parked = false;
        Ok(())
    }

    /// Its parts, one for each family.
    pub(crate) fn stores(&self) -> &[StoreScanner] {
        &self.stores
    }

    /// The rows that are still to be read, and the read point, if there are any and the scan stands between two rows.
    pub(crate) fn rest(&self) -> Option<(RowRange, u64)> {
        if self.stores.is_empty() {
            return None;
        }
        let mut rest = self.range.clone();
        match self.phase {
            Phase::Start(_) => {}
            Phase::BetweenRows if self.row.is_empty() => {}
            Phase::BetweenRows => {
                rest.start = Bytes::copy_from_slice(&self.row);
                rest.include_start = false;
            }
            Phase::InRow(_)
            | Phase::Decide
            | Phase::Join(_)
            | Phase::InJoined(_)
            | Phase::RowEnd
            | Phase::LeaveRow(_)
            | Phase::Done => return None,
        }
        Some((rest, self.read_point.get()))
    }

    /// Which files it reads.
    pub(crate) fn files_seen(&self) -> FilesSeen {
        self.files_seen
    }

    /// Goes on with other scanners of its families over `rest`.
    pub(crate) fn go_on_with(&mut self, rest: RowRange, mut stores: Vec<StoreScanner>) {
        self.joined = Joined::divide(&mut stores, self.filter.as_deref(), self.joined.on_demand);
        self.range = rest;
        self.stores = stores;
        self.phase = Phase::Start(0);
        self.asking = 0;
        self.parked = false;
        self.pace = Pace::default();
    }

    /// Whether it has a filter.
    pub fn has_filter(&self) -> bool {
        self.filter.is_some()
    }

    /// Whether its filter may leave out cells.
    pub(crate) fn drops_cells(&self) -> bool {
        self.filter.as_ref().is_some_and(Filter::drops_cells)
    }

    /// Hands over the block that the last call asked for.
    pub fn provide(&mut self, block: Arc<Block>) {
        if let Some(store) = self.stores.get_mut(self.asking) {
            store.provide(block);
        }
    }

    /// Does what the last call asked for on this thread, which may wait: reads the block, or opens the file.
    ///
    /// # Errors
    /// The one for which the call failed; the storage's.
    pub fn fetch(&mut self, interrupt: Interrupt) -> Result<(), RegionError> {
        match interrupt {
            Interrupt::NeedBlock(request) => self.provide(or_without(&request, request.read())?),
            Interrupt::NeedFile(request) => request.open(),
            Interrupt::Failed(error) => return Err(error),
        }
        Ok(())
    }

    /// Reads on into `out` until a limit is reached.
    pub fn next(&mut self, out: &mut ScanOutput, limits: &ScanLimits) -> Result<ScanStop, Interrupt> {
        if self.parked {
            self.unpark()?;
        }
        if let Some(carried) = self.carried.take() {
            out.carry_in(carried);
        }
        // Every call gets on by one step at least.
        let mut budget = limits.budget.max(1);
        let turn_end = out.cells.len().saturating_add(limits.turn_bytes.max(1));
        loop {
            match self.phase {
                Phase::Start(from) => self.start(from)?,
                Phase::BetweenRows => {
                    if let Some(stop) = limits.reached(out) {
                        return Ok(self.end_of_scan().unwrap_or(stop));
                    }
                    if budget == 0 || out.cells.len() >= turn_end {
                        return Ok(ScanStop::Budget);
                    }
                    if self.take_plain_rows(out, limits, (&mut budget, turn_end)) {
                        continue;
                    }
                    budget = budget.saturating_sub(1);
                    self.begin_row(out)?;
                }
                Phase::InRow(store) => {
                    if let Some(stop) = self.read_store(store, out, limits, (&mut budget, turn_end))? {
                        return Ok(stop);
                    }
                }
                Phase::Decide => self.decide(out),
                Phase::Join(store) => self.join(store, out)?,
                Phase::InJoined(store) => {
                    if let Some(stop) = self.read_joined(store, out, limits, (&mut budget, turn_end))? {
                        return Ok(stop);
                    }
                }
                Phase::RowEnd => self.end_row(out),
                Phase::LeaveRow(from) => self.leave_row(from)?,
                Phase::Done => return Ok(ScanStop::Exhausted),
            }
        }
    }

    /// Ends a reply inside a row: what was found of the row becomes a partial result if rows may be cut, and otherwise
    /// waits here for the next reply.
    pub fn suspend(&mut self, out: &mut ScanOutput, partial_rows: bool) {
        if partial_rows && !self.whole_rows {
            self.cut(out);
        } else if out.open_cells > 0 {
            self.carried = Some(out.carry_out());
        }
    }

    /// Gives out what was found of the row.
    fn cut(&mut self, out: &mut ScanOutput) {
        if let Phase::InJoined(store) = self.phase {
            self.put_in_order(store, out);
        }
        self.was_cut |= out.open_cells > 0;
        out.close_result(true);
    }

    fn start(&mut self, from: usize) -> Result<(), ScanInterrupt> {
        for number in from..self.joined.first {
            self.phase = Phase::Start(number);
            self.asking = number;
            let store = &mut self.stores[number];
            if !self.range.reversed {
                store.start_at(&self.range.start)?;
            } else if self.range.start.is_empty() {
                store.start_before(None)?;
            } else if self.range.include_start {
                // The row itself is before its own successor.
                store.start_before(Some(&successor(self.order, &self.range.start)))?;
            } else {
                store.start_before(Some(&self.range.start))?;
            }
        }
        self.phase = Phase::BetweenRows;
        Ok(())
    }

    /// The stores that each row is looked for in.
    fn leading(&self) -> &[StoreScanner] {
        &self.stores[..self.joined.first]
    }

    /// The next row of any store that is inside the range.
    fn next_row(&self) -> Option<&[u8]> {
        let rows = self.leading().iter().filter_map(StoreScanner::current_row);
        let row = if self.range.reversed {
            rows.max_by(|a, b| self.order.compare_rows(a, b))
        } else {
            rows.min_by(|a, b| self.order.compare_rows(a, b))
        }?;
        self.range.is_before_end(row, self.order).then_some(row)
    }

    /// Whether the filter says that nothing more can pass.
    pub fn is_filter_done(&self) -> bool {
        self.filter.as_ref().is_some_and(finback_filter::Filter::filter_all_remaining)
    }

    /// Between rows: why the scan is over, if it is. Said with the last row, it spares the client a call, and as in HBase a
    /// filter that is done ends the region and not the whole scan when the reply has results.
    fn end_of_scan(&mut self) -> Option<ScanStop> {
        if !self.is_filter_done() && self.next_row().is_some() {
            return None;
        }
        self.phase = Phase::Done;
        Some(ScanStop::Exhausted)
    }

    fn begin_row(&mut self, out: &mut ScanOutput) -> Result<(), Interrupt> {
        let mut begun = std::mem::take(&mut self.row);
        match self.next_row() {
            Some(row) => {
                begun.clear();
                begun.extend_from_slice(row);
            }
            None => self.phase = Phase::Done,
        }
        self.row = begun;
        if self.phase != Phase::BetweenRows {
            return Ok(());
        }
        // A forward scan that excludes its start row finds it first.
        let excluded = !self.range.include_start && !self.range.reversed && self.row[..] == self.range.start;
        // What was just found in the only store is there.
        let is_only = self.joined.first == 1;
        for store in &mut self.stores[..self.joined.first] {
            store.begin_row(&self.row, is_only);
        }
        if excluded {
            self.phase = Phase::LeaveRow(0);
            return Ok(());
        }
        if let Some(filter) = &mut self.filter {
            if filter.filter_all_remaining() {
                self.phase = Phase::Done;
                return Ok(());
            }
            if filter.filter_row_key(&self.row)? {
                out.rows_filtered += 1;
                if filter.filter_all_remaining() {
                    // The row that ends a scan by its key was not scanned, says HBase.
                    self.phase = Phase::Done;
                } else {
                    out.rows_scanned += 1;
                    self.phase = Phase::LeaveRow(0);
                }
                return Ok(());
            }
        }
        out.rows_scanned += 1;
        out.close_result(false);
        self.phase = Phase::InRow(0);
        Ok(())
    }

    fn read_store(
        &mut self,
        number: usize,
        out: &mut ScanOutput,
        limits: &ScanLimits,
        (budget, turn_end): (&mut usize, usize),
    ) -> Result<Option<ScanStop>, Interrupt> {
        if number == self.joined.first {
            self.phase = if number == self.stores.len() { Phase::RowEnd } else { Phase::Decide };
            return Ok(None);
        }
        let store = &mut self.stores[number];
        self.asking = number;
        let cut_rows = !self.whole_rows;
        loop {
            // As in HBase, whose clients count rows by that, a full reply ends within its row where cells of the row are left,
            // though the filter may leave nothing of them.
            if cut_rows
                && limits.partial_rows
                && out.open_cells > 0
                && out.size() >= limits.bytes
                && store.may_have_more(&self.row)?
            {
                self.was_cut = true;
                out.close_result(true);
                return Ok(Some(ScanStop::Bytes));
            }
            match store.find(&self.row, self.filter.as_deref_mut(), budget)? {
                Found::EndOfRow => {
                    self.phase = Phase::InRow(number + 1);
                    return Ok(None);
                }
                Found::Yield => return Ok(Some(ScanStop::Budget)),
                Found::Cell => {}
            }
            if cut_rows && out.open_cells > 0 {
                let full_batch = out.open_cells as usize >= limits.batch;
                if full_batch {
                    self.was_cut = true;
                    out.close_result(true);
                    if out.counts.len() >= limits.results {
                        return Ok(Some(ScanStop::Results));
                    }
                    if out.size() >= limits.bytes {
                        return Ok(Some(ScanStop::Bytes));
                    }
                }
            }
            let filter = self.filter.as_deref_mut();
            let takes = store.put_found(out, (turn_end, &mut self.left_bytes), |cell, bytes| {
                filter.is_some_and(|filter| filter.transform_cell(cell, bytes))
            })?;
            if !takes {
                return Ok(Some(ScanStop::Budget));
            }
            store.accept();
            // Not worth a try for rows of one cell.
            if self.filter.is_none() && out.open_cells > 1 {
                store.accept_plain(|cell| {
                    let is_full = out.open_cells as usize >= limits.batch
                        || (limits.partial_rows && out.size() >= limits.bytes)
                        || !out.ends_within(turn_end, cell);
                    if is_full || *budget == 0 {
                        return false;
                    }
                    *budget -= 1;
                    out.push(cell, |_, _| false);
                    true
                });
            }
            if out.cells.len() >= turn_end {
                *budget = 0;
            }
        }
    }

    /// Has the filter decide about what was found of the row; whether it passes. Without cells it is not asked.
    fn ask_filter(&mut self, out: &mut ScanOutput) -> Option<bool> {
        let Some(filter) = &mut self.filter else { return Some(true) };
        if out.open_cells > 0 && filter.has_filter_row() {
            let mut tail = BlockTail::new(&mut out.cells, out.result_start);
            filter.filter_row_cells(&mut tail);
            out.may_have_tags = true;
            out.open_cells = u32::try_from(tail.count()).unwrap_or(u32::MAX);
        }
        if out.open_cells == 0 {
            return None;
        }
        let dropped = filter.filter_row();
        if dropped {
            out.drop_result();
        }
        Some(!dropped)
    }

    fn end_row(&mut self, out: &mut ScanOutput) {
        self.phase = Phase::LeaveRow(0);
        let was_cut = std::mem::take(&mut self.was_cut);
        if !std::mem::take(&mut self.joined.is_decided) {
            self.ask_filter(out);
        }
        // HBase does not ask what left nothing of the row: the filter, deletes or the time that has gone by.
        if out.open_cells == 0 && !was_cut {
            out.rows_filtered += 1;
        }
        // The last part is empty when the row was cut by the clock, and nothing more of it was found.
        if out.open_cells > 0 || was_cut {
            out.rows_completed += 1;
        }
        out.close_result(false);
        // A row that is the only or last one of the scan needs no move beyond it.
        if self.range.include_stop && self.row[..] == self.range.stop {
            self.phase = Phase::Done;
        }
    }

    fn leave_row(&mut self, from: usize) -> Result<(), ScanInterrupt> {
        for number in from..self.joined.first {
            self.phase = Phase::LeaveRow(number);
            self.asking = number;
            self.stores[number].finish_row(&self.row)?;
        }
        if let Some(filter) = &mut self.filter {
            filter.reset();
        }
        self.phase = Phase::BetweenRows;
        Ok(())
    }
}
