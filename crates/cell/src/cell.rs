//! The cell: a borrowed KeyValue.
//!
//! ```text
//! ┌────────┬──────────┬────────┬─────┬────────┬────────┬───────────┬──────────────┬──────┬───────┬──────────────────┐
//! │ keyLen │ valueLen │ rowLen │ row │ famLen │ family │ qualifier │ timestamp ms │ type │ value │ [tagsLen │ tags] │
//! │  u32   │   u32    │  u16   │     │   u8   │        │           │     i64      │  u8  │       │    u16            │
//! └────────┴──────────┴────────┴─────┴────────┴────────┴───────────┴──────────────┴──────┴───────┴──────────────────┘
//!                     └───────────────────────── key, keyLen bytes ─────────────────────┘
//! ```
//! All integers are big-endian. The tags part exists only when the slice is longer than `8 + keyLen + valueLen`.

use crate::cell_type::CellType;
use crate::{MAX_FAMILY_LENGTH, MAX_ROW_LENGTH, MAX_TAGS_LENGTH, Shortened};

/// Bytes of the two length words before the key.
pub const LENGTHS_SIZE: usize = 8;
/// Bytes of a key besides row, family and qualifier.
pub const KEY_OVERHEAD: usize = 2 + 1 + 8 + 1;

/// Why bytes are not a cell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CellError {
    /// Fewer bytes than the lengths say.
    #[error("cell of {have} bytes is too short: its lengths need {need}")]
    TooShort {
        /// Bytes present.
        have: usize,
        /// Bytes needed.
        need: usize,
    },
    /// The key's inner lengths contradict its length.
    #[error(
        "cell key of {key_length} bytes cannot hold a row of {row_length} and a family of {family_length} bytes"
    )]
    BadKey {
        /// Length of the key in bytes.
        key_length: usize,
        /// Length of the row as stored.
        row_length: usize,
        /// Length of the family as stored.
        family_length: usize,
    },
    /// A row, family, or tags area is longer than the format allows.
    #[error("{what} of {length} bytes is longer than the {limit} that a cell can hold")]
    TooLong {
        /// Which part.
        what: &'static str,
        /// Its length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// Bytes left over that are not a tags area.
    #[error("cell has {extra} bytes after its value that are no tags area")]
    BadTags {
        /// Number of bytes after the value.
        extra: usize,
    },
    /// A type code that HBase does not use.
    #[error("unknown cell type code {0}")]
    BadType(u8),
}

/// A borrowed KeyValue. `Copy`, two words; accessors read the bytes in place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Cell<'a> {
    bytes: &'a [u8],
}

/// The `N` bytes at `at`: checked against the end once, not one by one.
#[inline]
fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut raw = [0; N];
    raw.copy_from_slice(&bytes[at..at + N]);
    raw
}

#[inline]
fn be_u32(bytes: &[u8], at: usize) -> usize {
    u32::from_be_bytes(bytes_at(bytes, at)) as usize
}

