//! A block of one input of a merge, all of which comes before what the other inputs have next.

use finback_cell::Cell;
use finback_hfile::CopyableBlock;

/// A block that is the next part of a merge.
#[derive(Debug)]
pub(crate) struct WholeBlock {
    pub(crate) block: CopyableBlock,
    /// The sequence id of all cells of the file, whatever they are stored with.
    pub(crate) bulk_sequence_id: Option<u64>,
}

impl WholeBlock {
    /// Number of cells: at least one.
    pub(crate) fn cell_count(&self) -> usize {
        self.block.cell_count()
    }

    pub(crate) fn first(&self) -> Cell<'_> {
        self.block.first().0
    }

    pub(crate) fn last(&self) -> Cell<'_> {
        self.block.last()
    }

    /// The cells, and the sequence ids with which they are stored.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (Cell<'_>, u64)> {
        self.block.cells()
    }

    /// The sequence id that counts for a cell that is stored with this one.
    pub(crate) fn sequence_id(&self, stored: u64) -> u64 {
        self.bulk_sequence_id.unwrap_or(stored)
    }
}
