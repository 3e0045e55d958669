//! Merges sorted sources into one.
//!
//! A binary heap over source numbers, kept by hand so that an operation that stops for a block leaves the heap as it
//! was and can be repeated. At equal cells (duplicates of a flush in progress) the source that comes first wins: newer
//! sources come first.
//!
//! Only the source with the smallest cell needs that cell; of the others the keys are enough. Those whose blocks are large
//! let go of them meanwhile ([`Source::rest`]) when all are too much, and read them again when it is their turn.

use crate::kept_blocks::KeptBlocks;
use crate::source::Source;
use finback_cell::key::Key;
use finback_cell::{Bytes, Cell, CellOrder};
use finback_hfile::{Block, ScanInterrupt, TakeRows};
use finback_memstore::SegmentScanner;
use std::cmp::Ordering;
use std::sync::Arc;

mod order;
mod whole_block;
use order::{Entry, Prefixes};

/// A read of one column of one row: a source whose cells are all older than a put that was found first need not be
/// looked at, as long as nobody asks for what comes after that put.
#[derive(Debug)]
pub(crate) struct OneColumn {
    /// The row.
    pub(crate) row: Bytes,
    /// The qualifier.
    pub(crate) qualifier: Bytes,
}

/// What such a read has left out so far.
#[derive(Debug)]
struct LeftOut {
    column: OneColumn,
    /// Whether the seek has come to the sources that may be left out.
    begun: bool,
    /// Those not sought yet; the one with the newest cell is last.
    sources: Vec<usize>,
    /// Whether an interrupted [`Heap::next`] has moved past its cell.
    moved: bool,
}

/// A merge of sources.
#[derive(Debug)]
pub(crate) struct Heap {
    order: CellOrder,
    sources: Vec<Source>,
    /// The sources that are not exhausted; a binary heap by current cell.
    heap: Vec<Entry>,
    prefixes: Prefixes,
    /// Sources done within an operation over all sources that was interrupted.
    progress: usize,
    /// Rows found so far by an interrupted [`Heap::previous_row`].
    found_row: Option<Vec<u8>>,
    /// The source that asked for a block.
    asking: usize,
    /// Whether an interrupted operation is done but for the block of the smallest cell.
    is_waking: bool,
    /// Bytes of blocks that sources may keep together while another has the smallest cell.
    kept_together: usize,
    /// Bytes of the block that each of them keeps in any case.
    most_kept: usize,
    /// Bytes of the blocks of the sources that a seek under way has come to.
    kept_by_sought: usize,
    /// Whether a large block is let go of, too, while the next source is sought: two are never in memory, one may be read twice.
    rests_between_seeks: bool,
    /// Whether some source may have the stored form of a block that it has not come to.
    has_stored: bool,
    left_out: Option<Box<LeftOut>>,
}

impl Heap {
    /// A merge of `sources`, newest first. It stands nowhere until the first seek.
    pub(crate) fn new(order: CellOrder, sources: Vec<Source>, kept_blocks: KeptBlocks) -> Self {
        let heap = Vec::with_capacity(sources.len());
        let most_kept = kept_blocks.of_each(sources.len());
        Self {
            order,
            sources,
            heap,
            prefixes: Prefixes::default(),
            progress: 0,
            found_row: None,
            asking: 0,
            is_waking: false,
            kept_together: kept_blocks.beside_bytes,
            most_kept,
            kept_by_sought: 0,
            rests_between_seeks: false,
            has_stored: false,
            left_out: None,
        }
    }

    /// The same for somebody who seeks once, and then reads all there is.
    pub(crate) fn for_one_seek(self) -> Self {
        Self { rests_between_seeks: true, ..self }
    }

    /// The same for a read of one column of one row.
    pub(crate) fn of_one_column(mut self, column: OneColumn) -> Self {
        let left_out = LeftOut { column, begun: false, sources: Vec::new(), moved: false };
        self.left_out = Some(Box::new(left_out));
        self
    }

