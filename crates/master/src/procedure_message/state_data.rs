//! What a procedure shows of itself: the states that it has been in, then what it is about, in the messages of HBase's
//! class for it.

use finback_cell::{RegionInfo, TableDescriptor, TableName};
use finback_proto::{Message, any::Any, convert, pb};

use crate::{
    core::{Decision, Procedure, Status, Step, steps},
    operation::{Held, Operation},
};

/// An `Any` as protobuf packs it.
fn pack(name: &str, message: &impl Message) -> Any {
    Any { type_url: format!("type.googleapis.com/hbase.pb.{name}"), value: message.encode_to_vec().into() }
}

/// The messages, in HBase's order.
pub(super) fn messages(procedure: &Procedure) -> Vec<Any> {
    if let Operation::HoldLock { held, exclusive, description } = &procedure.operation {
        return vec![pack("LockProcedureData", &lock(held, *exclusive, description))];
    }
    let states = pb::StateMachineProcedureData { state: states(procedure) };
    // The clients of HBase 2.5 do not know those of a flush.
    if states.state.is_empty() {
        return Vec::new();
    }
    let mut messages = vec![pack("StateMachineProcedureData", &states)];
    messages.extend(data(procedure));
    messages
}

/// The numbers of the states it has been in, in HBase's enumeration for its class, the current one last.
fn states(procedure: &Procedure) -> Vec<u32> {
    let operation = &procedure.operation;
    let (first, last) = ends(operation);
    let mut states = first.to_vec();
    if states.is_empty() {
        return states;
    }
    if let Some(decision) = &procedure.decision {
        let begun = match procedure.status {
            Status::Waiting => 0,
            Status::Running => procedure.steps_done().saturating_add(1),
            Status::Finished(_) => procedure.steps_done(),
        };
        states
            .extend(steps(operation, decision).iter().take(begun).filter_map(|step| state(operation, step)));
    }
    if matches!(procedure.status, Status::Finished(Ok(()))) {
        states.push(last);
    }
    states.dedup();
    states
}

/// The states before the first step, and the one behind the last.
fn ends(operation: &Operation) -> (&'static [u32], u32) {
    match operation {
        Operation::CreateNamespace { .. } => (&[1], 3),
        Operation::ModifyNamespace { .. } => (&[1], 2),
        Operation::DeleteNamespace(_) => (&[1], 4),
        Operation::CreateTable { .. } | Operation::DeleteTable(_) => (&[1], 6),
        Operation::TruncateTable { .. } => (&[1], 7),
        Operation::EnableTable(_)
        | Operation::DisableTable(_)
        | Operation::ModifyTable { .. }
        | Operation::AddFamily { .. }
        | Operation::ModifyFamily { .. }
        | Operation::ModifyFileTracker { .. }
        | Operation::DeleteFamily { .. } => (&[1, 2], 6),
        Operation::AssignRegion { .. } => (&[1], 3),
        Operation::UnassignRegion { .. } => (&[4], 5),
        Operation::MoveRegion { .. } => (&[4], 3),
        Operation::SplitRegion { .. } => (&[1, 2], 10),
        Operation::MergeRegions { .. } => (&[1, 2], 11),
        Operation::CollectRegion { .. } => (&[1], 3),
        Operation::FlushTable { .. }
        | Operation::TakeSnapshot { .. }
        | Operation::CloneSnapshot(_)
        | Operation::RestoreSnapshot(_)
        | Operation::TruncateRegion { .. }
        | Operation::HoldLock { .. } => (&[], 0),
    }
}

