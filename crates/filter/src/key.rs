//! A key of its own memory: where a filter wants the scan to go on.

use finback_cell::key::Key;
use finback_cell::{Cell, LATEST_TIMESTAMP, MAX_ROW_LENGTH};

/// An owned [`Key`], kept in its flat form.
#[derive(Clone, PartialEq, Eq)]
pub struct OwnedKey {
    flat: Vec<u8>,
}

impl OwnedKey {
    /// A copy of `key`, whose row and family must be no longer than a cell can hold.
    pub fn of(key: &Key<'_>) -> Self {
        Self { flat: key.to_vec() }
    }

    /// Sorts before every cell of `row`, and after every row before it. What is too long for a row is cut: since no row
    /// is longer, none lies between the two, whichever way the scan goes.
    pub fn first_on_row(row: &[u8]) -> Self {
        Self::of(&Key::first_on_row(&row[..row.len().min(MAX_ROW_LENGTH)]))
    }

    /// Sorts before every cell with `qualifier` in the row and family of `cell`.
    pub(crate) fn first_on_qualifier(cell: &Cell<'_>, qualifier: &[u8]) -> Self {
        Self::of(&Key::first_on_column(cell.row(), cell.family(), qualifier))
    }

    /// Sorts before the cells with `timestamp` in the column of `cell`.
    pub(crate) fn first_at_timestamp(cell: &Cell<'_>, timestamp: i64) -> Self {
        let first = Key::first_on_column(cell.row(), cell.family(), cell.qualifier());
        debug_assert_eq!(first.timestamp, LATEST_TIMESTAMP);
        Self::of(&Key { timestamp, ..first })
    }

    /// Sorts after every cell of the column of `cell`.
    pub(crate) fn last_on_column_of(cell: &Cell<'_>) -> Self {
        Self::of(&Key::last_on_column(cell.row(), cell.family(), cell.qualifier()))
    }

    /// The key in parts.
    pub fn as_key(&self) -> Key<'_> {
        Key::from_checked(&self.flat)
    }

    /// The flat key, as in index entries.
    pub fn flat(&self) -> &[u8] {
        &self.flat
    }
}

impl std::fmt::Debug for OwnedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let key = self.as_key();
        write!(
            f,
            "{}/{}:{}/{}/{}",
            key.row.escape_ascii(),
            key.family.escape_ascii(),
            key.qualifier.escape_ascii(),
            key.timestamp,
            key.type_code
        )
    }
}
