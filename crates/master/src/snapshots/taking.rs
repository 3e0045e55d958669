//! A snapshot as steps. The table is locked, so that no region of it is split, merged, opened or closed: each of its regions
//! is flushed, and its server says which files it has then. What is written down of that lies in `.tmp` until all is there.

use std::sync::Arc;

use finback_cell::{RegionInfo, TableDescriptor, TableName, schema::set_entry};
use finback_proto::pb;
use finback_rpc::{RpcException, exceptions};
use pb::{snapshot_description::Type, table_state::State as TableState};

use super::{SnapshotWork, describe};
use crate::{
    core::{Decision, Step},
    operation::Operation,
    state::ClusterState,
    storage_work::StorageWork,
};

/// Regions that are flushed and listed at the same time.
const REGIONS_AT_ONCE: usize = 8;
/// The table attribute that a snapshot may bring.
const MAX_FILESIZE: &str = "MAX_FILESIZE";

/// Whether a snapshot can be taken now; in HBase's words, why not.
pub(crate) fn check(
    state: &ClusterState,
    table: &TableName,
    snapshot: &pb::SnapshotDescription,
) -> Result<(), RpcException> {
    let refused = |message: String| Err(exceptions::snapshot_creation(message));
    if table.is_system() {
        return refused(format!("System table snapshots are not allowed: {table}"));
    }
    let known = state.tables.get(table).filter(|known| known.descriptor.is_some());
    let Some(known) = known else {
        return refused(format!("Table '{table}' doesn't exist, can't take snapshot."));
    };
    match (known.state, snapshot.r#type()) {
        (TableState::Enabled, Type::Disabled) => {
            refused("Unrecognized snapshot type:DISABLED, of a table that is enabled".to_owned())
        }
        (TableState::Enabled | TableState::Disabled, _) => Ok(()),
        _ => refused("Table is not entirely open or closed".to_owned()),
    }
}

/// The steps.
pub(crate) fn steps(snapshot: &pb::SnapshotDescription, decision: &Decision) -> Vec<Step> {
    let Some(table) = &decision.old_descriptor else { return Vec::new() };
    let (snapshot, table) = (as_taken(snapshot, decision.online), with_max_file_size(table, snapshot));
    let is_asked = |region: &&RegionInfo| decision.online && !region.offline && !region.split;
    let (asked, offline): (Vec<_>, Vec<_>) = decision.old_regions.iter().partition(|region| is_asked(region));
    let work = |work| StorageWork::Snapshot(Box::new(work));
    let begin = SnapshotWork::Begin { snapshot: snapshot.clone(), table: table.clone() };
    let mut steps = vec![
        Step::Otherwise(vec![Step::CleanUp(work(SnapshotWork::Discard(snapshot.name.clone())))]),
        Step::Prepare(work(begin)),
    ];
    for regions in asked.chunks(REGIONS_AT_ONCE) {
        let regions = regions.iter().map(|region| region.encoded_name()).collect();
        steps.push(Step::AddToSnapshot { snapshot: snapshot.clone(), table: table.clone(), regions });
    }
    steps.push(Step::Prepare(work(SnapshotWork::Complete {
        snapshot,
        table,
        offline: offline.into_iter().cloned().collect(),
        regions: decision.old_regions.clone(),
    })));
    steps
}

/// As in HBase, that of a disabled table is another kind, whatever was asked for.
fn as_taken(snapshot: &pb::SnapshotDescription, online: bool) -> pb::SnapshotDescription {
    let mut snapshot = snapshot.clone();
    if !online {
        snapshot.r#type = Some(Type::Disabled.into());
    }
    snapshot
}

fn with_max_file_size(
    table: &Arc<TableDescriptor>,
    snapshot: &pb::SnapshotDescription,
) -> Arc<TableDescriptor> {
    if snapshot.max_file_size() <= 0 || table.attribute(MAX_FILESIZE).is_some() {
        return Arc::clone(table);
    }
    let mut table = TableDescriptor::clone(table);
    set_entry(&mut table.attributes, MAX_FILESIZE, &snapshot.max_file_size().to_string());
    Arc::new(table)
}

/// In what a snapshot that is asked for is at odds with an operation that is at work.
pub(super) enum Conflict {
    SameTable,
    SameName,
    Restore,
}

pub(super) fn conflict(
    running: &Operation,
    table: &TableName,
    snapshot: &pb::SnapshotDescription,
) -> Option<Conflict> {
    match running {
        Operation::TakeSnapshot { table: taken, .. } if taken == table => Some(Conflict::SameTable),
        Operation::TakeSnapshot { snapshot: taken, .. } if taken.name == snapshot.name => {
            Some(Conflict::SameName)
        }
        Operation::CloneSnapshot(of) | Operation::RestoreSnapshot(of) if of.table.name == *table => {
            Some(Conflict::Restore)
        }
        _ => None,
    }
}

/// What the client is told of that.
pub(super) fn rejection(
    conflict: &Conflict,
    running: &Operation,
    snapshot: &pb::SnapshotDescription,
) -> RpcException {
    let why = match (conflict, running) {
        (Conflict::SameTable, Operation::TakeSnapshot { snapshot, .. }) => {
            format!("running another snapshot on the same table {}", describe(snapshot))
        }
        (Conflict::Restore, _) => "have a restore in progress on the same snapshot.".to_owned(),
        _ => "running another snapshot with the same name".to_owned(),
    };
    let snapshot = describe(snapshot);
    exceptions::snapshot_creation(format!("Rejected taking {snapshot} because we are already {why}"))
}
