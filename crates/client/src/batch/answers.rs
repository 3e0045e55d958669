//! The answers of a `Multi` call.

use super::multi::Part;
use super::{BatchAction, BatchAnswer};
use crate::check_and_mutate::CheckAndMutateResult;
use crate::error::{Attempt, Error, Result};
use crate::locator::attempt;
use crate::row::Row;
use bytes::Bytes;
use finback_proto::{convert, pb};
use finback_rpc::{RpcException, exceptions};

/// What became of an action, by its place in the batch.
pub(super) type Answer = (usize, Result<BatchAnswer, Attempt>);

/// The answers of a part, in the order in which their cells stand in the block.
///
/// # Errors
/// The cells cannot be told apart any more.
pub(super) fn of_part<'a>(
    part: &Part<'_>,
    result: &pb::RegionActionResult,
    action: impl Fn(usize) -> &'a BatchAction,
    block: &mut Bytes,
    answers: &mut Vec<Answer>,
) -> Result<(), RpcException> {
    let failed = |exception| attempt("Multi", part.location, exception);
    if let Some(exception) = &result.exception {
        let attempt = failed(RpcException::from_action_result(exception));
        answers.extend(part.indices.iter().map(|&index| (index, Err(attempt.clone()))));
        return Ok(());
    }
    if part.whole {
        let index = part.indices[0];
        let answer = match whole(result, block)? {
            Err(exception) => Err(failed(exception)),
            Ok(checked) => Ok(match action(0) {
                BatchAction::CheckAndMutate(_) => BatchAnswer::Checked(checked),
                _ => BatchAnswer::Row(checked.row),
            }),
        };
        answers.push((index, answer));
        return Ok(());
    }
    let mut answered = vec![false; part.indices.len()];
    for entry in &result.result_or_exception {
        let answer = match (&entry.exception, &entry.result) {
            (Some(exception), _) => Err(failed(RpcException::from_action_result(exception))),
            (None, Some(result)) => Ok(result_of(result, block)?),
            (None, None) => Ok(BatchAnswer::Row(None)),
        };
        // Answers to nothing that was asked, and second ones, are passed over: their cells are taken.
        let place = entry.index() as usize;
        if answered.get(place) == Some(&false) {
            answered[place] = true;
            let answer = match (answer, action(place)) {
                (Ok(BatchAnswer::Row(_)), BatchAction::Exists(_)) => Ok(BatchAnswer::Exists(false)),
                (answer, _) => answer,
            };
            answers.push((part.indices[place], answer));
        }
    }
    let missing = part.indices.iter().zip(&answered).filter(|(_, answered)| !**answered);
    answers.extend(missing.map(|(&index, _)| {
        (index, Err(failed(exceptions::hbase_io("the server did not return a result for the action"))))
    }));
    Ok(())
}

fn result_of(result: &pb::Result, block: &mut Bytes) -> Result<BatchAnswer, RpcException> {
    if let Some(exists) = result.exists {
        return Ok(BatchAnswer::Exists(exists));
    }
    row(result, block).map(BatchAnswer::Row)
}

fn row(result: &pb::Result, block: &mut Bytes) -> Result<Option<Row>, RpcException> {
    let cells = convert::decode_result(result, block)
        .map_err(|error| exceptions::hbase_io(format!("malformed answer of Multi: {error}")))?;
    Ok((!cells.is_empty()).then(|| Row::new(cells, result.partial(), result.stale())))
}

/// What became of an action that is a whole. Inside: what it failed with. Outside: the answer makes no sense.
fn whole(
    result: &pb::RegionActionResult,
    block: &mut Bytes,
) -> Result<Result<CheckAndMutateResult, RpcException>, RpcException> {
    let exceptions = result.exception.as_deref().into_iter();
    let exceptions =
        exceptions.chain(result.result_or_exception.iter().filter_map(|entry| entry.exception.as_deref()));
    let exception = exceptions.map(RpcException::from_action_result).next();
    let mut first = None;
    for result in result.result_or_exception.iter().filter_map(|entry| entry.result.as_ref()) {
        let row = row(result, block)?;
        first = first.or(row);
    }
    Ok(match exception {
        Some(exception) => Err(exception),
        None => Ok(CheckAndMutateResult { success: result.processed.unwrap_or(true), row: first }),
    })
}

/// The answer of a call with one action that is a whole.
///
/// # Errors
/// Inside: what the action failed with. Outside: the answer makes no sense.
pub(crate) fn atomic_answer(
    response: &pb::MultiResponse,
    block: &mut Bytes,
) -> Result<Result<CheckAndMutateResult, RpcException>> {
    let malformed = |reason: String| Error::Malformed { method: "Multi", reason };
    let [result] = &response.region_action_result[..] else {
        let count = response.region_action_result.len();
        return Err(malformed(format!("{count} results for one group of actions")));
    };
    whole(result, block).map_err(|exception| malformed(exception.message))
}
