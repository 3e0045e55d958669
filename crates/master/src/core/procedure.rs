//! Procedures: operations as lists of steps, one step at a time, one operation on a table at a time.

use std::collections::{BTreeSet, VecDeque};

use bytes::Bytes;
use finback_cell::{RegionInfo, RegionState, ServerName};
use finback_proto::pb;
use finback_rpc::{RpcException, exceptions};

use super::{Core, Purpose, decision::Decision, meta_writes::Then};
use crate::{
    action::{Action, Outcome},
    meta_edit::MetaEdit,
    namespace_table::NamespaceEdit,
    operation::Operation,
    procedure_record as record,
    state::ClusterState,
    storage_work::StorageWork,
};

/// Operations that wait or run; a client that asks for more is told to come back.
const MAX_ACTIVE: usize = 1000;

/// Nonce group and nonce of a request; none if both are 0.
pub(crate) type Nonce = (u64, u64);

/// Where an operation comes from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origin {
    pub(crate) nonce: Option<Nonce>,
    pub(crate) user: Option<String>,
}

/// A step.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Work on disk before the change stands in hbase:meta: if it fails, so does the operation, and nothing has changed.
    Prepare(StorageWork),
    /// Work on disk after: it is tried again, then left for later (`left_undone`), or to the next start or use of the name,
    /// or, of MOB files, to their sweep.
    CleanUp(StorageWork),
    /// One atomic change of hbase:meta.
    Meta(Vec<MetaEdit>),
    /// A table's schema in memory.
    SetDescriptor(std::sync::Arc<finback_cell::TableDescriptor>),
    Open(Vec<String>),
    Close(Vec<String>),
    Namespace(NamespaceEdit),
    /// The end of an operation that was let in, and cannot be done.
    Fail(RpcException),
    /// What is done in place of the steps that are left, should one fail before hbase:meta has changed.
    Otherwise(Vec<Step>),
    /// Waits for a client to let go of a lock, or to be silent for too long.
    Hold,
    /// Flushes regions, if the snapshot is of that kind, and has their files written down.
    AddToSnapshot {
        snapshot: pb::SnapshotDescription,
        table: std::sync::Arc<finback_cell::TableDescriptor>,
        regions: Vec<String>,
    },
    /// Flushes regions (by encoded name), at once.
    Flush(Vec<(String, Option<Bytes>)>),
}

/// How far an operation is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Status {
    /// Behind another one.
    Waiting,
    Running,
    Finished(Result<(), RpcException>),
}

/// An operation at work.
#[derive(Debug)]
pub(crate) struct Procedure {
    pub(crate) operation: Operation,
    pub(crate) submitted_ms: u64,
    pub(crate) updated_ms: u64,
    pub(crate) status: Status,
    pub(crate) nonce: Option<Nonce>,
    /// The user who asked for it.
    pub(crate) owner: Option<String>,
    /// None before its turn.
    pub(crate) decision: Option<Decision>,
    pub(super) steps: VecDeque<Step>,
    pub(super) steps_done: u32,
    pub(super) stored: Stored,
    /// When its client got the result.
    pub(super) acknowledged_ms: Option<u64>,
    /// About how many bytes it takes when it is finished.
    pub(super) footprint: usize,
    /// When the client that holds a lock, or waits for it, was last heard of.
    pub(super) heartbeat_ms: u64,
    /// Somebody wants it undone, as long as that is possible.
    aborted: bool,
    /// It ended before it began.
    rejected: bool,
    /// Steps given from outside (finishing what an earlier master began): not to be planned.
    planned: bool,
    /// hbase:meta has a change of it, or an earlier master had begun it: it goes on to its end.
    pub(super) has_changed_meta: bool,
    pub(super) wait: Wait,
    pub(super) attempt: u32,
    /// The first failure that did not stop the operation.
    pub(super) failure: Option<RpcException>,
    /// See [`Step::Otherwise`].
    pub(super) otherwise: Vec<Step>,
}

/// What of a procedure is on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stored {
    /// It is written down at all: what nobody asked for is not.
    pub(super) wanted: bool,
    /// Counts the changes that are to be written down.
    pub(super) version: u64,
    /// The latest that was.
    pub(super) written: u64,
}

