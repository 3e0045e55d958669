//! Several changes of one row, all of them or none.

use crate::error::{Error, Result};
use crate::mutation::Mutation;
use finback_cell::StringBinary;

/// Several changes of one row, all of them or none.
///
/// ```
/// # use finback_client::{Delete, Put, RowMutations};
/// let rename = RowMutations::new([
///     Put::new("row").column("f", "new", "value").into(),
///     Delete::new("row").columns("f", "old").into(),
/// ])?;
/// # Ok::<(), finback_client::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RowMutations {
    mutations: Vec<Mutation>,
}

impl RowMutations {
    /// Changes, in their order.
    ///
    /// # Errors
    /// [`Error::Argument`] if there are none, or not all of the same row.
    pub fn new(mutations: impl IntoIterator<Item = Mutation>) -> Result<Self> {
        let mutations: Vec<Mutation> = mutations.into_iter().map(Mutation::sealed).collect();
        let Some(first) = mutations.first() else {
            return Err(Error::Argument("row mutations without a mutation".to_owned()));
        };
        match mutations.iter().find(|mutation| mutation.row() != first.row()) {
            Some(other) => Err(Error::Argument(format!(
                "the row in the recently added mutation {} does not match {}",
                StringBinary(other.row()),
                StringBinary(first.row())
            ))),
            None => Ok(Self { mutations }),
        }
    }

    /// The row.
    pub fn row(&self) -> &[u8] {
        self.mutations.first().map_or(&[], Mutation::row)
    }

    pub(crate) fn mutations(&self) -> &[Mutation] {
        &self.mutations
    }

    pub(crate) fn size(&self) -> usize {
        self.mutations.iter().map(Mutation::size).sum()
    }

    pub(crate) fn check(&self, max_cell_size: usize) -> Result<()> {
        self.mutations.iter().try_for_each(|mutation| mutation.check(max_cell_size))
    }
}
