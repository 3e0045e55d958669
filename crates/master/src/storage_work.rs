//! Work on the root directory. It blocks.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use bytes::Bytes;
use finback_cell::key::row_of;
use finback_cell::{RegionInfo, ServerName, TableDescriptor, TableName};
use finback_fs::FileSystem;
use finback_hfile::{HFileError, HFileReader};
use finback_layout::{LayoutError, RootDir, RowsOfFile, WalDir};
use finback_rpc::{RpcException, exceptions};
use finback_wal::{FlushedSequenceIds, SplitReport, WalError};

use crate::{
    action::{Outcome, Output},
    options::ServedFiles,
    procedure_store,
    snapshots::SnapshotWork,
};

/// A piece of work.
#[derive(Debug, Clone)]
pub(crate) enum StorageWork {
    /// A table's directory, whole.
    CreateTable {
        table: Arc<TableDescriptor>,
        regions: Vec<RegionInfo>,
    },
    /// Directories of regions in an existing table.
    CreateRegions(Vec<RegionInfo>),
    /// Directories of regions that come of others, with references and links to the files of these.
    CreateOffspring {
        regions: Vec<RegionInfo>,
        parents: Vec<RegionInfo>,
        families: Vec<Bytes>,
    },
    /// A table's new descriptor.
    WriteDescriptor(Arc<TableDescriptor>),
    /// A table that exists no more.
    ArchiveTable(TableName),
    /// Regions that exist no more.
    ArchiveRegions {
        table: TableName,
        regions: Vec<String>,
    },
    /// MOB files of a table, but for those that these regions have written: after a crash it may be done when they are open.
    ArchiveMobFiles {
        table: TableName,
        keep: Vec<String>,
    },
    /// Families that exist no more, with their MOB files.
    ArchiveFamilies {
        table: TableName,
        regions: Vec<String>,
        families: Vec<Bytes>,
    },
    /// For a snapshot, or a table that is made of one.
    Snapshot(Box<SnapshotWork>),
    CreateNamespace(String),
    RemoveNamespace(String),
    /// Splits the logs of dead servers, without waiting for the disk.
    RecoverLogs(Vec<WalDir>),
    /// Makes durable what that has given, and puts the logs away.
    PutLogsAway(Vec<SplitReport>),
    /// Splits the logs of one dead server.
    RecoverServerLogs(ServerName),
    /// Reads the descriptors of tables, then clears away whatever hbase:meta does not know.
    LoadTables {
        tables: BTreeMap<TableName, BTreeSet<String>>,
        /// Of these a restore may have left a schema that is not that of their regions.
        in_restore: BTreeSet<TableName>,
        /// hbase:meta knows nothing.
        first_start: bool,
    },
}

impl StorageWork {
    /// Whether files of the archive that nothing needs yet must stay there meanwhile.
    pub(crate) fn needs_archive(&self) -> bool {
        matches!(self, Self::Snapshot(_))
    }

    /// Does it.
    pub(crate) fn run(self, root: &RootDir, served_files: &ServedFiles) -> Outcome {
        match self {
            Self::CreateTable { table, regions } => done(root.create_table_dir(&table, &regions)),
            Self::CreateRegions(regions) => {
                done(regions.iter().try_for_each(|region| root.create_region_dir(region)))
            }
            Self::CreateOffspring { regions, parents, families } => {
                let rows_of = |path: &Path| rows_of_file(&**root.fs(), path);
                done(
                    regions
                        .iter()
                        .try_for_each(|region| root.create_offspring(region, &parents, &families, &rows_of)),
                )
            }
            Self::WriteDescriptor(table) => done(root.make_table_descriptor_current(&table)),
            Self::ArchiveTable(table) => done(root.archive_table(&table)),
            Self::ArchiveRegions { table, regions } => {
                done(regions.iter().try_for_each(|region| root.archive_region(&table, region)))
            }
            Self::ArchiveMobFiles { table, keep } => done(root.archive_other_mob_files(&table, &keep)),
            Self::ArchiveFamilies { table, regions, families } => {
                let of_regions = regions.iter().try_for_each(|region| {
                    families.iter().try_for_each(|family| root.archive_family(&table, region, family))
                });
                let of_table =
                    || families.iter().try_for_each(|family| root.archive_mob_family(&table, family));
                done(of_regions.and_then(|()| of_table()))
            }
            Self::Snapshot(work) => work.run(root, served_files),
            Self::CreateNamespace(name) => done(root.create_namespace_dir(&name)),
            Self::RemoveNamespace(name) => done(root.remove_namespace_dir(&name)),
            Self::RecoverLogs(dirs) => recover(root, &dirs).map(Output::LogsSplit),
            Self::PutLogsAway(logs) => {
                let done = finback_wal::finish_split(&**root.fs(), root.path(), &logs);
                done.map(|()| Output::Done).map_err(|e| {
                    let message = format!("putting split logs away: {e}");
                    // What a sync has failed to write may be lost, though the next one succeeds.
                    let is_output = |path| logs.iter().any(|log| log.outputs.contains(path));
                    match &e {
                        WalError::Io { path, .. } if is_output(path) => exceptions::do_not_retry(message),
                        _ => exceptions::io(message),
                    }
                })
            }
            Self::RecoverServerLogs(server) => {
                let dirs = root.list_wal_dirs().map_err(|e| exception(&e))?;
                let of_server: Vec<_> = dirs.into_iter().filter(|dir| dir.server == server).collect();
                Self::PutLogsAway(recover(root, &of_server)?).run(root, served_files)
            }
            Self::LoadTables { tables, in_restore, first_start } => {
                load_tables(root, &tables, &in_restore, first_start)
            }
        }
    }
}

