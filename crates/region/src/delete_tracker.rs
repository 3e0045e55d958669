//! Which puts of a row and family the delete markers seen so far hide.
//!
//! Cells come in order, so that markers come before the puts they hide; a marker hides by timestamp alone, also puts
//! that were written after it (HBase's default; for the other way see [`new_version_tracker`](crate::new_version_tracker)).

use finback_cell::{Cell, CellType};
use std::cmp::Reverse;

/// How a put is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deleted {
    /// Not at all.
    No,
    /// With every older cell of its column.
    Column,
    /// Alone.
    Version,
}

/// State for one row of one family.
#[derive(Debug, Default)]
pub(crate) struct DeleteTracker {
    family_timestamp: Option<i64>,
    /// Descending, as they come.
    family_versions: Vec<i64>,
    column: Option<ColumnMarker>,
    column_qualifier: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct ColumnMarker {
    timestamp: i64,
    all_versions: bool,
}

impl DeleteTracker {
    /// Forgets everything: a new row.
    pub(crate) fn reset(&mut self) {
        self.family_timestamp = None;
        self.family_versions.clear();
        self.column = None;
    }

    /// Whether no marker is remembered.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.family_timestamp.is_none() && self.column.is_none() && self.family_versions.is_empty()
    }

    /// Remembers a marker.
    pub(crate) fn add(&mut self, marker: &Cell<'_>) {
        let timestamp = marker.timestamp();
        if self.family_timestamp.is_some_and(|family| timestamp <= family) {
            return;
        }
        match CellType::from_code(marker.type_code()) {
            Some(CellType::DeleteFamily) => self.family_timestamp = Some(timestamp),
            Some(CellType::DeleteFamilyVersion) => self.add_family_version(timestamp),
            Some(CellType::DeleteColumn) => self.set_column(marker, true),
            Some(CellType::Delete) => {
                let covered = self.column.is_some_and(|column| column.all_versions)
                    && self.column_qualifier == marker.qualifier();
                if !covered {
                    self.set_column(marker, false);
                }
            }
            _ => {}
        }
    }

    fn add_family_version(&mut self, timestamp: i64) {
        if let Err(at) = self.find_family_version(timestamp) {
            self.family_versions.insert(at, timestamp);
        }
    }

    /// Where the marker of a version of the family is, or would be.
    fn find_family_version(&self, timestamp: i64) -> Result<usize, usize> {
        self.family_versions.binary_search_by_key(&Reverse(timestamp), |marker| Reverse(*marker))
    }

    fn set_column(&mut self, marker: &Cell<'_>, all_versions: bool) {
        self.column_qualifier.clear();
        self.column_qualifier.extend_from_slice(marker.qualifier());
        self.column = Some(ColumnMarker { timestamp: marker.timestamp(), all_versions });
    }

    /// Whether a put is hidden. Puts must come in order.
    #[inline]
    pub(crate) fn check(&mut self, put: &Cell<'_>) -> Deleted {
        if self.is_empty() {
            return Deleted::No;
        }
        let timestamp = put.timestamp();
        if self.family_timestamp.is_some_and(|family| timestamp <= family) {
            return Deleted::Column;
        }
        if self.find_family_version(timestamp).is_ok() {
            return Deleted::Version;
        }
        let Some(column) = self.column else { return Deleted::No };
        if self.column_qualifier == put.qualifier() {
            if column.all_versions {
                return Deleted::Column;
            }
            if column.timestamp == timestamp {
                return Deleted::Version;
            }
            if column.timestamp < timestamp {
                return Deleted::No;
            }
        }
        self.column = None;
        Deleted::No
    }
}

#[cfg(test)]
mod tests;
