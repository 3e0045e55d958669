//! Cell blocks: cells one after the other, each behind its length.
//!
//! ```text
//! ┌───────┬──────────┬───────┬──────────┬ ─ ─
//! │ kvLen │ KeyValue │ kvLen │ KeyValue │
//! │  u32  │          │  u32  │          │
//! └───────┴──────────┴───────┴──────────┴ ─ ─
//! ```
//! The same bytes serve as RPC payload (HBase's `KeyValueCodecWithTags`) and as the cells of a WAL entry.

use crate::cell::{Cell, CellError, CellParts};
use bytes::Bytes;

/// A checked, immutable sequence of cells.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct CellBlock {
    bytes: Bytes,
}

impl CellBlock {
    /// Checks that `bytes` is a sequence of whole, well-formed cells.
    pub fn parse(bytes: Bytes) -> Result<Self, CellError> {
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (_, after) = split_first(rest)?;
            rest = after;
        }
        Ok(Self { bytes })
    }

    /// Takes the next `count` cells off the front of `bytes`, checking each.
    pub fn take(bytes: &mut Bytes, count: usize) -> Result<Self, CellError> {
        Self::take_or_index(bytes, count).map_err(|(_, error)| error)
    }

    /// As [`CellBlock::take`]; an error comes with how many whole cells stand before what is none.
    pub fn take_or_index(bytes: &mut Bytes, count: usize) -> Result<Self, (usize, CellError)> {
        let mut rest = &bytes[..];
        for index in 0..count {
            let (_, after) = split_first(rest).map_err(|error| (index, error))?;
            rest = after;
        }
        let length = bytes.len() - rest.len();
        Ok(Self { bytes: bytes.split_to(length) })
    }

    /// The encoded cells.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The cells in order.
    pub fn iter(&self) -> CellIter<'_> {
        CellIter { rest: &self.bytes }
    }

    /// Number of cells; walks the block.
    pub fn count(&self) -> usize {
        self.iter().count()
    }
}

impl std::fmt::Debug for CellBlock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a> IntoIterator for &'a CellBlock {
    type Item = Cell<'a>;
    type IntoIter = CellIter<'a>;
    fn into_iter(self) -> CellIter<'a> {
        self.iter()
    }
}

/// Iterator over the cells of checked bytes.
#[derive(Clone, Debug)]
pub struct CellIter<'a> {
    rest: &'a [u8],
}

impl<'a> CellIter<'a> {
    /// Iterates over bytes that were checked before.
    pub fn over_checked(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }
}

impl<'a> Iterator for CellIter<'a> {
    type Item = Cell<'a>;
    fn next(&mut self) -> Option<Cell<'a>> {
        let (length, rest) = self.rest.split_first_chunk::<4>()?;
        let (cell, rest) = rest.split_at(u32::from_be_bytes(*length) as usize);
        self.rest = rest;
        Some(Cell::from_checked(cell))
    }
}

/// Splits the first cell off untrusted bytes.
pub fn split_first(bytes: &[u8]) -> Result<(Cell<'_>, &[u8]), CellError> {
    let too_short = |need| CellError::TooShort { have: bytes.len(), need };
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or(too_short(4))?;
    let length = u32::from_be_bytes(*length) as usize;
    let (cell, rest) = rest.split_at_checked(length).ok_or(too_short(length.saturating_add(4)))?;
    Ok((Cell::parse(cell)?, rest))
}

/// Builds a cell block.
#[derive(Clone, Debug, Default)]
pub struct CellBlockBuilder {
    bytes: Vec<u8>,
    count: usize,
}

impl CellBlockBuilder {
    /// An empty block with room for `capacity` bytes.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { bytes: Vec::with_capacity(capacity), count: 0 }
    }

    /// Appends a copy of `cell`.
    #[inline]
    pub fn push(&mut self, cell: &Cell<'_>) {
        self.bytes.extend_from_slice(&(cell.bytes().len() as u32).to_be_bytes());
        self.bytes.extend_from_slice(cell.bytes());
        self.count += 1;
    }

    /// Appends a cell given in parts, which must pass [`CellParts::check`].
    pub fn push_parts(&mut self, parts: &CellParts<'_>) {
        let size = parts.size();
        self.bytes.reserve(size_of::<u32>() + size);
        self.bytes.extend_from_slice(&(size as u32).to_be_bytes());
        parts.write(&mut self.bytes);
        self.count += 1;
    }

    /// Number of cells so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Bytes so far.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing was pushed.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The cells so far.
    pub fn iter(&self) -> CellIter<'_> {
        CellIter { rest: &self.bytes }
    }

    /// The cells so far, as they stand in the block.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The finished block.
    pub fn finish(self) -> CellBlock {
        CellBlock { bytes: self.bytes.into() }
    }
}

/// A block to which more is appended: a copy, if others have it too.
impl From<CellBlock> for CellBlockBuilder {
    fn from(block: CellBlock) -> Self {
        Self { count: block.count(), bytes: block.bytes.into() }
    }
}
