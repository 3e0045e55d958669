//! Which rows of a region a scan is about.

use finback_cell::{Bytes, CellOrder};
use std::cmp::Ordering;

/// The rows of a scan within one region.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowRange<B = Bytes> {
    pub(crate) start: B,
    pub(crate) include_start: bool,
    pub(crate) stop: B,
    pub(crate) include_stop: bool,
    pub(crate) reversed: bool,
}

impl<'a> RowRange<&'a Bytes> {
    /// The row of a forward read of a single row.
    pub(crate) fn single(&self) -> Option<&'a [u8]> {
        let is_single = !self.start.is_empty()
            && self.start == self.stop
            && self.include_start
            && self.include_stop
            && !self.reversed;
        is_single.then_some(self.start)
    }

    /// The same, of rows of its own.
    pub(crate) fn cloned(&self) -> RowRange {
        let Self { start, include_start, stop, include_stop, reversed } = *self;
        RowRange { start: start.clone(), include_start, stop: stop.clone(), include_stop, reversed }
    }
}

impl RowRange {
    /// Whether a row that a scan comes to is before its end.
    pub(crate) fn is_before_end(&self, row: &[u8], order: CellOrder) -> bool {
        if self.stop.is_empty() {
            return true;
        }
        let beyond = if self.reversed { Ordering::Less } else { Ordering::Greater };
        match order.compare_rows(row, &self.stop) {
            Ordering::Equal => self.include_stop,
            order => order != beyond,
        }
    }

    /// The same, of borrowed rows.
    pub(crate) fn borrowed(&self) -> RowRange<&Bytes> {
        let Self { start, include_start, stop, include_stop, reversed } = self;
        let (include_start, include_stop, reversed) = (*include_start, *include_stop, *reversed);
        RowRange { start, include_start, stop, include_stop, reversed }
    }
}

/// The least row greater than `row`.
pub(crate) fn successor(order: CellOrder, row: &[u8]) -> Vec<u8> {
    let commas = row.iter().filter(|&&byte| byte == b',').take(2).count();
    // A row of hbase:meta without start key or region id comes before those with one.
    let next = if order == CellOrder::Meta && commas < 2 { b',' } else { 0 };
    [row, &[next]].concat()
}

#[cfg(test)]
mod tests;
