//! Procedures of an earlier master. What hbase:meta, hbase:namespace and the descriptors say decides how far one of them
//! had come: a change of theirs is there as a whole or not at all, and while the procedure was at work nobody else could
//! make it. One that had changed nothing yet begins anew, since the start has cleared away what it had prepared. Any other
//! goes on behind its last change that is there.

use std::collections::BTreeSet;

use finback_cell::TableName;
use finback_proto::pb;

use super::{
    Core, Status,
    plan::steps,
    procedure::{Procedure, Step, Stored},
};
use crate::{
    namespace_table::NamespaceEdit,
    operation::Operation,
    procedure_record::{self as record, RecordError},
    state::ClusterState,
    storage_work::StorageWork,
};

impl Core {
    /// Takes over what an earlier master wrote down. Results are there at once; the rest goes on when the start has come
    /// far enough.
    pub(crate) fn take_over(&mut self, records: Vec<pb::StoredProcedure>) {
        for stored in records {
            let id = stored.proc_id;
            self.next_id = self.next_id.max(id);
            let procedure = match read(&stored) {
                Ok(procedure) => procedure,
                Err(e) => {
                    tracing::error!(id, "a procedure's record makes no sense, and is left out: {e}");
                    continue;
                }
            };
            if let Some(nonce) = procedure.nonce {
                self.procedures.nonces.insert(nonce, id);
            }
            if !matches!(procedure.status, Status::Finished(_)) {
                self.startup.inherited.push(id);
            }
            self.procedures.by_id.insert(id, procedure);
        }
    }

    /// Tables of which a restore is not finished: the families that their schemas lack are perhaps their regions' still.
    pub(super) fn tables_in_restore(&self) -> BTreeSet<TableName> {
        let unfinished = self.startup.inherited.iter().filter_map(|id| self.procedures.get(*id));
        let restored = |procedure: &Procedure| match &procedure.operation {
            Operation::RestoreSnapshot(of) => Some(of.table.name.clone()),
            _ => None,
        };
        unfinished.filter_map(restored).collect()
    }

    /// Has those procedures go on that had changed something, when all is known that they could have changed. They have
    /// their locks still.
    pub(super) fn resume_inherited(&mut self) {
        for id in std::mem::take(&mut self.startup.inherited) {
            let Some(procedure) = self.procedures.by_id.get_mut(&id) else { continue };
            match remaining_steps(&self.state, procedure) {
                Some(left) => {
                    let name = procedure.operation.class_name();
                    tracing::info!(id, name, steps = left.len(), "procedure goes on");
                    procedure.failure = None;
                    procedure.has_changed_meta = true;
                    procedure.resume(left);
                    self.procedures.active.insert(id);
                    self.startup_waits_for(id);
                }
                None => self.startup.to_begin_anew.push(id),
            }
        }
    }

    /// Has those begin anew that had changed nothing, now that regions are open; one that had failed is undone already.
    pub(super) fn begin_inherited_anew(&mut self) {
        for id in std::mem::take(&mut self.startup.to_begin_anew) {
            let Some(procedure) = self.procedures.by_id.get_mut(&id) else { continue };
            tracing::info!(id, name = procedure.operation.class_name(), "procedure begins anew");
            procedure.steps_done = 0;
            procedure.heartbeat_ms = self.now;
            self.procedures.active.insert(id);
            if let Some(again) = steps_of_restore(procedure) {
                procedure.resume(again);
                continue;
            }
            procedure.decision = None;
            let failure = procedure.failure.take();
            if let Some(failure) = failure {
                self.finish(id, Err(failure));
            }
        }
    }
}

fn read(stored: &pb::StoredProcedure) -> Result<Procedure, RecordError> {
    let operation = record::decode_operation(&stored.operation)?;
    let nonce = stored.nonce.map(|nonce| (stored.nonce_group(), nonce));
    let mut procedure = Procedure::new(operation, stored.submitted_time);
    (procedure.nonce, procedure.owner) = (nonce, stored.owner.clone());
    procedure.updated_ms = stored.last_update;
    procedure.decision = stored.decision.as_ref().map(record::decode_decision).transpose()?;
    procedure.steps_done = stored.steps_done();
    procedure.stored = Stored { wanted: true, version: 1, written: 1 };
    let failure = stored.failure.as_ref().map(record::decode_failure);
    match stored.finished() {
        true => procedure.status = Status::Finished(failure.map_or(Ok(()), Err)),
        false => procedure.failure = failure,
    }
    procedure.measure();
    Ok(procedure)
}

/// The steps that are left; none if nothing had been changed yet.
fn remaining_steps(state: &ClusterState, procedure: &Procedure) -> Option<Vec<Step>> {
    let mut left = steps(&procedure.operation, procedure.decision.as_ref()?);
    let changes = |step: &Step| match &procedure.operation {
        // The schema comes first: without the change of hbase:meta nothing has been done.
        Operation::RestoreSnapshot(_) => matches!(step, Step::Meta(_)),
        _ => true,
    };
    let last_change = left.iter().rposition(|step| changes(step) && is_made(state, step))?;
    let done = usize::try_from(procedure.steps_done).unwrap_or(usize::MAX);
    left.drain(..done.min(left.len()).max(last_change + 1));
    if changes_schema(&procedure.operation) {
        // Regions that open now open with the new schema: none has to be closed for it.
        left.retain(|step| !matches!(step, Step::Close(_)));
    }
    Some(left)
}

/// All steps of a restore once more, as they were decided; of one that has failed, those that undo it. It may have changed the
/// schema, which the start does not clear away: what that was only the decision says.
fn steps_of_restore(procedure: &Procedure) -> Option<Vec<Step>> {
    let (Operation::RestoreSnapshot(_), Some(decision)) = (&procedure.operation, &procedure.decision) else {
        return None;
    };
    let steps = steps(&procedure.operation, decision);
    if procedure.failure.is_none() {
        return Some(steps);
    }
    steps.into_iter().find_map(|step| match step {
        Step::Otherwise(undo) => Some(undo),
        _ => None,
    })
}

fn changes_schema(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::ModifyTable { .. }
            | Operation::AddFamily { .. }
            | Operation::ModifyFamily { .. }
            | Operation::ModifyFileTracker { .. }
            | Operation::DeleteFamily { .. }
    )
}

/// Whether a step is a change that is there.
fn is_made(state: &ClusterState, step: &Step) -> bool {
    match step {
        Step::Meta(edits) => edits.iter().all(|edit| edit.is_made(state)),
        Step::Namespace(NamespaceEdit::Put { name, configuration }) => {
            state.namespaces.get(name) == Some(configuration)
        }
        Step::Namespace(NamespaceEdit::Remove(name)) => !state.namespaces.contains_key(name),
        Step::Prepare(StorageWork::WriteDescriptor(new)) => {
            state.tables.get(&new.name).is_some_and(|table| table.descriptor.as_ref() == Some(new))
        }
        _ => false,
    }
}
