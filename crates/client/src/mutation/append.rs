//! `Append`: appends to values.

use super::{Draft, mutation_methods};
use finback_cell::{CellType, LATEST_TIMESTAMP};

/// Appends to values of one row; a column that is not there counts as empty. The new values are given back.
///
/// ```
/// # use finback_client::Append;
/// let append = Append::new("row").column("f", "log", "more\n");
/// ```
#[derive(Debug, Clone)]
pub struct Append {
    pub(super) draft: Draft,
}

impl Append {
    /// Appends nothing yet.
    pub fn new(row: impl AsRef<[u8]>) -> Self {
        Self { draft: Draft::new(row.as_ref()) }
    }

    /// Appends to a column.
    #[must_use]
    pub fn column(
        mut self,
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        suffix: impl AsRef<[u8]>,
    ) -> Self {
        let (family, qualifier) = (family.as_ref(), qualifier.as_ref());
        self.draft.push(CellType::Put, family, qualifier, LATEST_TIMESTAMP, suffix.as_ref());
        self
    }

    mutation_methods!(returns);
}