    /// The smallest current cell.
    #[inline]
    pub(crate) fn peek(&self) -> Option<(Cell<'_>, u64)> {
        self.sources[self.top()?].peek()
    }

    /// The source with the smallest cell.
    #[inline]
    fn top(&self) -> Option<usize> {
        self.heap.first().map(|entry| entry.source)
    }

    /// Moves past the current cell.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<(), ScanInterrupt> {
        if self.leaves_out() {
            return self.next_of_all();
        }
        self.move_top()
    }

    #[inline]
    fn move_top(&mut self) -> Result<(), ScanInterrupt> {
        let Some(top) = self.top() else { return Ok(()) };
        if !self.is_waking {
            self.asking = top;
            self.sources[top].next()?;
            self.settle_top();
        }
        self.wake_top()
    }

    /// Moves to the next cells of the row as long as they are in the block of the smallest one, no other source has anything of
    /// the row, and `take`, given the cell before, the cell and its sequence id, takes them. Moves of segments are no dearer
    /// one by one.
    #[inline]
    pub(crate) fn advance_in_row(&mut self, take: impl FnMut(&Cell<'_>, &Cell<'_>, u64) -> bool) {
        if let Some(top) = self.alone_in_row()
            && let Source::File(file) = &mut self.sources[top]
        {
            file.advance_in_row(take);
        }
    }

    /// Moves to the next cell if `goes`, given the smallest cell and the next one, says so, as far as they are in one block, and
    /// no other source has anything of the row; whether it has moved. It asks for no block.
    #[inline]
    pub(crate) fn advance_if(&mut self, goes: impl FnOnce(&Cell<'_>, &Cell<'_>) -> bool) -> bool {
        let Some(top) = self.alone_in_row() else { return false };
        // The next smallest cell may have to be there, too.
        if self.heap.iter().take(3).any(|entry| self.sources[entry.source].is_resting()) {
            return false;
        }
        let Source::File(file) = &mut self.sources[top] else { return false };
        let moved = file.advance_if(goes);
        if moved {
            self.settle_top();
        }
        moved
    }

    /// Whether the row of the smallest cell is known to end with it: nothing has to be moved to see that.
    #[inline]
    pub(crate) fn is_last_of_row(&self) -> bool {
        let top = self.alone_in_row().map(|top| &self.sources[top]);
        matches!(top, Some(Source::File(file)) if file.is_last_of_row())
    }

    /// Moves from the first cell of a row behind whole rows before `stop` (empty: no end), as long as they are in the blocks at
    /// hand, no two sources have anything of one of them but older versions of its only cell, and `rows` takes them; whether any was
    /// taken. It asks for no block.
    pub(crate) fn advance_rows(&mut self, stop: &[u8], rows: &mut impl TakeRows) -> bool {
        if self.left_out.is_some() || self.is_waking {
            return false;
        }
        let mut moved = false;
        loop {
            let top = self.top();
            let has_moved = self.advance_rows_of_top(stop, rows);
            moved |= has_moved;
            // Where it is the turn of the same source the next row is not taken, or it would have been.
            let goes_on = (has_moved && self.top() != top) || self.drop_hidden(rows);
            if !goes_on {
                return moved;
            }
        }
    }

    /// Leaves behind what another source has of the row of the smallest cell, if that is the row's only cell in both, and the
    /// other one an older put that `rows` does not want; whether it was left. A marker is not: those of a family, and cells without a
    /// qualifier, are of one column, and it may hide what a third source has.
    fn drop_hidden(&mut self, rows: &impl TakeRows) -> bool {
        let Some((top, others)) = self.heap.split_first() else { return false };
        let Source::File(newest) = &self.sources[top.source] else { return false };
        let Some((cell, sequence_id)) = newest.peek() else { return false };
        let is_hidden = |other: &Entry| {
            other.prefix == top.prefix
                && matches!(&self.sources[other.source], Source::File(file) if file.peek().is_some_and(|(older, _)| {
                    older.is_put()
                        && older.row() == cell.row()
                        && older.qualifier() == cell.qualifier()
                        && file.is_last_of_row()
                }))
        };
        let Some(place) = others.iter().take(2).position(is_hidden) else { return false };
        if !newest.is_last_of_row() || !rows.hides_older(&cell, sequence_id) {
            return false;
        }
        let place = place + 1;
        let other = self.heap[place].source;
        let Source::File(file) = &mut self.sources[other] else { return false };
        let moved = file.advance_if(|_, _| true);
        if moved {
            self.settle(place);
        }
        moved
    }

    #[inline]
    fn advance_rows_of_top(&mut self, stop: &[u8], rows: &mut impl TakeRows) -> bool {
        let Some((&Entry { source: top, .. }, others)) = self.heap.split_first() else { return false };
        let (left, right) = self.sources.split_at_mut(top);
        let Some((Source::File(file), right)) = right.split_first_mut() else { return false };
        if file.is_resting() {
            return false;
        }
        let mut end = stop;
        for &Entry { source: other, .. } in others.iter().take(2) {
            let other = if other < top { &left[other] } else { &right[other - top - 1] };
            // One of large blocks, which is to be read again when it is its turn.
            if other.is_resting() {
                return false;
            }
            let Some((cell, _)) = other.peek() else { return false };
            if end.is_empty() || self.order.compare_rows(cell.row(), end) == Ordering::Less {
                end = cell.row();
            }
        }
        let moved = file.advance_rows(self.order, end, rows);
        if moved {
            self.settle_top();
        }
        moved
    }

    /// The source with the smallest cell, if no other one has anything of its row for certain.
    #[inline]
    fn alone_in_row(&self) -> Option<usize> {
        let (top, others) = self.heap.split_first()?;
        if self.left_out.is_some() || self.is_waking {
            return None;
        }
        // Of the others the smallest is one of the first two.
        let is_in_row = |other: &Entry| {
            other.prefix == top.prefix && self.sources[other.source].row() == self.sources[top.source].row()
        };
        (!others.iter().take(2).any(is_in_row)).then_some(top.source)
    }

    #[cold]
    fn next_of_all(&mut self) -> Result<(), ScanInterrupt> {
        // First past the current cell: a source that comes in may stand before it.
        if self.left_out.as_ref().is_some_and(|left_out| !left_out.moved) {
            self.move_top()?;
        }
        if let Some(left_out) = &mut self.left_out {
            left_out.moved = true;
        }
        self.bring_in(|_, _| true)?;
        if let Some(left_out) = &mut self.left_out {
            left_out.moved = false;
        }
        Ok(())
    }

    #[inline]
    fn leaves_out(&self) -> bool {
        self.left_out.as_ref().is_some_and(|left_out| !left_out.sources.is_empty() || left_out.moved)
    }

    /// Moves every source to the first cell at or after `key`.
    pub(crate) fn seek(&mut self, key: &Key<'_>) -> Result<(), ScanInterrupt> {
        if self.left_out.is_some() {
            return self.seek_one_column(key);
        }
        if !self.is_waking {
            while self.progress < self.sources.len() {
                self.asking = self.progress;
                self.sources[self.progress].seek(key)?;
                let found = self.sources[self.progress].block_bytes();
                self.kept_by_sought += found;
                self.progress += 1;
                // The next one is taken to have as large a block.
                let next = if self.progress < self.sources.len() { found } else { 0 };
                if self.kept_by_sought + next > self.kept_together {
                    self.rest_all_but_first(self.progress);
                    self.kept_by_sought = block_bytes_of(&self.sources[..self.progress]);
                }
            }
            (self.progress, self.kept_by_sought) = (0, 0);
            self.rebuild();
        }
        self.wake_top()
    }

    /// Seeks the sources that have to be looked at. Repeated after an interruption it does not begin anew: blocks given
    /// before may be gone.
    fn seek_one_column(&mut self, key: &Key<'_>) -> Result<(), ScanInterrupt> {
        if self.left_out.as_ref().is_some_and(|left_out| !left_out.begun) {
            while self.progress < self.sources.len() {
                if self.sources[self.progress].newest_timestamp().is_none() {
                    self.asking = self.progress;
                    self.sources[self.progress].seek(key)?;
                }
                self.progress += 1;
            }
            self.progress = 0;
            self.rebuild();
            let newest = |source: &usize| self.sources[*source].newest_timestamp();
            let mut later: Vec<usize> =
                (0..self.sources.len()).filter(|source| newest(source).is_some()).collect();
            later.sort_by_key(newest);
            if let Some(left_out) = &mut self.left_out {
                (left_out.begun, left_out.sources) = (true, later);
            }
        }
        self.bring_in(|top, newest| !(top.is_put() && top.timestamp() > newest))
    }

    /// Seeks sources that were left out, the newest first, as long as `is_needed` says so of the column's current cell
    /// and the source's newest timestamp.
    fn bring_in(&mut self, is_needed: impl Fn(&Cell<'_>, i64) -> bool) -> Result<(), ScanInterrupt> {
        let Some(mut left_out) = self.left_out.take() else { return Ok(()) };
        let done = self.bring_in_from(&mut left_out, is_needed);
        self.left_out = Some(left_out);
        done
    }

    fn bring_in_from(
        &mut self,
        left_out: &mut LeftOut,
        is_needed: impl Fn(&Cell<'_>, i64) -> bool,
    ) -> Result<(), ScanInterrupt> {
        let column = &left_out.column;
        loop {
            if let Some(top) = self.top() {
                self.asking = top;
                self.sources[top].wake()?;
            }
            let Some(&source) = left_out.sources.last() else { return Ok(()) };
            let newest = self.sources[source].newest_timestamp().unwrap_or(i64::MAX);
            let top = self.peek().map(|(cell, _)| cell);
            let in_column =
                top.filter(|cell| cell.row() == column.row && cell.qualifier() == column.qualifier);
            if in_column.is_some_and(|cell| !is_needed(&cell, newest)) {
                return Ok(());
            }
            self.asking = source;
            self.sources[source].seek(&Key::first_on_row(&column.row))?;
            left_out.sources.pop();
            if self.keeps_too_much() {
                self.rest_all_but_first(self.sources.len());
            }
            self.rebuild();
        }
    }

    /// Moves forward to the first cell at or after `key`.
    pub(crate) fn reseek(&mut self, key: &Key<'_>) -> Result<(), ScanInterrupt> {
        if self.leaves_out() {
            self.bring_in(|_, _| true)?;
        }
        while !self.is_waking && self.top_is_before(key) {
            let top = self.heap[0].source;
            self.asking = top;
            self.sources[top].reseek(key)?;
            self.settle_top();
        }
        self.wake_top()
    }

    #[inline]
    fn top_is_before(&self, key: &Key<'_>) -> bool {
        let Some(top) = self.top() else { return false };
        let order = match self.sources[top].peek() {
            Some((cell, _)) => self.order.compare_cell_to_key(&cell, key),
            None => {
                self.sources[top].key().map_or(Ordering::Greater, |(at, _)| self.order.compare_keys(&at, key))
            }
        };
        order == Ordering::Less
    }

    /// Whether no other cell has the key of the smallest one, as far as that is known without moving on. For sources that are
    /// files.
    pub(crate) fn is_alone(&self) -> bool {
        let Some((top, others)) = self.heap.split_first() else { return false };
        let Some((key, _)) = self.sources[top.source].key() else { return false };
        let has_other_key = |other: &Entry| {
            if other.prefix != top.prefix {
                return true;
            }
            self.sources[other.source]
                .key()
                .is_none_or(|(other, _)| self.order.compare_keys(&other, &key) != Ordering::Equal)
        };
        let next_has = match &self.sources[top.source] {
            Source::Segment(_) | Source::Unsettled(_) => false,
            Source::File(file) => file.next_has_another_key(),
        };
        next_has && others.iter().all(has_other_key)
    }

    /// Sees to it that the smallest cell is in memory: the end of every operation that moves forward.
    #[inline]
    fn wake_top(&mut self) -> Result<(), ScanInterrupt> {
        match self.top() {
            Some(top) if self.sources[top].is_resting() => self.wake(top),
            _ => Ok(()),
        }
    }

    #[cold]
    fn wake(&mut self, top: usize) -> Result<(), ScanInterrupt> {
        (self.is_waking, self.asking) = (true, top);
        self.sources[top].wake()?;
        self.is_waking = false;
        Ok(())
    }

    /// Lets go of a large block beside that of the smallest cell, if all are too much.
    #[cold]
    fn rest_beside(&mut self, source: usize) {
        if self.keeps_too_much() {
            self.sources[source].rest(self.most_kept);
        }
    }

    fn keeps_too_much(&self) -> bool {
        block_bytes_of(&self.sources) > self.kept_together
    }

    /// Of the sources before number `end`, the last of which was moved, only the first in order keeps a large block, if any.
    fn rest_all_but_first(&mut self, end: usize) {
        let first = (0..end)
            .filter(|_| end == self.sources.len() || !self.rests_between_seeks)
            .reduce(|best, source| if self.before(source, best) { source } else { best });
        for number in (0..end).filter(|&number| Some(number) != first) {
            self.sources[number].rest(self.most_kept);
        }
    }

    /// The greatest row before `row` (`None`: the last row) of any source. Positions are undefined afterwards until the
    /// next seek.
    pub(crate) fn previous_row(&mut self, row: Option<&[u8]>) -> Result<Option<Vec<u8>>, ScanInterrupt> {
        if self.progress == 0 && self.keeps_too_much() {
            self.sources.iter_mut().for_each(|source| source.rest(self.most_kept));
        }
        while self.progress < self.sources.len() {
            self.asking = self.progress;
            let found = self.sources[self.progress].previous_row(row)?;
            let better = match (&found, &self.found_row) {
                (Some(found), Some(best)) => self.order.compare_rows(found, best) == Ordering::Greater,
                (Some(_), None) => true,
                (None, _) => false,
            };
            if better {
                self.found_row = found;
            }
            self.progress += 1;
        }
        self.progress = 0;
        Ok(self.found_row.take())
    }

    /// Lets the sources go of all blocks. Nothing else may be done before [`Heap::unpark`] was successful.
    pub(crate) fn park(&mut self) {
        self.sources.iter_mut().for_each(Source::park);
    }

    /// Goes back to where it was parked.
    pub(crate) fn unpark(&mut self) -> Result<(), ScanInterrupt> {
        for source in 0..self.sources.len() {
            self.asking = source;
            self.sources[source].unpark()?;
        }
        Ok(())
    }

    /// The scanners of memstore segments among the sources.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &SegmentScanner> {
        self.sources.iter().filter_map(|source| match source {
            Source::Segment(scanner) => Some(scanner),
            Source::File(_) | Source::Unsettled(_) => None,
        })
    }

    /// Bytes of the blocks that the sources keep in memory.
    pub(crate) fn held_bytes(&self) -> usize {
        self.sources.iter().map(Source::held_bytes).sum()
    }

    /// Hands over the block that the last interrupted operation asked for.
    pub(crate) fn provide(&mut self, block: Arc<Block>) {
        if let Some(source) = self.sources.get_mut(self.asking) {
            source.provide(block);
        }
    }
}

/// Bytes of the blocks of their current cells.
fn block_bytes_of(sources: &[Source]) -> usize {
    sources.iter().map(Source::block_bytes).sum()
}

#[cfg(test)]
mod tests;
