//! `MultiRowMutationService`: mutations of several rows of one region, all or none. Built in for every table.

use crate::condition;
use crate::mutate::atomically_by;
use crate::server::RegionServer;
use finback_cell::{Bytes, Mutation, MutationKind, Shortened};
use finback_filter::MAX_REGEX_BYTES;
use finback_proto::{Message, convert, footprint, pb};
use finback_region::{Condition, ConditionRules, ConditionTest, Region};
use finback_rpc::{RpcException, exceptions};
use std::time::Instant;

/// Carries out `MutateRows`; the encoded response.
pub(crate) async fn mutate_rows(
    server: &RegionServer,
    region: &Region,
    request: &Bytes,
    deadline: Option<Instant>,
) -> Result<Vec<u8>, RpcException> {
    let request: pb::MutateRowsRequest =
        footprint::decode(request.clone()).map_err(|error| exceptions::do_not_retry(error.to_string()))?;
    let mut mutations = request
        .mutation_request
        .into_iter()
        .map(|mutation| convert::decode_mutation(mutation, &mut Bytes::new(), 0))
        .collect::<Result<Vec<_>, _>>()?;
    for (place, mutation) in mutations.iter().enumerate() {
        if region.check_row(&mutation.row, "MutateRows").is_err() {
            let message = format!("Requested row out of range '{}'", Shortened(&mutation.row));
            // As in HBase: the region may have moved, unless rows before are here. Those of two regions never change together.
            return Err(if place == 0 {
                exceptions::wrong_region(message)
            } else {
                exceptions::do_not_retry(message)
            });
        }
    }
    let conditions = decode_conditions(request.condition)?;
    let reads_first =
        |mutation: &Mutation| matches!(mutation.kind, MutationKind::Increment | MutationKind::Append);
    let group = request.nonce_group.unwrap_or(0);
    // As in HBase, the request's is that of all, and puts and deletes alone are carried out again.
    let nonce = request.nonce.filter(|_| mutations.iter().any(reads_first)).unwrap_or(0);
    for mutation in &mut mutations {
        mutation.nonce = (group, nonce);
        // The answer has none.
        mutation.return_results = false;
    }
    let rules = ConditionRules::MutateRows;
    let outcome = atomically_by(rules, server, region, conditions, mutations, deadline).await?;
    Ok(pb::MutateRowsResponse { processed: Some(outcome.applied) }.encode_to_vec())
}

/// All are in memory together, so what they compile is bounded as in one filter.
fn decode_conditions(conditions: Vec<pb::Condition>) -> Result<Vec<Condition>, RpcException> {
    let mut compiled_bytes = 0;
    let decode = |message| {
        let condition = condition::decode(message)?;
        compiled_bytes += match &condition.test {
            ConditionTest::Value { comparator, .. } => comparator.memory_bytes(),
            ConditionTest::Filter(filter) => filter.memory_bytes(),
        };
        if compiled_bytes > MAX_REGEX_BYTES {
            let message = format!("conditions of more than {MAX_REGEX_BYTES} bytes when they are compiled");
            return Err(exceptions::do_not_retry(message));
        }
        Ok(condition)
    };
    conditions.into_iter().map(decode).collect()
}
