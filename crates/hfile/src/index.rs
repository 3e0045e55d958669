//! The block index: from a key to the data block that may hold it.
//!
//! ```text
//! root entry:      ┌────────────┬──────────────────┬───────────────────┐   entry count is in the trailer;
//!                  │ offset i64 │ on-disk size i32 │ vlong length, key │   after the entries the mid key's place
//!                  └────────────┴──────────────────┴───────────────────┘
//! leaf and intermediate blocks:
//!                  ┌───────┬───────────────────┬─────────┐ entry: offset i64, on-disk size i32, key
//!                  │ n i32 │ relative i32[n+1] │ entries │ relative[i]: where entry i begins
//!                  └───────┴───────────────────┴─────────┘ relative[n]: where the last one ends
//! ```
//! An entry's key is at most the first key of its child and greater than every key before. A search takes the last
//! entry whose key is not greater than the key sought.

use crate::block::BlockRef;
use crate::row_hints::RowHints;
use crate::vlong;
use finback_cell::cell::check_key;
use finback_cell::key::{Key, row_of};
use finback_cell::{CellOrder, cell::CellError};
use std::cmp::Ordering;

/// Bytes of an entry before its key.
const ENTRY_HEAD: usize = 12;

/// The root index, decoded.
#[derive(Debug, Default)]
pub(crate) struct RootIndex {
    places: Vec<BlockRef>,
    keys: Vec<u8>,
    /// Where each key begins in `keys`, and where the last ends.
    bounds: Vec<usize>,
    /// Of its keys, once [`RootIndex::hint_rows`] or [`RootIndex::hint_keys`] has found them.
    rows: RowHints,
    /// Leaf, and entry of it, whose key divides the file in half.
    pub(crate) mid: Option<(BlockRef, usize)>,
}

/// Why an index is malformed.
pub(crate) type BadIndex = &'static str;

fn place(bytes: &[u8]) -> Option<BlockRef> {
    let offset = u64::from_be_bytes(bytes.get(..8)?.try_into().ok()?);
    let size = i32::from_be_bytes(bytes.get(8..ENTRY_HEAD)?.try_into().ok()?);
    Some(BlockRef { offset, size: u32::try_from(size).ok()? })
}

impl RootIndex {
    /// Decodes `count` entries, whose keys must be flat keys if `flat_keys`, and the mid key's place if `has_mid_key`.
    /// The count is the trailer's, which has no checksum in files of HBase: no byte may be left over.
    pub(crate) fn decode(
        payload: &[u8],
        count: u32,
        flat_keys: bool,
        has_mid_key: bool,
    ) -> Result<Self, BadIndex> {
        let mut index = Self { bounds: vec![0], ..Self::default() };
        let mut rest = payload;
        for _ in 0..count {
            let place = place(rest).ok_or("an entry is cut off")?;
            rest = &rest[ENTRY_HEAD..];
            let (length, width) = vlong::read(rest).ok_or("a key's length is cut off")?;
            let end = usize::try_from(length).ok().and_then(|length| length.checked_add(width));
            let key = end.and_then(|end| rest.get(width..end)).ok_or("a key is cut off")?;
            if flat_keys {
                check_key(key).map_err(|_: CellError| "a key is malformed")?;
            }
            index.push(place, key);
            rest = &rest[width + key.len()..];
        }
        if rest.len() != if has_mid_key { ENTRY_HEAD + 4 } else { 0 } {
            return Err("another number of bytes after the entries that the trailer counts");
        }
        if has_mid_key {
            let entry = i32::from_be_bytes([rest[12], rest[13], rest[14], rest[15]]);
            index.mid = place(rest).zip(usize::try_from(entry).ok());
        }
        Ok(index)
    }

    fn push(&mut self, place: BlockRef, key: &[u8]) {
        self.places.push(place);
        self.keys.extend_from_slice(key);
        self.bounds.push(self.keys.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Bytes that the entries would take in an index block that is not the root.
    pub(crate) fn entry_bytes(&self) -> u64 {
        (self.keys.len() + self.len() * (ENTRY_HEAD + size_of::<u32>())) as u64
    }

    /// Bytes of memory beside the index itself.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.places.capacity() * size_of::<BlockRef>()
            + self.keys.capacity()
            + self.bounds.capacity() * size_of::<usize>()
            + self.rows.memory_bytes()
    }

    /// Has hints of its rows from now on. Of flat keys, whose rows ascend by their bytes.
    pub(crate) fn hint_rows(&mut self) {
        self.rows = row_hints(self.len(), |number| self.key(number));
    }

    /// Has hints of its keys from now on, which are plain bytes.
    pub(crate) fn hint_keys(&mut self) {
        self.rows = RowHints::of((0..self.len()).map(|number| self.key(number).unwrap_or_default()));
    }

    /// The size of the largest block that an entry leads to, as it stands in the file.
    pub(crate) fn largest_place(&self) -> u32 {
        self.places.iter().map(|place| place.size).max().unwrap_or(0)
    }

    pub(crate) fn place(&self, number: usize) -> Option<BlockRef> {
        self.places.get(number).copied()
    }

    pub(crate) fn key(&self, number: usize) -> Option<&[u8]> {
        self.keys.get(*self.bounds.get(number)?..*self.bounds.get(number + 1)?)
    }

    /// The last entry whose key, as plain bytes, is not greater than `key`.
    pub(crate) fn find_bytes(&self, key: &[u8]) -> Option<usize> {
        let range = self.rows.range(key, |start| self.key(start.saturating_sub(1)));
        let range = range.unwrap_or(0..self.len());
        let not_greater = |number: &usize| self.key(range.start + number).is_some_and(|entry| entry <= key);
        (range.start + partition_point(range.len(), not_greater)).checked_sub(1)
    }

    /// The entry of exactly this name, in an index of meta blocks.
    pub(crate) fn named(&self, name: &[u8]) -> Option<BlockRef> {
        let number = partition_point(self.len(), |&number| self.key(number).is_some_and(|key| key < name));
        self.place(number).filter(|_| self.key(number) == Some(name))
    }

    /// The last entry whose key is not greater than `key`.
    pub(crate) fn find(&self, order: CellOrder, key: &Key<'_>) -> Option<usize> {
        last_not_greater((self.len(), |number| self.key(number)), &self.rows, order, key)
    }
}

/// Hints of the rows of so many flat keys.
fn row_hints<'a>(count: usize, key: impl Fn(usize) -> Option<&'a [u8]> + Clone) -> RowHints {
    RowHints::of((0..count).map(|number| key(number).map(row_of).unwrap_or_default()))
}