impl<'a> Cell<'a> {
    /// Checks every length inside `bytes`, which must be exactly one KeyValue.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, CellError> {
        if bytes.len() < LENGTHS_SIZE + KEY_OVERHEAD {
            return Err(CellError::TooShort { have: bytes.len(), need: LENGTHS_SIZE + KEY_OVERHEAD });
        }
        let key_length = be_u32(bytes, 0);
        let need = LENGTHS_SIZE.saturating_add(key_length).saturating_add(be_u32(bytes, 4));
        if bytes.len() < need {
            return Err(CellError::TooShort { have: bytes.len(), need });
        }
        check_key(&bytes[LENGTHS_SIZE..LENGTHS_SIZE + key_length])?;
        let extra = bytes.len() - need;
        if extra > 0 {
            let tags_length =
                if extra >= 2 { u16::from_be_bytes([bytes[need], bytes[need + 1]]) as usize } else { 0 };
            if extra < 2 || tags_length + 2 != extra {
                return Err(CellError::BadTags { extra });
            }
        }
        Ok(Self { bytes })
    }

    /// Wraps bytes that were checked before (by [`Cell::parse`], or because they were built here).
    /// With other bytes the accessors may panic, but nothing worse.
    #[inline]
    pub fn from_checked(bytes: &'a [u8]) -> Self {
        debug_assert!(Self::parse(bytes).is_ok(), "not a cell: {bytes:02x?}");
        Self { bytes }
    }

    /// The whole KeyValue.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Length of the key in bytes.
    #[inline]
    pub fn key_length(&self) -> usize {
        be_u32(self.bytes, 0)
    }

    /// Length of the value in bytes.
    #[inline]
    pub fn value_length(&self) -> usize {
        be_u32(self.bytes, 4)
    }

    /// The flat key: row, family, qualifier, timestamp, type, as in index entries.
    #[inline]
    pub fn key(&self) -> &'a [u8] {
        &self.bytes[LENGTHS_SIZE..LENGTHS_SIZE + self.key_length()]
    }

    #[inline]
    fn row_length(&self) -> usize {
        usize::from(u16::from_be_bytes(bytes_at(self.bytes, 8)))
    }

    /// The row key.
    #[inline]
    pub fn row(&self) -> &'a [u8] {
        &self.bytes[10..10 + self.row_length()]
    }

    /// The column family.
    #[inline]
    pub fn family(&self) -> &'a [u8] {
        let at = 10 + self.row_length();
        &self.bytes[at + 1..at + 1 + self.bytes[at] as usize]
    }

    /// The column qualifier.
    #[inline]
    pub fn qualifier(&self) -> &'a [u8] {
        let at = 10 + self.row_length();
        &self.bytes[at + 1 + self.bytes[at] as usize..LENGTHS_SIZE + self.key_length() - 9]
    }

    /// Milliseconds since the epoch.
    #[inline]
    pub fn timestamp(&self) -> i64 {
        i64::from_be_bytes(bytes_at(self.bytes, LENGTHS_SIZE + self.key_length() - 9))
    }

    /// The type code as stored.
    #[inline]
    pub fn type_code(&self) -> u8 {
        self.bytes[LENGTHS_SIZE + self.key_length() - 1]
    }

    /// Whether the cell is a Put.
    #[inline]
    pub fn is_put(&self) -> bool {
        self.type_code() == CellType::Put as u8
    }

    /// Whether the cell is one of the four delete markers.
    #[inline]
    pub fn is_delete(&self) -> bool {
        CellType::from_code(self.type_code()).is_some_and(CellType::is_delete)
    }

    /// The value.
    #[inline]
    pub fn value(&self) -> &'a [u8] {
        let at = LENGTHS_SIZE + self.key_length();
        &self.bytes[at..at + self.value_length()]
    }

    /// The tags area without its length; empty when there are none.
    #[inline]
    pub fn tags(&self) -> &'a [u8] {
        let end = LENGTHS_SIZE + self.key_length() + self.value_length();
        if self.bytes.len() > end { &self.bytes[end + 2..] } else { &[] }
    }

    /// The KeyValue without its tags part.
    #[inline]
    pub fn bytes_without_tags(&self) -> &'a [u8] {
        &self.bytes[..LENGTHS_SIZE + self.key_length() + self.value_length()]
    }

    /// Whether row is the same as `other`'s.
    #[inline]
    pub fn same_row(&self, other: &Cell<'_>) -> bool {
        self.row() == other.row()
    }
}

impl std::fmt::Debug for Cell<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}/{}:{}/{}/{}/vlen={}",
            Shortened(self.row()),
            self.family().escape_ascii(),
            Shortened(self.qualifier()),
            self.timestamp(),
            self.type_code(),
            self.value_length()
        )
    }
}

