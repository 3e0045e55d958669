//! `Increment`: adds to numbers.

use super::{Draft, mutation_methods};
use finback_cell::{CellType, LATEST_TIMESTAMP};

/// Adds to numbers of one row; a column that is not there counts as zero. The new numbers are given back.
///
/// ```
/// # use finback_client::Increment;
/// let increment = Increment::new("row").column("f", "visits", 1).column("f", "bytes", 4096);
/// ```
#[derive(Debug, Clone)]
pub struct Increment {
    pub(super) draft: Draft,
}

impl Increment {
    /// Adds nothing yet.
    pub fn new(row: impl AsRef<[u8]>) -> Self {
        Self { draft: Draft::new(row.as_ref()) }
    }

    /// Adds to a column.
    #[must_use]
    pub fn column(mut self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>, amount: i64) -> Self {
        let (family, qualifier) = (family.as_ref(), qualifier.as_ref());
        self.draft.push(CellType::Put, family, qualifier, LATEST_TIMESTAMP, &amount.to_be_bytes());
        self
    }

    mutation_methods!(returns);
}
