//! Operations on one row.

use super::Table;
use crate::check_and_mutate::{CheckAndMutate, CheckAndMutateResult};
use crate::error::{Error, Result};
use crate::get::Get;
use crate::location::RegionLocation;
use crate::mutation::{Append, Delete, Increment, Mutation, Put};
use crate::row::Row;
use crate::row_mutations::RowMutations;
use bytes::Bytes;
use finback_proto::{convert, pb};
use finback_rpc::CellPiecesBuilder;

impl Table {
    /// Reads a row; none if there is no such row, or nothing of it is wanted.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn get(&self, get: Get) -> Result<Option<Row>> {
        let (response, mut block) = self.ask(get).await?;
        row("Get", response.result.as_ref(), &mut block)
    }

    /// Whether there is something of what `get` would read.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn exists(&self, get: Get) -> Result<bool> {
        let (response, _) = self.ask(get.existence_only(true)).await?;
        Ok(response.result.is_some_and(|result| result.exists()))
    }

    async fn ask(&self, get: Get) -> Result<(pb::GetResponse, Bytes)> {
        get.check()?;
        let call = self.call("Get", get.row(), self.read_timeout());
        let request = |location: &RegionLocation| {
            (pb::GetRequest { region: location.specifier(), get: get.to_message() }, Bytes::new())
        };
        let (response, block, _) = match get.is_timeline() {
            true => {
                let patience = self.shared.config.primary_get_patience;
                self.shared.call_replica(call, get.asked_replica(), patience, request).await?
            }
            false => self.shared.call_region(call, request).await?,
        };
        Ok((response, block))
    }

    /// Stores cells.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn put(&self, put: Put) -> Result<()> {
        self.mutate(&Mutation::from(put).sealed(), None).await.map(|_| ())
    }

    /// Deletes cells.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn delete(&self, delete: Delete) -> Result<()> {
        self.mutate(&Mutation::from(delete).sealed(), None).await.map(|_| ())
    }

    /// Adds to numbers; gives back the sums. A call that has to be repeated is not added twice.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn increment(&self, increment: Increment) -> Result<Row> {
        self.mutate(&Mutation::from(increment).sealed(), None).await.map(|done| done.row.unwrap_or_default())
    }

    /// Adds to the number of one column; gives back the sum.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn increment_column(
        &self,
        row: impl AsRef<[u8]>,
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        amount: i64,
    ) -> Result<i64> {
        let sums = self.increment(Increment::new(row).column(&family, &qualifier, amount)).await?;
        sums.counter(family, qualifier).ok_or_else(|| Error::Malformed {
            method: "Mutate",
            reason: "no sum of eight bytes is there".to_owned(),
        })
    }

    /// Appends to values; gives back the new ones. A call that has to be repeated is not appended twice.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn append(&self, append: Append) -> Result<Row> {
        self.mutate(&Mutation::from(append).sealed(), None).await.map(|done| done.row.unwrap_or_default())
    }

    /// Changes a row if a condition holds there.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn check_and_mutate(&self, check: CheckAndMutate) -> Result<CheckAndMutateResult> {
        check.check(self.shared.config.max_cell_size)?;
        if !check.is_several() {
            return self.mutate(&check.mutations()[0], Some(check.condition_message())).await;
        }
        let condition = Some(check.condition_message());
        self.atomically(check.row(), check.mutations(), condition).await
    }

    /// Makes several changes of a row, all of them or none; gives back the new cells of increments and appends.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn mutate_row(&self, mutations: RowMutations) -> Result<Option<Row>> {
        mutations.check(self.shared.config.max_cell_size)?;
        self.atomically(mutations.row(), mutations.mutations(), None).await.map(|done| done.row)
    }

    pub(crate) fn nonce_for(&self, mutation: &Mutation) -> Option<u64> {
        mutation.wants_nonce().then(|| self.shared.entropy.nonce())
    }

    async fn mutate(
        &self,
        mutation: &Mutation,
        condition: Option<pb::Condition>,
    ) -> Result<CheckAndMutateResult> {
        mutation.check(self.shared.config.max_cell_size)?;
        let mut cells = CellPiecesBuilder::default();
        let nonce = self.nonce_for(mutation);
        let message = mutation.to_message(nonce, &mut cells);
        let (cells, nonce_group) = (cells.finish(), nonce.map(|_| self.shared.nonce_group));
        let call = self.call("Mutate", mutation.row(), self.write_timeout());
        let (response, mut block, _) = self
            .shared
            .call_region(call, |location| {
                let region = location.specifier();
                let (mutation, condition) = (message.clone(), condition.clone());
                (pb::MutateRequest { region, mutation, condition, nonce_group }, cells.clone())
            })
            .await?;
        let response: pb::MutateResponse = response;
        let row = row("Mutate", response.result.as_ref(), &mut block)?;
        Ok(CheckAndMutateResult { success: response.processed.unwrap_or(true), row })
    }

    /// All of the mutations or none, under a condition or not.
    async fn atomically(
        &self,
        row_key: &[u8],
        mutations: &[Mutation],
        condition: Option<pb::Condition>,
    ) -> Result<CheckAndMutateResult> {
        let mut cells = CellPiecesBuilder::default();
        let action: Vec<pb::Action> = mutations
            .iter()
            .map(|mutation| pb::Action {
                mutation: Some(mutation.to_message(self.nonce_for(mutation), &mut cells)),
                ..Default::default()
            })
            .collect();
        let cells = cells.finish();
        let request = |location: &RegionLocation| {
            let region_action = pb::RegionAction {
                region: location.specifier(),
                atomic: Some(true),
                action: action.clone(),
                condition: condition.clone(),
            };
            let request = pb::MultiRequest {
                region_action: vec![region_action],
                nonce_group: Some(self.shared.nonce_group),
                ..Default::default()
            };
            (request, cells.clone())
        };
        let call = self.call("Multi", row_key, self.write_timeout());
        let mut retrying = self.shared.retrying("Multi", self.operation_timeout);
        loop {
            // Servers tell of a region that they do not serve within an answer: a try has failed whichever way it is told.
            let failed = match self.shared.try_region(call, &retrying, &request).await? {
                Ok((response, mut block, location)) => {
                    match crate::batch::atomic_answer(&response, &mut block)? {
                        Ok(done) => return Ok(done),
                        Err(exception) => self.shared.failed(call, &location, exception),
                    }
                }
                Err(failed) => failed,
            };
            self.shared.try_again(&mut retrying, self.name(), failed).await?;
        }
    }
}

/// The row of a result; none if it has no cells.
pub(crate) fn row(
    method: &'static str,
    result: Option<&pb::Result>,
    block: &mut Bytes,
) -> Result<Option<Row>> {
    let Some(result) = result else { return Ok(None) };
    let malformed = |error: finback_proto::ProtoError| Error::Malformed { method, reason: error.to_string() };
    let cells = convert::decode_result(result, block).map_err(malformed)?;
    Ok((!cells.is_empty()).then(|| Row::new(cells, result.partial(), result.stale())))
}
