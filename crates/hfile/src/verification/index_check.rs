//! Whether the index leads to every data block, by keys that find its cells.

use super::Verification;
use crate::block::Block;
use crate::index_entries::{IndexEntries, IndexEntry};
use crate::reader::HFileReader;
use finback_cell::key::Key;
use std::iter::Peekable;

/// The index beside the blocks.
pub(super) struct IndexCheck<'a> {
    reader: &'a HFileReader,
    entries: Peekable<IndexEntries<'a>>,
    /// Flat key of the last cell of the data block before.
    last_key: Option<Vec<u8>>,
    last_offset: Option<u64>,
}

impl<'a> IndexCheck<'a> {
    pub(super) fn new(reader: &'a HFileReader) -> Self {
        Self { reader, entries: reader.index_entries().peekable(), last_key: None, last_offset: None }
    }

    /// The next entry, if it leads to no later offset. What cannot be read of the index is noted.
    fn next_up_to(&mut self, offset: u64, found: &mut Verification) -> Option<IndexEntry> {
        loop {
            match self.entries.peek()? {
                Ok(entry) if entry.place.offset > offset => return None,
                Ok(_) => return self.entries.next()?.ok(),
                // The block itself is found to be damaged when its turn comes.
                Err(_) => {
                    if let Some(Err(error)) = self.entries.next() {
                        found.note(error);
                    }
                }
            }
        }
    }

    /// Compares a data block with what the index says of it. Behind a gap entries may have been passed over.
    pub(super) fn data_block(&mut self, block: &Block, has_gaps: bool, found: &mut Verification) {
        let place = block.place();
        let mut entry = self.next_up_to(place.offset, found);
        while let Some(earlier) = entry.take_if(|entry| entry.place.offset < place.offset) {
            if !has_gaps {
                self.leads_nowhere(&earlier, found);
            }
            entry = self.next_up_to(place.offset, found);
        }
        match entry {
            Some(entry) => self.compare(block, &entry, found),
            None if has_gaps => {}
            None => {
                let expected = "an entry for this data block";
                found.note(self.reader.corrupt("block index", place.offset, expected, "none".to_owned()));
            }
        }
        let cells = block.cells.as_ref();
        let last = cells.and_then(|cells| cells.get(block.payload(), cells.len().checked_sub(1)?));
        self.last_key = last.map(|(cell, _)| cell.key().to_vec());
        self.last_offset = Some(place.offset);
    }

    fn compare(&mut self, block: &Block, entry: &IndexEntry, found: &mut Verification) {
        let (place, order) = (block.place(), self.reader.order());
        if entry.place.size != place.size {
            let (expected, there) = (format!("{} bytes", place.size), format!("{} bytes", entry.place.size));
            found.note(self.reader.corrupt("block index", place.offset, &expected, there));
        }
        let first = block.cells.as_ref().and_then(|cells| cells.get(block.payload(), 0));
        let is_after_first =
            first.is_some_and(|(cell, _)| order.compare_flat_to_key(&entry.key, &Key::of(&cell)).is_gt());
        let is_before_last = self
            .last_key
            .as_ref()
            .is_some_and(|last| order.compare_flat_to_key(&entry.key, &Key::from_checked(last)).is_lt());
        if is_after_first || is_before_last {
            let expected = "a key between the last cell of the block before and the first of this one";
            let there = finback_cell::StringBinary(&entry.key).to_string();
            found.note(self.reader.corrupt("block index", place.offset, expected, there));
        }
    }

    fn leads_nowhere(&self, entry: &IndexEntry, found: &mut Verification) {
        let there = "none".to_owned();
        found.note(self.reader.corrupt("block index", entry.place.offset, "a data block", there));
    }

    /// Where the first data block behind `offset` is, as the index has it.
    pub(super) fn next_block_behind(&mut self, offset: u64, found: &mut Verification) -> Option<u64> {
        while self.next_up_to(offset, found).is_some() {}
        self.last_key = None;
        match self.entries.peek()? {
            Ok(entry) => Some(entry.place.offset),
            Err(_) => None,
        }
    }

    /// Nothing may be left in the index.
    pub(super) fn finish(mut self, found: &mut Verification) {
        while let Some(entry) = self.next_up_to(u64::MAX, found) {
            self.leads_nowhere(&entry, found);
        }
        let fields = &self.reader.trailer().fields;
        let stated = fields.last_data_block_offset();
        if self.last_offset.is_some_and(|last| last != stated) {
            let expected = format!("the last data block at {}", self.last_offset.unwrap_or_default());
            let at = self.reader.trailer_offset();
            found.note(self.reader.corrupt("trailer", at, &expected, stated.to_string()));
        }
    }
}
