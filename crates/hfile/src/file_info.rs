//! The file info block: `PBUF`, a length, and a protobuf map of bytes to bytes.

use finback_proto::{pb, pbuf};
use std::collections::BTreeMap;

/// Keys that HBase gives a meaning, and one of ours.
#[allow(missing_docs)]
pub mod keys {
    pub const LAST_KEY: &[u8] = b"hfile.LASTKEY";
    pub const AVG_KEY_LEN: &[u8] = b"hfile.AVG_KEY_LEN";
    pub const AVG_VALUE_LEN: &[u8] = b"hfile.AVG_VALUE_LEN";
    pub const CREATE_TIME: &[u8] = b"hfile.CREATE_TIME_TS";
    pub const MAX_TAGS_LEN: &[u8] = b"hfile.MAX_TAGS_LEN";
    pub const TAGS_COMPRESSED: &[u8] = b"hfile.TAGS_COMPRESSED";
    pub const KEY_VALUE_VERSION: &[u8] = b"KEY_VALUE_VERSION";
    pub const MAX_MEMSTORE_TS: &[u8] = b"MAX_MEMSTORE_TS_KEY";
    pub const DATA_BLOCK_ENCODING: &[u8] = b"DATA_BLOCK_ENCODING";
    pub const INDEX_BLOCK_ENCODING: &[u8] = b"INDEX_BLOCK_ENCODING";
    pub const MAX_SEQ_ID: &[u8] = b"MAX_SEQ_ID_KEY";
    pub const MAJOR_COMPACTION: &[u8] = b"MAJOR_COMPACTION_KEY";
    pub const TIMERANGE: &[u8] = b"TIMERANGE";
    pub const EARLIEST_PUT_TS: &[u8] = b"EARLIEST_PUT_TS";
    pub const BLOOM_FILTER_TYPE: &[u8] = b"BLOOM_FILTER_TYPE";
    pub const BLOOM_FILTER_PARAM: &[u8] = b"BLOOM_FILTER_PARAM";
    pub const LAST_BLOOM_KEY: &[u8] = b"LAST_BLOOM_KEY";
    pub const DELETE_FAMILY_COUNT: &[u8] = b"DELETE_FAMILY_COUNT";
    pub const COMPACTION_EVENT: &[u8] = b"COMPACTION_EVENT_KEY";
    pub const HISTORICAL: &[u8] = b"HISTORICAL";
    pub const SKIP_RESET_SEQ_ID: &[u8] = b"SKIP_RESET_SEQ_ID";
    pub const BULKLOAD_TIMESTAMP: &[u8] = b"BULKLOAD_TIMESTAMP";
    /// Ours: each column has one cell, a put without tags. Names with this beginning HBase copies into no file that it makes of
    /// another.
    pub const PLAIN: &[u8] = b"hfile.FINBACK_PLAIN";
}

/// The entries, sorted by key.
#[derive(Debug, Default, Clone)]
pub(crate) struct FileInfo {
    pub(crate) entries: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl FileInfo {
    /// Reads the payload of a file info block.
    pub(crate) fn decode(payload: &[u8]) -> Result<Self, String> {
        let message: pb::FileInfoProto =
            pbuf::decode_delimited(payload, "FileInfoProto").map_err(|error| error.to_string())?;
        let entries =
            message.map_entry.into_iter().map(|pair| (pair.first.to_vec(), pair.second.to_vec())).collect();
        Ok(Self { entries })
    }

    /// Bytes of memory, nearly: a node of the map for each entry.
    pub(crate) fn memory_bytes(&self) -> usize {
        const ENTRY: usize = 2 * size_of::<Vec<u8>>();
        self.entries.iter().map(|(key, value)| ENTRY + key.capacity() + value.capacity()).sum()
    }

    /// The payload of a file info block.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let pair = |(key, value): (&Vec<u8>, &Vec<u8>)| pb::BytesBytesPair {
            first: key.clone().into(),
            second: value.clone().into(),
        };
        pbuf::encode_delimited(&pb::FileInfoProto { map_entry: self.entries.iter().map(pair).collect() })
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.entries.get(key).map(Vec::as_slice)
    }

    pub(crate) fn set(&mut self, key: &[u8], value: &[u8]) {
        self.entries.insert(key.to_vec(), value.to_vec());
    }

    /// Lowest and highest timestamp.
    pub(crate) fn time_range(&self) -> Option<(i64, i64)> {
        let value = self.get(keys::TIMERANGE)?;
        // HBase 2.0.0, 2.0.1 and 2.1.0 wrote a TimeRangeTracker, whose fields are a TimeRange's (HBASE-21012).
        if value.starts_with(pbuf::MAGIC) {
            let range: pb::TimeRange = pbuf::decode(value, "TimeRangeTracker").ok()?;
            return Some((range.from? as i64, range.to? as i64));
        }
        let (min, max) = value.split_at_checked(8)?;
        Some((i64::from_be_bytes(min.try_into().ok()?), i64::from_be_bytes(max.try_into().ok()?)))
    }

    /// A 32-bit number.
    pub(crate) fn int(&self, key: &[u8]) -> Option<i32> {
        Some(i32::from_be_bytes(self.get(key)?.try_into().ok()?))
    }

    /// A 64-bit number.
    pub(crate) fn long(&self, key: &[u8]) -> Option<i64> {
        Some(i64::from_be_bytes(self.get(key)?.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests;
