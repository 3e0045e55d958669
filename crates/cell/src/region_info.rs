//! The identity of a region.
//!
//! Name: `<table>,<start key>,<region id>[_<replica %04X>].<md5 hex>.`; the md5 covers everything before the dot and is
//! the encoded name, which names the region's directory. `hbase:meta` keeps the old form: `hbase:meta,,1`, 1588230740.

use crate::table_name::TableName;
use bytes::Bytes;
use md5::{Digest, Md5};

/// The encoded name of the one region of `hbase:meta`.
pub const META_ENCODED_NAME: &str = "1588230740";

/// A range of rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionInfo {
    /// The table.
    pub table: TableName,
    /// First row inside; empty means unbounded.
    pub start_key: Bytes,
    /// First row beyond; empty means unbounded.
    pub end_key: Bytes,
    /// Creation time in milliseconds (1 for `hbase:meta`).
    pub region_id: u64,
    /// Replica number; 0 is the primary.
    pub replica_id: u32,
    /// Whether the region is a split parent that went offline.
    pub offline: bool,
    /// Whether the region was split.
    pub split: bool,
}

impl RegionInfo {
    /// A primary region.
    pub fn new(table: TableName, start_key: Bytes, end_key: Bytes, region_id: u64) -> Self {
        Self { table, start_key, end_key, region_id, replica_id: 0, offline: false, split: false }
    }

    /// The region of `hbase:meta`.
    pub fn meta() -> Self {
        Self::new(TableName::meta(), Bytes::new(), Bytes::new(), 1)
    }

    /// What HBase's clients name when they mean all MOB files of a table; no server has it open.
    pub fn of_mob_files(table: TableName) -> Self {
        Self::new(table, Bytes::from_static(b".mob"), Bytes::new(), 0)
    }

    /// A replica of this region.
    pub fn replica(&self, replica_id: u32) -> Self {
        Self { replica_id, ..self.clone() }
    }

    /// The same, in memory of its own: one that was decoded keeps the whole message.
    #[must_use]
    pub fn unshared(self) -> Self {
        let copy = |key: &Bytes| Bytes::copy_from_slice(key);
        Self { start_key: copy(&self.start_key), end_key: copy(&self.end_key), ..self }
    }

    /// Whether this is the region of `hbase:meta`.
    pub fn is_meta(&self) -> bool {
        self.table.is_meta()
    }

    /// The name without the md5 part.
    fn prefix(&self) -> Vec<u8> {
        let mut name = self.table.to_bytes().to_vec();
        name.push(b',');
        name.extend_from_slice(&self.start_key);
        name.extend_from_slice(format!(",{}", self.region_id).as_bytes());
        if self.replica_id > 0 {
            name.extend_from_slice(format!("_{:04X}", self.replica_id).as_bytes());
        }
        name
    }

    /// The full region name, which is also its row in `hbase:meta`.
    pub fn name(&self) -> Bytes {
        let mut name = self.prefix();
        if !self.is_meta() {
            let encoded = hex_md5(&name);
            name.push(b'.');
            name.extend_from_slice(encoded.as_bytes());
            name.push(b'.');
        }
        name.into()
    }

    /// The encoded name: 32 lower-case hex digits, or `1588230740` for `hbase:meta`.
    pub fn encoded_name(&self) -> String {
        if self.is_meta() && self.replica_id == 0 {
            META_ENCODED_NAME.to_owned()
        } else {
            hex_md5(&self.prefix())
        }
    }

    /// Whether `row` belongs to this region (in plain byte order; `hbase:meta` contains every row).
    #[inline]
    pub fn contains_row(&self, row: &[u8]) -> bool {
        row >= &self.start_key[..] && (self.end_key.is_empty() || row < &self.end_key[..])
    }
}

/// Lower-case hex of the MD5 of `bytes`.
pub fn hex_md5(bytes: &[u8]) -> String {
    Md5::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// State of a region as written to `info:state` of `hbase:meta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum RegionState {
    Offline,
    Opening,
    Open,
    Closing,
    Closed,
    Splitting,
    Split,
    FailedOpen,
    FailedClose,
    Merging,
    Merged,
    SplittingNew,
    MergingNew,
    AbnormallyClosed,
}

impl RegionState {
    const NAMES: [(Self, &'static str); 14] = [
        (Self::Offline, "OFFLINE"),
        (Self::Opening, "OPENING"),
        (Self::Open, "OPEN"),
        (Self::Closing, "CLOSING"),
        (Self::Closed, "CLOSED"),
        (Self::Splitting, "SPLITTING"),
        (Self::Split, "SPLIT"),
        (Self::FailedOpen, "FAILED_OPEN"),
        (Self::FailedClose, "FAILED_CLOSE"),
        (Self::Merging, "MERGING"),
        (Self::Merged, "MERGED"),
        (Self::SplittingNew, "SPLITTING_NEW"),
        (Self::MergingNew, "MERGING_NEW"),
        (Self::AbnormallyClosed, "ABNORMALLY_CLOSED"),
    ];

    /// HBase's name of the state.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(state, _)| *state == self).map_or("", |(_, name)| name)
    }

    /// The state of a name.
    pub fn parse(name: &[u8]) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| known.as_bytes() == name).map(|(state, _)| *state)
    }
}

#[cfg(test)]
mod tests;
