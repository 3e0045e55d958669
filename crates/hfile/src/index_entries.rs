//! All data blocks that the index of a file leads to, in order.

use crate::block::{Block, BlockRef};
use crate::error::HFileError;
use crate::index::NodeIndex;
use crate::reader::HFileReader;
use std::sync::Arc;

/// An entry of the index that leads to a data block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// Where the block is.
    pub place: BlockRef,
    /// A flat key that is not after the block's first, and after the last of the block before it.
    pub key: Vec<u8>,
}

/// Goes through the index; one block of each level is in memory.
///
/// What the entries of a level lead to must lie behind each other: an index that leads to a block twice is refused there, and
/// ends.
#[derive(Debug)]
pub struct IndexEntries<'a> {
    reader: &'a HFileReader,
    /// The next entry of the root.
    next: usize,
    /// Below the root: a block of each level, and its next entry.
    nodes: Vec<(Arc<Block>, usize)>,
    /// Where the last entry of each level led.
    last: Vec<Option<BlockRef>>,
    is_over: bool,
}

impl HFileReader {
    /// The entries of the index that lead to data blocks. After an error it goes on behind what cannot be read.
    pub fn index_entries(&self) -> IndexEntries<'_> {
        let last = vec![None; self.index_levels()];
        IndexEntries { reader: self, next: 0, nodes: Vec::new(), last, is_over: false }
    }

    /// The entries of the root index: where each leads, and its flat key.
    pub fn root_index_entries(&self) -> impl Iterator<Item = (BlockRef, &[u8])> {
        let root = self.root();
        (0..root.len()).filter_map(|number| Some((root.place(number)?, root.key(number)?)))
    }
}

impl Iterator for IndexEntries<'_> {
    type Item = Result<IndexEntry, HFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_over {
            let (place, key) = match self.nodes.last_mut() {
                Some((node, next)) => {
                    let entries = NodeIndex::over_checked(node.payload());
                    let entry = entries.place(*next).zip(entries.key(*next).map(<[u8]>::to_vec));
                    *next += 1;
                    match entry {
                        Some(entry) => entry,
                        None => {
                            self.nodes.pop();
                            continue;
                        }
                    }
                }
                None => {
                    let root = self.reader.root();
                    let entry = root.place(self.next).zip(root.key(self.next).map(<[u8]>::to_vec))?;
                    self.next += 1;
                    entry
                }
            };
            if let Some(before) = self.last[self.nodes.len()].replace(place)
                && before.offset >= place.offset
            {
                self.is_over = true;
                return Some(Err(self.reader.misplaced(before, place)));
            }
            if self.nodes.len() + 1 == self.reader.index_levels() {
                return Some(Ok(IndexEntry { place, key }));
            }
            match self.node(place) {
                Ok(node) => self.nodes.push((node, 0)),
                Err(error) => return Some(Err(error)),
            }
        }
        None
    }
}

impl IndexEntries<'_> {
    fn node(&self, place: BlockRef) -> Result<Arc<Block>, HFileError> {
        use crate::block_type::BlockType::{IntermediateIndex, LeafIndex};
        let is_leaf = self.nodes.len() + 2 == self.reader.index_levels();
        let expected = if is_leaf { LeafIndex } else { IntermediateIndex };
        let block = self.reader.read_block(place)?;
        if block.block_type() == expected { Ok(block) } else { Err(self.reader.unexpected(&block, expected)) }
    }
}
