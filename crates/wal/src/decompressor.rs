use std::path::Path;

use finback_compression::ZstdForm;

use crate::{
    WalCompression,
    compressed_cells::{CellDecompressor, Cursor},
    compressed_key,
    entry_head::{EntryHead, NoEntry, invalid},
    wal_key::KeyLayout,
    window::FileWindow,
};

/// What a compressed file needs to be read from its beginning on, and its last entry, uncompressed.
#[derive(Debug)]
pub(crate) struct Decompressor {
    cells: CellDecompressor,
    pub(crate) compression: WalCompression,
    pub(crate) key: Vec<u8>,
    pub(crate) layout: KeyLayout,
    pub(crate) cell_block: Vec<u8>,
}

/// Memory for an entry that is kept for the next.
const KEPT_ENTRY_BYTES: usize = 1 << 20;

impl Decompressor {
    pub(crate) fn new(path: &Path, compression: WalCompression) -> Self {
        let cells = CellDecompressor::new(path, compression);
        Self { cells, compression, key: Vec::new(), layout: KeyLayout::default(), cell_block: Vec::new() }
    }

    /// How ZSTD has compressed the last value that is not empty.
    pub(crate) fn zstd_form(&self) -> ZstdForm {
        self.cells.zstd_form()
    }

    /// Decompresses an entry and gives its end. After an error no entry of the file can be decompressed any more.
    pub(crate) fn take(
        &mut self,
        window: &mut FileWindow,
        offset: u64,
        head: &EntryHead,
        end: u64,
    ) -> Result<usize, NoEntry> {
        self.key.clear();
        self.cell_block.clear();
        self.cell_block.shrink_to(KEPT_ENTRY_BYTES);
        let key = &window.slice(offset, head.key.end)?[head.key.clone()];
        let expanded = compressed_key::expand(key, &mut self.cells.dictionaries, &mut self.key);
        expanded.map_err(|why| match why {
            compressed_key::ABOVE_LIMIT => NoEntry::AboveLimit(why.to_owned()),
            why => invalid(why),
        })?;
        self.layout = KeyLayout::parse(&self.key).map_err(invalid)?;
        let mut cursor = Cursor::new(window, offset + head.key.end as u64, end);
        self.cells.take(&mut cursor, head.layout.cell_count, &mut self.cell_block)?;
        Ok((cursor.offset - offset) as usize)
    }
}
