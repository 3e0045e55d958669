//! `Delete`: stores delete markers.

use super::{Draft, mutation_methods};
use finback_cell::CellType;

/// Deletes cells of one row: all of them, unless it is told which.
///
/// ```
/// # use finback_client::Delete;
/// let row = Delete::new("row");
/// let column = Delete::new("row").columns("f", "color");
/// let newest_version = Delete::new("row").column("f", "color");
/// ```
#[derive(Debug, Clone)]
pub struct Delete {
    pub(super) draft: Draft,
}

impl Delete {
    /// Deletes the row.
    pub fn new(row: impl AsRef<[u8]>) -> Self {
        Self { draft: Draft::new(row.as_ref()) }
    }

    /// Deletes what is not newer than this, in milliseconds; holds for the row, and for what is added from here on.
    /// Default: the server's time.
    #[must_use]
    pub fn timestamp(mut self, timestamp: i64) -> Self {
        if timestamp < 0 {
            self.draft.fault(format!("a timestamp must not be negative: {timestamp}"));
        }
        self.draft.timestamp = timestamp;
        self
    }

    /// Deletes the newest version of a column.
    #[must_use]
    pub fn column(self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>) -> Self {
        let timestamp = self.draft.timestamp;
        self.column_at(family, qualifier, timestamp)
    }

    /// Deletes the version of a column with this timestamp.
    #[must_use]
    pub fn column_at(
        mut self,
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        timestamp: i64,
    ) -> Self {
        self.draft.push(CellType::Delete, family.as_ref(), qualifier.as_ref(), timestamp, &[]);
        self
    }

    /// Deletes all versions of a column.
    #[must_use]
    pub fn columns(self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>) -> Self {
        let timestamp = self.draft.timestamp;
        self.columns_until(family, qualifier, timestamp)
    }

    /// Deletes the versions of a column up to this timestamp.
    #[must_use]
    pub fn columns_until(
        mut self,
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        timestamp: i64,
    ) -> Self {
        self.draft.push(CellType::DeleteColumn, family.as_ref(), qualifier.as_ref(), timestamp, &[]);
        self
    }

    /// Deletes a family.
    #[must_use]
    pub fn family(self, family: impl AsRef<[u8]>) -> Self {
        let timestamp = self.draft.timestamp;
        self.family_until(family, timestamp)
    }

    /// Deletes the cells of a family up to this timestamp.
    #[must_use]
    pub fn family_until(mut self, family: impl AsRef<[u8]>, timestamp: i64) -> Self {
        self.draft.push(CellType::DeleteFamily, family.as_ref(), &[], timestamp, &[]);
        self
    }

    /// Deletes the cells of a family with exactly this timestamp.
    #[must_use]
    pub fn family_version(mut self, family: impl AsRef<[u8]>, timestamp: i64) -> Self {
        self.draft.push(CellType::DeleteFamilyVersion, family.as_ref(), &[], timestamp, &[]);
        self
    }

    mutation_methods!();
}
