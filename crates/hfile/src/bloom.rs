//! Bloom filters: what a file cannot contain.
//!
//! ```text
//! meta:   ┌───────────┬─────────────┬──────────┬───────────┬──────────┬──────────┬──────────┬────────────┬─────────┐
//!         │ version 3 │ bytes of all│ hashes k │ hash type │ keys     │ most     │ chunks   │ comparator │ index   │
//!         │ i32       │ chunks i64  │ i32      │ i32       │ i64      │ keys i64 │ i32      │ vlong, name│ entries │
//!         └───────────┴─────────────┴──────────┴───────────┴──────────┴──────────┴──────────┴────────────┴─────────┘
//! chunk:  ┌──────────────────────────────────┐  an entry is that of a root index; its key is the first key that the
//!         │ bits, the lowest of a byte first │  chunk has
//!         └──────────────────────────────────┘
//! ```
//! A key is in one chunk: the last that does not begin after it. There it has k bits, spread by two hashes.

use crate::block::BlockRef;
use crate::hash::HashType;
use crate::index::{BadIndex, RootIndex};
use crate::vlong;
use finback_cell::key::Key;

/// What a Bloom filter has as keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BloomType {
    /// Rows.
    Row,
    /// Rows with qualifiers.
    RowColumn,
    /// Rows, cut after so many bytes (`RowPrefixBloomFilter.prefix_length`).
    RowPrefix(u32),
}

impl BloomType {
    /// The type of HBase's name, and the prefix length that stands beside it.
    pub(crate) fn from_name(name: &[u8], prefix_length: Option<i32>) -> Option<Self> {
        match name {
            b"ROW" => Some(Self::Row),
            b"ROWCOL" => Some(Self::RowColumn),
            b"ROWPREFIX_FIXED_LENGTH" => {
                let length = u32::try_from(prefix_length?).ok()?;
                Some(Self::RowPrefix(length)).filter(|_| length > 0)
            }
            _ => None,
        }
    }

    /// HBase's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Row => "ROW",
            Self::RowColumn => "ROWCOL",
            Self::RowPrefix(_) => "ROWPREFIX_FIXED_LENGTH",
        }
    }

    /// Puts into `key` what is hashed of a row and a qualifier.
    pub(crate) fn write_key(self, row: &[u8], qualifier: &[u8], key: &mut Vec<u8>) {
        key.clear();
        match self {
            Self::Row => key.extend_from_slice(row),
            Self::RowPrefix(length) => key.extend_from_slice(&row[..row.len().min(length as usize)]),
            Self::RowColumn => Key::first_on_column(row, &[], qualifier).write(key),
        }
    }
}

/// The meta block's version.
pub(crate) const VERSION: u32 = 3;
/// The most hashes of a key that are computed; an error rate of one in a million needs 20.
const MAX_HASHES: u32 = 255;
/// Bytes of the meta block before the comparator's name.
const META_HEAD: usize = 40;

/// Both hashes of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyHashes {
    first: u32,
    second: u32,
}

impl KeyHashes {
    pub(crate) fn of(hash_type: HashType, key: &[u8]) -> Self {
        let first = hash_type.hash(key, 0);
        Self { first, second: hash_type.hash(key, first) }
    }

    /// The key's bits in a chunk of so many bytes, which is not 0.
    #[inline]
    pub(crate) fn bits(self, hash_count: u32, chunk_size: usize) -> impl Iterator<Item = usize> {
        // HBase takes the remainder of a signed number and then its absolute value, which is the remainder of the absolute
        // value. Numbers of 32 bits are divided fastest; with more bits than they count there is nothing to divide.
        let bits = u32::try_from(chunk_size * 8).unwrap_or(u32::MAX);
        (0..hash_count).map(move |number| {
            let mixed = self.first.wrapping_add(number.wrapping_mul(self.second));
            ((mixed as i32).unsigned_abs() % bits) as usize
        })
    }
}

