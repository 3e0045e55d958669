//! The dictionaries of a compressed log. A reader and the writer do the same steps in the same order, so that a number
//! means the same to both.
//!
//! ```text
//!  bytes that are new                              bytes that were there before
//! ┌────┬────────────────┬───────────┐             ┌───────────┐
//! │ ff │ varint length  │ the bytes │     or      │ u16 index │   below 0x8000, so that it never begins with ff
//! └────┴────────────────┴───────────┘             └───────────┘
//! ```
//!
//! New bytes, unless empty, get the next index; when all are given out, the index of the entry that was not used for
//! longest. A file has one set of dictionaries from its beginning to its end.

use std::{collections::HashMap, path::Path, sync::Arc};

use crate::varint::put_varint;

/// The byte before what is spelled out.
pub(crate) const SPELLED_OUT: u8 = 0xff;
/// HBase's capacities: `Short.MAX_VALUE`, `Byte.MAX_VALUE`, and 1 in recovered edits, which hold one region.
const MANY: u16 = i16::MAX as u16;
const FEW: u16 = i8::MAX as u16;
const ONE: u16 = 1;

/// No entry.
const NONE: u16 = u16::MAX;

/// The neighbours of an entry in the order of last use.
#[derive(Debug, Clone, Copy)]
struct Link {
    newer: u16,
    older: u16,
}

/// Entries by index, and the order of their last use.
#[derive(Debug)]
pub(crate) struct Dictionary<E> {
    entries: Vec<E>,
    links: Vec<Link>,
    newest: u16,
    oldest: u16,
    capacity: u16,
    bytes: usize,
}

impl<E: AsRef<[u8]>> Dictionary<E> {
    fn new(capacity: u16) -> Self {
        Self { entries: Vec::new(), links: Vec::new(), newest: NONE, oldest: NONE, capacity, bytes: 0 }
    }

    /// The entry of an index, which counts as a use of it.
    pub(crate) fn get(&mut self, index: u16) -> Option<&E> {
        if usize::from(index) >= self.entries.len() {
            return None;
        }
        self.touch(index);
        self.entries.get(usize::from(index))
    }

    /// Gives an entry, which must not be empty, an index; also what had the index before.
    pub(crate) fn add(&mut self, entry: E) -> (u16, Option<E>) {
        self.bytes += entry.as_ref().len();
        if self.entries.len() < usize::from(self.capacity) {
            let index = self.entries.len() as u16;
            self.entries.push(entry);
            self.links.push(Link { newer: NONE, older: NONE });
            self.put_newest(index);
            return (index, None);
        }
        let index = self.oldest;
        self.touch(index);
        let displaced = std::mem::replace(&mut self.entries[usize::from(index)], entry);
        self.bytes -= displaced.as_ref().len();
        (index, Some(displaced))
    }

    fn touch(&mut self, index: u16) {
        if self.newest == index {
            return;
        }
        let Link { newer, older } = self.links[usize::from(index)];
        // Not the newest: there is a newer one.
        self.links[usize::from(newer)].older = older;
        match older {
            NONE => self.oldest = newer,
            older => self.links[usize::from(older)].newer = newer,
        }
        self.put_newest(index);
    }

    fn put_newest(&mut self, index: u16) {
        self.links[usize::from(index)] = Link { newer: NONE, older: self.newest };
        match self.newest {
            NONE => self.oldest = index,
            newest => self.links[usize::from(newest)].newer = index,
        }
        self.newest = index;
    }
}

/// A dictionary that turns indexes into bytes.
pub(crate) type ReadDictionary = Dictionary<Box<[u8]>>;

/// A dictionary that turns bytes into indexes.
#[derive(Debug)]
pub(crate) struct WriteDictionary {
    entries: Dictionary<Arc<[u8]>>,
    indexes: HashMap<Arc<[u8]>, u16>,
}

impl WriteDictionary {
    /// Appends the code of `bytes` to `out`.
    pub(crate) fn put(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if let Some(&index) = self.indexes.get(bytes) {
            self.entries.touch(index);
            out.extend_from_slice(&index.to_be_bytes());
            return;
        }
        out.push(SPELLED_OUT);
        put_varint(out, bytes.len() as u64);
        out.extend_from_slice(bytes);
        if bytes.is_empty() {
            return;
        }
        let entry: Arc<[u8]> = bytes.into();
        let (index, displaced) = self.entries.add(Arc::clone(&entry));
        if let Some(displaced) = displaced {
            self.indexes.remove(&displaced);
        }
        self.indexes.insert(entry, index);
    }
}

/// What [`Dictionaries`] is made of.
pub(crate) trait Entries {
    fn with_capacity(capacity: u16) -> Self;
    /// Bytes of all entries.
    fn bytes(&self) -> usize;
}

impl Entries for ReadDictionary {
    fn with_capacity(capacity: u16) -> Self {
        Self::new(capacity)
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Entries for WriteDictionary {
    fn with_capacity(capacity: u16) -> Self {
        Self { entries: Dictionary::new(capacity), indexes: HashMap::new() }
    }

    fn bytes(&self) -> usize {
        self.entries.bytes
    }
}

/// The dictionaries of one file.
#[derive(Debug)]
pub(crate) struct Dictionaries<D> {
    pub(crate) region: D,
    /// Of tables, and of the values of a key's attributes.
    pub(crate) table: D,
    pub(crate) row: D,
    pub(crate) family: D,
    pub(crate) qualifier: D,
    pub(crate) tag: D,
}

impl<D: Entries> Dictionaries<D> {
    /// Empty ones for the file at `path`: HBase knows recovered edits by the name of their directory.
    pub(crate) fn of_file(path: &Path) -> Self {
        let recovered_edits = path.to_string_lossy().contains("recovered.edits");
        let names = if recovered_edits { ONE } else { MANY };
        Self {
            region: D::with_capacity(names),
            table: D::with_capacity(names),
            row: D::with_capacity(MANY),
            family: D::with_capacity(FEW),
            qualifier: D::with_capacity(FEW),
            tag: D::with_capacity(MANY),
        }
    }

    /// Bytes of all entries of all of them.
    pub(crate) fn bytes(&self) -> usize {
        let all = [&self.region, &self.table, &self.row, &self.family, &self.qualifier, &self.tag];
        all.into_iter().map(D::bytes).sum()
    }
}

#[cfg(test)]
mod tests;
