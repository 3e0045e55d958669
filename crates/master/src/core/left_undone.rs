//! What an operation left to be put away, or could not put away, as on a full disk: it is done now and then, under the locks of
//! that operation. What is still left at the next start is cleared away by that.

use std::collections::BTreeSet;

use finback_cell::TableName;

use super::{
    Core,
    procedure::{Procedure, Step},
};
use crate::{meta_edit::MetaEdit, operation::Operation, snapshots::SnapshotWork, storage_work::StorageWork};

/// As much is remembered at most; more is left to the next start.
const MAX_LEFT_UNDONE: usize = 1000;
/// So much of it is tried again at a time: clients' operations need room, too.
pub(super) const MAX_AT_ONCE: usize = 100;

impl Core {
    /// Remembers what an operation could not put away.
    pub(super) fn leave_undone(&mut self, operation: Operation, work: StorageWork) {
        // Whether it is due is not known yet: the operation goes on.
        if self.left_undone.len() < MAX_LEFT_UNDONE {
            self.left_undone.push((operation, work));
        }
    }

    /// Remembers what regions were merged from that a procedure is about to remove: they refer to it no longer, and with their
    /// rows goes what is known of it.
    pub(super) fn leave_parents(&mut self, id: u64, edits: &[MetaEdit]) {
        for edit in edits {
            let MetaEdit::RemoveRegion(info) = edit else { continue };
            let region = self.state.regions.get(&info.encoded_name());
            let Some(region) = region.filter(|region| !region.merged_from.is_empty()) else { continue };
            let (table, regions) = (info.table.clone(), region.merged_from.clone());
            let Some(operation) = self.procedures.get(id).map(|procedure| procedure.operation.clone()) else {
                return;
            };
            self.leave_undone(operation, StorageWork::ArchiveRegions { table, regions });
        }
    }

    /// Event: time has passed. What was left undone is tried again, where nobody is at work on the table.
    pub(crate) fn finish_undone(&mut self, now: u64) {
        self.set_time(now);
        let of_active = self.procedures.active().map(|(_, procedure)| procedure.operation.table().cloned());
        let at_work: BTreeSet<Option<TableName>> = of_active.collect();
        let mut begun = 0;
        for (operation, work) in std::mem::take(&mut self.left_undone) {
            if begun == MAX_AT_ONCE || at_work.contains(&operation.table().cloned()) {
                self.left_undone.push((operation, work));
            } else if self.is_due(&work) {
                let again = Procedure::new(operation, self.now).with_steps(vec![Step::CleanUp(work)]);
                self.add_procedure(again);
                begun += 1;
            }
        }
        self.pump();
    }

    /// Whether it is there to be put away still, and cannot be anybody else's: what is made under an old name has put away what
    /// there was of that.
    fn is_due(&self, work: &StorageWork) -> bool {
        match work {
            StorageWork::ArchiveTable(table) => !self.state.tables.contains_key(table),
            StorageWork::ArchiveRegions { table, regions } => {
                let is_there = |region: &String| self.state.regions.contains_key(region);
                self.state.tables.contains_key(table) && !regions.iter().any(is_there)
            }
            StorageWork::ArchiveFamilies { table, families, .. } => {
                let descriptor = self.state.tables.get(table).and_then(|known| known.descriptor.as_ref());
                descriptor.is_some_and(|table| !families.iter().any(|name| table.family(name).is_some()))
            }
            StorageWork::Snapshot(of) => {
                matches!(&**of, SnapshotWork::Discard(name) if !self.is_being_taken(name))
            }
            // MOB files among them: regions have written others since. They wait for the sweep of those that nobody refers to.
            _ => false,
        }
    }

    fn is_being_taken(&self, name: &str) -> bool {
        let is_it = |procedure: &Procedure| matches!(&procedure.operation, Operation::TakeSnapshot { snapshot, .. } if snapshot.name == name);
        self.procedures.active().any(|(_, procedure)| is_it(procedure))
    }
}
