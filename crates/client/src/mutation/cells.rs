//! The cells of a mutation, as they are sent.

use bytes::Bytes;
use finback_cell::CellBlock;
use finback_cell::block::CellBlockBuilder;
use finback_cell::cell::CellParts;

/// Cells that grow while a mutation is put together. Sealed, they are shared with the requests that carry them.
#[derive(Debug, Clone)]
pub(super) enum DraftCells {
    Open(CellBlockBuilder),
    Sealed { block: CellBlock, count: usize },
}

impl Default for DraftCells {
    fn default() -> Self {
        Self::Open(CellBlockBuilder::default())
    }
}

impl DraftCells {
    /// Appends a cell, which must pass [`CellParts::check`].
    pub(super) fn push_parts(&mut self, parts: &CellParts<'_>) {
        if let Self::Sealed { block, .. } = self {
            // A write that failed comes back to who sent it, who may add to it.
            *self = Self::Open(std::mem::take(block).into());
        }
        if let Self::Open(open) = self {
            open.push_parts(parts);
        }
    }

    /// Makes a reference of what [`DraftCells::block`] gives.
    pub(super) fn seal(&mut self) {
        if let Self::Open(open) = self {
            let count = open.count();
            *self = Self::Sealed { block: std::mem::take(open).finish(), count };
        }
    }

    /// The cells as a block: a copy, unless they are sealed.
    pub(super) fn block(&self) -> Bytes {
        match self {
            Self::Open(open) => Bytes::copy_from_slice(open.bytes()),
            Self::Sealed { block, .. } => block.bytes().clone(),
        }
    }

    pub(super) fn count(&self) -> usize {
        match self {
            Self::Open(open) => open.count(),
            Self::Sealed { count, .. } => *count,
        }
    }

    /// Bytes of the block.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Open(open) => open.len(),
            Self::Sealed { block, .. } => block.bytes().len(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