/// The state in which HBase does what a step does.
fn state(operation: &Operation, step: &Step) -> Option<u32> {
    use pb::{
        CreateTableState as Create, DeleteTableState as Delete, DisableTableState as Disable,
        EnableTableState as Enable, MergeTableRegionsState as Merge, ModifyTableState as Modify,
        SplitTableRegionState as Split, TruncateTableState as Truncate,
    };
    let last_state = |edits: &[crate::meta_edit::MetaEdit]| edits.len() == 1;
    Some(match (operation, step) {
        (Operation::CreateNamespace { .. }, Step::Prepare(_)) => 2,
        (Operation::CreateNamespace { .. }, _) => 3,
        (Operation::ModifyNamespace { .. }, _) => 2,
        (Operation::DeleteNamespace(_), Step::Namespace(_)) => 2,
        (Operation::DeleteNamespace(_), _) => 4,
        (Operation::CreateTable { .. }, Step::Otherwise(_) | Step::Prepare(_)) => {
            Create::CreateTableWriteFsLayout as u32
        }
        (Operation::CreateTable { .. }, Step::Open(_)) => Create::CreateTableAssignRegions as u32,
        (Operation::CreateTable { .. }, Step::Meta(edits)) if last_state(edits) => {
            Create::CreateTableUpdateDescCache as u32
        }
        (Operation::CreateTable { .. }, _) => Create::CreateTableAddToMeta as u32,
        (Operation::DeleteTable(_), Step::Meta(_)) => Delete::DeleteTableRemoveFromMeta as u32,
        (Operation::DeleteTable(_), _) => Delete::DeleteTableClearFsLayout as u32,
        (Operation::TruncateTable { .. }, Step::Prepare(_)) => Truncate::TruncateTableCreateFsLayout as u32,
        (Operation::TruncateTable { .. }, Step::CleanUp(_)) => Truncate::TruncateTableClearFsLayout as u32,
        (Operation::TruncateTable { .. }, Step::Meta(edits)) if !last_state(edits) => {
            Truncate::TruncateTableAddToMeta as u32
        }
        (Operation::TruncateTable { .. }, _) => Truncate::TruncateTableAssignRegions as u32,
        (Operation::EnableTable(_), Step::Open(_)) => Enable::EnableTableMarkRegionsOnline as u32,
        (Operation::EnableTable(table), Step::Meta(edits)) => match is_end(edits, table) {
            true => Enable::EnableTableSetEnabledTableState as u32,
            false => Enable::EnableTableSetEnablingTableState as u32,
        },
        (Operation::DisableTable(_), Step::Close(_)) => Disable::DisableTableMarkRegionsOffline as u32,
        (Operation::DisableTable(table), Step::Meta(edits)) => match is_end(edits, table) {
            true => Disable::DisableTableSetDisabledTableState as u32,
            false => Disable::DisableTableSetDisablingTableState as u32,
        },
        (
            Operation::ModifyTable { .. }
            | Operation::AddFamily { .. }
            | Operation::ModifyFamily { .. }
            | Operation::ModifyFileTracker { .. }
            | Operation::DeleteFamily { .. },
            step,
        ) => match step {
            Step::Open(_) | Step::Close(_) => Modify::ModifyTableReopenAllRegions as u32,
            Step::CleanUp(_) => Modify::ModifyTableDeleteFsLayout as u32,
            _ => Modify::ModifyTableUpdateTableDescriptor as u32,
        },
        (Operation::AssignRegion { .. }, _) => {
            pb::RegionStateTransitionState::RegionStateTransitionOpen as u32
        }
        (Operation::MoveRegion { .. }, Step::Open(_)) => {
            pb::RegionStateTransitionState::RegionStateTransitionOpen as u32
        }
        (Operation::UnassignRegion { .. } | Operation::MoveRegion { .. }, _) => {
            pb::RegionStateTransitionState::RegionStateTransitionClose as u32
        }
        (Operation::SplitRegion { .. }, step) => match step {
            Step::Prepare(_) => Split::SplitTableRegionCreateDaughterRegions as u32,
            Step::Meta(_) => Split::SplitTableRegionUpdateMeta as u32,
            Step::Open(_) => Split::SplitTableRegionOpenChildRegions as u32,
            _ => Split::SplitTableRegionCloseParentRegion as u32,
        },
        (Operation::MergeRegions { .. }, step) => match step {
            Step::Prepare(_) => Merge::MergeTableRegionsCreateMergedRegion as u32,
            Step::Meta(_) => Merge::MergeTableRegionsUpdateMeta as u32,
            Step::Open(_) => Merge::MergeTableRegionsOpenMergedRegion as u32,
            _ => Merge::MergeTableRegionsCloseRegions as u32,
        },
        _ => return None,
    })
}

/// Whether a table is where it is to stay.
fn is_end(edits: &[crate::meta_edit::MetaEdit], table: &TableName) -> bool {
    use crate::meta_edit::MetaEdit::TableState;
    use pb::table_state::State;
    let ends = |edit: &_| match edit {
        TableState { table: of, state } => of == table && matches!(state, State::Enabled | State::Disabled),
        _ => false,
    };
    edits.iter().any(ends)
}

fn lock(held: &Held, exclusive: bool, description: &str) -> pb::LockProcedureData {
    let kind = if exclusive { pb::LockType::Exclusive } else { pb::LockType::Shared };
    let mut data = pb::LockProcedureData {
        lock_type: kind.into(),
        description: Some(description.to_owned()),
        ..Default::default()
    };
    match held {
        Held::Namespace(name) => data.namespace = Some(name.clone()),
        Held::Table(table) => data.table_name = Some(table.into()),
        Held::Regions(_, infos) => data.region_info = infos.values().map(Into::into).collect(),
    }
    data
}

fn user_info(procedure: &Procedure) -> pb::UserInformation {
    pb::UserInformation { effective_user: procedure.owner.clone().unwrap_or_default(), ..Default::default() }
}

fn regions(regions: &[RegionInfo]) -> Vec<pb::RegionInfo> {
    regions.iter().map(Into::into).collect()
}

