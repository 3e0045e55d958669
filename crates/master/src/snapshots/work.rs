//! Work on disk for snapshots. It blocks.

use std::sync::Arc;

use finback_cell::{RegionInfo, TableDescriptor, TableName};
use finback_layout::RootDir;
use finback_proto::pb;
use finback_rpc::{RpcException, exceptions};

use super::exception;
use crate::action::{Outcome, Output};
use crate::options::ServedFiles;

/// A piece of work.
#[derive(Debug, Clone)]
pub(crate) enum SnapshotWork {
    /// The directory of a snapshot that is going to be taken, with the MOB files that the table has so far.
    Begin { snapshot: pb::SnapshotDescription, table: Arc<TableDescriptor> },
    /// The regions that nobody serves, then the end: all of `regions` are in the snapshot.
    Complete {
        snapshot: pb::SnapshotDescription,
        table: Arc<TableDescriptor>,
        offline: Vec<RegionInfo>,
        regions: Vec<RegionInfo>,
    },
    /// What there is of a snapshot that comes to no end.
    Discard(String),
    /// Regions of a table, each of one of the snapshot's.
    MakeRegions {
        snapshot: pb::SnapshotDescription,
        table: TableDescriptor,
        regions: Vec<(RegionInfo, RegionInfo)>,
    },
    /// A table that was restored has no other regions than these, and no other MOB files than theirs and the snapshot's.
    KeepRegions { snapshot: pb::SnapshotDescription, table: TableName, keep: Vec<String> },
}

impl SnapshotWork {
    /// Does it.
    pub(crate) fn run(self, root: &RootDir, served_files: &ServedFiles) -> Outcome {
        let done = match self {
            Self::Begin { snapshot, table } => root
                .begin_snapshot(&snapshot)
                .and_then(|()| root.add_mob_files_to_snapshot(&snapshot.name, &table)),
            Self::Complete { snapshot, table, offline, regions } => {
                offline.iter().try_for_each(|region| refuse_recovered(root, &table, region))?;
                for region in &offline {
                    let files = served_files(root, &table, region);
                    let added = root.add_region_to_snapshot(&snapshot.name, &table, region, files.as_deref());
                    added.map_err(|error| exception(&error))?;
                }
                root.complete_snapshot(&snapshot, &table, &regions)
            }
            Self::Discard(name) => root.discard_snapshot(&name),
            Self::MakeRegions { snapshot, table, regions } => {
                root.make_regions_of_snapshot(&snapshot, &table, &regions)
            }
            Self::KeepRegions { snapshot, table, keep } => root
                .archive_other_regions(&table, &keep)
                .and_then(|()| root.archive_mob_files_not_in_snapshot(&snapshot, &table, &keep)),
        };
        done.map(|()| Output::Done).map_err(|error| exception(&error))
    }
}

/// Refuses a region that did not open since its server died: what a log had of it is in none of its files. Of one that was
/// closed, as before a split, the logs have only what is.
fn refuse_recovered(
    root: &RootDir,
    descriptor: &TableDescriptor,
    region: &RegionInfo,
) -> Result<(), RpcException> {
    if region.split {
        return Ok(());
    }
    let (table, encoded) = (&region.table, region.encoded_name());
    let refused = || {
        exceptions::snapshot_creation(format!(
            "Region {encoded} of {table} has edits that are in no file: enable the table, and disable it again"
        ))
    };
    for family in &descriptor.families {
        let files = root.recovered_files(table, &encoded, &family.name).map_err(|error| exception(&error))?;
        if !files.is_empty() {
            return Err(refused());
        }
    }
    let flushed = root.flushed_before_close(table, &encoded).map_err(|error| exception(&error))?;
    let edits = finback_wal::recovered_edits(&**root.fs(), &root.region_dir(table, &encoded))
        .map_err(|error| exceptions::io(error.to_string()))?;
    match edits.last() {
        Some((_, newest)) if *newest > flushed.unwrap_or(0) => Err(refused()),
        _ => Ok(()),
    }
}
