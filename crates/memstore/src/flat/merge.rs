//! Merges flat segments without touching their cells: only the indexes are copied, in runs as long as possible.

use super::{Entry, FlatCells};
use finback_cell::CellOrder;
use finback_cell::row_prefix::{common_length, row_prefix};
use std::cmp::Ordering;

/// A source, and how far it has been merged.
struct Source<'a> {
    cells: &'a FlatCells,
    rebase: Rebase,
    at: usize,
}

/// Makes prefixes of rows behind many common bytes those behind fewer.
#[derive(Clone, Copy)]
struct Rebase {
    /// The common bytes that become a part of the prefix, at its upper end.
    head: u64,
    /// By how many bits the prefix moves down for that.
    bits: u32,
}

impl Rebase {
    fn new(order: CellOrder, common: &[u8], new_common: usize) -> Self {
        let given_up = &common[new_common..];
        let bits = if order == CellOrder::Meta { 0 } else { 8 * given_up.len().min(8) as u32 };
        Self { head: row_prefix(order, given_up), bits }
    }

    #[inline]
    fn apply(self, entry: &Entry) -> Entry {
        let moved = entry.prefix.checked_shr(self.bits).unwrap_or(0);
        Entry { prefix: self.head | moved, record: entry.record }
    }
}

impl Source<'_> {
    fn entry(&self, at: usize) -> Option<Entry> {
        self.cells.index.get(at).map(|entry| self.rebase.apply(entry))
    }

    /// Where in this source, behind the current place, the entries before `limit` end. Doubles its steps, then searches the
    /// last one.
    fn end_before(&self, limit: &Head<'_>, wins_ties: bool) -> usize {
        let is_before =
            |entry: &Entry| match self.cells.compare(&self.rebase.apply(entry), limit.cells, &limit.entry) {
                Ordering::Equal => wins_ties,
                unequal => unequal == Ordering::Less,
            };
        let (index, mut from, mut step) = (&self.cells.index, self.at + 1, 1);
        loop {
            let to = from.saturating_add(step).min(index.len());
            if to == from {
                return to;
            }
            if !is_before(&index[to - 1]) {
                return from + index[from..to - 1].partition_point(is_before);
            }
            (from, step) = (to, step * 2);
        }
    }

    /// Appends the entries up to `end`.
    fn take(&mut self, end: usize, index: &mut Vec<Entry>) {
        let (run, rebase) = (&self.cells.index[self.at..end], self.rebase);
        if rebase.bits == 0 {
            index.extend_from_slice(run);
        } else {
            index.extend(run.iter().map(|entry| rebase.apply(entry)));
        }
        self.at = end;
    }
}

/// The entry that a source is at.
#[derive(Clone, Copy)]
struct Head<'a> {
    /// The source's; of equal entries the first source's comes first.
    number: usize,
    entry: Entry,
    cells: &'a FlatCells,
}

impl Head<'_> {
    fn is_before(&self, other: &Head<'_>) -> bool {
        match self.cells.compare(&self.entry, other.cells, &other.entry) {
            Ordering::Equal => self.number < other.number,
            unequal => unequal == Ordering::Less,
        }
    }
}

/// Merges segments, newest first, of one order.
pub(crate) fn merge(order: CellOrder, segments: &[&FlatCells]) -> FlatCells {
    let common = common_of_all(segments);
    let mut sources: Vec<Source<'_>> = segments
        .iter()
        .map(|&cells| Source { cells, rebase: Rebase::new(order, &cells.common, common.len()), at: 0 })
        .collect();
    let mut index: Vec<Entry> = Vec::with_capacity(segments.iter().map(|cells| cells.len()).sum());
    // The last is the smallest.
    let mut heads: Vec<Head<'_>> = Vec::with_capacity(sources.len());
    for (number, source) in sources.iter().enumerate() {
        let Some(entry) = source.entry(0) else { continue };
        put_in_order(&mut heads, Head { number, entry, cells: source.cells });
    }
    while let Some(smallest) = heads.pop() {
        let source = &mut sources[smallest.number];
        let Some(next) = heads.pop() else {
            source.take(source.cells.len(), &mut index);
            break;
        };
        let end = source.end_before(&next, smallest.number < next.number);
        source.take(end, &mut index);
        if let Some(entry) = source.entry(end) {
            // Behind the next one, by what was just found.
            put_in_order(&mut heads, Head { entry, ..smallest });
        }
        heads.push(next);
    }
    let chunks = segments.iter().flat_map(|cells| cells.chunks.iter().cloned()).collect();
    FlatCells::new(order, common, index, chunks)
}

/// There are few: from the smallest on, each is looked at.
fn put_in_order<'a>(heads: &mut Vec<Head<'a>>, head: Head<'a>) {
    let at = heads.iter().rposition(|other| head.is_before(other)).map_or(0, |before| before + 1);
    heads.insert(at, head);
}

/// What all rows of all segments begin with.
fn common_of_all(segments: &[&FlatCells]) -> Box<[u8]> {
    let rows = segments.iter().flat_map(|cells| [cells.get(0), cells.get(cells.len().wrapping_sub(1))]);
    let mut rows = rows.flatten().map(|(cell, _)| cell.row());
    let Some(first) = rows.next() else { return Box::default() };
    let limit = segments.iter().map(|cells| cells.common.len()).min().unwrap_or(0);
    let common = rows.fold(limit.min(first.len()), |length, row| common_length(&first[..length], row));
    first[..common].into()
}
