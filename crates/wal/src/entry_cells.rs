//! The cells of an uncompressed entry.
//!
//! ```text
//! ┌─────────────┬────────────┬──────────────┬─────┬───────┬────────────────────────┐
//! │ i32 length  │ i32 keyLen │ i32 valueLen │ key │ value │ [ u16 tagsLen │ tags ] │   repeated
//! └─────────────┴────────────┴──────────────┴─────┴───────┴────────────────────────┘
//!               └────────────────── length bytes: the KeyValue ────────────────────┘
//! key: u16 rowLen │ row │ u8 familyLen │ family │ qualifier │ i64 timestamp │ u8 type
//! ```

/// The family of cells that are about the region, not in it (HBase's `WALEdit.METAFAMILY`).
pub const META_FAMILY: &[u8] = b"METAFAMILY";

/// Qualifier of a second cell in the entry of a `HBASE::BULK_LOAD` marker: the files are yet to be placed. HBase's markers
/// come after the placing, and a split drops them; one with this cell it keeps. HBase ignores it.
pub const BULK_LOAD_INTENT: &[u8] = b"FINBACK::BULK_LOAD_INTENT";

/// Bytes of the length before each cell.
pub(crate) const LENGTH_BYTES: usize = 4;
/// Key length and value length.
const KEY_VALUE_HEAD: usize = 8;
/// Row length, family length, timestamp, type.
const KEY_OVERHEAD: usize = 2 + 1 + 8 + 1;

fn be_u32(bytes: &[u8], at: usize) -> Option<usize> {
    let raw: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
    // Java's lengths are signed; a negative one is a lie.
    usize::try_from(i32::from_be_bytes(raw)).ok()
}

/// The parts of one KeyValue that recovery looks at, borrowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellParts<'a> {
    /// Row.
    pub row: &'a [u8],
    /// Family.
    pub family: &'a [u8],
    /// Qualifier.
    pub qualifier: &'a [u8],
    /// Value.
    pub value: &'a [u8],
}

impl<'a> CellParts<'a> {
    /// `None` unless the lengths inside agree with each other and with the length of `key_value`.
    pub fn parse(key_value: &'a [u8]) -> Option<Self> {
        let key_len = be_u32(key_value, 0)?;
        let value_len = be_u32(key_value, 4)?;
        let rest = key_value.get(KEY_VALUE_HEAD..)?;
        let (key, rest) = rest.split_at_checked(key_len)?;
        let (value, tags) = rest.split_at_checked(value_len)?;
        if let [high, low, tags @ ..] = tags {
            if usize::from(u16::from_be_bytes([*high, *low])) != tags.len() {
                return None;
            }
        } else if !tags.is_empty() {
            return None;
        }
        let columns = key.len().checked_sub(KEY_OVERHEAD)?;
        let row_len = usize::from(u16::from_be_bytes([key[0], key[1]]));
        let (row, rest) = key[2..].split_at_checked(row_len)?;
        let (&family_len, rest) = rest.split_first()?;
        let qualifier_len = columns.checked_sub(row_len)?.checked_sub(usize::from(family_len))?;
        let (family, rest) = rest.split_at_checked(usize::from(family_len))?;
        Some(CellParts { row, family, qualifier: &rest[..qualifier_len], value })
    }
}

/// Length of the cell that starts `block`, itself included; `None` if negative or not there.
pub(crate) fn cell_len(block: &[u8]) -> Option<usize> {
    be_u32(block, 0)?.checked_add(LENGTH_BYTES)
}

/// The KeyValues of a cell block, in order. The block of a [`crate::WalEntry`] was checked when it was read.
#[derive(Debug, Clone)]
pub struct EntryCells<'a> {
    rest: &'a [u8],
}

impl<'a> EntryCells<'a> {
    /// Of a block `u32 length | KeyValue`, repeated. Iteration ends before the first cell that is not whole.
    pub fn new(block: &'a [u8]) -> Self {
        Self { rest: block }
    }
}

impl<'a> Iterator for EntryCells<'a> {
    /// The KeyValue and its parts.
    type Item = (&'a [u8], CellParts<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (cell, rest) = self.rest.split_at_checked(cell_len(self.rest)?)?;
        let key_value = &cell[LENGTH_BYTES..];
        self.rest = rest;
        Some((key_value, CellParts::parse(key_value)?))
    }
}

#[cfg(test)]
mod tests;
