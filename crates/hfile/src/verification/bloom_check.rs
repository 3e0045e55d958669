//! Whether the Bloom filters have every key that they must have.

use super::Verification;
use crate::block::{Block, BlockRef};
use crate::block_type::BlockType;
use crate::bloom::{BloomFilter, BloomType, KeyHashes, has_bits};
use crate::reader::HFileReader;
use finback_cell::{CellOrder, CellType};
use std::sync::Arc;

/// The filters of a file.
pub(super) struct BloomChecks<'a> {
    general: Option<(BloomType, FilterCheck<'a>)>,
    family_delete: Option<FilterCheck<'a>>,
    key: Vec<u8>,
}

impl<'a> BloomChecks<'a> {
    /// Nobody asks the filters of hbase:meta, whose chunks are in an order that no key is searched in.
    pub(super) fn new(reader: &'a HFileReader) -> Self {
        let check = |filter: Option<&'a BloomFilter>, name| {
            let filter = filter.filter(|_| reader.order() == CellOrder::User)?;
            Some(FilterCheck { reader, filter, name, chunk: None, last_key: None })
        };
        Self {
            general: reader.bloom_type().zip(check(reader.bloom(), "Bloom filter")),
            family_delete: check(reader.family_delete_bloom(), "delete family Bloom filter"),
            key: Vec::new(),
        }
    }

    pub(super) fn data_block(&mut self, block: &Block, found: &mut Verification) {
        let Some(cells) = block.cells.as_ref() else { return };
        for number in 0..cells.len() {
            let Some((cell, _)) = cells.get(block.payload(), number) else { return };
            if let Some((bloom_type, check)) = &mut self.general {
                bloom_type.write_key(cell.row(), cell.qualifier(), &mut self.key);
                check.key(&self.key, found);
            }
            let deletes = [CellType::DeleteFamily.code(), CellType::DeleteFamilyVersion.code()];
            if let Some(check) = &mut self.family_delete
                && deletes.contains(&cell.type_code())
            {
                check.key(cell.row(), found);
            }
        }
    }
}

/// One filter; of its chunks one is in memory.
struct FilterCheck<'a> {
    reader: &'a HFileReader,
    filter: &'a BloomFilter,
    name: &'static str,
    /// None could be read at this place: that is told where the block itself is looked at.
    chunk: Option<(BlockRef, Option<Arc<Block>>)>,
    last_key: Option<Vec<u8>>,
}

impl FilterCheck<'_> {
    fn key(&mut self, key: &[u8], found: &mut Verification) {
        if self.last_key.as_deref() == Some(key) {
            return;
        }
        let last = self.last_key.get_or_insert_default();
        last.clear();
        last.extend_from_slice(key);
        if self.has(key) == Some(false) {
            let at = self.chunk.as_ref().map_or(0, |(place, _)| place.offset);
            let expected = format!("the key {}", finback_cell::StringBinary(key));
            found.note(self.reader.corrupt(self.name, at, &expected, "not that".to_owned()));
        }
    }

    /// Whether the filter has the key, if the chunk that says so can be read.
    fn has(&mut self, key: &[u8]) -> Option<bool> {
        let Some(place) = self.filter.chunk(key) else { return Some(false) };
        if self.chunk.as_ref().is_none_or(|(known, _)| *known != place) {
            let block = self.reader.read_block(place).ok();
            self.chunk = Some((place, block.filter(|block| block.block_type() == BlockType::BloomChunk)));
        }
        let (_, chunk) = self.chunk.as_ref()?;
        let hashes = KeyHashes::of(self.filter.hash_type, key);
        Some(has_bits(chunk.as_ref()?.payload(), hashes, self.filter.hash_count))
    }
}
