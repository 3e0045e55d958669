//! Merges flat segments without touching their cells: only the indexes are copied, in runs as long as possible.

use super::{Entry, FlatCells};
use crate::row_prefix::{common_length, row_prefix};
use finback_cell::CellOrder;
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

    /// Where in this source, from the current place on, the entries before `limit` end. Doubles its steps, then searches
    /// the last one.
    fn end_before(&self, limit: &Entry, other: &FlatCells, wins_ties: bool) -> usize {
        let is_before = |entry: &Entry| match self.cells.compare(&self.rebase.apply(entry), other, limit) {
            Ordering::Equal => wins_ties,
            unequal => unequal == Ordering::Less,
        };
        let (index, mut from, mut step) = (&self.cells.index, self.at, 1);
        loop {
            let to = from.saturating_add(step).min(index.len());
            if to == from || !is_before(&index[to - 1]) {
                return from + index[from..to].partition_point(is_before);
            }
            (from, step) = (to, step * 2);
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
    while let Some((number, end)) = next_run(&sources) {
        let source = &mut sources[number];
        let run = &source.cells.index[source.at..end];
        if source.rebase.bits == 0 {
            index.extend_from_slice(run);
        } else {
            let rebase = source.rebase;
            index.extend(run.iter().map(|entry| rebase.apply(entry)));
        }
        source.at = end;
    }
    let chunks = segments.iter().flat_map(|cells| cells.chunks.iter().cloned()).collect();
    FlatCells::new(order, common, index, chunks)
}

/// The source with the smallest entry, and where in it the entries end that are before those of all others.
fn next_run(sources: &[Source<'_>]) -> Option<(usize, usize)> {
    let heads =
        || sources.iter().enumerate().filter_map(|(number, source)| Some((number, source.entry(source.at)?)));
    // Of equal entries the first source's comes first.
    let compare = |a: &(usize, Entry), b: &(usize, Entry)| {
        sources[a.0].cells.compare(&a.1, sources[b.0].cells, &b.1).then(a.0.cmp(&b.0))
    };
    let (first, _) = heads().min_by(compare)?;
    let source = &sources[first];
    let Some((second, limit)) = heads().filter(|(number, _)| *number != first).min_by(compare) else {
        return Some((first, source.cells.index.len()));
    };
    Some((first, source.end_before(&limit, sources[second].cells, first < second)))
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