impl Stored {
    /// All of it is on disk that has to be.
    pub(super) fn is_current(self) -> bool {
        !self.wanted || self.written >= self.version
    }
}

#[derive(Debug, Default)]
pub(super) enum Wait {
    #[default]
    Ready,
    Outcomes(usize),
    Meta,
    Regions(BTreeSet<String>),
    Pause,
    /// For what was written down to be on disk.
    Store,
    /// For the client that holds a lock.
    Holder,
}

impl Step {
    /// Whether it changes what a crash leaves, other than the state of a region, which hbase:meta tells by itself.
    pub(super) fn is_durable(&self) -> bool {
        match self {
            Self::Prepare(_) | Self::CleanUp(_) | Self::Meta(_) | Self::Namespace(_) => true,
            Self::SetDescriptor(_)
            | Self::Open(_)
            | Self::Close(_)
            | Self::Fail(_)
            | Self::Otherwise(_)
            | Self::Hold
            | Self::AddToSnapshot { .. }
            | Self::Flush(_) => false,
        }
    }
}

impl Procedure {
    pub(crate) fn new(operation: Operation, now: u64) -> Self {
        Self {
            operation,
            submitted_ms: now,
            updated_ms: now,
            status: Status::Waiting,
            nonce: None,
            owner: None,
            decision: None,
            steps: VecDeque::new(),
            steps_done: 0,
            stored: Stored::default(),
            acknowledged_ms: None,
            footprint: 0,
            heartbeat_ms: now,
            aborted: false,
            rejected: false,
            planned: false,
            has_changed_meta: false,
            wait: Wait::Ready,
            attempt: 0,
            failure: None,
            otherwise: Vec::new(),
        }
    }

    /// Has these steps done, and nothing planned: those that an earlier one left.
    pub(super) fn with_steps(mut self, steps: Vec<Step>) -> Self {
        (self.planned, self.has_changed_meta, self.steps) = (true, true, steps.into());
        self
    }

    /// As one that is at work already, with these steps left.
    pub(super) fn resume(&mut self, left: Vec<Step>) {
        (self.planned, self.status, self.wait) = (true, Status::Running, Wait::Ready);
        self.steps = left.into();
    }

    /// How many of its steps are done.
    pub(crate) fn steps_done(&self) -> usize {
        usize::try_from(self.steps_done).unwrap_or(usize::MAX)
    }

    /// Whether it waits for regions to open or close.
    pub(crate) fn waits_for_regions(&self) -> bool {
        matches!(self.wait, Wait::Regions(_))
    }

    /// Whether it holds a lock for a client.
    pub(crate) fn holds(&self) -> bool {
        matches!(self.wait, Wait::Holder)
    }

    /// Whether it is on disk, as far as it has to be: after a crash it will be known.
    pub(crate) fn is_recorded(&self) -> bool {
        !self.stored.wanted || self.stored.written > 0
    }

    /// The result, if it is on disk: what a client was told must be so after a crash.
    pub(crate) fn result(&self) -> Option<&Result<(), RpcException>> {
        match &self.status {
            Status::Finished(result) if self.stored.is_current() => Some(result),
            _ => None,
        }
    }
}

impl Core {
    /// Event: a client asks for an operation. The same nonce gives the same id, and nothing is done twice.
    ///
    /// # Errors
    /// What the client did wrong, in HBase's words.
    pub(crate) fn submit(
        &mut self,
        operation: Operation,
        origin: Origin,
        now: u64,
    ) -> Result<u64, RpcException> {
        self.set_time(now);
        if let Some(id) = origin.nonce.and_then(|nonce| self.procedures.by_nonce(nonce)) {
            return Ok(id);
        }
        if self.procedures.active.len() >= MAX_ACTIVE {
            let message = format!("{MAX_ACTIVE} operations are waiting already");
            return Err(exceptions::call_queue_too_big(message));
        }
        self.check_room_for_lock(&operation)?;
        // Behind another on the same table it is checked when its turn comes, against what is true then.
        if !self.procedures.exclude(&operation) {
            operation.check(&self.state, self.config.table_sanity_checks)?;
        }
        let mut procedure = Procedure::new(operation, self.now);
        (procedure.nonce, procedure.owner) = (origin.nonce, origin.user);
        procedure.stored.wanted = record::encode_operation(&procedure.operation).is_some();
        let id = self.add_procedure(procedure);
        self.write_down(id);
        self.pump();
        Ok(id)
    }

