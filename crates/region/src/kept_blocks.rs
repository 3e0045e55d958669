//! How much of the blocks of store files those who merge them keep in memory.
//!
//! A block is at least as large as its cells: a few files of large cells, each with the block of the cell that it has next,
//! would be all the memory that there is. So large blocks are let go of where they are not needed at the moment, and read
//! again when they are.

/// How much is kept. Blocks of ordinary size are never let go of, and never read twice: for that thousands of files would
/// have to be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptBlocks {
    /// Bytes of blocks that files keep together while another file has the smallest cell.
    pub beside_bytes: usize,
    /// Blocks of more bytes are let go of before the next one of their file is read.
    pub left_bytes: usize,
}

impl Default for KeptBlocks {
    fn default() -> Self {
        Self { beside_bytes: 8 << 20, left_bytes: 1 << 20 }
    }
}

impl KeptBlocks {
    /// Of no file anything but what it needs now.
    pub const NONE: Self = Self { beside_bytes: 0, left_bytes: 0 };

    /// Bytes of the block that each of so many sources may keep beside another with a smaller cell.
    pub(crate) fn of_each(&self, sources: usize) -> usize {
        self.beside_bytes / sources.max(1)
    }
}
