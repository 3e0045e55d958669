//! What clients ask for, and whether it can be done.

use std::collections::BTreeMap;

use bytes::Bytes;
use finback_cell::{ColumnFamilyDescriptor, RegionInfo, TableDescriptor, TableName};
use finback_layout::StoreFileTracker;
use finback_proto::pb;
use finback_rpc::{RpcException, exceptions};
use pb::table_state::State as TableState;

use crate::sanity_check::SanityChecks;
use crate::{
    file_tracker, meta_row, region_calls, region_division, sanity_check,
    snapshots::{self, TableOfSnapshot},
    state::{ClusterState, NamespaceConfiguration, Table},
};

/// An operation that runs as a procedure.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    CreateNamespace {
        name: String,
        configuration: NamespaceConfiguration,
    },
    ModifyNamespace {
        name: String,
        configuration: NamespaceConfiguration,
    },
    DeleteNamespace(String),
    CreateTable {
        table: TableDescriptor,
        split_keys: Vec<Bytes>,
    },
    DeleteTable(TableName),
    EnableTable(TableName),
    DisableTable(TableName),
    TruncateTable {
        table: TableName,
        preserve_splits: bool,
    },
    ModifyTable {
        table: TableDescriptor,
        reopen: bool,
    },
    AddFamily {
        table: TableName,
        family: ColumnFamilyDescriptor,
    },
    ModifyFamily {
        table: TableName,
        family: ColumnFamilyDescriptor,
    },
    DeleteFamily {
        table: TableName,
        family: Bytes,
    },
    /// One step towards another store file tracker, of a family or of the table.
    ModifyFileTracker {
        table: TableName,
        family: Option<Bytes>,
        to_file: bool,
    },
    FlushTable {
        table: TableName,
        families: Vec<Bytes>,
    },
    /// By encoded name.
    AssignRegion {
        table: TableName,
        region: String,
    },
    /// Closed, and opened where it is best open.
    MoveRegion {
        table: TableName,
        region: String,
    },
    UnassignRegion {
        table: TableName,
        region: String,
    },
    /// An empty one takes its place.
    TruncateRegion {
        table: TableName,
        region: String,
    },
    /// At a row that was found to divide it.
    SplitRegion {
        table: TableName,
        region: String,
        split_row: Bytes,
    },
    /// Neighbours, in order of their keys.
    MergeRegions {
        table: TableName,
        regions: Vec<String>,
    },
    TakeSnapshot {
        table: TableName,
        snapshot: Box<pb::SnapshotDescription>,
    },
    /// A new table.
    CloneSnapshot(Box<TableOfSnapshot>),
    /// A table that is disabled.
    RestoreSnapshot(Box<TableOfSnapshot>),
    /// A client wants something to stay as it is, for as long as it says that it is there.
    HoldLock {
        held: Held,
        exclusive: bool,
        description: String,
    },
    /// Files of a region that was split, or of those that it was merged from, to which no reference leads.
    CollectRegion {
        table: TableName,
        region: String,
        /// Which of the two it was.
        is_split: bool,
    },
}

/// What a client can lock.
#[derive(Debug, Clone)]
pub(crate) enum Held {
    Namespace(String),
    Table(TableName),
    /// Of one table, at least one, by encoded name.
    Regions(TableName, BTreeMap<String, RegionInfo>),
}

impl Held {
    pub(crate) fn regions(table: TableName, infos: impl IntoIterator<Item = RegionInfo>) -> Self {
        Self::Regions(table, infos.into_iter().map(|info| (info.encoded_name(), info)).collect())
    }
}