    /// Adds an operation to those at work.
    pub(super) fn add_procedure(&mut self, procedure: Procedure) -> u64 {
        self.evict_procedures();
        let id = self.new_id();
        self.count_submitted(&procedure.operation);
        if let Some(nonce) = procedure.nonce {
            self.procedures.nonces.insert(nonce, id);
        }
        self.procedures.by_id.insert(id, procedure);
        self.procedures.active.insert(id);
        id
    }

    /// Event: a client asks to abort an operation; whether it will be. One that has not begun can be, and a split or a
    /// merge up to its change of hbase:meta, if it may be interrupted.
    pub(crate) fn abort_procedure(&mut self, id: u64, may_interrupt: bool, now: u64) -> bool {
        self.set_time(now);
        let Some(procedure) = self.procedures.by_id.get_mut(&id) else { return false };
        match procedure.status {
            Status::Waiting | Status::Running
                if matches!(procedure.operation, Operation::HoldLock { .. }) =>
            {
                self.lock_heartbeat(id, false, now);
                true
            }
            Status::Waiting => {
                self.reject(id, exceptions::procedure_aborted("abort requested"));
                self.pump();
                true
            }
            Status::Running if may_interrupt && !procedure.otherwise.is_empty() => {
                procedure.aborted = true;
                true
            }
            Status::Running | Status::Finished(_) => false,
        }
    }

    /// Whether an operation was let in (`None`: it waits behind another), or why not. HBase's clients get to know the
    /// latter from the call that asked for it.
    pub(crate) fn admission(&self, id: u64) -> Option<Result<(), RpcException>> {
        let Some(procedure) = self.procedures.get(id) else { return Some(Ok(())) };
        match &procedure.status {
            Status::Waiting => None,
            Status::Finished(result) if procedure.rejected => Some(result.clone()),
            // Its id is told when it will be known after a crash, too.
            _ => procedure.is_recorded().then_some(Ok(())),
        }
    }

    pub(super) fn reject(&mut self, id: u64, exception: RpcException) {
        if let Some(procedure) = self.procedures.by_id.get_mut(&id) {
            procedure.rejected = true;
        }
        self.finish(id, Err(exception));
    }

    /// Starts and continues what can go on; whether there was anything.
    pub(super) fn run_procedures(&mut self) -> bool {
        let ids = self.procedures.runnable();
        ids.iter().for_each(|id| self.run_procedure(*id));
        !ids.is_empty()
    }

    fn run_procedure(&mut self, id: u64) {
        let Some(procedure) = self.procedures.get(id) else { return };
        if procedure.status == Status::Waiting
            && let Err(e) = self.start_procedure(id)
        {
            return self.reject(id, e);
        }
        // Each round takes a step off the list or waits.
        while let Some(procedure) = self.procedures.by_id.get_mut(&id) {
            if procedure.status != Status::Running || !matches!(procedure.wait, Wait::Ready) {
                return;
            }
            // What is about to be done is on disk first.
            let acts = procedure.steps_done == 0 || procedure.steps.front().is_some_and(Step::is_durable);
            if acts && !procedure.stored.is_current() {
                procedure.wait = Wait::Store;
                return;
            }
            procedure.updated_ms = self.now;
            let can_be_undone = !procedure.otherwise.is_empty() && !procedure.steps.is_empty();
            if std::mem::take(&mut procedure.aborted) && can_be_undone {
                self.undo(id, exceptions::procedure_aborted("abort requested"));
                continue;
            }
            match procedure.steps.front().cloned() {
                Some(step) => self.run_step(id, step),
                None => {
                    let result = procedure.failure.take().map_or(Ok(()), Err);
                    return self.finish(id, result);
                }
            }
        }
    }

