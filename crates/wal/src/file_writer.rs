use std::{
    io::IoSlice,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use finback_fs::{FileSystem, WritableFile};

use crate::{
    END_MARK, MAX_ENTRY_BYTES, SyncMode, WalCompression, WalEntry, WalError, WalOptions,
    compressed_cells::CellCompressor,
    compressed_key,
    entry_head::MAX_KEY_BYTES,
    header,
    integrity::{self, MARK_BYTES},
    torn_tail::MAX_GUARDED_KEY_BYTES,
    trailer,
    varint::{MAX_VARINT_BYTES, put_bytes, put_uint, put_varint, varint_len},
    wal_key,
};

/// Cells up to this size are copied beside their key: cheaper than one more slice for the kernel to walk, and the
/// checksum has just brought them into the cache.
pub(crate) const COPIED_CELLS_BYTES: usize = 16 << 10;
/// A buffer that one burst made larger than this is given back.
const KEPT_BUFFER_BYTES: usize = 1 << 20;
/// A write weighs one in so many in the mean.
const MEAN_OF: u64 = 8;
/// Larger writes gain less by zeros ahead than writing these costs.
const MAX_ZEROED_WRITE: u64 = 64 << 10;
/// Zeros for so many writes are written at once, within these limits: their own cost, a sync that makes a new length durable,
/// is shared by these, and no single sync takes them long.
const ZEROED_WRITES: u64 = 64;
const MIN_ZEROS: u64 = 64 << 10;
const MAX_ZEROS: u64 = 1 << 20;

/// What a key says, for writing.
#[derive(Debug, Clone, Copy)]
pub struct KeyFields<'a> {
    /// Encoded region name.
    pub region: &'a [u8],
    /// `ns:name` or `name`.
    pub table: &'a [u8],
    /// The region's sequence id of the edit.
    pub sequence_id: u64,
    /// ms since the epoch.
    pub write_time_ms: u64,
    /// Cells that follow.
    pub cell_count: u32,
    /// 0 for none.
    pub nonce_group: u64,
    /// 0 for none.
    pub nonce: u64,
}

impl KeyFields<'_> {
    /// Fields in the order of their numbers, as HBase writes them.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put_bytes(out, wal_key::REGION, self.region);
        put_bytes(out, wal_key::TABLE, self.table);
        self.put_numbers(out);
    }

    /// The fields after the names.
    pub(crate) fn put_numbers(&self, out: &mut Vec<u8>) {
        put_uint(out, wal_key::SEQUENCE_ID, self.sequence_id);
        put_uint(out, wal_key::WRITE_TIME, self.write_time_ms);
        put_uint(out, wal_key::CELL_COUNT, u64::from(self.cell_count));
        if self.nonce_group != 0 {
            put_uint(out, wal_key::NONCE_GROUP, self.nonce_group);
        }
        if self.nonce != 0 {
            put_uint(out, wal_key::NONCE, self.nonce);
        }
    }

    pub(crate) fn len(&self) -> usize {
        let bytes = |b: &[u8]| 1 + varint_len(b.len() as u64) + b.len();
        let optional = |v: u64| if v == 0 { 0 } else { 1 + varint_len(v) };
        bytes(self.region)
            + bytes(self.table)
            + (1 + varint_len(self.sequence_id))
            + (1 + varint_len(self.write_time_ms))
            + (1 + varint_len(u64::from(self.cell_count)))
            + optional(self.nonce_group)
            + optional(self.nonce)
    }

    /// Whether the key is short enough to be found again by the search for entries after damage, and the whole
    /// entry within [`MAX_ENTRY_BYTES`].
    pub(crate) fn check(&self, cells_len: usize) -> Result<(), WalError> {
        let key_len = self.len() + MARK_BYTES;
        let limit = MAX_GUARDED_KEY_BYTES - MAX_VARINT_BYTES - compressed_key::MAX_GROWTH;
        check_sizes(key_len, limit, cells_len)
    }
}

