//! Steps that fail: some are tried again, some are left for later, for others the operation fails, or is undone.

use finback_cell::RegionInfo;
use finback_rpc::RpcException;

use super::{
    Core, Purpose,
    decision::Decision,
    procedure::{Step, Wait},
};
use crate::{snapshots::SnapshotWork, storage_work::StorageWork};

/// Attempts at a step that may be tried again, and that is not needed whatever it takes.
const MAX_ATTEMPTS: u32 = 5;

impl Core {
    /// The front step has failed.
    pub(super) fn step_failed(&mut self, id: u64, exception: RpcException) {
        let Some(procedure) = self.procedures.by_id.get_mut(&id) else { return };
        procedure.attempt += 1;
        let attempt = procedure.attempt;
        let again = match procedure.steps.front() {
            // With the schema of what was not restored the table would lose families.
            Some(Step::CleanUp(StorageWork::WriteDescriptor(_))) => true,
            // As a write of hbase:meta it may have been applied, unless it is refused for good.
            Some(Step::Namespace(_)) => !exception.do_not_retry,
            // An earlier one was taken, and to end here would leave half: what is wrong is perhaps the clock.
            Some(Step::Meta(_)) => procedure.has_changed_meta,
            Some(Step::CleanUp(_) | Step::AddToSnapshot { .. }) => attempt < MAX_ATTEMPTS,
            _ => false,
        };
        if again {
            tracing::warn!(id, attempt, "a step is tried again: {exception}");
            procedure.wait = Wait::Pause;
            return self.pause(attempt, Purpose::Procedure(id));
        }
        match procedure.steps.front() {
            Some(Step::CleanUp(work)) => {
                tracing::error!(
                    ?work,
                    "not put away, which is done later, or by the next start, or, of MOB files, by their sweep: {exception}"
                );
                let (operation, work) = (procedure.operation.clone(), work.clone());
                let work = match &procedure.decision {
                    Some(decision) => named(work, decision),
                    None => work,
                };
                self.step_done(id);
                self.leave_undone(operation, work);
            }
            _ if !procedure.otherwise.is_empty() => self.undo(id, exception),
            _ => self.finish(id, Err(exception)),
        }
    }

    /// Does what is to be done in place of the steps that are left.
    pub(super) fn undo(&mut self, id: u64, exception: RpcException) {
        let Some(procedure) = self.procedures.by_id.get_mut(&id) else { return };
        tracing::warn!(id, "procedure is undone: {exception}");
        procedure.failure.get_or_insert(exception);
        procedure.steps = std::mem::take(&mut procedure.otherwise).into();
        procedure.attempt = 0;
        procedure.wait = Wait::Ready;
        self.write_down(id);
    }
}

/// The same work, if it has to be done later: with the names of what goes in the place of what stays, which others add to.
fn named(work: StorageWork, decision: &Decision) -> StorageWork {
    match work {
        StorageWork::Snapshot(of) => match *of {
            SnapshotWork::KeepRegions { table, .. } => {
                let regions = decision.old_regions.iter().map(RegionInfo::encoded_name).collect();
                StorageWork::ArchiveRegions { table, regions }
            }
            of => StorageWork::Snapshot(Box::new(of)),
        },
        work => work,
    }
}
