//! A data block that was read and checked, with what it takes to write it elsewhere as it is stored.

use crate::block::{Block, BlockRef, HEADER_SIZE, Header};
use crate::data_block::CellOffsets;
use finback_cell::Cell;
use finback_compression::{Compression, ZstdForm};
use std::sync::Arc;

/// How a data block stands in its file, besides what it decodes to.
#[derive(Debug)]
pub struct StoredForm {
    place: BlockRef,
    payload: StoredPayload,
}

#[derive(Debug)]
enum StoredPayload {
    /// Neither compressed nor encoded: the block in memory has it.
    AsDecoded,
    Apart {
        /// Behind a header.
        bytes: Vec<u8>,
        /// Bytes of it before compression.
        uncompressed: usize,
    },
}

impl StoredForm {
    /// Of a block that stands in its file as it is in memory.
    pub(crate) fn as_decoded(place: BlockRef) -> Self {
        Self { place, payload: StoredPayload::AsDecoded }
    }

    /// Of a block of these bytes, whose checksums are right; `None` if they are no block, or have another form of ZSTD
    /// than their file.
    pub(crate) fn apart(
        place: BlockRef,
        mut bytes: Vec<u8>,
        codec: Compression,
        zstd_form: ZstdForm,
    ) -> Option<Self> {
        let header = Header::parse(&bytes).filter(|header| header.data_size >= HEADER_SIZE)?;
        bytes.truncate(header.data_size);
        if !codec.is_written_so(&bytes[HEADER_SIZE..], zstd_form) {
            return None;
        }
        let payload = StoredPayload::Apart { bytes, uncompressed: header.uncompressed_size };
        Some(Self { place, payload })
    }

    /// Bytes of memory that it takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        match &self.payload {
            StoredPayload::AsDecoded => 0,
            StoredPayload::Apart { bytes, .. } => bytes.capacity(),
        }
    }
}

/// A data block that may be written to another file as it is stored.
#[derive(Debug)]
pub struct CopyableBlock {
    block: Arc<Block>,
    stored: StoredForm,
}

impl CopyableBlock {
    /// `None` if it is the stored form of another block, or the block has no cells.
    pub(crate) fn new(block: &Arc<Block>, stored: StoredForm) -> Option<Self> {
        let is_its_own = block.place() == stored.place && block.cells.is_some();
        is_its_own.then(|| Self { block: Arc::clone(block), stored })
    }

    fn offsets(&self) -> &CellOffsets {
        self.block.cells.as_ref().expect("was looked at")
    }

    fn cell(&self, number: usize) -> (Cell<'_>, u64) {
        self.offsets().get(self.block.payload(), number).expect("one of the block's cells")
    }

    /// Number of cells: at least one.
    pub fn cell_count(&self) -> usize {
        self.offsets().len()
    }

    /// The cells and their sequence ids.
    pub fn cells(&self) -> impl Iterator<Item = (Cell<'_>, u64)> {
        (0..self.cell_count()).map(|number| self.cell(number))
    }

    /// The first cell and its sequence id.
    pub fn first(&self) -> (Cell<'_>, u64) {
        self.cell(0)
    }

    /// The last cell.
    pub fn last(&self) -> Cell<'_> {
        self.cell(self.cell_count() - 1).0
    }

    /// Bytes of the cells, decoded.
    pub(crate) fn cells_bytes(&self) -> usize {
        self.block.payload().len()
    }

    /// Bytes of them before the last one.
    pub(crate) fn bytes_before_last(&self) -> usize {
        let place = self.offsets().place(self.block.payload(), self.cell_count() - 1);
        place.map_or(0, |(from, ..)| from)
    }

    /// The payload as it is stored.
    pub(crate) fn stored_payload(&self) -> &[u8] {
        match &self.stored.payload {
            StoredPayload::AsDecoded => self.block.payload(),
            StoredPayload::Apart { bytes, .. } => &bytes[HEADER_SIZE..],
        }
    }

    /// Bytes of the payload before compression.
    pub(crate) fn uncompressed(&self) -> usize {
        match self.stored.payload {
            StoredPayload::AsDecoded => self.cells_bytes(),
            StoredPayload::Apart { uncompressed, .. } => uncompressed,
        }
    }
}
