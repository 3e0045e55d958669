//! Builds the block index while data blocks are written.
//!
//! Entries gather in a leaf; a leaf that is full is written between the data blocks, and becomes an entry of the root.
//! At the end a file with a single leaf has it as its root, and a root that is too large gets levels below it.

use crate::block::BlockRef;
use crate::vlong;

/// Entries with keys, as they gather.
#[derive(Debug, Default, Clone)]
pub(crate) struct Entries {
    entries: Vec<(BlockRef, Vec<u8>)>,
    key_bytes: usize,
    root_bytes: usize,
}

impl Entries {
    pub(crate) fn push(&mut self, place: BlockRef, key: Vec<u8>) {
        self.key_bytes += key.len();
        let mut length = Vec::new();
        vlong::write(&mut length, key.len() as i64);
        self.root_bytes += 12 + length.len() + key.len();
        self.entries.push((place, key));
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes of memory beside the entries' own place.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<(BlockRef, Vec<u8>)>() + self.key_bytes
    }

    /// Size of these entries as a leaf or intermediate block, in bytes.
    pub(crate) fn node_size(&self) -> usize {
        4 + 4 * (self.entries.len() + 1) + 12 * self.entries.len() + self.key_bytes
    }

    /// Size of these entries as a root, in bytes.
    pub(crate) fn root_size(&self) -> usize {
        self.root_bytes
    }

    /// Key of the first entry.
    pub(crate) fn first_key(&self) -> Vec<u8> {
        self.entries.first().map(|(_, key)| key.clone()).unwrap_or_default()
    }

    /// Appends a leaf or intermediate block's payload.
    pub(crate) fn write_node(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.entries.len() as i32).to_be_bytes());
        let mut relative = 0i32;
        for (_, key) in &self.entries {
            out.extend_from_slice(&relative.to_be_bytes());
            relative += 12 + key.len() as i32;
        }
        out.extend_from_slice(&relative.to_be_bytes());
        for (place, key) in &self.entries {
            out.extend_from_slice(&place.offset.to_be_bytes());
            out.extend_from_slice(&place.size.to_be_bytes());
            out.extend_from_slice(key);
        }
    }

    /// Appends a root block's entries.
    pub(crate) fn write_root(&self, out: &mut Vec<u8>) {
        for (place, key) in &self.entries {
            out.extend_from_slice(&place.offset.to_be_bytes());
            out.extend_from_slice(&place.size.to_be_bytes());
            vlong::write(out, key.len() as i64);
            out.extend_from_slice(key);
        }
    }

    /// Divides the entries into blocks of about `max_size` bytes and at least `min_entries`.
    pub(crate) fn divide(&self, max_size: usize, min_entries: usize) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut part = Self::default();
        for (place, key) in &self.entries {
            if part.len() >= min_entries && part.node_size() >= max_size {
                parts.push(std::mem::take(&mut part));
            }
            part.push(*place, key.clone());
        }
        if !part.is_empty() {
            parts.push(part);
        }
        parts
    }
}

/// Where the middle of the file is: counts data blocks of leaves as they are written.
#[derive(Debug, Default)]
pub(crate) struct MidKey {
    leaves: Vec<(BlockRef, usize)>,
}

impl MidKey {
    /// Notes a leaf of so many data blocks.
    pub(crate) fn add(&mut self, leaf: BlockRef, blocks: usize) {
        self.leaves.push((leaf, blocks));
    }

    /// Appends the metadata that stands after the root's entries, if there are leaves.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let total: usize = self.leaves.iter().map(|(_, blocks)| blocks).sum();
        let mut middle = total.saturating_sub(1) / 2;
        for (leaf, blocks) in &self.leaves {
            if middle < *blocks {
                out.extend_from_slice(&leaf.offset.to_be_bytes());
                out.extend_from_slice(&leaf.size.to_be_bytes());
                out.extend_from_slice(&(middle as i32).to_be_bytes());
                return;
            }
            middle -= blocks;
        }
    }
}
