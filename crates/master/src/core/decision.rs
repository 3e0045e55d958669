//! What is decided when an operation's turn comes. It is written down with the operation: from the two follow the steps,
//! always the same ones, for a master that has to go on with what an earlier one began.

use std::sync::Arc;

use bytes::Bytes;
use finback_cell::{RegionInfo, RegionState, TableDescriptor, TableName, schema::set_entry};
use finback_layout::{StoreFileTracker, TRACKER};
use finback_proto::pb;
use finback_rpc::{RpcException, exceptions};
use pb::table_state::State as TableState;

use super::Core;
use crate::{operation::Operation, snapshots};

/// Which regions and schemas an operation begins with, and which it makes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Decision {
    /// Regions that are there: they go, are divided, opened, closed, reopened or flushed.
    pub(crate) old_regions: Vec<RegionInfo>,
    /// Regions that come.
    pub(crate) new_regions: Vec<RegionInfo>,
    pub(crate) old_descriptor: Option<Arc<TableDescriptor>>,
    pub(crate) new_descriptor: Option<Arc<TableDescriptor>>,
    /// Whether the regions are reopened.
    pub(crate) reopen: bool,
    /// Encoded names of those that are not: an administrator has closed them, or they did not open, and as in HBase they stay so.
    pub(crate) left_closed: Vec<String>,
    /// Whether the table's regions are served.
    pub(crate) online: bool,
}

impl Core {
    /// What is to be done for an operation, from what is true now.
    pub(super) fn decide(&self, operation: &Operation) -> Result<Decision, RpcException> {
        Ok(match operation {
            Operation::CreateTable { table, split_keys } => self.decide_creation(table, split_keys)?,
            Operation::DeleteTable(table) => self.with_regions(self.state.regions_of(table)),
            Operation::EnableTable(table) | Operation::DisableTable(table) => self.with_all_regions(table),
            Operation::FlushTable { table, .. } => self.with_all_regions(table),
            Operation::TruncateTable { table, preserve_splits } => {
                self.decide_truncation(table, *preserve_splits)
            }
            Operation::TakeSnapshot { table, .. } => Decision {
                online: self.state.tables.get(table).is_some_and(|known| known.state == TableState::Enabled),
                ..self.with_everything(table)
            },
            Operation::CloneSnapshot(of) => snapshots::decide(of, Decision::default(), self.region_id(&[])),
            Operation::RestoreSnapshot(of) => {
                let old = self.with_everything(&of.table.name);
                let first_id = self.region_id(&old.old_regions);
                snapshots::decide(of, old, first_id)
            }
            Operation::ModifyTable { .. }
            | Operation::AddFamily { .. }
            | Operation::ModifyFamily { .. }
            | Operation::ModifyFileTracker { .. }
            | Operation::DeleteFamily { .. } => self.decide_modification(operation)?,
            Operation::SplitRegion { table, region, split_row } => {
                let decision = Decision {
                    old_descriptor: Some(self.known_descriptor(table)?),
                    ..self.with_regions(vec![region.clone()])
                };
                self.decide_split(decision, split_row)
            }
            Operation::TruncateRegion { table, region } => {
                let old_descriptor = self.descriptor(table);
                let decision = Decision { old_descriptor, ..self.with_regions(vec![region.clone()]) };
                self.decide_region_truncation(decision)
            }
            Operation::MergeRegions { table, regions } => {
                let decision = Decision {
                    old_descriptor: Some(self.known_descriptor(table)?),
                    ..self.with_regions(regions.clone())
                };
                self.decide_merge(decision)
            }
            Operation::AssignRegion { region, .. }
            | Operation::UnassignRegion { region, .. }
            | Operation::MoveRegion { region, .. }
            | Operation::CollectRegion { region, .. } => self.with_regions(vec![region.clone()]),
            Operation::HoldLock { .. }
            | Operation::CreateNamespace { .. }
            | Operation::ModifyNamespace { .. }
            | Operation::DeleteNamespace(_) => Decision::default(),
        })
    }

    pub(super) fn with_all_regions(&self, table: &TableName) -> Decision {
        self.with_regions(self.state.assignable_regions_of(table))
    }

    fn with_regions(&self, encoded: Vec<String>) -> Decision {
        let info = |encoded: &String| Some(self.state.regions.get(encoded)?.info.clone());
        Decision { old_regions: encoded.iter().filter_map(info).collect(), ..Default::default() }
    }

    /// With regions that are no longer served, and the schema.
    fn with_everything(&self, table: &TableName) -> Decision {
        Decision { old_descriptor: self.descriptor(table), ..self.with_regions(self.state.regions_of(table)) }
    }

    /// The id of regions that come: younger than what they come of, and than all that are gone. While a clock that was set back
    /// stands still, a table that is made again would have its old regions' names, of which a log has edits still.
    pub(super) fn region_id(&self, parents: &[RegionInfo]) -> u64 {
        let newest = parents.iter().map(|parent| parent.region_id).fold(self.state.newest_gone, u64::max);
        self.now.max(newest.saturating_add(1))
    }

