//! Procedures: operations as lists of steps, one step at a time, one operation on a table at a time.

use std::collections::{BTreeSet, VecDeque};

use bytes::Bytes;
use finback_rpc::{RpcException, exceptions};

use super::{Core, Purpose, meta_writes::Then};
use crate::{
    action::{Action, Outcome},
    meta_edit::MetaEdit,
    namespace_table::NamespaceEdit,
    operation::Operation,
    state::ClusterState,
    storage_work::StorageWork,
};

/// Operations that wait or run; a client that asks for more is told to come back.
const MAX_ACTIVE: usize = 1000;
/// Attempts at a step that may be tried again.
const MAX_ATTEMPTS: u32 = 5;

/// Nonce group and nonce of a request; none if both are 0.
pub(crate) type Nonce = (u64, u64);

/// A step.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Work on disk before the change stands in hbase:meta: if it fails, so does the operation, and nothing has changed.
    Prepare(StorageWork),
    /// Work on disk after: it is tried again, then left to the next start of the master or use of the name.
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
    pub(super) steps: VecDeque<Step>,
    /// It ended before it began.
    rejected: bool,
    /// Steps given from outside (finishing what an earlier master began): not to be planned.
    planned: bool,
    pub(super) wait: Wait,
    attempt: u32,
    /// The first failure that did not stop the operation.
    failure: Option<RpcException>,
    /// See [`Step::Otherwise`].
    otherwise: Vec<Step>,
}

#[derive(Debug, Default)]
pub(super) enum Wait {
    #[default]
    Ready,
    Outcomes(usize),
    Meta,
    Regions(BTreeSet<String>),
    Pause,
}

impl Core {
    /// Event: a client asks for an operation. The same nonce gives the same id, and nothing is done twice.
    ///
    /// # Errors
    /// What the client did wrong, in HBase's words.
    pub(crate) fn submit(
        &mut self,
        operation: Operation,
        nonce: Option<Nonce>,
        now: u64,
    ) -> Result<u64, RpcException> {
        self.set_time(now);
        if let Some(id) = nonce.and_then(|nonce| self.procedures.by_nonce(nonce)) {
            return Ok(id);
        }
        if self.procedures.active.len() >= MAX_ACTIVE {
            let message = format!("{MAX_ACTIVE} operations are waiting already");
            return Err(exceptions::call_queue_too_big(message));
        }
        // Behind another on the same table it is checked when its turn comes, against what is true then.
        if !self.procedures.active().any(|(_, earlier)| earlier.operation.conflicts_with(&operation)) {
            operation.check(&self.state, self.config.table_sanity_checks)?;
        }
        let id = self.add_procedure(operation, nonce, None);
        self.pump();
        Ok(id)
    }

    /// Adds an operation; with `steps`, these are done and nothing is planned.
    pub(super) fn add_procedure(
        &mut self,
        operation: Operation,
        nonce: Option<Nonce>,
        steps: Option<Vec<Step>>,
    ) -> u64 {
        self.procedures.forget_old(self.now);
        let id = self.new_id();
        let procedure = Procedure {
            operation,
            submitted_ms: self.now,
            updated_ms: self.now,
            status: Status::Waiting,
            nonce,
            rejected: false,
            planned: steps.is_some(),
            steps: steps.unwrap_or_default().into(),
            wait: Wait::Ready,
            attempt: 0,
            failure: None,
            otherwise: Vec::new(),
        };
        self.procedures.by_id.insert(id, procedure);
        self.procedures.active.insert(id);
        if let Some(nonce) = nonce {
            self.procedures.nonces.insert(nonce, id);
        }
        id
    }

    /// Event: a client asks to abort an operation. One that has not begun can be.
    pub(crate) fn abort_procedure(&mut self, id: u64, now: u64) -> bool {
        self.set_time(now);
        let waiting = self.procedures.get(id).is_some_and(|p| p.status == Status::Waiting);
        if waiting {
            let message = format!("abort of procedure {id} was requested");
            self.reject(id, exceptions::io(message));
            self.pump();
        }
        waiting
    }

    /// Whether an operation was let in (`None`: it waits behind another), or why not. HBase's clients get to know the
    /// latter from the call that asked for it.
    pub(crate) fn admission(&self, id: u64) -> Option<Result<(), RpcException>> {
        match self.procedures.get(id).map(|p| (&p.status, p.rejected)) {
            Some((Status::Waiting, _)) => None,
            Some((Status::Finished(result), true)) => Some(result.clone()),
            _ => Some(Ok(())),
        }
    }

    fn reject(&mut self, id: u64, exception: RpcException) {
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
            procedure.updated_ms = self.now;
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
            let steps = self.plan(&procedure.operation.clone())?;
            if let Some(procedure) = self.procedures.by_id.get_mut(&id) {
                procedure.steps = steps.into();
            }
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
                        procedure.failure.get_or_insert(e);
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
        match procedure.steps.pop_front() {
            Some(Step::Namespace(edit)) => edit.apply(&mut self.state),
            Some(Step::Meta(_)) => procedure.otherwise.clear(),
            _ => {}
        }
    }

    fn step_failed(&mut self, id: u64, exception: RpcException) {
        let Some(procedure) = self.procedures.by_id.get_mut(&id) else { return };
        procedure.attempt += 1;
        let attempt = procedure.attempt;
        let again = match procedure.steps.front() {
            Some(Step::CleanUp(_) | Step::Namespace(_)) => attempt < MAX_ATTEMPTS,
            _ => false,
        };
        if again {
            procedure.wait = Wait::Pause;
            return self.pause(attempt, Purpose::Procedure(id));
        }
        match procedure.steps.front() {
            Some(Step::CleanUp(work)) => {
                tracing::error!(?work, "left undone until the next start: {exception}");
                self.step_done(id);
            }
            _ if !procedure.otherwise.is_empty() => {
                tracing::warn!(id, "procedure is undone: {exception}");
                procedure.failure.get_or_insert(exception);
                procedure.steps = std::mem::take(&mut procedure.otherwise).into();
                procedure.attempt = 0;
                procedure.wait = Wait::Ready;
            }
            _ => self.finish(id, Err(exception)),
        }
    }

    /// A region is as it should be, or was given up: whoever waits for it goes on.
    pub(super) fn region_ready(&mut self, encoded: &str, result: Result<(), RpcException>) {
        let ids: Vec<u64> = self.procedures.active().map(|(id, _)| id).collect();
        for id in ids {
            let Some(procedure) = self.procedures.by_id.get_mut(&id) else { continue };
            let Wait::Regions(regions) = &mut procedure.wait else { continue };
            if !regions.remove(encoded) {
                continue;
            }
            if let Err(e) = &result {
                procedure.failure.get_or_insert(e.clone());
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

    fn finish(&mut self, id: u64, result: Result<(), RpcException>) {
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
        self.procedures.active.remove(&id);
        self.startup_procedure_finished(id);
    }
}
