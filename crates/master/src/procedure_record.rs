//! A procedure as it is written down, and back.

use std::sync::Arc;

use bytes::Bytes;
use finback_cell::{ColumnFamilyDescriptor, RegionInfo, TableDescriptor, TableName};
use finback_proto::{ProtoError, convert, pb};
use finback_rpc::RpcException;
use pb::StoredOperationKind as Kind;

use crate::{
    core::Decision,
    operation::{Held, Operation},
    snapshots::TableOfSnapshot,
    state::NamespaceConfiguration,
};

#[cfg(test)]
mod tests;

/// Why a record says nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordError {
    #[error(transparent)]
    Proto(#[from] ProtoError),
    #[error("no {0}")]
    Missing(&'static str),
    #[error("an operation of kind {0}")]
    UnknownKind(i32),
}

/// An operation's record.
pub(crate) fn encode_operation(operation: &Operation) -> Option<pb::StoredOperation> {
    let empty = pb::StoredOperation::default;
    let of_table = |kind: Kind, table: &TableName| pb::StoredOperation {
        kind: kind.into(),
        table_name: Some(table.into()),
        ..empty()
    };
    let of_namespace = |kind: Kind, name: &str, configuration: &[(String, String)]| pb::StoredOperation {
        kind: kind.into(),
        namespace: Some(convert::namespace_descriptor(name, configuration)),
        ..empty()
    };
    let of_region = |kind, table, region: &String| pb::StoredOperation {
        region: vec![region.clone()],
        ..of_table(kind, table)
    };
    let of_family = |kind, table, family: &ColumnFamilyDescriptor| pb::StoredOperation {
        family: Some(family.into()),
        ..of_table(kind, table)
    };
    Some(match operation {
        Operation::CreateNamespace { name, configuration } => {
            of_namespace(Kind::StoredCreateNamespace, name, configuration)
        }
        Operation::ModifyNamespace { name, configuration } => {
            of_namespace(Kind::StoredModifyNamespace, name, configuration)
        }
        Operation::DeleteNamespace(name) => of_namespace(Kind::StoredDeleteNamespace, name, &[]),
        Operation::CreateTable { table, split_keys } => pb::StoredOperation {
            table_schema: Some(table.into()),
            key: split_keys.clone(),
            ..of_table(Kind::StoredCreateTable, &table.name)
        },
        Operation::DeleteTable(table) => of_table(Kind::StoredDeleteTable, table),
        Operation::EnableTable(table) => of_table(Kind::StoredEnableTable, table),
        Operation::DisableTable(table) => of_table(Kind::StoredDisableTable, table),
        Operation::TruncateTable { table, preserve_splits } => {
            pb::StoredOperation { flag: Some(*preserve_splits), ..of_table(Kind::StoredTruncateTable, table) }
        }
        Operation::ModifyTable { table, reopen } => pb::StoredOperation {
            table_schema: Some(table.into()),
            flag: Some(*reopen),
            ..of_table(Kind::StoredModifyTable, &table.name)
        },
        Operation::AddFamily { table, family } => of_family(Kind::StoredAddFamily, table, family),
        Operation::ModifyFamily { table, family } => of_family(Kind::StoredModifyFamily, table, family),
        Operation::DeleteFamily { table, family } => {
            pb::StoredOperation { key: vec![family.clone()], ..of_table(Kind::StoredDeleteFamily, table) }
        }
        Operation::ModifyFileTracker { table, family, to_file } => pb::StoredOperation {
            key: family.iter().cloned().collect(),
            flag: Some(*to_file),
            ..of_table(Kind::StoredModifyFileTracker, table)
        },
        Operation::FlushTable { table, families } => {
            pb::StoredOperation { key: families.clone(), ..of_table(Kind::StoredFlushTable, table) }
        }
        Operation::AssignRegion { table, region } => of_region(Kind::StoredAssignRegion, table, region),
        Operation::UnassignRegion { table, region } => of_region(Kind::StoredUnassignRegion, table, region),
        Operation::MoveRegion { table, region } => of_region(Kind::StoredMoveRegion, table, region),
        Operation::TruncateRegion { table, region } => of_region(Kind::StoredTruncateRegion, table, region),
        Operation::SplitRegion { table, region, split_row } => pb::StoredOperation {
            key: vec![split_row.clone()],
            ..of_region(Kind::StoredSplitRegion, table, region)
        },
        Operation::MergeRegions { table, regions } => {
            pb::StoredOperation { region: regions.clone(), ..of_table(Kind::StoredMergeRegions, table) }
        }
        Operation::TakeSnapshot { table, snapshot } => pb::StoredOperation {
            snapshot: Some(pb::SnapshotDescription::clone(snapshot)),
            ..of_table(Kind::StoredTakeSnapshot, table)
        },
        Operation::CloneSnapshot(of) => of_snapshot(Kind::StoredCloneSnapshot, of),
        Operation::RestoreSnapshot(of) => of_snapshot(Kind::StoredRestoreSnapshot, of),
        Operation::HoldLock { held, exclusive, description } => {
            let record = match held {
                Held::Namespace(name) => of_namespace(Kind::StoredHoldLock, name, &[]),
                Held::Table(table) => of_table(Kind::StoredHoldLock, table),
                Held::Regions(table, regions) => pb::StoredOperation {
                    region_info: regions.values().map(Into::into).collect(),
                    ..of_table(Kind::StoredHoldLock, table)
                },
            };
            pb::StoredOperation { flag: Some(*exclusive), description: Some(description.clone()), ..record }
        }
        // The next look finds it again.
        Operation::CollectRegion { .. } => return None,
    })
}

/// The operation of a record.
///
/// # Errors
/// What is missing or makes no sense.
pub(crate) fn decode_operation(record: &pb::StoredOperation) -> Result<Operation, RecordError> {
    let kind = Kind::try_from(record.kind).map_err(|_| RecordError::UnknownKind(record.kind))?;
    Ok(match kind {
        Kind::StoredCreateNamespace => {
            let (name, configuration) = namespace(record)?;
            Operation::CreateNamespace { name, configuration }
        }
        Kind::StoredModifyNamespace => {
            let (name, configuration) = namespace(record)?;
            Operation::ModifyNamespace { name, configuration }
        }
        Kind::StoredDeleteNamespace => Operation::DeleteNamespace(namespace(record)?.0),
        Kind::StoredCreateTable => {
            Operation::CreateTable { table: schema(record)?, split_keys: record.key.clone() }
        }
        Kind::StoredDeleteTable => Operation::DeleteTable(table(record)?),
        Kind::StoredEnableTable => Operation::EnableTable(table(record)?),
        Kind::StoredDisableTable => Operation::DisableTable(table(record)?),
        Kind::StoredTruncateTable => {
            Operation::TruncateTable { table: table(record)?, preserve_splits: record.flag() }
        }
        Kind::StoredModifyTable => Operation::ModifyTable { table: schema(record)?, reopen: record.flag() },
        Kind::StoredAddFamily => Operation::AddFamily { table: table(record)?, family: family(record)? },
        Kind::StoredModifyFamily => {
            Operation::ModifyFamily { table: table(record)?, family: family(record)? }
        }
        Kind::StoredDeleteFamily => Operation::DeleteFamily { table: table(record)?, family: key(record)? },
        Kind::StoredModifyFileTracker => Operation::ModifyFileTracker {
            table: table(record)?,
            family: record.key.first().cloned(),
            to_file: record.flag(),
        },
        Kind::StoredFlushTable => {
            Operation::FlushTable { table: table(record)?, families: record.key.clone() }
        }
        Kind::StoredAssignRegion => {
            Operation::AssignRegion { table: table(record)?, region: region(record)? }
        }
        Kind::StoredMoveRegion => Operation::MoveRegion { table: table(record)?, region: region(record)? },
        Kind::StoredTruncateRegion => {
            Operation::TruncateRegion { table: table(record)?, region: region(record)? }
        }
        Kind::StoredUnassignRegion => {
            Operation::UnassignRegion { table: table(record)?, region: region(record)? }
        }
        Kind::StoredSplitRegion => {
            Operation::SplitRegion { table: table(record)?, region: region(record)?, split_row: key(record)? }
        }
        Kind::StoredTakeSnapshot => {
            Operation::TakeSnapshot { table: table(record)?, snapshot: Box::new(snapshot(record)?) }
        }
        Kind::StoredCloneSnapshot => Operation::CloneSnapshot(table_of_snapshot(record)?),
        Kind::StoredRestoreSnapshot => Operation::RestoreSnapshot(table_of_snapshot(record)?),
        Kind::StoredHoldLock => Operation::HoldLock {
            held: held(record)?,
            exclusive: record.flag(),
            description: record.description().to_owned(),
        },
        Kind::StoredMergeRegions => {
            Operation::MergeRegions { table: table(record)?, regions: record.region.clone() }
        }
    })
}

fn of_snapshot(kind: Kind, of: &TableOfSnapshot) -> pb::StoredOperation {
    let split = |(parent, daughter): (&String, &Vec<String>)| pb::StoredSplit {
        parent: parent.clone(),
        daughter: daughter.clone(),
    };
    pb::StoredOperation {
        kind: kind.into(),
        table_schema: Some((&of.table).into()),
        snapshot: Some(of.snapshot.clone()),
        region_info: of.regions.iter().map(Into::into).collect(),
        split: of.splits.iter().map(split).collect(),
        ..Default::default()
    }
}

fn snapshot(record: &pb::StoredOperation) -> Result<pb::SnapshotDescription, RecordError> {
    record.snapshot.clone().ok_or(RecordError::Missing("snapshot"))
}

fn table_of_snapshot(record: &pb::StoredOperation) -> Result<Box<TableOfSnapshot>, RecordError> {
    let regions = record.region_info.iter().map(RegionInfo::try_from).collect::<Result<Vec<_>, _>>()?;
    let splits = record.split.iter().map(|split| (split.parent.clone(), split.daughter.clone())).collect();
    Ok(Box::new(TableOfSnapshot { snapshot: snapshot(record)?, table: schema(record)?, regions, splits }))
}

fn held(record: &pb::StoredOperation) -> Result<Held, RecordError> {
    if record.namespace.is_some() {
        return Ok(Held::Namespace(namespace(record)?.0));
    }
    let regions = record.region_info.iter().map(RegionInfo::try_from).collect::<Result<Vec<_>, _>>()?;
    Ok(match regions.is_empty() {
        true => Held::Table(table(record)?),
        false => Held::regions(table(record)?, regions),
    })
}

fn table(record: &pb::StoredOperation) -> Result<TableName, RecordError> {
    let name = record.table_name.as_ref().ok_or(RecordError::Missing("table"))?;
    Ok(TableName::try_from(name)?)
}

fn schema(record: &pb::StoredOperation) -> Result<TableDescriptor, RecordError> {
    let schema = record.table_schema.as_ref().ok_or(RecordError::Missing("schema"))?;
    Ok(TableDescriptor::try_from(schema)?)
}

fn family(record: &pb::StoredOperation) -> Result<ColumnFamilyDescriptor, RecordError> {
    let family = record.family.as_ref().ok_or(RecordError::Missing("family"))?;
    Ok(ColumnFamilyDescriptor::try_from(family)?)
}

fn namespace(record: &pb::StoredOperation) -> Result<(String, NamespaceConfiguration), RecordError> {
    let namespace = record.namespace.as_ref().ok_or(RecordError::Missing("namespace"))?;
    Ok(convert::decode_namespace(namespace)?)
}

fn key(record: &pb::StoredOperation) -> Result<Bytes, RecordError> {
    record.key.first().cloned().ok_or(RecordError::Missing("key"))
}

fn region(record: &pb::StoredOperation) -> Result<String, RecordError> {
    record.region.first().cloned().ok_or(RecordError::Missing("region"))
}

/// A decision's record.
pub(crate) fn encode_decision(decision: &Decision) -> pb::StoredDecision {
    let regions = |regions: &[RegionInfo]| regions.iter().map(Into::into).collect();
    pb::StoredDecision {
        old_region: regions(&decision.old_regions),
        new_region: regions(&decision.new_regions),
        old_schema: decision.old_descriptor.as_deref().map(Into::into),
        new_schema: decision.new_descriptor.as_deref().map(Into::into),
        reopen: Some(decision.reopen),
        online: Some(decision.online),
        left_closed: decision.left_closed.clone(),
    }
}

/// The decision of a record.
///
/// # Errors
/// What makes no sense.
pub(crate) fn decode_decision(record: &pb::StoredDecision) -> Result<Decision, RecordError> {
    let regions =
        |regions: &[pb::RegionInfo]| regions.iter().map(RegionInfo::try_from).collect::<Result<Vec<_>, _>>();
    let descriptor = |schema: &Option<pb::TableSchema>| {
        schema.as_ref().map(TableDescriptor::try_from).transpose().map(|table| table.map(Arc::new))
    };
    Ok(Decision {
        old_regions: regions(&record.old_region)?,
        new_regions: regions(&record.new_region)?,
        old_descriptor: descriptor(&record.old_schema)?,
        new_descriptor: descriptor(&record.new_schema)?,
        reopen: record.reopen(),
        online: record.online(),
        left_closed: record.left_closed.clone(),
    })
}

/// A failure's record.
pub(crate) fn encode_failure(exception: &RpcException) -> pb::StoredFailure {
    pb::StoredFailure {
        class_name: exception.class.clone().into_owned(),
        message: Some(exception.message.clone()),
        do_not_retry: Some(exception.do_not_retry),
    }
}

/// The failure of a record.
pub(crate) fn decode_failure(record: &pb::StoredFailure) -> RpcException {
    let (class, message) = (record.class_name.clone(), record.message().to_owned());
    match record.do_not_retry() {
        true => RpcException::permanent(class, message),
        false => RpcException::retriable(class, message),
    }
}