fn check_sizes(key_len: usize, limit: usize, cells_len: usize) -> Result<(), WalError> {
    if key_len > limit {
        return Err(WalError::TooLarge { bytes: key_len, limit });
    }
    let bytes = key_len.saturating_add(cells_len);
    if bytes > MAX_ENTRY_BYTES - MAX_VARINT_BYTES {
        return Err(WalError::TooLarge { bytes, limit: MAX_ENTRY_BYTES });
    }
    Ok(())
}

/// Writes one log file: entries are gathered in memory, then written together, then synced.
#[derive(Debug)]
pub struct WalFileWriter {
    file: Box<dyn WritableFile>,
    path: PathBuf,
    /// Keys and small cells of the entries gathered.
    buffer: Vec<u8>,
    /// Large cells, each with the length of `buffer` that precedes it.
    large: Vec<(usize, Bytes)>,
    gathered_large_bytes: u64,
    header_end: u64,
    written: u64,
    /// On disk for sure; what entries say.
    durable: u64,
    /// What writers were told is safe: at least what is durable, more if they asked for less than a sync.
    confirmed: u64,
    entries: u64,
    /// Bytes of a write, in the mean of the last ones.
    mean_write: u64,
    compressor: Option<CellCompressor>,
    key: Vec<u8>,
    cells: Vec<u8>,
}

impl WalFileWriter {
    /// Makes a new file whose header is durable when this returns (its name is not: sync the directory).
    pub fn create(
        fs: &dyn FileSystem,
        path: &Path,
        compression: Option<WalCompression>,
    ) -> Result<Self, WalError> {
        Self::create_unsynced(fs, path, compression)?.with_durable_header(fs)
    }

    /// As [`create`](Self::create), for a log that is written, and tells its writers, what its options say.
    pub(crate) fn create_log(
        fs: &dyn FileSystem,
        path: &Path,
        options: &WalOptions,
    ) -> Result<Self, WalError> {
        let file = match options.sync_mode {
            SyncMode::Disk => fs.create_log(path, END_MARK),
            SyncMode::Os => fs.create_flushed_log(path),
        };
        let file = file.map_err(|e| WalError::io(path, "create", e))?;
        let mut writer = Self::begin(fs, file, path, options.compression)?;
        if let Some(compressor) = &mut writer.compressor {
            compressor.set_zstd_form(options.zstd_form);
        }
        writer.with_durable_header(fs)
    }

    fn with_durable_header(mut self, fs: &dyn FileSystem) -> Result<Self, WalError> {
        if let Err(e) = self.file.sync_data() {
            // Best effort: an empty log says nothing, but clutters a full disk.
            let _ = fs.remove_file(&self.path);
            return Err(WalError::io(&self.path, "write the header of", e));
        }
        (self.durable, self.confirmed) = (self.written, self.written);
        Ok(self)
    }

    /// Makes a new file of which nothing is durable until it is synced.
    pub(crate) fn create_unsynced(
        fs: &dyn FileSystem,
        path: &Path,
        compression: Option<WalCompression>,
    ) -> Result<Self, WalError> {
        let file = fs.create_new(path).map_err(|e| WalError::io(path, "create", e))?;
        Self::begin(fs, file, path, compression)
    }

