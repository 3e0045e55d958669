//! A key in parts: what scanners seek to.

use crate::LATEST_TIMESTAMP;
use crate::cell::{Cell, CellParts};
use crate::cell_type::CellType;

/// The row of a flat key that passed [`crate::cell::check_key`].
#[inline]
pub fn row_of(flat: &[u8]) -> &[u8] {
    let mut length = [0; 2];
    length.copy_from_slice(&flat[..2]);
    &flat[2..2 + usize::from(u16::from_be_bytes(length))]
}

/// The key of a real cell, or an invented one to seek to. Borrowed, `Copy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    /// Row key.
    pub row: &'a [u8],
    /// Family.
    pub family: &'a [u8],
    /// Qualifier.
    pub qualifier: &'a [u8],
    /// Milliseconds.
    pub timestamp: i64,
    /// Type code.
    pub type_code: u8,
}

impl<'a> Key<'a> {
    /// The key of a cell.
    #[inline]
    pub fn of(cell: &Cell<'a>) -> Self {
        Self {
            row: cell.row(),
            family: cell.family(),
            qualifier: cell.qualifier(),
            timestamp: cell.timestamp(),
            type_code: cell.type_code(),
        }
    }

    /// Splits a flat key that passed [`crate::cell::check_key`].
    pub fn from_checked(flat: &'a [u8]) -> Self {
        let row_end = 2 + u16::from_be_bytes([flat[0], flat[1]]) as usize;
        let family_end = row_end + 1 + flat[row_end] as usize;
        let qualifier_end = flat.len() - 9;
        let mut raw = [0; 8];
        raw.copy_from_slice(&flat[qualifier_end..qualifier_end + 8]);
        Self {
            row: &flat[2..row_end],
            family: &flat[row_end + 1..family_end],
            qualifier: &flat[family_end..qualifier_end],
            timestamp: i64::from_be_bytes(raw),
            type_code: flat[flat.len() - 1],
        }
    }

    /// Sorts before every cell of the row.
    pub fn first_on_row(row: &'a [u8]) -> Self {
        Self::first_on_column(row, &[], &[])
    }

    /// Sorts after every cell of the row, and before the next row.
    pub fn last_on_row(row: &'a [u8]) -> Self {
        Self { row, family: &[], qualifier: &[], timestamp: i64::MIN, type_code: CellType::Minimum.code() }
    }

    /// Sorts before every cell of the column.
    pub fn first_on_column(row: &'a [u8], family: &'a [u8], qualifier: &'a [u8]) -> Self {
        Self { row, family, qualifier, timestamp: LATEST_TIMESTAMP, type_code: CellType::Maximum.code() }
    }

    /// Sorts after every cell of the column.
    pub fn last_on_column(row: &'a [u8], family: &'a [u8], qualifier: &'a [u8]) -> Self {
        Self { row, family, qualifier, timestamp: i64::MIN, type_code: CellType::Minimum.code() }
    }

    /// Whether this is the invented key that sorts last in its row.
    #[inline]
    pub fn is_last_of_row(&self) -> bool {
        self.type_code == 0 && self.family.is_empty() && self.qualifier.is_empty()
    }

    /// Appends the flat form to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let Self { row, family, qualifier, timestamp, type_code } = *self;
        CellParts { row, family, qualifier, timestamp, type_code, value: &[], tags: &[] }.write_key(out);
    }

    /// The flat form as a vector of its own.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }
}
