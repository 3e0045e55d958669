//! Procedures are written down before they act: one write at a time, with all that has changed in the meantime. Whoever
//! comes later therefore never stands in the file without what came before.

use std::collections::BTreeSet;

use finback_proto::{Message, pb};
use finback_rpc::RpcException;

use super::{
    Core, Purpose, Status,
    procedure::{Procedure, Wait},
};
use crate::{action::Action, procedure_record as record};

/// What is to be written. As long as there are procedures: each is in it once.
#[derive(Debug, Default)]
pub(super) struct ProcedureWrites {
    changed: BTreeSet<u64>,
    forgotten: Vec<u64>,
    in_flight: bool,
    pub(super) paused: bool,
    attempt: u32,
}

/// A write that is under way.
#[derive(Debug)]
pub(super) struct ProcedureWrite {
    /// Procedures, and up to which change.
    versions: Vec<(u64, u64)>,
    forgotten: Vec<u64>,
}

impl Core {
    /// Has a procedure written down as it stands when the next write begins.
    pub(super) fn write_down(&mut self, id: u64) {
        let Some(procedure) = self.procedures.by_id.get_mut(&id) else { return };
        let stored = &mut procedure.stored;
        if stored.wanted {
            stored.version += 1;
            self.procedure_writes.changed.insert(id);
        }
    }

    /// Forgets results, here and on disk.
    pub(crate) fn evict_procedures(&mut self) {
        for id in self.procedures.evictable(self.now) {
            if self.procedures.get(id).is_some_and(|procedure| procedure.stored.wanted) {
                self.procedure_writes.changed.remove(&id);
                self.procedure_writes.forgotten.push(id);
            }
            self.procedures.forget(id);
        }
    }

    /// Event: time has passed.
    pub(crate) fn evict(&mut self, now: u64) {
        self.set_time(now);
        self.evict_procedures();
        self.pump();
    }

    /// Event: a client asks how a procedure has ended, and is told.
    pub(crate) fn acknowledge(&mut self, id: u64, now: u64) {
        self.set_time(now);
        if let Some(procedure) = self.procedures.by_id.get_mut(&id) {
            procedure.acknowledged_ms.get_or_insert(now);
        }
    }

    /// Begins the next write, if there is anything to write and none is under way.
    pub(super) fn flush_procedure_writes(&mut self) {
        let writes = &mut self.procedure_writes;
        if writes.in_flight || writes.paused || (writes.changed.is_empty() && writes.forgotten.is_empty()) {
            return;
        }
        let (mut procedure, mut versions) = (Vec::new(), Vec::new());
        for id in std::mem::take(&mut writes.changed) {
            let Some(known) = self.procedures.by_id.get(&id) else { continue };
            let Some(message) = known.to_record(id) else { continue };
            versions.push((id, known.stored.version));
            procedure.push(message);
        }
        let forgotten = std::mem::take(&mut writes.forgotten);
        writes.in_flight = true;
        let action =
            Action::StoreProcedures(pb::StoredProcedures { procedure, forgotten: forgotten.clone() });
        self.act(action, Purpose::ProcedureWrite(ProcedureWrite { versions, forgotten }));
    }

    /// A failed write is repeated until it succeeds, with what has changed since: without it nothing may go on. Those that
    /// have never been written down, and so have not begun, fail: their clients may try again later.
    pub(super) fn procedures_written(&mut self, write: ProcedureWrite, result: Result<(), RpcException>) {
        let writes = &mut self.procedure_writes;
        writes.in_flight = false;
        if let Err(e) = result {
            writes.attempt += 1;
            writes.paused = true;
            writes.changed.extend(write.versions.iter().map(|(id, _)| *id));
            writes.forgotten.extend(write.forgotten);
            let attempt = writes.attempt;
            tracing::error!(attempt, "procedures cannot be written down yet: {e}");
            self.pause(attempt, Purpose::ProcedureWritePause);
            return write.versions.iter().for_each(|(id, _)| self.refuse_unwritten(*id, &e));
        }
        writes.attempt = 0;
        for (id, version) in write.versions {
            let Some(procedure) = self.procedures.by_id.get_mut(&id) else { continue };
            procedure.stored.written = version;
            if matches!(procedure.wait, Wait::Store) && procedure.stored.is_current() {
                procedure.wait = Wait::Ready;
            }
        }
    }
}

impl Core {
    fn refuse_unwritten(&mut self, id: u64, exception: &RpcException) {
        let Some(procedure) = self.procedures.by_id.get_mut(&id) else { return };
        let is_over = matches!(procedure.status, Status::Finished(_));
        if is_over || procedure.is_recorded() {
            return;
        }
        // Sent again, it is another one.
        if let Some(nonce) = procedure.nonce.take() {
            self.procedures.nonces.remove(&nonce);
        }
        self.reject(id, exception.clone());
    }
}

impl Procedure {
    /// As it is written down; None if it is not.
    pub(super) fn to_record(&self, id: u64) -> Option<pb::StoredProcedure> {
        let failure = match &self.status {
            Status::Finished(result) => result.as_ref().err(),
            Status::Waiting | Status::Running => self.failure.as_ref(),
        };
        Some(pb::StoredProcedure {
            proc_id: id,
            submitted_time: self.submitted_ms,
            last_update: self.updated_ms,
            nonce_group: self.nonce.map(|(group, _)| group),
            nonce: self.nonce.map(|(_, nonce)| nonce),
            operation: record::encode_operation(&self.operation)?,
            decision: self.decision.as_ref().map(record::encode_decision),
            steps_done: Some(self.steps_done),
            failure: failure.map(record::encode_failure),
            owner: self.owner.clone(),
            finished: Some(matches!(self.status, Status::Finished(_))),
        })
    }

    /// Finds out about how many bytes it takes.
    pub(super) fn measure(&mut self) {
        self.footprint = size_of::<Self>() + self.to_record(0).map_or(0, |record| record.encoded_len());
    }
}
