//! Mutate: one mutation of one row, with or without a condition.

use crate::condition;
use crate::exceptions::exception;
use crate::get::{self, CELLS_PER_TURN};
use crate::nonces::Admission;
use crate::operation_counts;
use crate::read_memory::ReadMemory;
use crate::result::ReplyCells;
use crate::server::RegionServer;
use finback_cell::{CellBlock, FamilySelection, Mutation, MutationKind, Scan, Shortened};
use finback_metrics::Operation;
use finback_proto::{convert, pb};
use finback_region::{AtomicOutcome, Condition, ConditionRules, Region, ScanLimits, ScanOutput, ScanStop};
use finback_rpc::{Call, Reply, RpcException, exceptions};
use std::sync::Arc;
use std::time::Instant;

/// Answers `Mutate`.
pub(crate) async fn mutate(server: Arc<RegionServer>, call: Call) -> Result<Reply, RpcException> {
    let begun = call.begun;
    let request: pb::MutateRequest = call.decode()?;
    let region = server.regions.find(&request.region)?;
    server.client_counts.add(&call.connection, 0, 1);
    let mut request_cells = call.cells.clone();
    let mutation =
        convert::decode_mutation(request.mutation, &mut request_cells, request.nonce_group.unwrap_or(0))?;
    let operation = operation_of(mutation.kind, request.condition.is_some());
    let conditional = request.condition.as_ref().and_then(|_| conditional(mutation.kind));
    let mut cells = ReplyCells::new(&server, &call);
    // What is larger than a put is kept by itself, so that its state stays small.
    let response = match request.condition {
        Some(condition) => {
            let condition = condition::decode(condition)?;
            check_same_row(&condition, &mutation)?;
            let has_result = matches!(mutation.kind, MutationKind::Increment | MutationKind::Append);
            let outcome =
                Box::pin(atomically(&server, &region, vec![condition], vec![mutation], call.deadline))
                    .await?;
            // An increment or append that was carried out has a result, if an empty one.
            let result = (outcome.applied && has_result).then(|| block_result(outcome.cells, &mut cells));
            pb::MutateResponse { processed: Some(outcome.applied), result, ..Default::default() }
        }
        None if matches!(mutation.kind, MutationKind::Put | MutationKind::Delete) => {
            put_or_delete(&region, &mutation, call.deadline).await?;
            pb::MutateResponse { processed: Some(true), ..Default::default() }
        }
        None => {
            let outcome =
                Box::pin(atomically(&server, &region, Vec::new(), vec![mutation], call.deadline)).await?;
            let result = Some(block_result(outcome.cells, &mut cells));
            pb::MutateResponse { result, ..Default::default() }
        }
    };
    let mut reply = cells.reply(&response);
    server.operations.ended_in(&region, operation, begun, &mut reply);
    if let (Some(kind), Some(ended)) = (conditional, reply.ended) {
        let took = ended.saturating_duration_since(begun);
        server.operations.times.record_in(operation_counts::table_of(&region), kind, took);
    }
    Ok(reply)
}

/// As what a mutation counts.
fn operation_of(kind: MutationKind, has_condition: bool) -> Operation {
    match kind {
        _ if has_condition => Operation::CheckAndMutate,
        MutationKind::Put => Operation::Put,
        MutationKind::Delete => Operation::Delete,
        MutationKind::Increment => Operation::Increment,
        MutationKind::Append => Operation::Append,
    }
}

/// As what else one counts that has a condition.
fn conditional(kind: MutationKind) -> Option<Operation> {
    match kind {
        MutationKind::Put => Some(Operation::CheckAndPut),
        MutationKind::Delete => Some(Operation::CheckAndDelete),
        MutationKind::Increment | MutationKind::Append => None,
    }
}

/// A condition must look at the row that it guards.
pub(crate) fn check_same_row(condition: &Condition, mutation: &Mutation) -> Result<(), RpcException> {
    if condition.row == mutation.row {
        return Ok(());
    }
    Err(exceptions::do_not_retry(format!(
        "Action's getRow must match; condition: {}, action: {}",
        Shortened(&condition.row),
        Shortened(&mutation.row)
    )))
}

async fn put_or_delete(
    region: &Region,
    mutation: &Mutation,
    deadline: Option<Instant>,
) -> Result<(), RpcException> {
    region.check_row(&mutation.row, "mutate").map_err(|error| exception(&error))?;
    region.mutate_until(mutation, deadline).await.map_err(|error| exception(&error))
}

/// Carries out mutations together, once for each nonce, for a client that waits until `deadline`.
pub(crate) fn atomically(
    server: &RegionServer,
    region: &Region,
    conditions: Vec<Condition>,
    mutations: Vec<Mutation>,
    deadline: Option<Instant>,
) -> impl Future<Output = Result<AtomicOutcome, RpcException>> {
    atomically_by(ConditionRules::CheckAndMutate, server, region, conditions, mutations, deadline)
}

