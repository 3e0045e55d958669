//! Tables of snapshots: a new one, or one that is to be as it was. Their regions are new in either case, with links to the
//! files that the snapshot names, so that hbase:meta changes once: before that the old table is there (or none), after it
//! the other one. HBase restores a table's regions in their places, one after the other, under the names that they have:
//! a log that still has edits of such a region from after the snapshot would bring them back after a crash.

use std::{collections::BTreeMap, sync::Arc};

use finback_cell::{RegionInfo, TableDescriptor, TableName, schema::set_entry};
use finback_layout::{LayoutError, RootDir, SnapshotManifest, StoreFileName, StoreFileTracker, TRACKER};
use finback_proto::pb;
use finback_rpc::{RpcException, exceptions};
use pb::table_state::State as TableState;

use super::{SnapshotWork, calls::does_not_exist, describe, exception};
use crate::sanity_check::SanityChecks;
use crate::{
    core::{Core, Decision, Origin, Step},
    driver::Driver,
    master_service::{Answer, reply},
    meta_edit::MetaEdit,
    meta_row,
    operation::{Operation, check_namespace, find},
    sanity_check,
    state::ClusterState,
    storage_work::StorageWork,
};

/// A table that is to be made of a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TableOfSnapshot {
    pub(crate) snapshot: pb::SnapshotDescription,
    /// As it is to be.
    pub(crate) table: TableDescriptor,
    /// The regions that the snapshot has; of those that were split, only such as have something that refers to them.
    pub(crate) regions: Vec<RegionInfo>,
    /// Of those that were split, what refers to them: encoded names, of the snapshot.
    pub(crate) splits: BTreeMap<String, Vec<String>>,
}

impl TableOfSnapshot {
    fn of(snapshot: pb::SnapshotDescription, table: TableDescriptor, manifest: &SnapshotManifest) -> Self {
        let mut splits: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for files in manifest.table_regions() {
            let daughter = files.region.encoded_name();
            for file in files.families.iter().flat_map(|family| &family.files) {
                let Some(StoreFileName::Reference { region, .. }) = StoreFileName::parse(&file.name) else {
                    continue;
                };
                let daughters = splits.entry(region.to_owned()).or_default();
                if !daughters.contains(&daughter) {
                    daughters.push(daughter.clone());
                }
            }
        }
        let was_split = |region: &RegionInfo| region.offline || region.split;
        let mut regions: Vec<_> = manifest.table_regions().map(|files| files.region.clone()).collect();
        regions.retain(|region| !was_split(region) || splits.contains_key(&region.encoded_name()));
        // What a merged region refers to is no region any more.
        splits.retain(|parent, _| {
            regions.iter().any(|region| was_split(region) && region.encoded_name() == *parent)
        });
        Self { snapshot, table, regions, splits }
    }
}

/// RestoreSnapshot: the table that is named is made anew, or becomes what it was.
pub(super) async fn restore(
    driver: Arc<Driver>,
    request: pb::RestoreSnapshotRequest,
    origin: Origin,
) -> Answer {
    if let Some(proc_id) = driver.started(&origin).await? {
        return reply(&pb::RestoreSnapshotResponse { proc_id });
    }
    let target = RootDir::snapshot_table(&request.snapshot).map_err(|error| exception(&error))?;
    let name = request.snapshot.name.clone();
    let read = driver.look_at_disk(move |root| read_and_verify(root, &name)).await?;
    let (snapshot, manifest) = match read {
        Err(LayoutError::NotFound { .. }) => return Err(does_not_exist(&request.snapshot.name)),
        read => read.map_err(|error| exception(&error))?,
    };
    let submitted = driver.event(|core, now| {
        let operation = operation(core, target, snapshot, &manifest, &request, now)?;
        core.submit(operation, origin, now)
    });
    let proc_id = submitted?;
    driver.admitted(proc_id).await?;
    reply(&pb::RestoreSnapshotResponse { proc_id })
}

fn read_and_verify(
    root: &RootDir,
    name: &str,
) -> Result<(pb::SnapshotDescription, SnapshotManifest), LayoutError> {
    if !root.snapshot_exists(name)? {
        return Err(LayoutError::NotFound { what: "snapshot", path: root.snapshot_dir(name)? });
    }
    let (snapshot, manifest) = (root.read_snapshot_info(name)?, root.read_snapshot_manifest(name)?);
    root.verify_snapshot(name, &manifest.table.name, &manifest)?;
    Ok((snapshot, manifest))
}

