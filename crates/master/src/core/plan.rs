//! Operations as steps. The order decides what a crash leaves: hbase:meta changes once, atomically; what that needs on disk
//! is made before, what it leaves over is archived after, and a start of the master finishes either.

use std::sync::Arc;

use bytes::Bytes;
use finback_cell::{RegionInfo, TableDescriptor, TableName, schema::set_entry};
use finback_proto::pb;
use finback_rpc::{RpcException, exceptions};
use pb::table_state::State as TableState;

use super::{Core, procedure::Step};
use crate::{
    action::Action, meta_edit::MetaEdit, namespace_table, namespace_table::NamespaceEdit,
    operation::Operation, region_division, storage_work::StorageWork,
};

/// Regions that are flushed at the same time.
const FLUSHES_AT_ONCE: usize = 8;
/// Which key of a schema says how store files are tracked.
const FILE_TRACKER: &str = "hbase.store.file-tracker.impl";

impl Core {
    /// The steps of an operation, from what is true now.
    pub(super) fn plan(&mut self, operation: &Operation) -> Result<Vec<Step>, RpcException> {
        operation.check(&self.state, self.config.table_sanity_checks)?;
        if let Some(exception) = region_division::forbidden(&self.state, operation) {
            return Ok(vec![Step::Fail(exception)]);
        }
        Ok(match operation {
            Operation::CreateNamespace { name, configuration } => vec![
                Step::Prepare(StorageWork::CreateNamespace(name.clone())),
                Step::Namespace(NamespaceEdit::Put {
                    name: name.clone(),
                    configuration: configuration.clone(),
                }),
            ],
            Operation::ModifyNamespace { name, configuration } => {
                let (name, configuration) = (name.clone(), configuration.clone());
                vec![Step::Namespace(NamespaceEdit::Put { name, configuration })]
            }
            Operation::DeleteNamespace(name) => vec![
                Step::Namespace(NamespaceEdit::Remove(name.clone())),
                Step::CleanUp(StorageWork::RemoveNamespace(name.clone())),
            ],
            Operation::CreateTable { table, split_keys } => self.plan_create(table, split_keys)?,
            Operation::DeleteTable(table) => self.plan_delete(table),
            Operation::EnableTable(table) => {
                let enabling =
                    vec![MetaEdit::TableState { table: table.clone(), state: TableState::Enabling }];
                [vec![Step::Meta(enabling)], self.steps_to_enable(table)].concat()
            }
            Operation::DisableTable(table) => {
                let disabling = MetaEdit::TableState { table: table.clone(), state: TableState::Disabling };
                [vec![Step::Meta(vec![disabling])], self.steps_to_disable(table)].concat()
            }
            Operation::TruncateTable { table, preserve_splits } => {
                self.plan_truncate(table, *preserve_splits)
            }
            Operation::ModifyTable { .. }
            | Operation::AddFamily { .. }
            | Operation::ModifyFamily { .. }
            | Operation::DeleteFamily { .. } => self.plan_modify(operation)?,
            Operation::FlushTable { table, families } => self.plan_flush(table, families),
            Operation::AssignRegion { region, .. } => vec![Step::Open(vec![region.clone()])],
            Operation::UnassignRegion { region, .. } => vec![Step::Close(vec![region.clone()])],
            Operation::SplitRegion { region, split_row, .. } => self.plan_split(region, split_row),
            Operation::MergeRegions { regions, .. } => self.plan_merge(regions),
            Operation::CollectRegion { region, .. } => self.plan_collection(region),
        })
    }

    /// The steps from ENABLING on.
    pub(super) fn steps_to_enable(&self, table: &TableName) -> Vec<Step> {
        let enabled = MetaEdit::TableState { table: table.clone(), state: TableState::Enabled };
        vec![Step::Open(self.state.assignable_regions_of(table)), Step::Meta(vec![enabled])]
    }

    /// The steps from DISABLING on.
    pub(super) fn steps_to_disable(&self, table: &TableName) -> Vec<Step> {
        let disabled = MetaEdit::TableState { table: table.clone(), state: TableState::Disabled };
        vec![Step::Close(self.state.assignable_regions_of(table)), Step::Meta(vec![disabled])]
    }

    fn plan_create(&self, table: &TableDescriptor, split_keys: &[Bytes]) -> Result<Vec<Step>, RpcException> {
        let mut table = table.clone();
        check_file_tracker(&table)?;
        if table.attribute(FILE_TRACKER).is_none() {
            set_entry(&mut table.attributes, FILE_TRACKER, "DEFAULT"); // As HBase 2.5 does.
        }
        let table = Arc::new(table);
        let regions = regions_between(&table.name, split_keys, self.now);
        let names = regions.iter().map(RegionInfo::encoded_name).collect();
        let state = |state| MetaEdit::TableState { table: table.name.clone(), state };
        let mut edits = vec![state(TableState::Enabling)];
        edits.extend(regions.iter().cloned().map(MetaEdit::AddRegion));
        Ok(vec![
            Step::Prepare(StorageWork::CreateTable { table: table.clone(), regions }),
            Step::Meta(edits),
            Step::SetDescriptor(table.clone()),
            Step::Open(names),
            Step::Meta(vec![state(TableState::Enabled)]),
        ])
    }

    fn region_removals(&self, table: &TableName) -> Vec<MetaEdit> {
        let regions = self.state.regions_of(table);
        let info = |encoded: &String| self.state.regions.get(encoded).map(|region| region.info.clone());
        regions.iter().filter_map(info).map(MetaEdit::RemoveRegion).collect()
    }