    fn start_procedure(&mut self, id: u64) -> Result<(), RpcException> {
        let Some(procedure) = self.procedures.get(id) else { return Ok(()) };
        if !procedure.planned {
            let (decision, steps) = self.plan(&procedure.operation)?;
            if let Some(procedure) = self.procedures.by_id.get_mut(&id) {
                procedure.decision = Some(decision);
                procedure.steps = steps.into();
            }
            self.write_down(id);
        }
        if let Some(procedure) = self.procedures.by_id.get_mut(&id) {
            procedure.status = Status::Running;
        }
        Ok(())
    }

    fn run_step(&mut self, id: u64, step: Step) {
        match step {
            Step::Prepare(work) | Step::CleanUp(work) => self.step_action(id, Action::Storage(work)),
            Step::Meta(edits) => {
                self.set_wait(id, Wait::Meta);
                self.write_meta(edits, Then::Procedure(id));
            }
            Step::Fail(exception) => self.step_failed(id, exception),
            Step::Otherwise(steps) => {
                if let Some(procedure) = self.procedures.by_id.get_mut(&id) {
                    procedure.otherwise = steps;
                }
                self.step_done(id);
            }
            Step::SetDescriptor(descriptor) => {
                if let Some(table) = self.state.tables.get_mut(&descriptor.name) {
                    table.descriptor = Some(descriptor);
                }
                self.step_done(id);
            }
            Step::Open(regions) => {
                self.set_wait(id, Wait::Regions(regions.iter().cloned().collect()));
                self.open_regions(&regions);
                self.check_regions(id);
            }
            Step::Close(regions) => {
                self.set_wait(id, Wait::Regions(regions.iter().cloned().collect()));
                self.close_regions(&regions);
                self.check_regions(id);
            }
            Step::Namespace(edit) => match self.namespace_write(&edit) {
                Some(action) => self.step_action(id, action),
                None => self.step_failed(id, exceptions::io("hbase:namespace is not open")),
            },
            Step::Hold => self.hold_lock(id),
            Step::AddToSnapshot { snapshot, table, regions } => match self.located(&regions) {
                Ok(regions) => self.step_action(id, Action::AddToSnapshot { snapshot, table, regions }),
                Err(exception) => self.step_failed(id, exception),
            },
            Step::Flush(regions) => self.flush(id, &regions),
        }
    }

    fn flush(&mut self, id: u64, regions: &[(String, Option<Bytes>)]) {
        let flush = |state: &ClusterState, encoded: &String, family: &Option<Bytes>| {
            let region = state.regions.get(encoded)?;
            let (server, region) = (region.location()?.clone(), region.info.clone());
            Some(Action::FlushRegion { server, region, family: family.clone() })
        };
        let actions: Vec<_> =
            regions.iter().filter_map(|(region, family)| flush(&self.state, region, family)).collect();
        if actions.is_empty() {
            return self.step_done(id);
        }
        self.set_wait(id, Wait::Outcomes(actions.len()));
        actions.into_iter().for_each(|action| self.act(action, Purpose::Procedure(id)));
    }

    /// Regions, and the servers on which they are open.
    fn located(&self, encoded: &[String]) -> Result<Vec<(ServerName, RegionInfo)>, RpcException> {
        let located = |encoded: &String| {
            let region = self.state.regions.get(encoded);
            let located = region.and_then(|region| Some((region.location()?.clone(), region.info.clone())));
            located.ok_or_else(|| exceptions::not_serving_region(encoded))
        };
        encoded.iter().map(located).collect()
    }

    fn step_action(&mut self, id: u64, action: Action) {
        self.set_wait(id, Wait::Outcomes(1));
        self.act(action, Purpose::Procedure(id));
    }

    fn set_wait(&mut self, id: u64, wait: Wait) {
        if let Some(procedure) = self.procedures.by_id.get_mut(&id) {
            procedure.wait = wait;
        }
    }

