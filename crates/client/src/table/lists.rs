//! Operations on many rows at a time.

use super::Table;
use crate::batch::{self, BatchAction, BatchAnswer};
use crate::check_and_mutate::{CheckAndMutate, CheckAndMutateResult};
use crate::error::{Error, Result};
use crate::get::Get;
use crate::mutation::{Delete, Mutation, Put};
use crate::row::Row;

impl Table {
    /// Does all of these, in no order between rows: those of one server in one call, or in several if there are many; servers side by
    /// side. Puts, deletes and reads of one row are sent in their order; one that failed is tried again while others arrive. Each has an
    /// answer, or an error, of its own, at its own place.
    pub async fn batch(&self, actions: impl IntoIterator<Item = BatchAction>) -> Vec<Result<BatchAnswer>> {
        batch::run(self, actions.into_iter()).await
    }

    /// Reads rows; each answer is at the place of its question.
    ///
    /// # Errors
    /// The first that there was.
    pub async fn get_all(&self, gets: impl IntoIterator<Item = Get>) -> Result<Vec<Option<Row>>> {
        let answers = self.batch(gets.into_iter().map(BatchAction::Get)).await;
        answers.into_iter().map(|answer| answer.map(BatchAnswer::into_row)).collect()
    }

    /// Whether there is something of what each of `gets` would read.
    ///
    /// # Errors
    /// The first that there was.
    pub async fn exists_all(&self, gets: impl IntoIterator<Item = Get>) -> Result<Vec<bool>> {
        let answers = self.batch(gets.into_iter().map(BatchAction::Exists)).await;
        let exists = |answer| matches!(answer, BatchAnswer::Exists(true));
        answers.into_iter().map(|answer| answer.map(exists)).collect()
    }

    /// Stores cells of many rows: each row by itself.
    ///
    /// # Errors
    /// The first that there was; others may have been stored.
    pub async fn put_all(&self, puts: impl IntoIterator<Item = Put>) -> Result<()> {
        first_error(self.batch(puts.into_iter().map(|put| BatchAction::from(Mutation::from(put)))).await)
    }

    /// Deletes cells of many rows: each row by itself.
    ///
    /// # Errors
    /// The first that there was; others may have been deleted.
    pub async fn delete_all(&self, deletes: impl IntoIterator<Item = Delete>) -> Result<()> {
        let actions = deletes.into_iter().map(|delete| BatchAction::from(Mutation::from(delete)));
        first_error(self.batch(actions).await)
    }

    /// Changes many rows, each if a condition holds there.
    ///
    /// # Errors
    /// The first that there was; others may have been changed.
    pub async fn check_and_mutate_all(
        &self,
        checks: impl IntoIterator<Item = CheckAndMutate>,
    ) -> Result<Vec<CheckAndMutateResult>> {
        let answers = self.batch(checks.into_iter().map(BatchAction::CheckAndMutate)).await;
        answers
            .into_iter()
            .map(|answer| match answer? {
                BatchAnswer::Checked(checked) => Ok(checked),
                other => {
                    let reason = format!("{other:?} instead of whether the condition held");
                    Err(Error::Malformed { method: "Multi", reason })
                }
            })
            .collect()
    }
}

fn first_error(answers: Vec<Result<BatchAnswer>>) -> Result<()> {
    answers.into_iter().try_for_each(|answer| answer.map(|_| ()))
}
