//! The contract between a filter and the scanner that drives it.

use crate::{FilterError, OwnedKey, RowCells};
use finback_cell::Cell;

/// What a filter says of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FilterCode {
    /// Keep the cell.
    Include,
    /// Keep the cell, and go on with the next column.
    IncludeAndNextColumn,
    /// Keep the cell, and go on with the next row (of this family's store).
    IncludeAndSeekNextRow,
    /// Drop the cell.
    Skip,
    /// Drop the cell and the older versions of its column.
    NextColumn,
    /// Drop the cell and the rest of the row in this family's store. Other families of the row are still asked.
    NextRow,
    /// Drop the cell and go on at [`Filter::next_cell_hint`].
    SeekNextUsingHint,
}

impl FilterCode {
    /// Whether the cell is kept.
    #[inline]
    pub fn is_include(self) -> bool {
        matches!(self, Self::Include | Self::IncludeAndNextColumn | Self::IncludeAndSeekNextRow)
    }
}

/// A filter, with the state it gathers during the scan of one region.
///
/// The scanner calls [`Filter::set_reversed`] once, and then, for each row:
///
/// 1. [`Filter::filter_all_remaining`]: `true` ends the scan of the region before the row.
/// 2. [`Filter::filter_row_key`]: `true` drops the row unread; go to step 6.
/// 3. [`Filter::filter_cell`] for each cell that survived deletes, time range and column selection. Of a kept cell,
///    [`Filter::transform_cell`], directly afterwards, gives the cell to return.
/// 4. When no cell is left of the row, it is dropped; go to step 6. Otherwise [`Filter::filter_row_cells`] with the
///    kept cells of *all* families. It does nothing unless [`Filter::has_filter_row`].
/// 5. If cells are left, [`Filter::filter_row`] (also of filters without `has_filter_row`): `true` drops the row.
/// 6. [`Filter::reset`].
///
/// HBase calls `reset` at the same point, after each row and not before the first.
///
/// A filter with [`Filter::has_filter_row`] must see whole rows: the scan may not be cut inside one (HBase answers
/// `IncompatibleFilterException` to a batch limit together with such a filter).
pub trait Filter: Send {
    /// Forgets the state of the row that ended.
    fn reset(&mut self) {}

    /// Whether the whole row is rejected. Called once per row; filters take note of the row here.
    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool, FilterError> {
        Ok(self.filter_all_remaining())
    }

    /// What becomes of a cell.
    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError>;

    /// Where to go on after [`FilterCode::SeekNextUsingHint`] for `cell`. `None`, or a key that is not beyond `cell`
    /// in the direction of the scan, means the next cell, as after [`FilterCode::Skip`].
    fn next_cell_hint(&mut self, _cell: &Cell<'_>) -> Option<OwnedKey> {
        None
    }

    /// Appends the KeyValue to return instead of the kept `cell` to `out` and says `true`; or says `false`, having
    /// left `out` as it was, when the cell is returned unchanged.
    fn transform_cell(&mut self, _cell: &Cell<'_>, _out: &mut Vec<u8>) -> bool {
        false
    }

    /// Whether it may leave out cells, so that versions of a column are counted behind it.
    fn drops_cells(&self) -> bool {
        true
    }

    /// Whether the filter decides over whole rows (in [`Filter::filter_row_cells`] or [`Filter::filter_row`]).
    fn has_filter_row(&self) -> bool {
        false
    }

    /// Drops cells of a row of which all cells were seen.
    fn filter_row_cells(&mut self, _cells: &mut dyn RowCells) {}

    /// Whether the row that ended is dropped.
    fn filter_row(&mut self) -> bool {
        false
    }

    /// Whether nothing that follows in this region can pass.
    fn filter_all_remaining(&self) -> bool {
        false
    }

    /// Tells the direction of the scan, before its first row.
    fn set_reversed(&mut self, _reversed: bool) {}

    /// Whether the filter needs the cells of `family` to decide. Families of which it says `false` may be loaded only
    /// for rows that passed, if the scan asks for that.
    fn is_family_essential(&self, _family: &[u8]) -> bool {
        true
    }

    /// About the bytes that it takes, without those of its message that it refers to: it compiles patterns, learns while it
    /// matches, and remembers cells.
    fn memory_bytes(&self) -> usize {
        size_of_val(self)
    }

    /// Whether the filter may give hints where to seek (HBase's `HintingFilter`). A list that requires all of its
    /// filters lets such a filter see rows that another one rejected, so that its hint is not lost.
    fn is_hinting(&self) -> bool {
        false
    }
}

impl<F: Filter + ?Sized> Filter for Box<F> {
    fn reset(&mut self) {
        (**self).reset();
    }
    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool, FilterError> {
        (**self).filter_row_key(row)
    }
    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        (**self).filter_cell(cell)
    }
    fn next_cell_hint(&mut self, cell: &Cell<'_>) -> Option<OwnedKey> {
        (**self).next_cell_hint(cell)
    }
    fn transform_cell(&mut self, cell: &Cell<'_>, out: &mut Vec<u8>) -> bool {
        (**self).transform_cell(cell, out)
    }
    fn drops_cells(&self) -> bool {
        (**self).drops_cells()
    }
    fn has_filter_row(&self) -> bool {
        (**self).has_filter_row()
    }
    fn filter_row_cells(&mut self, cells: &mut dyn RowCells) {
        (**self).filter_row_cells(cells);
    }
    fn filter_row(&mut self) -> bool {
        (**self).filter_row()
    }
    fn filter_all_remaining(&self) -> bool {
        (**self).filter_all_remaining()
    }
    fn set_reversed(&mut self, reversed: bool) {
        (**self).set_reversed(reversed);
    }
    fn is_family_essential(&self, family: &[u8]) -> bool {
        (**self).is_family_essential(family)
    }
    fn memory_bytes(&self) -> usize {
        (**self).memory_bytes()
    }
    fn is_hinting(&self) -> bool {
        (**self).is_hinting()
    }
}