    fn plan_delete(&self, table: &TableName) -> Vec<Step> {
        let mut edits = self.region_removals(table);
        edits.push(MetaEdit::RemoveTable(table.clone()));
        vec![Step::Meta(edits), Step::CleanUp(StorageWork::ArchiveTable(table.clone()))]
    }

    fn plan_truncate(&self, table: &TableName, preserve_splits: bool) -> Vec<Step> {
        let old = self.state.regions_of(table);
        let assignable = self.state.assignable_regions_of(table);
        let infos = assignable.iter().filter_map(|encoded| Some(&self.state.regions.get(encoded)?.info));
        let starts =
            infos.map(|info| info.start_key.clone()).filter(|key| preserve_splits && !key.is_empty());
        let ids = old.iter().filter_map(|encoded| Some(self.state.regions.get(encoded)?.info.region_id));
        let region_id = self.now.max(ids.max().unwrap_or(0) + 1);
        let new = regions_between(table, &starts.collect::<Vec<_>>(), region_id);
        let names = new.iter().map(RegionInfo::encoded_name).collect();
        let state = |state| MetaEdit::TableState { table: table.clone(), state };
        let mut edits = self.region_removals(table);
        edits.extend(new.iter().cloned().map(MetaEdit::AddRegion));
        edits.push(state(TableState::Enabling));
        vec![
            Step::Prepare(StorageWork::CreateRegions(new)),
            Step::Meta(edits),
            Step::CleanUp(StorageWork::ArchiveRegions { table: table.clone(), regions: old }),
            Step::Open(names),
            Step::Meta(vec![state(TableState::Enabled)]),
        ]
    }

    fn plan_modify(&self, operation: &Operation) -> Result<Vec<Step>, RpcException> {
        let new = operation.new_descriptor(&self.state, self.config.table_sanity_checks)?;
        check_file_tracker(&new)?;
        let name = new.name.clone();
        let table = crate::operation::find(&self.state, &name)?;
        let reopen = !matches!(operation, Operation::ModifyTable { reopen: false, .. });
        let old_families = table.descriptor.iter().flat_map(|old| &old.families);
        let missing_in = |families: &TableDescriptor, name: &Bytes| families.family(name).is_none();
        let removed: Vec<Bytes> =
            old_families.clone().map(|f| f.name.clone()).filter(|name| missing_in(&new, name)).collect();
        let old = table.descriptor.as_deref();
        let is_new = |name: &Bytes| old.is_none_or(|old| old.family(name).is_none());
        let added: Vec<Bytes> = new.families.iter().map(|f| f.name.clone()).filter(is_new).collect();
        let families_change = !removed.is_empty() || !added.is_empty();
        if families_change && !reopen {
            let message = "Cannot add or remove column families when this modification won't reopen regions.";
            return Err(exceptions::do_not_retry(message));
        }
        let regions = self.state.assignable_regions_of(&name);
        let archive = |families| StorageWork::ArchiveFamilies {
            table: name.clone(),
            regions: regions.clone(),
            families,
        };
        let new = Arc::new(new);
        let mut steps = Vec::new();
        if !added.is_empty() {
            // What a family of that name left behind must not come back.
            steps.push(Step::Prepare(archive(added)));
        }
        steps.push(Step::Prepare(StorageWork::WriteDescriptor(new.clone())));
        steps.push(Step::SetDescriptor(new));
        if reopen && table.state == TableState::Enabled {
            for region in &regions {
                steps.push(Step::Close(vec![region.clone()]));
                steps.push(Step::Open(vec![region.clone()]));
            }
        }
        if !removed.is_empty() {
            steps.push(Step::CleanUp(archive(removed)));
        }
        Ok(steps)
    }

    fn plan_flush(&self, table: &TableName, families: &[Bytes]) -> Vec<Step> {
        let families: Vec<Option<Bytes>> = match families.is_empty() {
            true => vec![None],
            false => families.iter().cloned().map(Some).collect(),
        };
        let regions = self.state.assignable_regions_of(table);
        let flushes: Vec<_> = regions
            .iter()
            .flat_map(|region| families.iter().map(move |family| (region.clone(), family.clone())))
            .collect();
        flushes.chunks(FLUSHES_AT_ONCE).map(|chunk| Step::Flush(chunk.to_vec())).collect()
    }

    /// The write of a change of a namespace; none while hbase:namespace is not open.
    pub(super) fn namespace_write(&mut self, edit: &NamespaceEdit) -> Option<Action> {
        let (server, region) = namespace_table::location(&self.state)?;
        let mutation = edit.to_mutation(self.meta.next_timestamp(self.now));
        Some(Action::WriteNamespace { server, region, mutation })
    }
}

/// Contiguous regions that meet at `keys`, which are sorted and not empty.
fn regions_between(table: &TableName, keys: &[Bytes], region_id: u64) -> Vec<RegionInfo> {
    let starts = std::iter::once(Bytes::new()).chain(keys.iter().cloned());
    let ends = keys.iter().cloned().chain(std::iter::once(Bytes::new()));
    starts.zip(ends).map(|(start, end)| RegionInfo::new(table.clone(), start, end, region_id)).collect()
}

/// Files tracked in `.filelist` cannot be written yet; to pretend would hide them from HBase.
fn check_file_tracker(table: &TableDescriptor) -> Result<(), RpcException> {
    let of_families = table.families.iter().flat_map(|family| &family.configuration);
    let mut settings = table.attributes.iter().chain(of_families);
    match settings.find(|(key, value)| &key[..] == FILE_TRACKER.as_bytes() && &value[..] != b"DEFAULT") {
        Some((_, value)) => Err(exceptions::do_not_retry(format!(
            "{FILE_TRACKER}={} is not supported yet",
            value.escape_ascii()
        ))),
        None => Ok(()),
    }
}