impl Operation {
    /// The class of HBase's procedure.
    pub(crate) fn class_name(&self) -> &'static str {
        match self {
            Self::CreateNamespace { .. } => "CreateNamespaceProcedure",
            Self::ModifyNamespace { .. } => "ModifyNamespaceProcedure",
            Self::DeleteNamespace(_) => "DeleteNamespaceProcedure",
            Self::CreateTable { .. } => "CreateTableProcedure",
            Self::DeleteTable(_) => "DeleteTableProcedure",
            Self::EnableTable(_) => "EnableTableProcedure",
            Self::DisableTable(_) => "DisableTableProcedure",
            Self::TruncateTable { .. } => "TruncateTableProcedure",
            Self::ModifyTable { .. }
            | Self::AddFamily { .. }
            | Self::ModifyFamily { .. }
            | Self::DeleteFamily { .. } => "ModifyTableProcedure",
            Self::ModifyFileTracker { family: None, .. } => "ModifyTableStoreFileTrackerProcedure",
            Self::ModifyFileTracker { .. } => "ModifyColumnFamilyStoreFileTrackerProcedure",
            Self::FlushTable { .. } => "FlushTableProcedure",
            Self::AssignRegion { .. } | Self::UnassignRegion { .. } | Self::MoveRegion { .. } => {
                "TransitRegionStateProcedure"
            }
            Self::TruncateRegion { .. } => "TruncateRegionProcedure",
            Self::SplitRegion { .. } => "SplitTableRegionProcedure",
            Self::MergeRegions { .. } => "MergeTableRegionsProcedure",
            Self::CollectRegion { .. } => "GCRegionProcedure",
            Self::TakeSnapshot { .. } => "SnapshotProcedure",
            Self::CloneSnapshot(_) => "CloneSnapshotProcedure",
            Self::RestoreSnapshot(_) => "RestoreSnapshotProcedure",
            Self::HoldLock { .. } => "LockProcedure",
        }
    }

    /// The full name of that class.
    pub(crate) fn java_class(&self) -> String {
        let package = match self {
            Self::AssignRegion { .. }
            | Self::UnassignRegion { .. }
            | Self::MoveRegion { .. }
            | Self::SplitRegion { .. }
            | Self::MergeRegions { .. }
            | Self::CollectRegion { .. } => "assignment",
            Self::HoldLock { .. } => "locking",
            _ => "procedure",
        };
        format!("org.apache.hadoop.hbase.master.{package}.{}", self.class_name())
    }

    /// The table it changes.
    pub(crate) fn table(&self) -> Option<&TableName> {
        match self {
            Self::CreateNamespace { .. } | Self::ModifyNamespace { .. } | Self::DeleteNamespace(_) => None,
            Self::HoldLock { held, .. } => match held {
                Held::Namespace(_) => None,
                Held::Table(table) | Held::Regions(table, _) => Some(table),
            },
            Self::CreateTable { table, .. } | Self::ModifyTable { table, .. } => Some(&table.name),
            Self::DeleteTable(table) | Self::EnableTable(table) | Self::DisableTable(table) => Some(table),
            Self::CloneSnapshot(of) | Self::RestoreSnapshot(of) => Some(&of.table.name),
            Self::TruncateTable { table, .. }
            | Self::TakeSnapshot { table, .. }
            | Self::AddFamily { table, .. }
            | Self::ModifyFamily { table, .. }
            | Self::DeleteFamily { table, .. }
            | Self::ModifyFileTracker { table, .. }
            | Self::FlushTable { table, .. }
            | Self::AssignRegion { table, .. }
            | Self::UnassignRegion { table, .. }
            | Self::MoveRegion { table, .. }
            | Self::TruncateRegion { table, .. }
            | Self::SplitRegion { table, .. }
            | Self::MergeRegions { table, .. }
            | Self::CollectRegion { table, .. } => Some(table),
        }
    }

    /// The namespace it changes, or in which its table is.
    pub(crate) fn namespace(&self) -> &str {
        match self {
            Self::CreateNamespace { name, .. } | Self::ModifyNamespace { name, .. } => name,
            Self::DeleteNamespace(name) | Self::HoldLock { held: Held::Namespace(name), .. } => name,
            _ => self.table().map_or("", TableName::namespace),
        }
    }

    /// Whether it can be done now.
    pub(crate) fn check(
        &self,
        state: &ClusterState,
        sanity_checks: SanityChecks,
    ) -> Result<(), RpcException> {
        match self {
            // As in HBase what is not there can be locked too.
            Self::HoldLock { .. } => Ok(()),
            Self::CreateNamespace { name, configuration } => {
                check_namespace_table(state)?;
                match state.namespaces.contains_key(name) {
                    true => Err(exceptions::namespace_exist(name)),
                    false => check_namespace_quotas(name, configuration),
                }
            }
            Self::ModifyNamespace { name, configuration } => {
                check_namespace_table(state)?;
                check_namespace(state, name)?;
                check_namespace_quotas(name, configuration)
            }
            Self::DeleteNamespace(name) => {
                check_namespace_table(state)?;
                check_namespace_deletion(state, name)
            }
            Self::CreateTable { table, split_keys } => {
                check_namespace(state, table.name.namespace())?;
                sanity_check::check_names(table)?;
                sanity_check::check(table, sanity_checks)?;
                check_split_keys(&table.name, split_keys)?;
                file_tracker::check_creation(table)?;
                if state.tables.contains_key(&table.name) {
                    return Err(exceptions::table_exists(table.name.to_string()));
                }
                // Of what use is a table that cannot hold anything, checked or not?
                if table.families.is_empty() {
                    let message = format!("Table {} should have at least one column family.", table.name);
                    return Err(exceptions::do_not_retry(message));
                }
                Ok(())
            }
            Self::DeleteTable(name) | Self::TruncateTable { table: name, .. } => {
                refuse_catalog(name)?;
                match find(state, name)?.state {
                    TableState::Disabled => Ok(()),
                    _ => Err(exceptions::table_not_disabled(name.to_string())),
                }
            }
            Self::EnableTable(name) => match find(state, name)?.state {
                TableState::Disabled => Ok(()),
                other => Err(exceptions::table_not_disabled(describe(name, other))),
            },
            Self::DisableTable(name) => {
                if name.is_meta() {
                    return Err(exceptions::constraint(format!("Cannot disable {name}")));
                }
                match find(state, name)?.state {
                    TableState::Enabled => Ok(()),
                    other => Err(exceptions::table_not_enabled(describe(name, other))),
                }
            }
            Self::ModifyTable { .. }
            | Self::AddFamily { .. }
            | Self::ModifyFamily { .. }
            | Self::DeleteFamily { .. } => self.new_descriptor(state, sanity_checks).map(drop),
            Self::ModifyFileTracker { table, .. } => {
                if find(state, table)?.state != TableState::Enabled {
                    return Err(exceptions::table_not_enabled(table.to_string()));
                }
                self.new_descriptor(state, sanity_checks).map(drop)
            }
            Self::FlushTable { table, families } => check_flush(state, table, families),
            Self::TakeSnapshot { table, snapshot } => snapshots::check_taking(state, table, snapshot),
            Self::CloneSnapshot(of) => snapshots::check_clone(state, of, sanity_checks),
            Self::RestoreSnapshot(of) => snapshots::check_restore(state, of, sanity_checks),
            Self::TruncateRegion { table, region } => {
                // Who would write down that it is closed?
                refuse_catalog(table)?;
                region_division::check_open(state, table, region).map(drop)
            }
            Self::SplitRegion { table, region, split_row } => {
                region_division::check_split(state, table, region, split_row)
            }
            Self::MergeRegions { table, regions } => region_division::check_merge(state, table, regions),
            Self::AssignRegion { region, .. } | Self::MoveRegion { region, .. } => {
                region_calls::check_table(state, region)?;
                check_undivided(state, region)
            }
            Self::UnassignRegion { region, .. } => check_undivided(state, region),
            Self::CollectRegion { region, is_split, .. } => match state.regions.get(region) {
                Some(known) if known.is_split() == *is_split => Ok(()),
                // What nobody refers to are other files now.
                Some(_) => Err(exceptions::do_not_retry_region(format!("{region} has been split"))),
                None => Err(exceptions::unknown_region(region)),
            },
        }
    }

    /// The descriptor that a table has after a change of its schema, checked.
    pub(crate) fn new_descriptor(
        &self,
        state: &ClusterState,
        sanity_checks: SanityChecks,
    ) -> Result<TableDescriptor, RpcException> {
        let name = self.table().ok_or_else(|| exceptions::do_not_retry("no table"))?;
        let table = find(state, name)?;
        let old =
            table.descriptor.as_deref().ok_or_else(|| exceptions::io(format!("{name} has no descriptor")))?;
        let new = self.changed(old)?;
        sanity_check::check_names(&new)?;
        sanity_check::check(&new, sanity_checks)?;
        file_tracker::check_modification(old, &new, table.state == TableState::Disabled)?;
        if new.families.is_empty() {
            let message = "Table should have at least one column family";
            return Err(exceptions::do_not_retry(message));
        }
        if name.is_meta()
            && let Some(family) = old.families.iter().find(|family| new.family(&family.name).is_none())
        {
            let family = String::from_utf8_lossy(&family.name);
            return Err(exceptions::hbase_io(format!("Delete of hbase:meta column family {family}")));
        }
        Ok(new)
    }

    fn changed(&self, old: &TableDescriptor) -> Result<TableDescriptor, RpcException> {
        let mut new = old.clone();
        let missing = |name: &[u8], what| {
            let name = String::from_utf8_lossy(name);
            exceptions::invalid_family_operation(format!(
                "Family '{name}' does not exist, so it cannot be {what}"
            ))
        };
        match self {
            Self::ModifyTable { table, .. } => new = table.clone(),
            Self::ModifyFileTracker { family, to_file, .. } => {
                let tracker = if *to_file { StoreFileTracker::File } else { StoreFileTracker::Default };
                new = file_tracker::towards(old, family.as_ref(), tracker)?;
            }
            Self::AddFamily { family, .. } => {
                if old.family(&family.name).is_some() {
                    let name = String::from_utf8_lossy(&family.name);
                    return Err(exceptions::invalid_family_operation(format!(
                        "Column family '{name}' in table '{}' already exists so cannot be added",
                        old.name
                    )));
                }
                new.families.push(family.clone());
                new.families.sort_by(|a, b| a.name.cmp(&b.name));
            }
            Self::ModifyFamily { family, .. } => {
                let place = new.families.iter_mut().find(|old| old.name == family.name);
                *place.ok_or_else(|| missing(&family.name, "modified"))? = family.clone();
            }
            Self::DeleteFamily { family, .. } => {
                old.family(family).ok_or_else(|| missing(family, "deleted"))?;
                if old.families.len() == 1 {
                    let name = String::from_utf8_lossy(family);
                    return Err(exceptions::invalid_family_operation(format!(
                        "Family '{name}' is the only column family in the table, so it cannot be deleted"
                    )));
                }
                new.families.retain(|old| old.name != *family);
            }
            _ => {}
        }
        Ok(new)
    }
}

