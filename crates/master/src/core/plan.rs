//! Operations as steps. The order decides what a crash leaves: hbase:meta changes once, atomically; what that needs on disk
//! is made before, what it leaves over is archived after, and a start of the master finishes either.

use std::{collections::BTreeSet, sync::Arc};

use bytes::Bytes;
use finback_cell::{RegionInfo, TableDescriptor, TableName};
use finback_proto::pb;
use finback_rpc::RpcException;
use pb::table_state::State as TableState;

use super::{Core, decision::Decision, division, procedure::Step};
use crate::{
    action::Action, meta_edit::MetaEdit, namespace_table, namespace_table::NamespaceEdit,
    operation::Operation, region_division, snapshots, storage_work::StorageWork,
};

/// Regions that are flushed at the same time.
const FLUSHES_AT_ONCE: usize = 8;

impl Core {
    /// The steps of an operation, from what is true now.
    pub(super) fn plan(&self, operation: &Operation) -> Result<(Decision, Vec<Step>), RpcException> {
        operation.check(&self.state, self.config.table_sanity_checks)?;
        let decision = self.decide(operation)?;
        if let Some(exception) = region_division::forbidden(&self.state, operation) {
            return Ok((decision, vec![Step::Fail(exception)]));
        }
        let steps = match operation {
            Operation::CollectRegion { region, .. } => self.plan_collection(region),
            _ => steps(operation, &decision),
        };
        Ok((decision, steps))
    }

    /// The write of a change of a namespace; none while hbase:namespace is not open.
    pub(super) fn namespace_write(&mut self, edit: &NamespaceEdit) -> Option<Action> {
        let (server, region) = namespace_table::location_of(&self.state, edit.name())?;
        let mutation = edit.to_mutation(self.meta.next_timestamp(self.now));
        Some(Action::WriteNamespace { server, region, mutation })
    }
}

/// The steps that follow from an operation and what was decided.
pub(crate) fn steps(operation: &Operation, decision: &Decision) -> Vec<Step> {
    let old = || encoded_names(&decision.old_regions);
    match operation {
        Operation::CreateNamespace { name, configuration } => vec![
            Step::Prepare(StorageWork::CreateNamespace(name.clone())),
            Step::Namespace(NamespaceEdit::Put { name: name.clone(), configuration: configuration.clone() }),
        ],
        Operation::ModifyNamespace { name, configuration } => {
            let (name, configuration) = (name.clone(), configuration.clone());
            vec![Step::Namespace(NamespaceEdit::Put { name, configuration })]
        }
        Operation::DeleteNamespace(name) => vec![
            Step::Namespace(NamespaceEdit::Remove(name.clone())),
            Step::CleanUp(StorageWork::RemoveNamespace(name.clone())),
        ],
        Operation::CreateTable { table, .. } => create(&table.name, decision),
        Operation::DeleteTable(table) => {
            let mut edits = removals(decision);
            edits.push(MetaEdit::RemoveTable(table.clone()));
            vec![Step::Meta(edits), Step::CleanUp(StorageWork::ArchiveTable(table.clone()))]
        }
        Operation::EnableTable(table) => {
            vec![
                set_state(table, TableState::Enabling),
                Step::Open(old()),
                set_state(table, TableState::Enabled),
            ]
        }
        Operation::DisableTable(table) => {
            let (first, last) = (TableState::Disabling, TableState::Disabled);
            vec![set_state(table, first), Step::Close(old()), set_state(table, last)]
        }
        Operation::TruncateTable { table, .. } => truncate(table, decision),
        Operation::ModifyTable { .. }
        | Operation::AddFamily { .. }
        | Operation::ModifyFamily { .. }
        | Operation::ModifyFileTracker { .. }
        | Operation::DeleteFamily { .. } => modify(decision),
        Operation::FlushTable { families, .. } => flush(&old(), families),
        Operation::AssignRegion { region, .. } => vec![Step::Open(vec![region.clone()])],
        Operation::UnassignRegion { region, .. } => vec![Step::Close(vec![region.clone()])],
        Operation::MoveRegion { region, .. } => {
            vec![Step::Close(vec![region.clone()]), Step::Open(vec![region.clone()])]
        }
        Operation::TruncateRegion { .. } => division::truncate(decision),
        Operation::SplitRegion { .. } => division::split(decision),
        Operation::MergeRegions { .. } => division::merge(decision),
        Operation::TakeSnapshot { snapshot, .. } => snapshots::taking_steps(snapshot, decision),
        Operation::CloneSnapshot(of) => snapshots::clone_steps(of, decision),
        Operation::RestoreSnapshot(of) => snapshots::restore_steps(of, decision),
        Operation::HoldLock { .. } => vec![Step::Hold],
        // What it is about stands in hbase:meta alone.
        Operation::CollectRegion { .. } => Vec::new(),
    }
}

fn encoded_names(regions: &[RegionInfo]) -> Vec<String> {
    regions.iter().map(RegionInfo::encoded_name).collect()
}