/// Which rows a store file has, if that can be told: else its regions refer to it, and whoever reads it says what is wrong.
fn rows_of_file(fs: &dyn FileSystem, path: &Path) -> Option<RowsOfFile> {
    let look = || -> Result<Option<RowsOfFile>, HFileError> {
        let file = fs.open(path).map_err(|source| HFileError::Io {
            path: path.to_owned(),
            what: "opening",
            offset: 0,
            source,
        })?;
        let reader = HFileReader::open_identified(file, path)?;
        Ok(match (reader.first_key(), reader.last_key()) {
            (Some(first), Some(last)) => {
                Some(RowsOfFile::Range(row_of(first).to_vec(), row_of(last).to_vec()))
            }
            _ => (reader.entry_count() == 0).then_some(RowsOfFile::None),
        })
    };
    look().unwrap_or_else(|error| {
        tracing::warn!(%error, "a store file does not say which rows it has");
        None
    })
}

fn done(result: Result<(), LayoutError>) -> Outcome {
    result.map(|()| Output::Done).map_err(|e| exception(&e))
}

fn exception(error: &LayoutError) -> RpcException {
    exceptions::io(error.to_string())
}

/// What a server had flushed is not known here: what is in its store files already is skipped when a region replays.
fn recover(root: &RootDir, dirs: &[WalDir]) -> Result<Vec<SplitReport>, RpcException> {
    let unknown = |_: &[u8]| FlushedSequenceIds::default();
    let servers: BTreeSet<String> = dirs.iter().map(|dir| dir.server.to_string()).collect();
    let mut split = Vec::new();
    for server in servers {
        let reports =
            finback_wal::begin_split(&**root.fs(), root.path(), &server, &unknown).map_err(|e| {
                let message = format!("recovering the logs of {server}: {e}");
                match e {
                    WalError::Io { .. } | WalError::Unavailable(_) => exceptions::io(message),
                    _ => exceptions::do_not_retry(message),
                }
            })?;
        for report in &reports {
            let (entries, outputs, torn) = (report.entries, report.outputs.len(), report.dropped_bytes);
            tracing::info!(log = %report.wal.display(), entries, outputs, torn, "log split");
        }
        split.extend(reports);
    }
    Ok(split)
}

fn load_tables(
    root: &RootDir,
    tables: &BTreeMap<TableName, BTreeSet<String>>,
    in_restore: &BTreeSet<TableName>,
    first_start: bool,
) -> Outcome {
    let mut descriptors = BTreeMap::new();
    for table in tables.keys() {
        match root.read_table_descriptor(table) {
            Ok(descriptor) => {
                descriptors.insert(table.clone(), Arc::new(descriptor));
            }
            // The other tables are to be served.
            Err(e) => tracing::error!(%table, "table without a usable descriptor: {e}"),
        }
    }
    if first_start {
        refuse_tables(root)?;
    } else {
        root.sweep_snapshots().map_err(|e| exception(&e))?;
        // Nothing was begun here yet that a crash could have cut off.
        let has_begun = procedure_store::is_there(&**root.fs(), root.path())
            .and_then(|is_there| Ok(is_there || root.fs().exists(&root.unnamed_regions_file())?));
        if !has_begun.map_err(|e| exceptions::io(e.to_string()))? {
            let unnamed = root.note_unnamed_regions(tables).map_err(|e| exception(&e))?;
            for (table, regions) in &unnamed {
                tracing::warn!(%table, ?regions, "regions that hbase:meta does not have: left where they are, see finback check");
            }
        }
        // What the file says of regions is not to be guessed.
        let final_if_corrupt = |e: &LayoutError| match e.is_corrupt() {
            true => exceptions::do_not_retry(e.to_string()),
            false => exception(e),
        };
        let swept = root.sweep(tables).map_err(|e| final_if_corrupt(&e))?;
        for (table, descriptor) in descriptors.iter().filter(|(table, _)| !in_restore.contains(*table)) {
            sweep_families(root, descriptor, &tables[table]).map_err(|e| exception(&e))?;
        }
        if !swept.is_empty() {
            tracing::warn!(?swept, "left over from a crash, moved to the archive");
        }
    }
    Ok(Output::Descriptors(descriptors))
}

/// Where hbase:meta is empty, what lies on disk is not a crash's litter but all that is left: the next start would not know
/// that any more. Of a first start that was cut off there may be hbase:namespace.
fn refuse_tables(root: &RootDir) -> Result<(), RpcException> {
    let mut tables = root.list_tables().map_err(|e| exception(&e))?;
    tables.retain(|table| !table.is_meta() && *table != TableName::namespace_table());
    let Some(first) = tables.first() else { return Ok(()) };
    let data = root.data_dir();
    Err(exceptions::do_not_retry(format!(
        "hbase:meta is empty, and {} has tables ({first}, ...): bring hbase:meta and its logs back from a backup, or move the \
         directories of these away",
        data.display()
    )))
}

fn sweep_families(
    root: &RootDir,
    table: &TableDescriptor,
    regions: &BTreeSet<String>,
) -> Result<(), LayoutError> {
    for region in regions {
        for family in root.list_families(&table.name, region)? {
            if table.family(family.as_bytes()).is_none() {
                tracing::warn!(table = %table.name, region, family, "removed family, moved to the archive");
                root.archive_family(&table.name, region, family.as_bytes())?;
            }
        }
    }
    for family in root.list_mob_families(&table.name)? {
        if table.family(family.as_bytes()).is_none() {
            tracing::warn!(table = %table.name, family, "MOB files of a removed family, moved to the archive");
            root.archive_mob_family(&table.name, family.as_bytes())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
