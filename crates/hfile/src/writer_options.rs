//! How a file is written.

use crate::bloom_writer::BloomOptions;
use crate::checksum::ChecksumType;
use crate::encoding::DataBlockEncoding;
use finback_cell::CellOrder;
use finback_compression::{Compression, ZstdForm};

/// How a file is written.
#[derive(Clone, Debug)]
pub struct WriterOptions {
    /// Order of the cells.
    pub order: CellOrder,
    /// Size at which a data block ends, in bytes (BLOCKSIZE).
    pub block_size_bytes: u32,
    /// Size at which an index block ends, in bytes (`hfile.index.block.max.size`).
    pub index_block_size_bytes: usize,
    /// Fewest entries of an intermediate index block (`hfile.index.block.min.entries`).
    pub min_index_entries: usize,
    /// Whether cells are written with their tags.
    pub include_tags: bool,
    /// Whether cells are written with their sequence ids.
    pub include_mvcc: bool,
    /// How the cells of data blocks are encoded. PREFIX, DIFF and FAST_DIFF need all cells to be of one family.
    pub encoding: DataBlockEncoding,
    /// Whether tags are dictionary-compressed, where the encoding does that (COMPRESS_TAGS).
    pub compress_tags: bool,
    /// Which Bloom filters the file gets.
    pub bloom: BloomOptions,
    /// How blocks are compressed.
    pub compression: Compression,
    /// In which form, where that is ZSTD (`hbase.io.compress.zstd.codec`).
    pub zstd_form: ZstdForm,
    /// How blocks are checked.
    pub checksum_type: ChecksumType,
    /// Bytes covered by one checksum (`hbase.hstore.bytes.per.checksum`).
    pub bytes_per_checksum: usize,
    /// Creation time, ms since the epoch.
    pub create_time_ms: i64,
    /// Whether the file holds all there is of its store.
    pub major_compaction: bool,
    /// Whether the file says so of itself if each of its columns has one cell, a put without tags
    /// ([`file_info_keys::PLAIN`](crate::file_info_keys::PLAIN)).
    pub says_if_plain: bool,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            order: CellOrder::User,
            block_size_bytes: 64 << 10,
            index_block_size_bytes: 128 << 10,
            min_index_entries: 16,
            include_tags: false,
            include_mvcc: true,
            encoding: DataBlockEncoding::None,
            compress_tags: true,
            bloom: BloomOptions::default(),
            compression: Compression::None,
            zstd_form: ZstdForm::default(),
            checksum_type: ChecksumType::Crc32c,
            bytes_per_checksum: 16 << 10,
            create_time_ms: 0,
            major_compaction: false,
            says_if_plain: false,
        }
    }
}
