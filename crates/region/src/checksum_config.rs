//! The checksums that blocks are written with. How a block that is read is checked stands in its header.

use crate::compaction_config::Overrides;
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor};
use finback_hfile::ChecksumType;
use std::ops::RangeInclusive;

/// Settings, under HBase's names. Tables and families may have their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChecksumConfig {
    /// `hbase.hstore.checksum.algorithm`. With NULL nobody notices when a block is not what was written.
    pub checksum_type: ChecksumType,
    /// `hbase.hstore.bytes.per.checksum`, within [`BYTES_PER_CHECKSUM`](Self::BYTES_PER_CHECKSUM).
    pub bytes_per_checksum: usize,
}

impl Default for ChecksumConfig {
    fn default() -> Self {
        Self { checksum_type: ChecksumType::Crc32c, bytes_per_checksum: 16 << 10 }
    }
}

impl ChecksumConfig {
    /// A header at least, as in HBase. A large cell is written from where it is, but for the chunk that its block begins with, which is
    /// copied: a mebibyte of it at most.
    pub const BYTES_PER_CHECKSUM: RangeInclusive<usize> = 33..=1 << 20;

    /// These settings with what the table and the family have in their place.
    #[must_use]
    pub(crate) fn of_store(mut self, table: &TableDescriptor, family: &ColumnFamilyDescriptor) -> Self {
        let own = Overrides { table, family };
        own.apply("hbase.hstore.checksum.algorithm", &mut self.checksum_type);
        let (bounds, bytes) = (Self::BYTES_PER_CHECKSUM, &mut self.bytes_per_checksum);
        own.apply_within("hbase.hstore.bytes.per.checksum", &bounds, bytes);
        self
    }
}

#[cfg(test)]
mod tests;
