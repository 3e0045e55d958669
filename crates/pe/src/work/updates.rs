//! What reads a row, and writes by what it has read. All clients work on the same rows, so that they meet.

use super::{Client, Work};
use crate::command::Update;
use crate::error::{Doing, Result};
use crate::recorder::Done;
use crate::row_key::{RowKey, row_key};
use finback_client::{Append, CheckAndMutate, Delete, Increment, Put, RowMutations};

/// `increment`, `append`, `checkAndMutate`, `checkAndPut`, `checkAndDelete`.
pub(crate) struct Updates {
    client: Client,
    update: Update,
}

impl Updates {
    pub(crate) fn new(client: Client, update: Update) -> Self {
        Self { client, update }
    }

    async fn increment(&self, row: &RowKey) -> Result<Done> {
        let mut increment = Increment::new(row);
        for family in &self.client.columns.families {
            increment = increment.column(family, self.update.qualifier(), 1);
        }
        let sums = self.client.table.increment(increment).await.doing("increment")?;
        Ok(self.client.seen(Some(&sums)))
    }

    async fn append(&self, row: &RowKey) -> Result<Done> {
        let mut append = Append::new(row);
        for family in &self.client.columns.families {
            append = append.column(family, self.update.qualifier(), row);
        }
        let values = self.client.table.append(append).await.doing("append")?;
        Ok(self.client.seen(Some(&values)))
    }

    /// Puts a value, so that it is there, and changes the row if it is.
    async fn check(&self, row: &RowKey) -> Result<Done> {
        let (family, qualifier) = (&self.client.columns.families[0], self.update.qualifier());
        let put = Put::new(row).column(family, qualifier, row);
        let done = Done { rows: 1, bytes: put.size() as u64, ..Done::default() };
        self.client.table.put(put.clone()).await.doing("put")?;
        let condition = CheckAndMutate::if_equals(row, family, qualifier, row);
        let check = match self.update {
            Update::CheckAndDelete => condition.then(Delete::new(row).column(family, qualifier)),
            Update::CheckAndMutate => {
                condition.then_all(RowMutations::new([put.into()]).doing("check and mutate")?)
            }
            _ => condition.then(put),
        };
        let checked = self.client.table.check_and_mutate(check).await.doing("check and mutate")?;
        // Another client may have changed the row in between.
        Ok(Done { missing: u64::from(!checked.success), ..done })
    }
}

impl Work for Updates {
    async fn step(&mut self, row: u64) -> Result<Option<Done>> {
        let row = row_key(row);
        let done = match self.update {
            Update::Increment => self.increment(&row).await?,
            Update::Append => self.append(&row).await?,
            _ => self.check(&row).await?,
        };
        Ok(Some(done))
    }
}