/// What the meta block of a filter says, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BloomFigures<'a> {
    /// Bytes of all chunks.
    pub byte_size: u64,
    /// Keys that were added.
    pub keys: u64,
    /// Keys that there was room for.
    pub most_keys: u64,
    /// Number of chunks.
    pub chunks: usize,
    /// Name of the class that compares the keys; empty where they are plain bytes.
    pub comparator: &'a str,
}

/// A filter's meta block.
#[derive(Debug)]
pub(crate) struct BloomFilter {
    pub(crate) hash_count: u32,
    pub(crate) hash_type: HashType,
    /// Bytes of all chunks.
    byte_size: u64,
    /// Keys that were added, and for how many there was room, as the file says.
    keys: (u64, u64),
    /// Name of the class that compares the keys; empty where they are plain bytes.
    comparator: Box<str>,
    chunks: RootIndex,
    /// Whether keys are flat keys, in the order of cells; else plain bytes.
    flat_keys: bool,
}

impl BloomFilter {
    pub(crate) fn decode(payload: &[u8], flat_keys: bool) -> Result<Self, BadIndex> {
        let head = payload.get(..META_HEAD).ok_or("a meta block that is cut off")?;
        let word = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if word(0) != VERSION {
            return Err("another version");
        }
        let hash_count = word(12);
        if !(1..=MAX_HASHES).contains(&hash_count) {
            return Err("no hashes, or too many");
        }
        let hash_type = HashType::from_code(word(16)).ok_or("an unknown hash type")?;
        let rest = &payload[META_HEAD..];
        let (length, width) = vlong::read(rest).ok_or("a comparator name's length is cut off")?;
        let end = usize::try_from(length).ok().and_then(|length| length.checked_add(width));
        let entries = end.and_then(|end| rest.get(end..)).ok_or("a comparator name is cut off")?;
        let comparator = String::from_utf8_lossy(&rest[width..rest.len() - entries.len()]).into();
        let mut chunks = RootIndex::decode(entries, word(36), flat_keys, false)?;
        if !flat_keys {
            chunks.hint_keys();
        }
        let long = |at: usize| u64::from(word(at)) << 32 | u64::from(word(at + 4));
        let (byte_size, keys) = (long(4), (long(20), long(28)));
        Ok(Self { hash_count, hash_type, byte_size, keys, comparator, chunks, flat_keys })
    }

    /// Bytes of all chunks, as the file says.
    pub(crate) fn byte_size(&self) -> u64 {
        self.byte_size
    }

    /// Bytes of memory beside the filter itself; its chunks are not among them.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.chunks.memory_bytes() + self.comparator.len()
    }

    /// What its meta block says.
    pub(crate) fn figures(&self) -> BloomFigures<'_> {
        let (keys, most_keys) = self.keys;
        BloomFigures {
            byte_size: self.byte_size,
            keys,
            most_keys,
            chunks: self.chunks.len(),
            comparator: &self.comparator,
        }
    }

    /// Where the chunk of this number is, and its first key.
    pub(crate) fn chunk_entry(&self, number: usize) -> Option<(BlockRef, &[u8])> {
        self.chunks.place(number).zip(self.chunks.key(number))
    }

    /// The chunk in which `key` would be; `None`: it is not there.
    pub(crate) fn chunk(&self, key: &[u8]) -> Option<BlockRef> {
        let number = if self.flat_keys {
            self.chunks.find(finback_cell::CellOrder::User, &Key::from_checked(key))
        } else {
            self.chunks.find_bytes(key)
        };
        self.chunks.place(number?)
    }
}

/// Whether a chunk has all bits of a key.
pub(crate) fn has_bits(chunk: &[u8], hashes: KeyHashes, hash_count: u32) -> bool {
    !chunk.is_empty() && hashes.bits(hash_count, chunk.len()).all(|bit| chunk[bit / 8] & 1 << (bit % 8) != 0)
}