/// Checks that `key` is a well-formed flat key.
pub fn check_key(key: &[u8]) -> Result<(), CellError> {
    let bad =
        |row_length, family_length| CellError::BadKey { key_length: key.len(), row_length, family_length };
    if key.len() < KEY_OVERHEAD {
        return Err(bad(0, 0));
    }
    let row_length = u16::from_be_bytes([key[0], key[1]]) as usize;
    if row_length > MAX_ROW_LENGTH || key.len() < KEY_OVERHEAD + row_length {
        return Err(bad(row_length, 0));
    }
    let family_length = key[2 + row_length] as usize;
    if family_length > MAX_FAMILY_LENGTH || key.len() < KEY_OVERHEAD + row_length + family_length {
        return Err(bad(row_length, family_length));
    }
    Ok(())
}

/// The parts of a KeyValue to be written.
#[derive(Clone, Copy, Debug)]
pub struct CellParts<'a> {
    /// Row key, at most 32767 bytes.
    pub row: &'a [u8],
    /// Family, at most 127 bytes.
    pub family: &'a [u8],
    /// Qualifier.
    pub qualifier: &'a [u8],
    /// Milliseconds.
    pub timestamp: i64,
    /// Type code.
    pub type_code: u8,
    /// Value.
    pub value: &'a [u8],
    /// Tags area, at most 65535 bytes.
    pub tags: &'a [u8],
}

impl CellParts<'_> {
    /// Size of the KeyValue in bytes.
    pub fn size(&self) -> usize {
        let tags = if self.tags.is_empty() { 0 } else { 2 + self.tags.len() };
        LENGTHS_SIZE
            + KEY_OVERHEAD
            + self.row.len()
            + self.family.len()
            + self.qualifier.len()
            + self.value.len()
            + tags
    }

    /// Checks the lengths against what the format can hold.
    pub fn check(&self) -> Result<(), CellError> {
        let too_long = |what, length, limit| Err(CellError::TooLong { what, length, limit });
        if self.row.len() > MAX_ROW_LENGTH {
            return too_long("row", self.row.len(), MAX_ROW_LENGTH);
        }
        if self.family.len() > MAX_FAMILY_LENGTH {
            return too_long("family", self.family.len(), MAX_FAMILY_LENGTH);
        }
        if self.tags.len() > MAX_TAGS_LENGTH {
            return too_long("tags", self.tags.len(), MAX_TAGS_LENGTH);
        }
        if self.size() > i32::MAX as usize {
            return too_long("cell", self.size(), i32::MAX as usize);
        }
        Ok(())
    }

    /// Appends the KeyValue to `out`. The parts must pass [`CellParts::check`].
    pub fn write(&self, out: &mut Vec<u8>) {
        debug_assert!(self.check().is_ok());
        let key_length = KEY_OVERHEAD + self.row.len() + self.family.len() + self.qualifier.len();
        out.reserve(self.size());
        out.extend_from_slice(&(key_length as u32).to_be_bytes());
        out.extend_from_slice(&(self.value.len() as u32).to_be_bytes());
        self.write_key(out);
        out.extend_from_slice(self.value);
        if !self.tags.is_empty() {
            out.extend_from_slice(&(self.tags.len() as u16).to_be_bytes());
            out.extend_from_slice(self.tags);
        }
    }

    /// Appends only the flat key to `out`.
    pub fn write_key(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.row.len() as u16).to_be_bytes());
        out.extend_from_slice(self.row);
        out.push(self.family.len() as u8);
        out.extend_from_slice(self.family);
        out.extend_from_slice(self.qualifier);
        out.extend_from_slice(&self.timestamp.to_be_bytes());
        out.push(self.type_code);
    }

    /// The KeyValue as a vector of its own.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.size());
        self.write(&mut out);
        out
    }
}

impl<'a> From<Cell<'a>> for CellParts<'a> {
    fn from(cell: Cell<'a>) -> Self {
        Self {
            row: cell.row(),
            family: cell.family(),
            qualifier: cell.qualifier(),
            timestamp: cell.timestamp(),
            type_code: cell.type_code(),
            value: cell.value(),
            tags: cell.tags(),
        }
    }
}

#[cfg(test)]
mod tests;
