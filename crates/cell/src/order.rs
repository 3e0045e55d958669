//! The order of cells: row, family, qualifier ascending; timestamp, type, sequence id descending.
//!
//! Rows of `hbase:meta` are not compared as plain bytes: table, start key and region id are compared in turn, so that
//! a start key with a byte below the comma sorts where its region belongs.

use crate::cell::Cell;
use crate::key::{Key, row_of};
use std::cmp::Ordering;

/// Which order a region and its files use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CellOrder {
    /// Plain unsigned bytes.
    #[default]
    User,
    /// The order of `hbase:meta`.
    Meta,
}

impl CellOrder {
    /// Compares two rows.
    #[inline]
    pub fn compare_rows(self, a: &[u8], b: &[u8]) -> Ordering {
        match self {
            Self::User => a.cmp(b),
            Self::Meta => compare_meta_rows(a, b),
        }
    }

    /// Compares two cells by row, family, qualifier, timestamp and type.
    #[inline]
    pub fn compare(self, a: &Cell<'_>, b: &Cell<'_>) -> Ordering {
        self.compare_rows(a.row(), b.row()).then_with(|| compare_within_row(&Key::of(a), &Key::of(b)))
    }

    /// Compares two cells, and at equal keys puts the higher sequence id first.
    #[inline]
    pub fn compare_with_sequence(
        self,
        a: &Cell<'_>,
        a_sequence: u64,
        b: &Cell<'_>,
        b_sequence: u64,
    ) -> Ordering {
        self.compare(a, b).then_with(|| b_sequence.cmp(&a_sequence))
    }

    /// Compares two keys given in parts.
    #[inline]
    pub fn compare_keys(self, a: &Key<'_>, b: &Key<'_>) -> Ordering {
        self.compare_rows(a.row, b.row).then_with(|| compare_within_row(a, b))
    }

    /// Compares a cell's key with a key given in parts; looks at the row alone where that decides.
    #[inline]
    pub fn compare_cell_to_key(self, cell: &Cell<'_>, key: &Key<'_>) -> Ordering {
        self.compare_rows(cell.row(), key.row).then_with(|| compare_within_row(&Key::of(cell), key))
    }

    /// Compares a flat key that passed [`crate::cell::check_key`] with a key given in parts, as
    /// [`CellOrder::compare_cell_to_key`] does.
    #[inline]
    pub fn compare_flat_to_key(self, flat: &[u8], key: &Key<'_>) -> Ordering {
        self.compare_rows(row_of(flat), key.row)
            .then_with(|| compare_within_row(&Key::from_checked(flat), key))
    }

    /// Compares two flat keys; both must have passed [`crate::cell::check_key`].
    pub fn compare_flat_keys(self, a: &[u8], b: &[u8]) -> Ordering {
        self.compare_keys(&Key::from_checked(a), &Key::from_checked(b))
    }
}

/// Compares everything after the row.
#[inline]
pub fn compare_within_row(a: &Key<'_>, b: &Key<'_>) -> Ordering {
    // The seek key "end of row" (no family, no qualifier, type Minimum) sorts after everything in its row.
    match (a.is_last_of_row(), b.is_last_of_row()) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    a.family
        .cmp(b.family)
        .then_with(|| a.qualifier.cmp(b.qualifier))
        .then_with(|| b.timestamp.cmp(&a.timestamp))
        .then_with(|| b.type_code.cmp(&a.type_code))
}

/// Compares rows of `hbase:meta`: the table, then the start key, then the rest from the last comma on.
fn compare_meta_rows(a: &[u8], b: &[u8]) -> Ordering {
    let (a_table, a_rest) = split_table(a);
    let (b_table, b_rest) = split_table(b);
    a_table.cmp(b_table).then_with(|| match (a_rest, b_rest) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(a), Some(b)) => {
            let (a_start, a_id) = split_id(a);
            let (b_start, b_id) = split_id(b);
            a_start.cmp(b_start).then_with(|| a_id.cmp(b_id))
        }
    })
}

fn split_table(row: &[u8]) -> (&[u8], Option<&[u8]>) {
    match row.iter().position(|&byte| byte == b',') {
        Some(at) => (&row[..at], Some(&row[at + 1..])),
        None => (row, None),
    }
}

/// Splits at the last comma; without a second comma all is start key.
fn split_id(rest: &[u8]) -> (&[u8], &[u8]) {
    match rest.iter().rposition(|&byte| byte == b',') {
        Some(at) => (&rest[..at], &rest[at..]),
        None => (rest, &[]),
    }
}

#[cfg(test)]
mod tests;
