//! Opening and closing regions: hbase:meta is told, the server is asked, its report awaited, hbase:meta told again.

use std::collections::BTreeMap;

use finback_cell::{RegionState, ServerName, TableName};
use finback_proto::pb;
use finback_rpc::{RpcException, exceptions};
use pb::table_state::State as TableState;

use super::{Core, Purpose, meta_writes::Then, procedure::Step};
use crate::{
    action::Action,
    meta_edit::MetaEdit,
    state::{Goal, Stage, Transition},
};

/// Attempts to open a region before it is in state FAILED_OPEN, and whoever waits for it is told (no limit for what the
/// start needs: nothing works without it).
const MAX_OPEN_ATTEMPTS: u32 = 10;
/// Regions in one request to a server.
const MAX_REGIONS_PER_REQUEST: usize = 500;

impl Core {
    /// Has regions opened that are not; each will be settled.
    pub(super) fn open_regions(&mut self, regions: &[String]) {
        let mut counts = self.state.region_counts();
        for encoded in regions {
            self.open_region(encoded, &mut counts, 0);
        }
    }

    /// Event: regions that did not open are tried once more, now and then: the disk may have been full. HBase never gives up by
    /// itself.
    pub(crate) fn open_failed_regions(&mut self, now: u64) {
        self.set_time(now);
        let is_at_work = |table: &TableName| {
            self.procedures.active().any(|(_, procedure)| procedure.operation.table() == Some(table))
        };
        let is_served = |table: &TableName| {
            self.state.tables.get(table).is_some_and(|known| known.state == TableState::Enabled)
        };
        let mut failed: Vec<String> = Vec::new();
        for (encoded, region) in &self.state.regions {
            let table = &region.info.table;
            let has_failed = region.state == RegionState::FailedOpen && region.transition.is_none();
            if has_failed && is_served(table) && !is_at_work(table) {
                failed.push(encoded.clone());
            }
        }
        let mut counts = self.state.region_counts();
        failed.iter().for_each(|encoded| self.open_region(encoded, &mut counts, MAX_OPEN_ATTEMPTS - 1));
        self.pump();
    }

    fn open_region(&mut self, encoded: &str, counts: &mut BTreeMap<ServerName, usize>, attempt: u32) {
        let Some(region) = self.state.regions.get(encoded) else {
            return self.region_settled(encoded, Err(exceptions::unknown_region(encoded)));
        };
        if region.transition.is_some() {
            return; // Whoever waits for the region is told when that one is settled.
        }
        let open = region.location().is_some_and(|server| self.state.servers.contains_key(server));
        if open || !region.is_assignable() {
            return self.region_settled(encoded, Ok(()));
        }
        let server = counts.iter().min_by_key(|(_, count)| **count).map(|(server, _)| server.clone());
        if let Some(count) = server.as_ref().and_then(|server| counts.get_mut(server)) {
            *count += 1;
        }
        self.begin(encoded, Goal::Open, server, attempt);
    }

    /// Has regions closed that are open; each will be settled. One that nobody closed has edits that are in no file: as in
    /// HBase it is opened, and closed when it is open.
    pub(super) fn close_regions(&mut self, regions: &[String]) {
        for encoded in regions {
            let Some(region) = self.state.regions.get(encoded) else {
                self.region_settled(encoded, Ok(()));
                continue;
            };
            if region.transition.is_some() {
                continue;
            }
            match region.location().filter(|server| self.state.servers.contains_key(server)) {
                Some(server) => self.begin(encoded, Goal::Close, Some(server.clone()), 0),
                None if matches!(region.state, RegionState::Closed | RegionState::FailedOpen) => {
                    self.region_settled(encoded, Ok(()));
                }
                None => self.region_lost(encoded),
            }
        }
    }

    fn begin(&mut self, encoded: &str, goal: Goal, server: Option<ServerName>, attempt: u32) {
        let proc_id = self.new_id();
        let replicas = self.state.region_replication(encoded);
        let Some(region) = self.state.regions.get_mut(encoded) else { return };
        let stage = if server.is_some() { Stage::Announcing } else { Stage::Waiting };
        region.transition = Some(Transition { goal, server: server.clone(), proc_id, attempt, stage });
        let info = region.info.clone();
        self.count_transition(encoded, goal);
        let Some(server) = server else { return };
        if info.is_meta() {
            return self.request_transitions(&[encoded.to_owned()]);
        }
        let edit = match goal {
            Goal::Open => MetaEdit::Opening { region: info, server, replicas },
            Goal::Close => MetaEdit::RegionState { region: info, state: RegionState::Closing, replicas },
        };
        self.write_meta(vec![edit], Then::Announced(encoded.to_owned()));
    }

    /// Asks the servers to do what was announced.
    pub(super) fn request_transitions(&mut self, regions: &[String]) {
        let mut requests: BTreeMap<(ServerName, bool, bool), Vec<(String, u64)>> = BTreeMap::new();
        for encoded in regions {
            let opened_here = self.is_opened_where_it_is_closed(encoded);
            let transition =
                self.state.regions.get_mut(encoded).and_then(|region| region.transition.as_mut());
            let Some(transition) = transition.filter(|t| t.stage == Stage::Announcing) else { continue };
            let Some(server) = transition.server.clone() else { continue };
            transition.stage = Stage::Requested;
            let key = (server, transition.goal == Goal::Open, opened_here);
            requests.entry(key).or_default().push((encoded.clone(), transition.proc_id));
        }
        for ((server, open, opened_here), regions) in requests {
            for chunk in regions.chunks(MAX_REGIONS_PER_REQUEST) {
                let infos = chunk
                    .iter()
                    .filter_map(|(encoded, id)| Some((self.state.regions.get(encoded)?.info.clone(), *id)))
                    .collect();
                let server = server.clone();
                let action = match open {
                    true => Action::OpenRegions { server, regions: infos },
                    false => Action::CloseRegions { server, regions: infos, opened_here },
                };
                self.act(action, Purpose::RegionRequest(chunk.to_vec()));
            }
        }
    }