/// The last of so many ascending flat keys that is not greater than `key`. `rows`: hints of their rows, or none.
fn last_not_greater<'a>(
    (count, key_at): (usize, impl Fn(usize) -> Option<&'a [u8]>),
    rows: &RowHints,
    order: CellOrder,
    key: &Key<'_>,
) -> Option<usize> {
    let range = rows.range(key.row, |start| key_at(start.saturating_sub(1)).map(row_of));
    let range = range.unwrap_or(0..count);
    let not_greater = |number: &usize| {
        key_at(range.start + number)
            .is_some_and(|entry| order.compare_flat_to_key(entry, key) != Ordering::Greater)
    };
    (range.start + partition_point(range.len(), not_greater)).checked_sub(1)
}

/// Number of leading numbers below `count` of which `holds` holds.
fn partition_point(count: usize, holds: impl Fn(&usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(&middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// A leaf or intermediate block's payload, which passed [`NodeIndex::check`].
#[derive(Clone, Copy)]
pub(crate) struct NodeIndex<'a> {
    payload: &'a [u8],
}

impl<'a> NodeIndex<'a> {
    /// Checks a payload as a whole, so that the accessors find what they need.
    pub(crate) fn check(payload: &'a [u8]) -> Result<Self, BadIndex> {
        let node = Self { payload };
        let count = payload.get(..4).map(|raw| i32::from_be_bytes([raw[0], raw[1], raw[2], raw[3]]));
        let count = count.and_then(|count| usize::try_from(count).ok()).ok_or("no number of entries")?;
        if count == 0 {
            return Err("no entries");
        }
        let entries_at =
            count.checked_add(2).and_then(|words| words.checked_mul(4)).ok_or("too many entries")?;
        if entries_at > payload.len() {
            return Err("more entries than bytes");
        }
        for number in 0..count {
            let (from, to) = (node.bound(number), node.bound(number + 1));
            let entry =
                from.zip(to).and_then(|(from, to)| payload.get(from..to)).ok_or("an entry out of bounds")?;
            place(entry).ok_or("an entry too short, or of a negative size")?;
            check_key(&entry[ENTRY_HEAD..]).map_err(|_: CellError| "a key is malformed")?;
        }
        Ok(node)
    }

    /// Wraps a payload that was checked.
    pub(crate) fn over_checked(payload: &'a [u8]) -> Self {
        Self { payload }
    }

    fn word(&self, at: usize) -> Option<usize> {
        let raw = self.payload.get(at..at + 4)?;
        usize::try_from(i32::from_be_bytes([raw[0], raw[1], raw[2], raw[3]])).ok()
    }

    pub(crate) fn len(&self) -> usize {
        self.word(0).unwrap_or(0)
    }

    fn bound(&self, number: usize) -> Option<usize> {
        let entries_at = 4 * (self.len() + 2);
        self.word(4 + 4 * number)?.checked_add(entries_at)
    }

    fn entry(&self, number: usize) -> Option<&'a [u8]> {
        if number >= self.len() {
            return None;
        }
        self.payload.get(self.bound(number)?..self.bound(number + 1)?)
    }

    pub(crate) fn place(&self, number: usize) -> Option<BlockRef> {
        place(self.entry(number)?)
    }

    pub(crate) fn key(&self, number: usize) -> Option<&'a [u8]> {
        self.entry(number)?.get(ENTRY_HEAD..)
    }

    /// The rows of its keys.
    pub(crate) fn rows(&self) -> RowHints {
        row_hints(self.len(), |number| self.key(number))
    }

    /// The last entry whose key is not greater than `key`. `rows`: hints of [`NodeIndex::rows`], or none.
    pub(crate) fn find(&self, rows: &RowHints, order: CellOrder, key: &Key<'_>) -> Option<usize> {
        last_not_greater((self.len(), |number| self.key(number)), rows, order, key)
    }
}
