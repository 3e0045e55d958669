//! In which order the sources of a merge come.
//!
//! Most comparisons are of rows, and decided by a [prefix](LongRowPrefix) of each source's, which stands in the heap: nobody has to go
//! to the cells. What rows are expected to begin with is chosen when some comparisons were not decided so, and anew when that does
//! not tell many rows apart any more.

use super::Heap;
use finback_cell::CellOrder;
use finback_cell::row_prefix::{Beginning, LongRowPrefix, common_length};
use std::cmp::Ordering;

/// Comparisons that prefixes do not decide until others are chosen.
const FEW_TIES: u32 = 16;

/// The same after others were chosen in vain, as where all sources have cells of one row; it doubles up to here.
const MANY_TIES: u32 = 4096;

/// A source in the heap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) source: usize,
    /// Of the row of its current cell.
    pub(super) prefix: LongRowPrefix,
}

/// What prefixes are made of.
#[derive(Debug)]
pub(super) struct Prefixes {
    /// What rows begin with; `None`, and all prefixes alike, before that was chosen. By itself: most gets of a row choose none, and
    /// are moved to and fro.
    beginning: Option<Box<Beginning>>,
    /// Comparisons of equal prefixes since then.
    ties: u32,
    most_ties: u32,
}

impl Default for Prefixes {
    fn default() -> Self {
        Self { beginning: None, ties: 0, most_ties: FEW_TIES }
    }
}

impl Heap {
    /// Whether source `a` comes before source `b`; exhausted ones come last.
    #[inline]
    pub(super) fn before(&self, a: usize, b: usize) -> bool {
        match (self.sources[a].peek(), self.sources[b].peek()) {
            (Some((x, x_sequence)), Some((y, y_sequence))) => {
                self.order.compare_with_sequence(&x, x_sequence, &y, y_sequence).then(a.cmp(&b))
                    == Ordering::Less
            }
            _ => self.key_is_before(a, b),
        }
    }

    #[cold]
    fn key_is_before(&self, a: usize, b: usize) -> bool {
        match (self.sources[a].key(), self.sources[b].key()) {
            (Some((x, x_sequence)), Some((y, y_sequence))) => {
                let order = self.order.compare_keys(&x, &y).then(y_sequence.cmp(&x_sequence));
                order.then(a.cmp(&b)) == Ordering::Less
            }
            (Some(_), None) => true,
            (None, _) => false,
        }
    }

    pub(super) fn rebuild(&mut self) {
        self.prefixes = Prefixes::default();
        self.heap.clear();
        let has_cell = |&source: &usize| self.sources[source].has_cell();
        let entry = |source| Entry { source, prefix: LongRowPrefix::default() };
        self.heap.extend((0..self.sources.len()).filter(has_cell).map(entry));
        for position in (0..self.heap.len() / 2).rev() {
            self.sift_down(position);
        }
    }

    /// Restores the heap after its top moved forward.
    #[inline]
    pub(super) fn settle_top(&mut self) {
        let moved = self.heap[0].source;
        self.settle(0);
        // For a small block there is room in any case.
        if self.top().is_some_and(|top| top != moved) && self.sources[moved].block_bytes() > self.most_kept {
            self.rest_beside(moved);
        }
    }

    /// Restores the heap after what stands in this place, the first or a child of it, moved forward.
    #[inline]
    pub(super) fn settle(&mut self, place: usize) {
        match self.sources[self.heap[place].source].row() {
            // What comes to its place is behind the first.
            None => {
                self.heap.swap_remove(place);
            }
            Some(row) => {
                // The last one is compared with none.
                if let Some(beginning) = self.prefixes.beginning.as_deref().filter(|_| self.heap.len() > 1) {
                    self.heap[place].prefix = LongRowPrefix::new(self.order, beginning, row);
                }
            }
        }
        self.sift_down(place);
        if self.prefixes.ties >= self.prefixes.most_ties {
            self.choose_prefixes();
        }
    }

    fn sift_down(&mut self, mut position: usize) {
        loop {
            let left = 2 * position + 1;
            if left >= self.heap.len() {
                return;
            }
            let right = left + 1;
            let smaller = if right < self.heap.len() && self.is_before(right, left) { right } else { left };
            if !self.is_before(smaller, position) {
                return;
            }
            self.heap.swap(smaller, position);
            position = smaller;
        }
    }

    /// Whether what stands in one place of the heap comes before what stands in the other.
    #[inline]
    fn is_before(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.heap[one], self.heap[other]);
        match one.prefix.cmp(&other.prefix) {
            Ordering::Equal => {
                self.prefixes.ties += 1;
                self.before(one.source, other.source)
            }
            order => order == Ordering::Less,
        }
    }

    /// Chooses what tells the current rows apart, and most likely the next ones.
    #[cold]
    fn choose_prefixes(&mut self) {
        if self.order == CellOrder::Meta {
            self.prefixes.ties = 0;
            return;
        }
        let row = |entry: &Entry| self.sources[entry.source].row().unwrap_or_default();
        let Some((first, others)) = self.heap.split_first() else { return };
        let first = row(first);
        let Some(least_like) = others.iter().map(row).min_by_key(|other| common_length(first, other)) else {
            return;
        };
        let beginning = Beginning::expected(first, least_like);
        let is_as_before = self.prefixes.beginning.as_deref() == Some(&beginning);
        let most_ties = if is_as_before { self.prefixes.most_ties * 2 } else { FEW_TIES };
        for entry in &mut self.heap {
            let row = self.sources[entry.source].row().unwrap_or_default();
            entry.prefix = LongRowPrefix::new(self.order, &beginning, row);
        }
        self.prefixes =
            Prefixes { beginning: Some(Box::new(beginning)), ties: 0, most_ties: most_ties.min(MANY_TIES) };
    }
}
