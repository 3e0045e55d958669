//! One `Multi` call: the actions of one server.

use super::answers::{self, Answer};
use super::{BatchAction, Prepared};
use crate::error::Attempt;
use crate::location::RegionLocation;
use crate::locator::attempt;
use bytes::Bytes;
use finback_proto::pb;
use finback_rpc::{CellPieces, CellPiecesBuilder, RpcException, exceptions};
use std::collections::HashMap;
use std::sync::Arc;

/// Actions of one call (HBase's servers warn of more: `hbase.rpc.rows.warning.threshold`).
const MAX_ACTIONS: usize = 5000;
/// Bytes of the actions of one call, unless one has more; servers take requests of 256 MiB.
const MAX_BYTES: usize = 8 << 20;

/// Actions of one region, by their places in the batch.
type OfRegion = (Arc<RegionLocation>, Vec<usize>);
/// Actions of one server that are sent together.
pub(super) type Call = Vec<OfRegion>;

/// Actions, with their regions.
#[derive(Default)]
pub(super) struct Regions(Vec<(Arc<RegionLocation>, usize)>);

impl Regions {
    pub(super) fn push(&mut self, location: Arc<RegionLocation>, index: usize) {
        self.0.push((location, index));
    }

    /// The region of the action before, if it has this row as well.
    pub(super) fn last_with(&self, row: &[u8]) -> Option<Arc<RegionLocation>> {
        let last = self.0.last().filter(|(location, _)| location.region().contains_row(row));
        last.map(|(location, _)| Arc::clone(location))
    }

    /// The calls to make: one for each server, or several where it would be too large. Those of one list share rows, and are to be made
    /// one after the other. `row` tells the row of an action, if its place among others of it matters.
    pub(super) fn by_server<'a>(
        mut self,
        size: impl Fn(usize) -> usize,
        row: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Vec<Vec<Call>> {
        // By the address of the location in memory, which all that were found together share. Addresses are only compared.
        self.0.sort_by_key(|(location, _)| Arc::as_ptr(location).addr());
        let mut servers: HashMap<&str, Call> = HashMap::new();
        for of_region in self.0.chunk_by(|(a, _), (b, _)| Arc::ptr_eq(a, b)) {
            let location = &of_region[0].0;
            let indices = of_region.iter().map(|(_, index)| *index).collect();
            servers.entry(location.address()).or_default().push((Arc::clone(location), indices));
        }
        servers.into_values().flat_map(|regions| in_turn(cut(regions, &size), &row)).collect()
    }
}

/// The calls, in lists of those that rows connect which they share.
fn in_turn<'a>(calls: Vec<Call>, row: &impl Fn(usize) -> Option<&'a [u8]>) -> Vec<Vec<Call>> {
    if calls.len() < 2 {
        return vec![calls];
    }
    // Of each call, the list that it is in; of each row, the first call that has it.
    let mut of_calls: Vec<usize> = (0..calls.len()).collect();
    let mut of_rows: HashMap<&[u8], usize> = HashMap::new();
    for (number, call) in calls.iter().enumerate() {
        for row in call.iter().flat_map(|(_, indices)| indices).filter_map(|&index| row(index)) {
            let first = *of_rows.entry(row).or_insert(number);
            let (list, joined) = (of_calls[first], of_calls[number]);
            if list != joined {
                of_calls.iter_mut().filter(|of_call| **of_call == joined).for_each(|of_call| *of_call = list);
            }
        }
    }
    let mut lists: Vec<Vec<Call>> = calls.iter().map(|_| Vec::new()).collect();
    for (call, list) in calls.into_iter().zip(of_calls) {
        lists[list].push(call);
    }
    lists.retain(|list| !list.is_empty());
    lists
}

/// The actions of a server, in calls that are not too large.
fn cut(regions: Vec<OfRegion>, size: &impl Fn(usize) -> usize) -> Vec<Call> {
    let (mut calls, mut call, mut count, mut bytes) = (Vec::new(), Call::new(), 0, 0);
    for (location, indices) in regions {
        call.push((Arc::clone(&location), Vec::new()));
        for index in indices {
            let size = size(index);
            if count == MAX_ACTIONS || (count > 0 && bytes + size > MAX_BYTES) {
                call.retain(|(_, indices)| !indices.is_empty());
                calls.push(std::mem::replace(&mut call, vec![(Arc::clone(&location), Vec::new())]));
                (count, bytes) = (0, 0);
            }
            if let Some((_, indices)) = call.last_mut() {
                indices.push(index);
            }
            count += 1;
            bytes += size;
        }
    }
    calls.push(call);
    calls
}

/// A call as it is sent, and what its parts stand for.
pub(super) struct Multi<'a> {
    actions: &'a [Prepared],
    regions: &'a [OfRegion],
    parts: Vec<Part<'a>>,
}

/// A `RegionAction`: actions that are independent of each other, or one that is a whole.
pub(super) struct Part<'a> {
    pub(super) location: &'a Arc<RegionLocation>,
    pub(super) indices: Vec<usize>,
    pub(super) whole: bool,
}