/// The table of that name.
pub(crate) fn find<'a>(state: &'a ClusterState, name: &TableName) -> Result<&'a Table, RpcException> {
    state.tables.get(name).ok_or_else(|| exceptions::table_not_found(name.to_string()))
}

/// As HBase's TableState prints itself.
fn describe(name: &TableName, state: TableState) -> String {
    format!("tableName={name}, state={}", state.as_str_name())
}

fn refuse_catalog(name: &TableName) -> Result<(), RpcException> {
    match name.is_meta() {
        true => Err(exceptions::do_not_retry("Can't modify catalog tables")),
        false => Ok(()),
    }
}

/// What changes a namespace keeps the table of namespaces as it is until that has the change: it must be enabled.
fn check_namespace_table(state: &ClusterState) -> Result<(), RpcException> {
    let name = TableName::namespace_table();
    match find(state, &name)?.state {
        TableState::Enabled => Ok(()),
        other => Err(exceptions::table_not_enabled(describe(&name, other))),
    }
}

/// Refuses what is no namespace.
pub(crate) fn check_namespace(state: &ClusterState, name: &str) -> Result<(), RpcException> {
    match state.namespaces.contains_key(name) {
        true => Ok(()),
        false => Err(exceptions::namespace_not_found(name)),
    }
}