    /// Whether the rows of a region that closes are opened again by the same procedure, and can be nowhere else.
    fn is_opened_where_it_is_closed(&self, encoded: &str) -> bool {
        let is_closed_by = |step: Option<&Step>| matches!(step, Some(Step::Close(regions)) if regions.iter().any(|region| region == encoded));
        let opens = |step: &Step| matches!(step, Step::Open(_));
        self.state.servers.len() == 1
            && self.procedures.active().any(|(_, procedure)| {
                procedure.steps.iter().any(opens) && is_closed_by(procedure.steps.front())
            })
    }

    /// The answer to a request: only a failure matters, the rest is reported.
    pub(super) fn region_request_outcome(
        &mut self,
        regions: &[(String, u64)],
        result: Result<(), RpcException>,
    ) {
        let Err(e) = result else { return };
        for (encoded, proc_id) in regions {
            if self.transition(encoded).is_some_and(|t| t.proc_id == *proc_id && t.stage == Stage::Requested)
            {
                self.transition_failed(encoded, e.clone());
            }
        }
    }

    pub(super) fn transition(&self, encoded: &str) -> Option<&Transition> {
        self.state.regions.get(encoded)?.transition.as_ref()
    }

    /// Tries again later, or gives up.
    pub(super) fn transition_failed(&mut self, encoded: &str, exception: RpcException) {
        let replicas = self.state.region_replication(encoded);
        let Some(region) = self.state.regions.get_mut(encoded) else { return };
        let Some(transition) = region.transition.as_mut() else { return };
        transition.attempt += 1;
        let (attempt, proc_id, goal) = (transition.attempt, transition.proc_id, transition.goal);
        tracing::warn!(region = encoded, ?goal, attempt, "region transition failed: {exception}");
        let needed = region.info.is_meta()
            || (!self.state.initialized && region.info.table == TableName::namespace_table());
        if goal == Goal::Open && attempt >= MAX_OPEN_ATTEMPTS && !needed {
            transition.stage = Stage::Recording;
            let (region, state) = (region.info.clone(), RegionState::FailedOpen);
            let edit = MetaEdit::RegionState { region, state, replicas };
            return self.write_meta(vec![edit], Then::Failed(encoded.to_owned(), exception));
        }
        transition.stage = Stage::Waiting;
        self.pause(attempt, Purpose::RegionPause { region: encoded.to_owned(), proc_id });
        self.startup_region_tried(encoded);
    }

    /// The next attempt.
    pub(super) fn region_pause_over(&mut self, encoded: &str, proc_id: u64) {
        let waiting = |t: &&Transition| t.proc_id == proc_id && t.stage == Stage::Waiting;
        let Some(transition) = self.transition(encoded).filter(waiting).cloned() else { return };
        if let Some(region) = self.state.regions.get_mut(encoded) {
            region.transition = None;
        }
        match transition.goal {
            Goal::Open => {
                let mut counts = self.state.region_counts();
                self.open_region(encoded, &mut counts, transition.attempt);
            }
            Goal::Close => self.begin(encoded, Goal::Close, transition.server, transition.attempt),
        }
    }

    /// Regions that found no server get one.
    pub(super) fn open_waiting_regions(&mut self) {
        let homeless =
            |t: &Transition| t.goal == Goal::Open && t.stage == Stage::Waiting && t.server.is_none();
        let found =
            self.state.regions.iter_mut().filter(|(_, r)| r.transition.as_ref().is_some_and(homeless));
        let mut regions: Vec<String> = found
            .map(|(encoded, region)| {
                region.transition = None;
                encoded.clone()
            })
            .collect();
        regions.sort();
        self.open_regions(&regions);
    }

    pub(super) fn record_closed(&mut self, encoded: &str, info: finback_cell::RegionInfo) {
        if let Some(transition) = self.state.regions.get_mut(encoded).and_then(|r| r.transition.as_mut()) {
            transition.stage = Stage::Recording;
        }
        let replicas = self.state.region_replication(encoded);
        let edit = MetaEdit::RegionState { region: info, state: RegionState::Closed, replicas };
        if encoded == finback_cell::region_info::META_ENCODED_NAME {
            edit.apply(&mut self.state, self.now);
            return self.region_settled(encoded, Ok(()));
        }
        self.write_meta(vec![edit], Then::Settled(encoded.to_owned()));
    }

    /// A region has arrived, or was given up.
    pub(super) fn region_settled(&mut self, encoded: &str, result: Result<(), RpcException>) {
        let mut goal = None;
        if let Some(region) = self.state.regions.get_mut(encoded) {
            goal = region.transition.take().map(|t| t.goal);
        }
        let server = self.state.regions.get(encoded).and_then(|region| region.location());
        let lost = server.is_some_and(|server| !self.state.servers.contains_key(server));
        if goal == Some(Goal::Open) && lost {
            return self.region_lost(encoded);
        }
        self.count_settled(encoded, result.is_ok());
        self.startup_region_tried(encoded);
        self.region_ready(encoded, result);
    }
}