impl<'a> Multi<'a> {
    pub(super) fn new(actions: &'a [Prepared], regions: &'a [OfRegion]) -> Self {
        let mut parts = Vec::new();
        for (location, indices) in regions {
            let is_whole = |index: &usize| {
                matches!(
                    actions[*index].action,
                    BatchAction::RowMutations(_) | BatchAction::CheckAndMutate(_)
                )
            };
            let (wholes, plain): (Vec<usize>, Vec<usize>) = indices.iter().partition(|index| is_whole(index));
            if !plain.is_empty() {
                parts.push(Part { location, indices: plain, whole: false });
            }
            parts.extend(wholes.into_iter().map(|index| Part {
                location,
                indices: vec![index],
                whole: true,
            }));
        }
        Self { actions, regions, parts }
    }

    /// The message, and the cells of all mutations in the order of the message.
    pub(super) fn request(&self, nonce_group: u64) -> (pb::MultiRequest, CellPieces) {
        let mut cells = CellPiecesBuilder::default();
        let region_action = self.parts.iter().map(|part| self.region_action(part, &mut cells)).collect();
        let nonced = self.parts.iter().flat_map(|part| &part.indices);
        let nonced = nonced.into_iter().any(|&index| !self.actions[index].nonces.is_empty());
        let nonce_group = nonced.then_some(nonce_group);
        (pb::MultiRequest { region_action, nonce_group, ..Default::default() }, cells.finish())
    }

    fn region_action(&self, part: &Part<'_>, cells: &mut CellPiecesBuilder) -> pb::RegionAction {
        let region = part.location.specifier();
        let plain = |(place, &index): (usize, &usize)| {
            let prepared = &self.actions[index];
            let place = Some(u32::try_from(place).unwrap_or(u32::MAX));
            match &prepared.action {
                BatchAction::Get(get) => {
                    pb::Action { index: place, get: Some(Box::new(get.to_message())), ..Default::default() }
                }
                BatchAction::Exists(get) => {
                    let get = get.clone().existence_only(true).to_message();
                    pb::Action { index: place, get: Some(Box::new(get)), ..Default::default() }
                }
                other => pb::Action {
                    index: place,
                    mutation: other.mutations().first().map(|m| m.to_message(prepared.nonce(0), cells)),
                    ..Default::default()
                },
            }
        };
        if !part.whole {
            let action = part.indices.iter().enumerate().map(plain).collect();
            return pb::RegionAction { region, action, ..Default::default() };
        }
        let prepared = &self.actions[part.indices[0]];
        let mutations = prepared.action.mutations().iter().enumerate();
        let messages = mutations.map(|(place, mutation)| pb::Action {
            mutation: Some(mutation.to_message(prepared.nonce(place), cells)),
            ..Default::default()
        });
        let messages = messages.collect();
        match &prepared.action {
            BatchAction::CheckAndMutate(check) => pb::RegionAction {
                region,
                atomic: check.is_several().then_some(true),
                action: messages,
                condition: Some(check.condition_message()),
            },
            _ => pb::RegionAction { region, atomic: Some(true), action: messages, condition: None },
        }
    }

    /// What became of each action.
    pub(super) fn answers(&self, response: &pb::MultiResponse, mut block: Bytes) -> Vec<Answer> {
        let (parts, results) = (self.parts.len(), response.region_action_result.len());
        if parts != results {
            return self.all_failed(&exceptions::hbase_io(format!(
                "{results} results for {parts} groups of actions"
            )));
        }
        let mut answers = Vec::new();
        for (part, result) in self.parts.iter().zip(&response.region_action_result) {
            let kinds = |place: usize| &self.actions[part.indices[place]].action;
            if let Err(exception) = answers::of_part(part, result, kinds, &mut block, &mut answers) {
                // The cells that are left are nobody's.
                return self.all_failed(&exception);
            }
        }
        answers
    }

    pub(super) fn all_failed(&self, exception: &RpcException) -> Vec<Answer> {
        let failed = |(location, indices): &OfRegion| {
            let attempt = attempt("Multi", location, exception.clone());
            indices.iter().map(|&index| (index, Err(attempt.clone()))).collect::<Vec<_>>()
        };
        self.regions.iter().flat_map(failed).collect()
    }

    /// The exceptions of each region, one of each class.
    pub(super) fn failures<'b>(
        &'b self,
        answers: &'b [Answer],
    ) -> Vec<(&'a Arc<RegionLocation>, &'b RpcException)> {
        let failed: HashMap<usize, &Attempt> =
            answers.iter().filter_map(|(index, answer)| Some((*index, answer.as_ref().err()?))).collect();
        if failed.is_empty() {
            return Vec::new();
        }
        let mut failures: Vec<(&Arc<RegionLocation>, &RpcException)> = Vec::new();
        for (location, indices) in self.regions {
            for attempt in indices.iter().filter_map(|index| failed.get(index)) {
                let known = |(at, known): &(&Arc<RegionLocation>, &RpcException)| {
                    Arc::ptr_eq(at, location) && known.class == attempt.exception.class
                };
                if !failures.iter().rev().take(4).any(known) {
                    failures.push((location, &attempt.exception));
                }
            }
        }
        failures
    }
}