fn state_edit(table: &TableName, state: TableState) -> MetaEdit {
    MetaEdit::TableState { table: table.clone(), state }
}

fn set_state(table: &TableName, state: TableState) -> Step {
    Step::Meta(vec![state_edit(table, state)])
}

fn removals(decision: &Decision) -> Vec<MetaEdit> {
    decision.old_regions.iter().cloned().map(MetaEdit::RemoveRegion).collect()
}

fn additions(decision: &Decision) -> impl Iterator<Item = MetaEdit> {
    let replicas = decision.replicas();
    decision.new_regions.iter().cloned().map(move |region| MetaEdit::AddRegion { region, replicas })
}

fn create(name: &TableName, decision: &Decision) -> Vec<Step> {
    let Some(table) = &decision.new_descriptor else { return Vec::new() };
    let regions = decision.new_regions.clone();
    let mut edits = vec![state_edit(name, TableState::Enabling)];
    edits.extend(additions(decision));
    vec![
        Step::Otherwise(vec![Step::CleanUp(StorageWork::ArchiveTable(name.clone()))]),
        Step::Prepare(StorageWork::CreateTable { table: table.clone(), regions }),
        Step::Meta(edits),
        Step::SetDescriptor(table.clone()),
        Step::Open(encoded_names(&decision.new_regions)),
        set_state(name, TableState::Enabled),
    ]
}

fn truncate(table: &TableName, decision: &Decision) -> Vec<Step> {
    let mut edits = removals(decision);
    edits.extend(additions(decision));
    edits.push(state_edit(table, TableState::Enabling));
    let (regions, keep) = (encoded_names(&decision.old_regions), encoded_names(&decision.new_regions));
    vec![
        Step::Prepare(StorageWork::CreateRegions(decision.new_regions.clone())),
        Step::Meta(edits),
        Step::CleanUp(StorageWork::ArchiveRegions { table: table.clone(), regions }),
        Step::CleanUp(StorageWork::ArchiveMobFiles { table: table.clone(), keep }),
        Step::Open(encoded_names(&decision.new_regions)),
        set_state(table, TableState::Enabled),
    ]
}

fn modify(decision: &Decision) -> Vec<Step> {
    let Some(new) = &decision.new_descriptor else { return Vec::new() };
    let regions = encoded_names(&decision.old_regions);
    let archive = |families| StorageWork::ArchiveFamilies {
        table: new.name.clone(),
        regions: regions.clone(),
        families,
    };
    let added = families_only_in(Some(new), decision.old_descriptor.as_ref());
    let removed = families_only_in(decision.old_descriptor.as_ref(), Some(new));
    let mut steps = Vec::new();
    if !added.is_empty() {
        // What a family of that name left behind must not come back.
        steps.push(Step::Prepare(archive(added)));
    }
    if let Some(old) = &decision.old_descriptor {
        // What could not be written to the end may be there all the same, and the next start goes by what is there.
        let write = Step::CleanUp(StorageWork::WriteDescriptor(old.clone()));
        steps.push(Step::Otherwise(vec![write, Step::SetDescriptor(old.clone())]));
    }
    steps.push(Step::Prepare(StorageWork::WriteDescriptor(new.clone())));
    steps.push(Step::SetDescriptor(new.clone()));
    steps.push(Step::Otherwise(Vec::new()));
    if decision.reopen {
        let left_closed: BTreeSet<&String> = decision.left_closed.iter().collect();
        for region in regions.iter().filter(|region| !left_closed.contains(region)) {
            steps.push(Step::Close(vec![region.clone()]));
            steps.push(Step::Open(vec![region.clone()]));
        }
    }
    let replicas = |table: Option<&Arc<TableDescriptor>>| table.map_or(1, |table| table.region_replication());
    let (from, to) = (replicas(decision.old_descriptor.as_ref()), replicas(Some(new)));
    if to < from && !new.name.is_meta() {
        let regions = decision.old_regions.iter().cloned();
        steps.push(Step::Meta(regions.map(|region| MetaEdit::ForgetReplicas { region, from, to }).collect()));
    }
    if !removed.is_empty() {
        steps.push(Step::CleanUp(archive(removed)));
    }
    steps
}

fn families_only_in(one: Option<&Arc<TableDescriptor>>, other: Option<&Arc<TableDescriptor>>) -> Vec<Bytes> {
    let names = one.iter().flat_map(|table| &table.families).map(|family| family.name.clone());
    names.filter(|name| other.is_none_or(|other| other.family(name).is_none())).collect()
}

fn flush(regions: &[String], families: &[Bytes]) -> Vec<Step> {
    let families: Vec<Option<Bytes>> = match families.is_empty() {
        true => vec![None],
        false => families.iter().collect::<BTreeSet<_>>().into_iter().cloned().map(Some).collect(),
    };
    let flushes: Vec<_> = regions
        .iter()
        .flat_map(|region| families.iter().map(move |family| (region.clone(), family.clone())))
        .collect();
    flushes.chunks(FLUSHES_AT_ONCE).map(|chunk| Step::Flush(chunk.to_vec())).collect()
}