/// The same, by the rules of whoever asks.
pub(crate) async fn atomically_by(
    rules: ConditionRules,
    server: &RegionServer,
    region: &Region,
    conditions: Vec<Condition>,
    mutations: Vec<Mutation>,
    deadline: Option<Instant>,
) -> Result<AtomicOutcome, RpcException> {
    let has_condition = !conditions.is_empty();
    // The one that the log has of several, so that a repetition after a restart is known.
    let nonce = mutations.iter().rev().map(|mutation| mutation.nonce).find(|(_, nonce)| *nonce != 0);
    let guard = match nonce {
        None => None,
        Some((group, nonce)) => match server.nonces.admit(group, nonce).await {
            Admission::Proceed(guard) => Some(guard),
            Admission::AlreadyDone(sequence_id) => {
                return stored(server, region, &mutations, sequence_id).await;
            }
        },
    };
    let outcome = region.mutate_atomically_by(rules, conditions, mutations, deadline).await;
    let outcome = outcome.map_err(|error| exception(&error))?;
    if has_condition {
        server.operations.checked(outcome.applied);
    }
    if let Some(guard) = guard {
        // A condition that did not hold wrote nothing: a repetition may try again.
        if outcome.applied {
            guard.succeeded(outcome.sequence_id);
        }
    }
    Ok(outcome)
}

/// What an increment or append that was carried out before had as its result; what its columns have now, where that is not there
/// any more, or not known as its result: what is older must not be told as the sum of it.
async fn stored(
    server: &RegionServer,
    region: &Region,
    mutations: &[Mutation],
    sequence_id: u64,
) -> Result<AtomicOutcome, RpcException> {
    let mut found = Vec::new();
    for mutation in mutations {
        let reads_first = matches!(mutation.kind, MutationKind::Increment | MutationKind::Append);
        if !reads_first || !mutation.return_results {
            continue;
        }
        let families = columns_of(mutation);
        let columns: usize = families.iter().flat_map(|family| &family.qualifiers).map(Vec::len).sum();
        let edit = (sequence_id != 0).then_some(sequence_id);
        let mut out = read_row(server, region, mutation, &families, edit).await?;
        if edit.is_some() && out.cells().count() < columns {
            out = read_row(server, region, mutation, &families, None).await?;
        }
        found.extend_from_slice(&out.cells);
        let most = server.max_row_bytes().min(server.reply_memory().limit());
        if found.len() > most {
            return Err(exceptions::row_too_big(format!(
                "results that were asked for again take more than {most} bytes"
            )));
        }
    }
    let cells = CellBlock::parse(found.into()).unwrap_or_default();
    Ok(AtomicOutcome { applied: true, cells, sequence_id })
}

/// Columns of a mutation's row: what an edit has written of them, or what they are now.
async fn read_row(
    server: &RegionServer,
    region: &Region,
    mutation: &Mutation,
    families: &[FamilySelection],
    edit: Option<u64>,
) -> Result<ScanOutput, RpcException> {
    let get = finback_cell::Get::new(mutation.row.clone()).scan;
    let scan = Scan { families: families.to_vec(), ..get };
    let scanner = match edit {
        Some(sequence_id) => region.scanner_of_edit(&scan, sequence_id),
        None => region.scanner(&scan, None),
    };
    let mut scanner = scanner.map_err(|error| exception(&error))?;
    let mut out = ScanOutput::default();
    let mut memory = ReadMemory::within(server);
    let limits = &ScanLimits { budget: CELLS_PER_TURN, ..ScanLimits::NONE };
    while get::next(server, &mut scanner, &mut out, limits, &mut memory).await? == ScanStop::Budget {
        tokio::task::yield_now().await;
    }
    Ok(out)
}

fn columns_of(mutation: &Mutation) -> Vec<FamilySelection> {
    let mut families: Vec<FamilySelection> = Vec::new();
    let mut columns: Vec<_> = mutation.cells.iter().map(|cell| (cell.family(), cell.qualifier())).collect();
    columns.sort_unstable();
    columns.dedup();
    for (family, qualifier) in columns {
        let qualifier = qualifier.to_vec().into();
        match families.last_mut() {
            Some(FamilySelection { family: last, qualifiers: Some(qualifiers) }) if last == family => {
                qualifiers.push(qualifier);
            }
            _ => families
                .push(FamilySelection { family: family.to_vec().into(), qualifiers: Some(vec![qualifier]) }),
        }
    }
    families
}

/// A result of cells that an atomic write gave back.
pub(crate) fn block_result(block: CellBlock, cells: &mut ReplyCells) -> pb::Result {
    let count = block.count();
    cells.result(block.bytes().to_vec(), count)
}