/// What it is about.
fn data(procedure: &Procedure) -> Vec<Any> {
    let nothing = Decision::default();
    let decision = procedure.decision.as_ref().unwrap_or(&nothing);
    let user_info = user_info(procedure);
    let schema = |table: &Option<std::sync::Arc<TableDescriptor>>| table.as_deref().map(Into::into);
    match &procedure.operation {
        Operation::CreateNamespace { name, configuration } => {
            let namespace_descriptor = convert::namespace_descriptor(name, configuration);
            vec![pack("CreateNamespaceStateData", &pb::CreateNamespaceStateData { namespace_descriptor })]
        }
        Operation::ModifyNamespace { name, configuration } => {
            let data = pb::ModifyNamespaceStateData {
                namespace_descriptor: convert::namespace_descriptor(name, configuration),
                unmodified_namespace_descriptor: None,
            };
            vec![pack("ModifyNamespaceStateData", &data)]
        }
        Operation::DeleteNamespace(name) => {
            let data =
                pb::DeleteNamespaceStateData { namespace_name: name.clone(), namespace_descriptor: None };
            vec![pack("DeleteNamespaceStateData", &data)]
        }
        Operation::CreateTable { table, .. } => {
            let data = pb::CreateTableStateData {
                user_info,
                table_schema: decision.new_descriptor.as_deref().unwrap_or(table).into(),
                region_info: regions(&decision.new_regions),
            };
            vec![pack("CreateTableStateData", &data)]
        }
        Operation::DeleteTable(table) => {
            let region_info = regions(&decision.old_regions);
            let data = pb::DeleteTableStateData { user_info, table_name: table.into(), region_info };
            vec![pack("DeleteTableStateData", &data)]
        }
        Operation::EnableTable(table) => {
            let table_name = table.into();
            let data = pb::EnableTableStateData { user_info, table_name, skip_table_state_check: false };
            vec![pack("EnableTableStateData", &data)]
        }
        Operation::DisableTable(table) => {
            let table_name = table.into();
            let data = pb::DisableTableStateData { user_info, table_name, skip_table_state_check: false };
            vec![pack("DisableTableStateData", &data)]
        }
        Operation::TruncateTable { table, preserve_splits } => {
            let data = pb::TruncateTableStateData {
                user_info,
                preserve_splits: *preserve_splits,
                table_name: Some(table.into()),
                table_schema: schema(&decision.old_descriptor),
                region_info: regions(&decision.new_regions),
            };
            vec![pack("TruncateTableStateData", &data)]
        }
        Operation::ModifyTable { .. }
        | Operation::AddFamily { .. }
        | Operation::ModifyFamily { .. }
        | Operation::ModifyFileTracker { .. }
        | Operation::DeleteFamily { .. } => modification(procedure, decision),
        Operation::AssignRegion { .. } => transition(pb::RegionTransitionType::Assign, decision),
        Operation::MoveRegion { .. } => transition(pb::RegionTransitionType::Move, decision),
        Operation::UnassignRegion { .. } => transition(pb::RegionTransitionType::Unassign, decision),
        Operation::SplitRegion { .. } => {
            let Some(parent) = decision.old_regions.first() else { return Vec::new() };
            let data = pb::SplitTableRegionStateData {
                user_info,
                parent_region_info: parent.into(),
                child_region_info: regions(&decision.new_regions),
            };
            vec![region(parent), pack("SplitTableRegionStateData", &data)]
        }
        Operation::MergeRegions { .. } => {
            let data = pb::MergeTableRegionsStateData {
                user_info,
                region_info: regions(&decision.old_regions),
                merged_region_info: decision.new_regions.first().map(Into::into),
                forcible: None,
            };
            vec![pack("MergeTableRegionsStateData", &data)]
        }
        Operation::CollectRegion { .. } => {
            let Some(info) = decision.old_regions.first() else { return Vec::new() };
            vec![region(info), pack("GCRegionStateData", &pb::GcRegionStateData { region_info: info.into() })]
        }
        // Its data is its region.
        Operation::TruncateRegion { .. } => decision.old_regions.iter().map(region).collect(),
        Operation::FlushTable { .. }
        | Operation::TakeSnapshot { .. }
        | Operation::CloneSnapshot(_)
        | Operation::RestoreSnapshot(_)
        | Operation::HoldLock { .. } => Vec::new(),
    }
}

fn region(info: &RegionInfo) -> Any {
    pack("RegionInfo", &pb::RegionInfo::from(info))
}

fn modification(procedure: &Procedure, decision: &Decision) -> Vec<Any> {
    // Before its turn it is not known what comes of it, unless the client has said it all.
    let asked = match &procedure.operation {
        Operation::ModifyTable { table, .. } => Some(table),
        _ => None,
    };
    let Some(modified) = decision.new_descriptor.as_deref().or(asked) else { return Vec::new() };
    let old = decision.old_descriptor.as_deref();
    let is_removed = |family: &finback_cell::ColumnFamilyDescriptor| modified.family(&family.name).is_none();
    let data = pb::ModifyTableStateData {
        user_info: user_info(procedure),
        unmodified_table_schema: old.map(Into::into),
        modified_table_schema: modified.into(),
        delete_column_family_in_modify: old.is_some_and(|old| old.families.iter().any(is_removed)),
        should_check_descriptor: Some(false),
    };
    vec![pack("ModifyTableStateData", &data)]
}

fn transition(kind: pb::RegionTransitionType, decision: &Decision) -> Vec<Any> {
    let Some(info) = decision.old_regions.first() else { return Vec::new() };
    let data = pb::RegionStateTransitionStateData {
        r#type: kind.into(),
        assign_candidate: None,
        force_new_plan: false,
    };
    vec![region(info), pack("RegionStateTransitionStateData", &data)]
}