fn check_namespace_deletion(state: &ClusterState, name: &str) -> Result<(), RpcException> {
    check_namespace(state, name)?;
    if matches!(name, TableName::DEFAULT_NAMESPACE | TableName::SYSTEM_NAMESPACE) {
        return Err(exceptions::constraint(format!("Reserved namespace {name} cannot be removed.")));
    }
    match state.tables.keys().filter(|table| table.namespace() == name).count() {
        0 => Ok(()),
        tables => Err(exceptions::constraint(format!(
            "Only empty namespaces can be removed. Namespace {name} has {tables} tables"
        ))),
    }
}

/// How many tables and regions a namespace may have must be numbers, and not zero.
fn check_namespace_quotas(name: &str, configuration: &NamespaceConfiguration) -> Result<(), RpcException> {
    for (key, what) in
        [("hbase.namespace.quota.maxregions", "region"), ("hbase.namespace.quota.maxtables", "tables")]
    {
        let Some((_, value)) = configuration.iter().find(|(set, _)| set == key) else { continue };
        match value.parse::<i64>() {
            Ok(1..) => {}
            Ok(_) => {
                let message = format!("The max {what} quota for {name} is less than or equal to zero.");
                return Err(exceptions::constraint(message));
            }
            Err(_) => {
                let what = what.trim_end_matches('s');
                let message = format!("NumberFormatException while getting max {what}s.");
                return Err(exceptions::do_not_retry(message));
            }
        }
    }
    Ok(())
}