/// What is to be done, if it can be done at all.
fn operation(
    core: &Core,
    target: TableName,
    snapshot: pb::SnapshotDescription,
    manifest: &SnapshotManifest,
    request: &pb::RestoreSnapshotRequest,
    now: u64,
) -> Result<Operation, RpcException> {
    let at_work = core.procedures.active().find_map(|(_, running)| match &running.operation {
        Operation::TakeSnapshot { table, .. } if *table == target => {
            Some(format!("Snapshot in progress on the restore table={target}"))
        }
        Operation::CloneSnapshot(of) | Operation::RestoreSnapshot(of) if of.table.name == target => {
            Some(format!("Restore already in progress on the table={target}"))
        }
        _ => None,
    });
    if let Some(message) = at_work {
        return Err(exceptions::restore_snapshot(message));
    }
    if finback_layout::is_expired(&snapshot, now) {
        let message = format!("TTL for snapshot '{}' has already expired.", snapshot.name);
        return Err(exceptions::snapshot_ttl_expired(message));
    }
    let restores = core.state.tables.contains_key(&target);
    if restores && manifest.table.name != target {
        return Err(exceptions::table_exists(target.to_string()));
    }
    let mut table = TableDescriptor { name: target, ..manifest.table.clone() };
    if !restores {
        set_tracker(&mut table, request.custom_sft());
    }
    let of = Box::new(TableOfSnapshot::of(snapshot, table, manifest));
    Ok(if restores { Operation::RestoreSnapshot(of) } else { Operation::CloneSnapshot(of) })
}

/// A clone may have another store file tracker than the snapshot's table.
fn set_tracker(table: &mut TableDescriptor, tracker: &str) {
    if tracker.is_empty() {
        return;
    }
    set_entry(&mut table.attributes, TRACKER, tracker);
    for family in &mut table.families {
        family.attributes.retain(|(key, _)| key != TRACKER);
        family.configuration.retain(|(key, _)| key != TRACKER);
    }
}

/// How a clone ends whose store file tracker is none: HBase lets it in, and its procedure looks for a class of that name.
fn unusable_tracker(table: &TableDescriptor) -> Option<RpcException> {
    let family = table.families.iter().find(|family| StoreFileTracker::of(table, family).is_err())?;
    let name = family.setting(TRACKER).or_else(|| table.attribute(TRACKER))?;
    let message = format!("java.lang.ClassNotFoundException: Class {name} not found");
    Some(exceptions::io(format!("java.lang.RuntimeException: java.lang.RuntimeException: {message}")))
}

/// Whether a new table can be made of a snapshot.
pub(crate) fn check_clone(
    state: &ClusterState,
    of: &TableOfSnapshot,
    sanity_checks: SanityChecks,
) -> Result<(), RpcException> {
    check_namespace(state, of.table.name.namespace())?;
    check_schema(of, sanity_checks)?;
    of.regions.iter().try_for_each(|region| meta_row::check_start_key(&of.table.name, &region.start_key))?;
    match state.tables.contains_key(&of.table.name) {
        true => Err(exceptions::table_exists(of.table.name.to_string())),
        false => Ok(()),
    }
}

/// Whether a table can become what it was.
pub(crate) fn check_restore(
    state: &ClusterState,
    of: &TableOfSnapshot,
    sanity_checks: SanityChecks,
) -> Result<(), RpcException> {
    let name = &of.table.name;
    let table = find(state, name)?;
    if table.state != TableState::Disabled {
        return Err(exceptions::do_not_retry(format!(
            "java.lang.UnsupportedOperationException: Table '{name}' must be disabled in order to perform a restore \
             operation."
        )));
    }
    check_schema(of, sanity_checks)?;
    let Some(current) = &table.descriptor else { return Ok(()) };
    for family in &current.families {
        let Some(restored) = of.table.family(&family.name) else { continue };
        let (current, restored) =
            (StoreFileTracker::of(current, family), StoreFileTracker::of(&of.table, restored));
        if current != restored {
            let family = String::from_utf8_lossy(&family.name);
            return Err(exceptions::restore_snapshot(format!(
                "Restoring Snapshot is not possible because  the config for column family {family} has incompatible \
                 configuration. Current SFT: {current:?} SFT from snapshot: {restored:?}"
            )));
        }
    }
    Ok(())
}

fn check_schema(of: &TableOfSnapshot, sanity_checks: SanityChecks) -> Result<(), RpcException> {
    sanity_check::check(&of.table, sanity_checks)?;
    if of.table.families.is_empty() {
        let message = format!("Table {} should have at least one column family.", of.table.name);
        return Err(exceptions::do_not_retry(message));
    }
    match of.regions.is_empty() {
        true => {
            Err(exceptions::corrupted_snapshot(format!("Snapshot {} looks empty", describe(&of.snapshot))))
        }
        false => Ok(()),
    }
}