    fn begin(
        fs: &dyn FileSystem,
        mut file: Box<dyn WritableFile>,
        path: &Path,
        compression: Option<WalCompression>,
    ) -> Result<Self, WalError> {
        let header = header::encoded(compression);
        let compressor = compression.map(|compression| CellCompressor::new(path, compression)).transpose();
        let (compressor, ()) =
            compressor.and_then(|compressor| Ok((compressor, file.append(&header)?))).map_err(|e| {
                let _ = fs.remove_file(path);
                WalError::io(path, "write the header of", e)
            })?;
        let end = header.len() as u64;
        Ok(Self {
            file,
            path: path.to_owned(),
            buffer: Vec::new(),
            large: Vec::new(),
            gathered_large_bytes: 0,
            header_end: end,
            written: end,
            durable: 0,
            confirmed: 0,
            entries: 0,
            mean_write: 0,
            compressor,
            key: Vec::new(),
            cells: Vec::new(),
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Length of the file once all that is gathered is written.
    pub fn len(&self) -> u64 {
        self.written + self.buffer.len() as u64 + self.gathered_large_bytes
    }

    /// No entry in it yet.
    pub fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// How much of the file is known to be on disk.
    pub fn durable_len(&self) -> u64 {
        self.durable
    }

    /// Whether any entry of the file was confirmed.
    pub(crate) fn has_confirmed_entries(&self) -> bool {
        self.confirmed > self.header_end
    }

    /// Bytes gathered and not written.
    pub(crate) fn gathered_bytes(&self) -> u64 {
        self.len() - self.written
    }

    /// Bytes that the dictionaries of a compressed file hold.
    pub(crate) fn dictionary_bytes(&self) -> usize {
        self.compressor.as_ref().map_or(0, |compressor| compressor.dictionaries.bytes())
    }

    /// Gathers an entry; nothing is written yet. `cells` is a block of `u32 length | KeyValue`, repeated. After an error
    /// other than [`WalError::TooLarge`] the file must be given up.
    pub fn gather(&mut self, key: &KeyFields<'_>, cells: &Bytes) -> Result<(), WalError> {
        if self.compressor.is_some() || cells.len() <= COPIED_CELLS_BYTES {
            return self.gather_small(key, cells);
        }
        key.check(cells.len())?;
        self.key.clear();
        key.put(&mut self.key);
        self.put_entry(cells);
        self.large.push((self.buffer.len(), cells.clone()));
        self.gathered_large_bytes += cells.len() as u64;
        Ok(())
    }

    /// As [`gather`](Self::gather), for cells that are copied in any case.
    pub(crate) fn gather_small(&mut self, key: &KeyFields<'_>, cells: &[u8]) -> Result<(), WalError> {
        key.check(cells.len())?;
        self.key.clear();
        if let Some(compressor) = &mut self.compressor {
            compressed_key::put(key, &mut compressor.dictionaries, &mut self.key);
            return self.gather_compressed(cells);
        }
        key.put(&mut self.key);
        self.put_entry(cells);
        self.buffer.extend_from_slice(cells);
        Ok(())
    }

    /// Gathers an entry of another log: the same key (but for the number of cells) and these cells, with values in the
    /// form of ZSTD that they have there. After an error the file must be given up.
    pub fn gather_copy(
        &mut self,
        entry: &WalEntry<'_>,
        cell_count: u32,
        cell_block: &[u8],
    ) -> Result<(), WalError> {
        self.key.clear();
        entry.key.copy_with_cell_count(cell_count, &mut self.key);
        check_sizes(self.key.len() + MARK_BYTES, MAX_KEY_BYTES as usize, cell_block.len())?;
        if let Some(compressor) = &mut self.compressor {
            compressor.set_zstd_form(entry.zstd_form);
            let key = std::mem::take(&mut self.key);
            compressed_key::put_copy(&key, &mut compressor.dictionaries, &mut self.key)
                .map_err(|why| WalError::corrupt(&self.path, entry.offset, why))?;
            return self.gather_compressed(cell_block);
        }
        self.put_entry(cell_block);
        self.buffer.extend_from_slice(cell_block);
        Ok(())
    }

    /// Compresses the cells and gathers the entry whose compressed key is in `self.key`.
    fn gather_compressed(&mut self, cell_block: &[u8]) -> Result<(), WalError> {
        let Some(compressor) = &mut self.compressor else { return Ok(()) };
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        compressor.put(cell_block, &mut cells).map_err(|e| WalError::io(&self.path, "compress", e))?;
        check_sizes(self.key.len() + MARK_BYTES, usize::MAX, cells.len())?;
        self.put_entry(&cells);
        self.buffer.extend_from_slice(&cells);
        cells.shrink_to(KEPT_BUFFER_BYTES);
        self.cells = cells;
        Ok(())
    }

    /// Appends the key in `self.key` with its mark to the buffer; the cells, as they will stand in the file, must follow.
    fn put_entry(&mut self, cells: &[u8]) {
        let offset = self.len();
        put_varint(&mut self.buffer, (self.key.len() + MARK_BYTES) as u64);
        let key_start = self.buffer.len();
        self.buffer.extend_from_slice(&self.key);
        integrity::put_unsealed(&mut self.buffer, self.durable, cells.len() as u32);
        integrity::seal(&mut self.buffer[key_start..], cells, offset);
        self.entries += 1;
    }

    /// Writes what is gathered. After an error the file should be given up.
    pub fn write(&mut self) -> Result<(), WalError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let total = self.gathered_bytes();
        let written = if self.large.is_empty() {
            self.file.append(&self.buffer)
        } else {
            let mut slices = Vec::with_capacity(2 * self.large.len() + 1);
            let mut from = 0;
            for (at, cells) in &self.large {
                slices.push(IoSlice::new(&self.buffer[from..*at]));
                slices.push(IoSlice::new(cells));
                from = *at;
            }
            slices.push(IoSlice::new(&self.buffer[from..]));
            self.file.append_vectored(&mut slices)
        };
        self.buffer.clear();
        self.buffer.shrink_to(KEPT_BUFFER_BYTES);
        self.large.clear();
        self.gathered_large_bytes = 0;
        written.map_err(|e| WalError::io(&self.path, "write", e))?;
        self.written += total;
        self.mean_write = (self.mean_write * (MEAN_OF - 1) + total) / MEAN_OF;
        Ok(())
    }

    /// Before a sync, where many small ones follow each other: sees to it that the next ones overwrite zeros. [`END_MARK`] stands
    /// before these. A disk without room for them is none for long, and that is told by the writes.
    pub(crate) fn zero_ahead(&mut self) {
        let next = self.mean_write;
        if next <= MAX_ZEROED_WRITE && self.file.zeros_ahead() < next {
            let zeros = (next * ZEROED_WRITES).next_multiple_of(MIN_ZEROS).min(MAX_ZEROS);
            if let Err(error) = self.file.zero_ahead(zeros, END_MARK) {
                tracing::debug!(%error, "no zeros ahead of a log");
            }
        }
    }

    /// Makes what is written durable. After an error the file must be given up.
    pub fn sync(&mut self) -> Result<(), WalError> {
        if self.durable < self.written {
            self.file.sync_data().map_err(|e| WalError::io(&self.path, "sync", e))?;
            self.durable = self.written;
        }
        self.confirm();
        Ok(())
    }

    /// What is written counts as confirmed without a sync: for logs that only promise to survive the process.
    pub(crate) fn confirm(&mut self) {
        self.confirmed = self.written;
    }

    /// Writes the rest and the trailer and syncs.
    pub fn close(mut self) -> Result<(), WalError> {
        self.write()?;
        // Entries first: a trailer must not be durable before what it counts.
        self.sync()?;
        let trailer = trailer::encoded(self.written, self.entries);
        // The zeros that are behind the end go first.
        let cut = self.file.truncate(self.written);
        let closed = cut.and_then(|()| self.file.append(&trailer)).and_then(|()| self.file.sync_data());
        closed.map_err(|e| {
            let _ = self.file.truncate(self.confirmed);
            WalError::io(&self.path, "close", e)
        })
    }

    /// Writes the rest and the trailer, and leaves it to the caller to sync the file: nobody may rely on it before.
    pub(crate) fn close_unsynced(mut self) -> Result<(), WalError> {
        self.write()?;
        let trailer = trailer::encoded(self.written, self.entries);
        self.file.append(&trailer).map_err(|e| WalError::io(&self.path, "close", e))
    }

    /// Gives the file up after a failure: cuts off what was never confirmed, so that it does not come back at
    /// recovery. Best effort, on a disk that just failed.
    pub(crate) fn abandon(mut self) -> Result<(), WalError> {
        let cut = self.file.truncate(self.confirmed).and_then(|()| self.file.sync_data());
        cut.map_err(|e| WalError::io(&self.path, "truncate", e))
    }
}