/// Refuses empty and duplicate split keys, and such as no region can begin with; they come sorted.
fn check_split_keys(table: &TableName, keys: &[Bytes]) -> Result<(), RpcException> {
    if keys.iter().any(Bytes::is_empty) {
        return Err(exceptions::do_not_retry("Empty split key must not be passed in the split keys."));
    }
    if let Some(pair) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(exceptions::do_not_retry(format!(
            "All split keys must be unique, found duplicate: {}",
            pair[0].escape_ascii()
        )));
    }
    keys.iter().try_for_each(|key| meta_row::check_start_key(table, key))
}

fn check_flush(state: &ClusterState, name: &TableName, families: &[Bytes]) -> Result<(), RpcException> {
    let table = find(state, name)?;
    if table.state != TableState::Enabled {
        return Err(exceptions::table_not_enabled(name.to_string()));
    }
    let unknown =
        |family: &&Bytes| table.descriptor.as_ref().is_some_and(|table| table.family(family).is_none());
    match families.iter().find(unknown) {
        Some(family) => Err(exceptions::no_such_column_family(format!(
            "Column family {} does not exist in table {name}",
            String::from_utf8_lossy(family)
        ))),
        None => Ok(()),
    }
}

/// A region that has been split while the operation waited for its turn is not there any more.
fn check_undivided(state: &ClusterState, region: &str) -> Result<(), RpcException> {
    match state.regions.get(region) {
        Some(known) if known.is_assignable() => Ok(()),
        Some(known) => {
            let state = known.state;
            Err(exceptions::do_not_retry_region(format!(
                "{region} is not there any more: its state is {state:?}"
            )))
        }
        None => Err(exceptions::unknown_region(region)),
    }
}