    fn descriptor(&self, table: &TableName) -> Option<Arc<TableDescriptor>> {
        self.state.tables.get(table)?.descriptor.clone()
    }

    /// Of a table whose regions are divided: what goes by it leaves nothing of families that it does not know.
    fn known_descriptor(&self, table: &TableName) -> Result<Arc<TableDescriptor>, RpcException> {
        self.descriptor(table).ok_or_else(|| exceptions::io(format!("{table} has no descriptor")))
    }

    fn decide_creation(
        &self,
        table: &TableDescriptor,
        split_keys: &[Bytes],
    ) -> Result<Decision, RpcException> {
        let mut table = table.clone();
        if table.attribute(TRACKER).is_none() {
            set_entry(&mut table.attributes, TRACKER, "DEFAULT"); // As HBase 2.5 does.
        }
        let new_regions = regions_between(&table.name, split_keys, self.region_id(&[]));
        Ok(Decision { new_regions, new_descriptor: Some(Arc::new(table)), ..Default::default() })
    }

    fn decide_truncation(&self, table: &TableName, preserve_splits: bool) -> Decision {
        let decision = self.with_regions(self.state.regions_of(table));
        let assignable = self.with_all_regions(table).old_regions;
        let starts = assignable.iter().map(|info| info.start_key.clone());
        let starts: Vec<Bytes> = starts.filter(|key| preserve_splits && !key.is_empty()).collect();
        let new_regions = regions_between(table, &starts, self.region_id(&decision.old_regions));
        Decision { new_regions, old_descriptor: self.descriptor(table), ..decision }
    }

    fn decide_modification(&self, operation: &Operation) -> Result<Decision, RpcException> {
        let new = operation.new_descriptor(&self.state, self.config.table_sanity_checks)?;
        let table = crate::operation::find(&self.state, &new.name)?;
        let reopen = !matches!(operation, Operation::ModifyTable { reopen: false, .. });
        let old = table.descriptor.clone();
        let names = |table: &TableDescriptor| -> Vec<Bytes> {
            table.families.iter().map(|family| family.name.clone()).collect()
        };
        let families_change = old.as_deref().is_none_or(|old| names(old) != names(&new));
        if families_change && !reopen {
            let message = "Cannot add or remove column families when this modification won't reopen regions.";
            return Err(exceptions::do_not_retry(message));
        }
        let replication = |table: &TableDescriptor| table.region_replication();
        if !reopen && old.as_deref().is_some_and(|old| replication(old) != replication(&new)) {
            let message =
                "Can not modify REGION_REPLICATION of a table when modification won't reopen regions";
            return Err(exceptions::do_not_retry(message));
        }
        // A family that is new has no files to list.
        let migrates = old.as_deref().is_some_and(|old| {
            let tracker = |table, family| StoreFileTracker::of(table, family);
            let both = new.families.iter().filter_map(|family| Some((old.family(&family.name)?, family)));
            both.into_iter().any(|(before, family)| tracker(old, before) != tracker(&new, family))
        });
        if !reopen && migrates {
            // Regions that do not run under a migration make no list: the next step, out of it, would find none.
            let message =
                "Can not change the store file tracker of a table when modification won't reopen regions";
            return Err(exceptions::do_not_retry(message));
        }
        let reopen = reopen && table.state == TableState::Enabled;
        let is_closed = |encoded: &String| {
            let region = self.state.regions.get(encoded).filter(|region| region.transition.is_none());
            let state = region.map(|region| region.state);
            matches!(state, Some(RegionState::Closed | RegionState::FailedOpen))
        };
        let left_closed = match reopen && !migrates {
            true => self.state.regions_of(&new.name).into_iter().filter(is_closed).collect(),
            // Each region has to make its list.
            false => Vec::new(),
        };
        Ok(Decision { reopen, left_closed, old_descriptor: old, ..self.with_all_regions(&new.name) }
            .with_new_descriptor(new))
    }
}

impl Decision {
    /// How many replicas each region has in the end, itself counted.
    pub(crate) fn replicas(&self) -> u32 {
        let table = self.new_descriptor.as_ref().or(self.old_descriptor.as_ref());
        table.map_or(1, |table| table.region_replication())
    }

    fn with_new_descriptor(self, new: TableDescriptor) -> Self {
        Self { new_descriptor: Some(Arc::new(new)), ..self }
    }
}

/// Contiguous regions that meet at `keys`, which are sorted and not empty.
fn regions_between(table: &TableName, keys: &[Bytes], region_id: u64) -> Vec<RegionInfo> {
    let starts = std::iter::once(Bytes::new()).chain(keys.iter().cloned());
    let ends = keys.iter().cloned().chain(std::iter::once(Bytes::new()));
    starts.zip(ends).map(|(start, end)| RegionInfo::new(table.clone(), start, end, region_id)).collect()
}
