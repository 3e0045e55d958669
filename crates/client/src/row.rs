//! What a read gives back of one row.

use bytes::Bytes;
use finback_cell::block::CellIter;
use finback_cell::{Cell, CellBlock};

/// Cells of one row, in their order: by family and qualifier, the newest version of a column first. HBase's `Result`.
///
/// The cells stand in the memory of the answer that they came with, which is given back when the last row of it is dropped:
/// whoever keeps single rows for long should [detach](Row::detached) them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Row {
    cells: CellBlock,
    partial: bool,
    stale: bool,
}

impl Row {
    pub(crate) fn new(cells: CellBlock, partial: bool, stale: bool) -> Self {
        Self { cells, partial, stale }
    }

    /// The row key; empty if there are no cells.
    pub fn key(&self) -> &[u8] {
        self.cells.iter().next().map_or(&[], |cell| cell.row())
    }

    /// The cells.
    pub fn cells(&self) -> CellIter<'_> {
        self.cells.iter()
    }

    /// The newest cell of a column.
    pub fn cell(&self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>) -> Option<Cell<'_>> {
        let (family, qualifier) = (family.as_ref(), qualifier.as_ref());
        self.cells().find(|cell| cell.qualifier() == qualifier && cell.family() == family)
    }

    /// The newest value of a column.
    pub fn value(&self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>) -> Option<&[u8]> {
        self.cell(family, qualifier).map(|cell| cell.value())
    }

    /// The newest value of a column that is a number, as increments leave it: eight bytes, big-endian.
    pub fn counter(&self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>) -> Option<i64> {
        Some(i64::from_be_bytes(self.value(family, qualifier)?.try_into().ok()?))
    }

    /// The cells of a column, the newest first.
    pub fn versions<'a>(
        &'a self,
        family: &'a (impl AsRef<[u8]> + ?Sized),
        qualifier: &'a (impl AsRef<[u8]> + ?Sized),
    ) -> impl Iterator<Item = Cell<'a>> {
        let (family, qualifier) = (family.as_ref(), qualifier.as_ref());
        self.cells().filter(move |cell| cell.qualifier() == qualifier && cell.family() == family)
    }

    /// The cells of a family.
    pub fn family<'a>(&'a self, family: &'a (impl AsRef<[u8]> + ?Sized)) -> impl Iterator<Item = Cell<'a>> {
        let family = family.as_ref();
        self.cells().filter(move |cell| cell.family() == family)
    }

    /// How many cells there are: counts them.
    pub fn len(&self) -> usize {
        self.cells.count()
    }

    /// Whether there are no cells: after increments and appends that were asked for no result.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Bytes that the cells take.
    pub fn size(&self) -> usize {
        self.cells.bytes().len()
    }

    /// Whether the row goes on in the next one: of scans that take parts of rows, or have a batch size.
    pub fn is_partial(&self) -> bool {
        self.partial
    }

    /// Whether a replica answered, which may be behind.
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// The row in memory of its own.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self { cells: checked(Bytes::copy_from_slice(self.cells.bytes())), ..*self }
    }

    /// The cells as a block.
    pub fn block(&self) -> &CellBlock {
        &self.cells
    }

    /// One row of several parts.
    pub(crate) fn joined(parts: &mut Vec<Row>) -> Self {
        if parts.len() == 1 {
            return Self { partial: false, ..parts.remove(0) };
        }
        let mut bytes = Vec::with_capacity(parts.iter().map(Row::size).sum());
        let stale = parts.iter().any(Row::is_stale);
        parts.drain(..).for_each(|part| bytes.extend_from_slice(part.cells.bytes()));
        Self { cells: checked(bytes.into()), partial: false, stale }
    }

    /// The row in rows of `count` cells each, but for the last, which may have fewer.
    pub(crate) fn split_every(&self, count: usize) -> Vec<Self> {
        let mut rest = self.cells.bytes().clone();
        let mut left = self.len();
        let mut pieces = Vec::with_capacity(left.div_ceil(count.max(1)));
        while left > 0 {
            let here = left.min(count.max(1));
            // They were checked with the row.
            let cells = CellBlock::take(&mut rest, here).unwrap_or_default();
            pieces.push(Self::new(cells, true, self.stale));
            left -= here;
        }
        pieces
    }

    /// The cells from the `count`th on.
    pub(crate) fn skip(&self, count: usize) -> Self {
        let mut rest = self.cells.bytes().clone();
        // They were checked with the row.
        let _ = CellBlock::take(&mut rest, count);
        Self::new(checked(rest), self.partial, self.stale)
    }

    pub(crate) fn with_partial(self, partial: bool) -> Self {
        Self { partial, ..self }
    }
}

/// A block of cells that are known to be whole.
fn checked(bytes: Bytes) -> CellBlock {
    CellBlock::parse(bytes).unwrap_or_default()
}

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.cells.fmt(f)
    }
}

impl<'a> IntoIterator for &'a Row {
    type Item = Cell<'a>;
    type IntoIter = CellIter<'a>;
    fn into_iter(self) -> CellIter<'a> {
        self.cells()
    }
}