    /// An action of a step, or the pause before the next attempt, is through.
    pub(super) fn procedure_outcome(&mut self, id: u64, outcome: Outcome) {
        let Some(procedure) = self.procedures.by_id.get_mut(&id) else { return };
        procedure.updated_ms = self.now;
        match (&mut procedure.wait, outcome) {
            (Wait::Pause, _) => procedure.wait = Wait::Ready,
            (Wait::Outcomes(n), outcome) => {
                *n = n.saturating_sub(1);
                let through = *n == 0;
                match outcome {
                    Err(e) if matches!(procedure.steps.front(), Some(Step::Flush(_))) => {
                        // A region that was closed meanwhile was flushed by that.
                        if e.simple_class() != "NotServingRegionException" {
                            procedure.failure.get_or_insert(e);
                        }
                    }
                    Err(e) => return self.step_failed(id, e),
                    Ok(_) => {}
                }
                if through {
                    self.step_done(id);
                }
            }
            _ => {}
        }
    }

    /// The front step is through.
    pub(super) fn step_done(&mut self, id: u64) {
        let Some(procedure) = self.procedures.by_id.get_mut(&id) else { return };
        procedure.attempt = 0;
        procedure.wait = Wait::Ready;
        procedure.steps_done += 1;
        let step = procedure.steps.pop_front();
        if step.as_ref().is_some_and(Step::is_durable) {
            self.write_down(id);
        }
        match step {
            Some(Step::Namespace(edit)) => edit.apply(&mut self.state),
            Some(Step::Meta(_)) => {
                if let Some(procedure) = self.procedures.by_id.get_mut(&id) {
                    procedure.has_changed_meta = true;
                    procedure.otherwise.clear();
                }
            }
            _ => {}
        }
    }

    /// A region is as it should be, or was given up: whoever waits for it goes on.
    pub(super) fn region_ready(&mut self, encoded: &str, result: Result<(), RpcException>) {
        let ids: Vec<u64> = self.procedures.active().map(|(id, _)| id).collect();
        for id in ids {
            let Some(procedure) = self.procedures.by_id.get_mut(&id) else { continue };
            let Wait::Regions(regions) = &mut procedure.wait else { continue };
            if !regions.contains(encoded) {
                continue;
            }
            // Where it arrived may be where somebody else wanted it: then it is on its way again.
            let region = [encoded.to_owned()];
            let state = self.state.regions.get(encoded).map(|region| region.state);
            match (procedure.steps.front(), state) {
                (Some(Step::Close(_)), Some(RegionState::Open)) => return self.close_regions(&region),
                (Some(Step::Open(_)), Some(RegionState::Closed)) if result.is_ok() => {
                    return self.open_regions(&region);
                }
                _ => {}
            }
            regions.remove(encoded);
            let is_closed = matches!(procedure.steps.front(), Some(Step::Close(_)))
                && state == Some(RegionState::FailedOpen);
            match &result {
                // What is made of its files would lack its edits.
                Err(e) if is_closed && !procedure.otherwise.is_empty() => {
                    self.undo(id, e.clone());
                    continue;
                }
                Err(e) if !is_closed => drop(procedure.failure.get_or_insert_with(|| e.clone())),
                _ => {}
            }
            self.check_regions(id);
        }
    }

    fn check_regions(&mut self, id: u64) {
        let wait = self.procedures.get(id).map(|procedure| &procedure.wait);
        if matches!(wait, Some(Wait::Regions(regions)) if regions.is_empty()) {
            self.step_done(id);
        }
    }

    pub(super) fn finish(&mut self, id: u64, result: Result<(), RpcException>) {
        self.count_finished(id, result.is_ok());
        let Some(procedure) = self.procedures.by_id.get_mut(&id) else { return };
        let name = procedure.operation.class_name();
        let table = procedure.operation.table().map(ToString::to_string);
        match &result {
            Ok(()) => tracing::info!(id, name, table, "procedure finished"),
            Err(e) => tracing::warn!(id, name, table, "procedure failed: {e}"),
        }
        procedure.steps.clear();
        procedure.updated_ms = self.now;
        procedure.status = Status::Finished(result);
        procedure.measure();
        self.procedures.active.remove(&id);
        self.write_down(id);
        self.startup_procedure_finished(id);
    }
}
