//! HFile v3: writer, reader, scanner, block index, checksums.
//!
//! Encrypted files are refused. Guarantees: every block is checked against its
//! checksums and for structure once, when it is read, so that nothing wrong is returned and accessors cannot panic;
//! a [`HFileScanner`] and a [`BloomProbe`] do no I/O: what they need and do not find in the cache they ask for.
//!
//! This crate does not know what a store is, nor where files are kept.

mod block;
mod block_builder;
mod block_cache;
mod block_memory;
mod block_type;
mod bloom;
mod bloom_probe;
mod bloom_writer;
mod cell_counts;
mod cell_format;
mod checksum;
mod copyable_block;
mod data_block;
mod delta_decoder;
mod delta_encoder;
mod encoding;
mod error;
mod file_info;
mod hash;
mod index;
mod index_entries;
mod index_key;
mod index_writer;
mod opening;
mod payload_memory;
mod plain_cells;
mod position;
mod read_ahead;
mod reader;
mod row_hints;
mod row_in_memory;
mod salvage;
mod scanner;
mod stored_block;
mod tag_dictionary;
#[cfg(feature = "testing")]
pub mod testing;
mod trailer;
mod varint;
mod verification;
mod vlong;
mod writer;
mod writer_options;

pub use block::{Block, BlockRef};
pub use block_cache::{BlockCache, BlockPriority, CacheCharge};
pub use block_type::BlockType;
pub use bloom::{BloomFigures, BloomType};
pub use bloom_probe::{AskedRow, BloomProbe};
pub use bloom_writer::BloomOptions;
pub use checksum::ChecksumType;
pub use copyable_block::{CopyableBlock, StoredForm};
pub use encoding::DataBlockEncoding;
pub use error::HFileError;
pub use file_info::keys as file_info_keys;
pub use finback_compression::{Compression, ZstdForm};
pub use hash::HashType;
pub use index_entries::{IndexEntries, IndexEntry};
pub use position::TakeRows;
pub use reader::{BlockRequest, BlockToJoin, BlocksToJoin, FileId, FileIdentity, HFileReader, Prefetch};
pub use salvage::{DamagedFile, FamilySettings, Loss, Salvaged};
pub use scanner::{HFileScanner, ScanInterrupt, read_through};
pub use stored_block::{BlockHeader, StoredBlock};
pub use trailer::Trailer;
pub use verification::{RowBounds, Verification, verify};
pub use writer::{FinishedFile, HFileWriter, OWN_BLOCK_BYTES};
pub use writer_options::WriterOptions;
