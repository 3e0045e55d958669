//! What a file says of itself in its file info.

use super::{FinishedFile, HFileWriter};
use crate::bloom::BloomType;
use crate::encoding::DataBlockEncoding;
use crate::error::HFileError;
use crate::file_info::{FileInfo, keys};
use crate::plain_cells;

impl HFileWriter {
    /// As [`HFileWriter::finish`], for a file that takes the place of another one, and says what that said of itself: `info`, but for what
    /// follows from the cells.
    pub(crate) fn finish_as(mut self, info: &FileInfo) -> Result<FinishedFile, HFileError> {
        let anew = [keys::BLOOM_FILTER_TYPE, keys::BLOOM_FILTER_PARAM, keys::LAST_BLOOM_KEY, keys::PLAIN];
        let kept = info.entries.iter().filter(|(key, _)| !anew.contains(&&key[..]));
        self.info.entries.extend(kept.map(|(key, value)| (key.clone(), value.clone())));
        for (key, value) in self.counts.entries_of_info() {
            if info.get(key).is_some() {
                self.info.set(key, &value);
            }
        }
        self.end()
    }

    /// Fills in what follows from the cells, and from how they are written.
    pub(super) fn describe_cells(&mut self) {
        let encoding = self.options.encoding;
        let compresses_tags = self.options.compress_tags && encoding != DataBlockEncoding::None;
        let counts = &self.counts;
        let info = &mut self.info;
        if counts.entries > 0 {
            info.set(keys::LAST_KEY, &self.last_key);
        }
        if self.is_plain && counts.entries > 0 {
            info.set(keys::PLAIN, &plain_cells::encode(counts.key_bytes, counts.value_bytes));
        }
        if let Some(bloom) = self.bloom.as_ref().filter(|bloom| !bloom.is_empty()) {
            info.set(keys::BLOOM_FILTER_TYPE, bloom.bloom_type().name().as_bytes());
            info.set(keys::LAST_BLOOM_KEY, bloom.last_key());
            if let BloomType::RowPrefix(length) = bloom.bloom_type() {
                info.set(keys::BLOOM_FILTER_PARAM, &length.to_be_bytes());
            }
        }
        info.set(keys::AVG_KEY_LEN, &counts.average(counts.key_bytes).to_be_bytes());
        info.set(keys::AVG_VALUE_LEN, &counts.average(counts.value_bytes).to_be_bytes());
        info.set(keys::CREATE_TIME, &self.options.create_time_ms.to_be_bytes());
        if self.layout.tags {
            info.set(keys::MAX_TAGS_LEN, &(counts.max_tags as i32).to_be_bytes());
            info.set(keys::TAGS_COMPRESSED, &flag(compresses_tags));
        }
        if encoding != DataBlockEncoding::None {
            info.set(keys::DATA_BLOCK_ENCODING, encoding.name().as_bytes());
        }
        if self.layout.mvcc {
            info.set(keys::KEY_VALUE_VERSION, &1i32.to_be_bytes());
            info.set(keys::MAX_MEMSTORE_TS, &counts.max_sequence_id.to_be_bytes());
        }
    }

    /// Fills in what a flush or compaction says about its file.
    pub(super) fn describe_store_file(&mut self, max_sequence_id: u64) {
        let info = &mut self.info;
        if info.get(keys::HISTORICAL).is_none() {
            info.set(keys::HISTORICAL, &flag(false));
        }
        info.set(keys::MAX_SEQ_ID, &max_sequence_id.to_be_bytes());
        info.set(keys::MAJOR_COMPACTION, &flag(self.options.major_compaction));
        for (key, value) in self.counts.entries_of_info() {
            info.set(key, &value);
        }
        // No inputs: a flush.
        if info.get(keys::COMPACTION_EVENT).is_none() {
            info.set(keys::COMPACTION_EVENT, b"PBUF");
        }
    }
}

/// A truth value of the file info.
fn flag(value: bool) -> [u8; 1] {
    [if value { 0xff } else { 0 }]
}
