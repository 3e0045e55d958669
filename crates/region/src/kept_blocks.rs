//! How much of the blocks of store files those who merge them keep in memory.
//!
//! A block is at least as large as its cells: a few files of large cells, each with the block of the cell that it has next,
//! would be all the memory that there is. So large blocks are let go of where they are not needed at the moment, and read
//! again when they are.

/// How much is kept. Blocks of ordinary size are not let go of, nor read twice, by whoever merges up to sixteen files with blocks
/// of a mebibyte, or hundreds with those of HBase's default size: HBase keeps a block of each. Who merges counts what he keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptBlocks {
    /// Bytes of blocks that files keep together while another file has the smallest cell, before large ones are let go of.
    pub beside_bytes: usize,
    /// Blocks of more bytes are let go of before the next one of their file is read.
    pub left_bytes: usize,
}

impl Default for KeptBlocks {
    fn default() -> Self {
        Self { beside_bytes: Self::MOST_BESIDE_BYTES, left_bytes: 1 << 20 }
    }
}

impl KeptBlocks {
    /// Of no file anything but what it needs now.
    pub const NONE: Self = Self { beside_bytes: 0, left_bytes: 0 };

    /// More than that would be felt where a row has cells of megabytes in many files.
    const MOST_BESIDE_BYTES: usize = 16 << 20;
    /// In however little memory.
    const LEAST_BESIDE_BYTES: usize = 8 << 20;

    /// For a server that has so many bytes for each merge.
    pub fn within(bytes: usize) -> Self {
        let beside_bytes = bytes.clamp(Self::LEAST_BESIDE_BYTES, Self::MOST_BESIDE_BYTES);
        Self { beside_bytes, ..Self::default() }
    }

    /// Bytes of the block that each of so many sources keeps in any case.
    pub(crate) fn of_each(&self, sources: usize) -> usize {
        self.beside_bytes / sources.max(1)
    }
}