/// The regions that come, in the order of the snapshot's: each as new as the others, but younger than what it came of.
pub(crate) fn decide(of: &TableOfSnapshot, old: Decision, first_id: u64) -> Decision {
    let ages: std::collections::BTreeSet<u64> = of.regions.iter().map(|region| region.region_id).collect();
    let age = |region: &RegionInfo| ages.range(..region.region_id).count() as u64;
    let new = |region: &RegionInfo| RegionInfo {
        table: of.table.name.clone(),
        region_id: first_id.saturating_add(age(region)),
        replica_id: 0,
        ..region.clone()
    };
    let new_regions = of.regions.iter().map(new).collect();
    Decision { new_regions, new_descriptor: Some(Arc::new(of.table.clone())), ..old }
}

/// Those of the new regions that are opened.
fn to_open(decision: &Decision) -> Vec<String> {
    let served = decision.new_regions.iter().filter(|region| !region.offline && !region.split);
    served.map(RegionInfo::encoded_name).collect()
}

/// The new regions, as hbase:meta gets to know them.
fn additions(of: &TableOfSnapshot, decision: &Decision) -> Vec<MetaEdit> {
    let new: BTreeMap<String, &RegionInfo> =
        of.regions.iter().map(RegionInfo::encoded_name).zip(&decision.new_regions).collect();
    let addition = |(old, region): (&String, &&RegionInfo)| match of.splits.get(old) {
        None => MetaEdit::AddRegion { region: (*region).clone(), replicas: decision.replicas() },
        Some(daughters) => {
            let daughters =
                daughters.iter().filter_map(|daughter| new.get(daughter).map(|info| (*info).clone()));
            MetaEdit::AddSplitParent { parent: (*region).clone(), daughters: daughters.collect() }
        }
    };
    new.iter().map(addition).collect()
}

fn make_regions(of: &TableOfSnapshot, decision: &Decision) -> SnapshotWork {
    let regions = of.regions.iter().cloned().zip(decision.new_regions.iter().cloned()).collect();
    SnapshotWork::MakeRegions { snapshot: of.snapshot.clone(), table: of.table.clone(), regions }
}

fn work(work: SnapshotWork) -> StorageWork {
    StorageWork::Snapshot(Box::new(work))
}

fn state_edit(table: &TableName, state: TableState) -> MetaEdit {
    MetaEdit::TableState { table: table.clone(), state }
}

/// The steps of a clone.
pub(crate) fn clone_steps(of: &TableOfSnapshot, decision: &Decision) -> Vec<Step> {
    let Some(table) = &decision.new_descriptor else { return Vec::new() };
    if let Some(exception) = unusable_tracker(table) {
        return vec![Step::Fail(exception)];
    }
    let mut edits = vec![state_edit(&table.name, TableState::Enabling)];
    edits.extend(additions(of, decision));
    vec![
        Step::Otherwise(vec![Step::CleanUp(StorageWork::ArchiveTable(table.name.clone()))]),
        Step::Prepare(StorageWork::CreateTable { table: table.clone(), regions: Vec::new() }),
        Step::Prepare(work(make_regions(of, decision))),
        Step::Meta(edits),
        Step::SetDescriptor(table.clone()),
        Step::Open(to_open(decision)),
        Step::Meta(vec![state_edit(&table.name, TableState::Enabled)]),
    ]
}

/// The steps of a restore.
pub(crate) fn restore_steps(of: &TableOfSnapshot, decision: &Decision) -> Vec<Step> {
    let Some(table) = &decision.new_descriptor else { return Vec::new() };
    let names = |regions: &[RegionInfo]| regions.iter().map(RegionInfo::encoded_name).collect::<Vec<_>>();
    let archive = |regions| Step::CleanUp(StorageWork::ArchiveRegions { table: table.name.clone(), regions });
    let mut edits: Vec<_> = decision.old_regions.iter().cloned().map(MetaEdit::RemoveRegion).collect();
    edits.extend(additions(of, decision));
    let mut undo = vec![archive(names(&decision.new_regions))];
    let mut steps = Vec::new();
    if let Some(old) = decision.old_descriptor.as_ref().filter(|old| *old != table) {
        undo.push(Step::CleanUp(StorageWork::WriteDescriptor(old.clone())));
        undo.push(Step::SetDescriptor(old.clone()));
        steps.push(Step::Prepare(StorageWork::WriteDescriptor(table.clone())));
        steps.push(Step::SetDescriptor(table.clone()));
    }
    steps.insert(0, Step::Otherwise(undo));
    steps.push(Step::Prepare(work(make_regions(of, decision))));
    steps.push(Step::Meta(edits));
    let (snapshot, keep) = (of.snapshot.clone(), names(&decision.new_regions));
    steps.push(Step::CleanUp(work(SnapshotWork::KeepRegions { snapshot, table: table.name.clone(), keep })));
    steps
}
