//! Merges sorted sources into one.
//!
//! A binary heap over source numbers, kept by hand so that an operation that stops for a block leaves the heap as it
//! was and can be repeated. At equal cells (duplicates of a flush in progress) the source that comes first wins: newer
//! sources come first.

use crate::source::Source;
use finback_cell::key::Key;
use finback_cell::{Cell, CellOrder};
use finback_hfile::{Block, ScanInterrupt};
use std::cmp::Ordering;
use std::sync::Arc;

/// A merge of sources.
#[derive(Debug)]
pub(crate) struct Heap {
    order: CellOrder,
    sources: Vec<Source>,
    /// Numbers of the sources that are not exhausted; a binary heap by current cell.
    heap: Vec<usize>,
    /// Sources done within an operation over all sources that was interrupted.
    progress: usize,
    /// Rows found so far by an interrupted [`Heap::previous_row`].
    found_row: Option<Vec<u8>>,
    /// The source that asked for a block.
    asking: usize,
}

impl Heap {
    /// A merge of `sources`, newest first. It stands nowhere until the first seek.
    pub(crate) fn new(order: CellOrder, sources: Vec<Source>) -> Self {
        let heap = Vec::with_capacity(sources.len());
        Self { order, sources, heap, progress: 0, found_row: None, asking: 0 }
    }

    /// The smallest current cell.
    #[inline]
    pub(crate) fn peek(&self) -> Option<(Cell<'_>, u64)> {
        self.sources[*self.heap.first()?].peek()
    }

    /// Moves past the current cell.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<(), ScanInterrupt> {
        let Some(&top) = self.heap.first() else { return Ok(()) };
        self.asking = top;
        self.sources[top].next()?;
        self.settle_top();
        Ok(())
    }

    /// Moves every source to the first cell at or after `key`.
    pub(crate) fn seek(&mut self, key: &Key<'_>) -> Result<(), ScanInterrupt> {
        while self.progress < self.sources.len() {
            self.asking = self.progress;
            self.sources[self.progress].seek(key)?;
            self.progress += 1;
        }
        self.progress = 0;
        self.rebuild();
        Ok(())
    }

    /// Moves forward to the first cell at or after `key`.
    pub(crate) fn reseek(&mut self, key: &Key<'_>) -> Result<(), ScanInterrupt> {
        while let Some(&top) = self.heap.first() {
            let Some((cell, _)) = self.sources[top].peek() else { break };
            if self.order.compare_cell_to_key(&cell, key) != Ordering::Less {
                break;
            }
            self.asking = top;
            self.sources[top].reseek(key)?;
            self.settle_top();
        }
        Ok(())
    }

    /// The greatest row before `row` (`None`: the last row) of any source. Positions are undefined afterwards until the
    /// next seek.
    pub(crate) fn previous_row(&mut self, row: Option<&[u8]>) -> Result<Option<Vec<u8>>, ScanInterrupt> {
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

    /// Hands over the block that the last interrupted operation asked for.
    pub(crate) fn provide(&mut self, block: Arc<Block>) {
        if let Some(source) = self.sources.get_mut(self.asking) {
            source.provide(block);
        }
    }

    /// Whether source `a` comes before source `b`; exhausted ones come last.
    #[inline]
    fn before(&self, a: usize, b: usize) -> bool {
        match (self.sources[a].peek(), self.sources[b].peek()) {
            (Some((x, x_sequence)), Some((y, y_sequence))) => {
                self.order.compare_with_sequence(&x, x_sequence, &y, y_sequence).then(a.cmp(&b))
                    == Ordering::Less
            }
            (Some(_), None) => true,
            (None, _) => false,
        }
    }

    fn rebuild(&mut self) {
        self.heap.clear();
        self.heap.extend((0..self.sources.len()).filter(|&source| self.sources[source].peek().is_some()));
        for position in (0..self.heap.len() / 2).rev() {
            self.sift_down(position);
        }
    }

    /// Restores the heap after its top moved forward.
    #[inline]
    fn settle_top(&mut self) {
        if self.sources[self.heap[0]].peek().is_none() {
            self.heap.swap_remove(0);
            if self.heap.is_empty() {
                return;
            }
        }
        self.sift_down(0);
    }

    fn sift_down(&mut self, mut position: usize) {
        loop {
            let left = 2 * position + 1;
            if left >= self.heap.len() {
                return;
            }
            let right = left + 1;
            let smaller = if right < self.heap.len() && self.before(self.heap[right], self.heap[left]) {
                right
            } else {
                left
            };
            if !self.before(self.heap[smaller], self.heap[position]) {
                return;
            }
            self.heap.swap(smaller, position);
            position = smaller;
        }
    }
}
