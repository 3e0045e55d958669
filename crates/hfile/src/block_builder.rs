//! Builds the payload of a data block, cell by cell.

use crate::block::HEADER_SIZE;
use crate::block_memory::BlockMemory;
use crate::checksum::WORD;
use crate::data_block::CellLayout;
use crate::delta_encoder::DeltaEncoder;
use crate::encoding::DataBlockEncoding;
use crate::vlong;
use finback_cell::Cell;
use finback_cell::cell::LENGTHS_SIZE;

/// Where the unencoded length stands in a delta-encoded block: after header and encoding id.
const UNENCODED_LENGTH_AT: usize = HEADER_SIZE + 2;

/// Cells from this size on are given exactly the memory that they need, and not twice what the block has.
const LARGE_CELL_BYTES: usize = 256 << 10;
/// Records of fewer bytes are as much key as value.
const SMALL_RECORD_BYTES: usize = 32;
/// What a cell is stored with besides itself, at most: the length of its tags, and its sequence id.
const AROUND_CELL: usize = 2 + 9;

/// Whether so many bytes of records are mostly of small ones.
pub(crate) fn are_small_records(bytes: usize, records: usize) -> bool {
    bytes <= records.saturating_mul(SMALL_RECORD_BYTES)
}

/// The block being built.
#[derive(Debug)]
pub(crate) struct BlockBuilder {
    encoding: DataBlockEncoding,
    layout: CellLayout,
    memory: BlockMemory,
    /// Where the first record begins.
    cells_at: usize,
    /// What the cells would take without encoding, in bytes.
    unencoded: usize,
    cells: usize,
    delta: Option<DeltaEncoder>,
    /// Where the rows begin, for ROW_INDEX_V1.
    rows: Vec<u32>,
    last_row: Vec<u8>,
    /// Bytes for each checksum.
    chunk_size: usize,
}

impl BlockBuilder {
    pub(crate) fn new(
        encoding: DataBlockEncoding,
        layout: CellLayout,
        compress_tags: bool,
        chunk_size: usize,
    ) -> Self {
        let delta = encoding.is_delta().then(|| DeltaEncoder::new(encoding, layout, compress_tags));
        Self {
            encoding,
            layout,
            memory: BlockMemory::default(),
            cells_at: 0,
            unencoded: 0,
            cells: 0,
            delta,
            rows: Vec::new(),
            last_row: Vec::new(),
            chunk_size,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.unencoded == 0
    }

    /// Bytes of memory beside the builder itself.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.memory.bytes.capacity() + self.rows.capacity() * size_of::<u32>()
    }

    /// What the cells take without encoding or with it, whichever is more, in bytes. Both end a block. Like HBase,
    /// counts the offsets of rows, and nothing that a block has only once.
    pub(crate) fn size(&self) -> usize {
        if self.is_empty() {
            return 0;
        }
        self.unencoded.max(self.memory.bytes.len() - self.cells_at + size_of_val(&self.rows[..]))
    }

    /// Whether the records of its cells are mostly small, because of an encoding that was chosen to make them so.
    pub(crate) fn has_small_records(&self) -> bool {
        self.encoding.is_delta() && are_small_records(self.memory.bytes.len() - self.cells_at, self.cells)
    }

    /// Adds a cell to the block that was begun.
    pub(crate) fn add(&mut self, cell: &Cell<'_>, sequence_id: u64) {
        self.cells += 1;
        if cell.bytes().len() >= LARGE_CELL_BYTES {
            self.make_room(cell.bytes().len() + AROUND_CELL);
        }
        match &mut self.delta {
            Some(delta) => delta.write(&mut self.memory.bytes, cell, sequence_id),
            None => {
                if self.encoding == DataBlockEncoding::RowIndexV1
                    && (self.rows.is_empty() || self.last_row != cell.row())
                {
                    self.rows.push((self.memory.bytes.len() - self.cells_at) as u32);
                    self.last_row.clear();
                    self.last_row.extend_from_slice(cell.row());
                }
                self.layout.write(&mut self.memory.bytes, cell, sequence_id);
            }
        }
        self.unencoded += LENGTHS_SIZE + cell.key_length() + cell.value_length();
        if self.layout.tags {
            self.unencoded += 2 + cell.tags().len();
        }
        if self.layout.mvcc {
            self.unencoded += vlong::size(sequence_id as i64);
        }
    }

    /// Makes room for so many bytes more, and then the block's checksums.
    fn make_room(&mut self, more: usize) {
        let checksums = ((self.memory.block().len() + more) / self.chunk_size + 1) * WORD;
        self.memory.bytes.reserve_exact(more + checksums);
    }

    /// Begins a block, with `first` to come first.
    pub(crate) fn begin(&mut self, memory: BlockMemory, first: &Cell<'_>) {
        self.memory = memory;
        self.unencoded = 0;
        self.cells = 0;
        self.rows.clear();
        if self.encoding != DataBlockEncoding::None {
            self.memory.bytes.extend_from_slice(&self.encoding.id().to_be_bytes());
        }
        if let Some(delta) = &mut self.delta {
            self.memory.bytes.extend_from_slice(&[0; 4]);
            self.cells_at = self.memory.bytes.len();
            delta.begin(&mut self.memory.bytes, first);
        } else {
            self.cells_at = self.memory.bytes.len();
        }
    }

    /// Completes the block and gives it, without a header.
    pub(crate) fn end(&mut self) -> BlockMemory {
        let mut memory = std::mem::take(&mut self.memory);
        if self.delta.is_some() {
            let length = (self.unencoded as u32).to_be_bytes();
            memory.block_mut()[UNENCODED_LENGTH_AT..UNENCODED_LENGTH_AT + 4].copy_from_slice(&length);
        }
        if self.encoding == DataBlockEncoding::RowIndexV1 {
            let cells = (memory.bytes.len() - self.cells_at) as u32;
            memory.bytes.extend_from_slice(&(self.rows.len() as u32).to_be_bytes());
            memory.bytes.extend(self.rows.iter().flat_map(|row| row.to_be_bytes()));
            memory.bytes.extend_from_slice(&cells.to_be_bytes());
        }
        self.unencoded = 0;
        memory
    }
}
