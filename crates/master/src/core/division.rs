//! Splits, merges and truncations of regions as steps. The parents are closed, the directories of what comes of them are made, then hbase:meta
//! changes once: before that a start of the master opens the parents, and clears the directories away; after it the
//! others are there. Should a step before it fail, the parents are opened again.

use bytes::Bytes;
use finback_cell::{RegionInfo, TableName};
use finback_rpc::{RpcException, exceptions};

use super::{
    Core,
    decision::Decision,
    left_undone,
    procedure::{Origin, Step},
};
use crate::{kinship::Kinship, meta_edit::MetaEdit, operation::Operation, storage_work::StorageWork};

impl Core {
    /// Event: a server asks for a split of a region that has grown.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn split_wanted(
        &mut self,
        table: TableName,
        region: String,
        split_row: Bytes,
        now: u64,
    ) -> Result<(), RpcException> {
        if !self.state.switches.kept.split {
            return Err(exceptions::do_not_retry("the split switch is off"));
        }
        let operation = Operation::SplitRegion { table, region, split_row };
        // It may be asked for again before it has begun.
        let is_same = |other: &Operation| match (other, &operation) {
            (Operation::SplitRegion { region: a, .. }, Operation::SplitRegion { region: b, .. }) => a == b,
            _ => false,
        };
        if self.procedures.active().any(|(_, procedure)| is_same(&procedure.operation)) {
            return Ok(());
        }
        self.submit(operation, Origin::default(), now).map(drop)
    }

    /// Event: nobody refers to these files any more. Gives back of how many regions they are put away now. It waits for no lock: one
    /// table's would keep all others from being looked at, and the next look finds again what is left.
    pub(crate) fn collect(&mut self, over: Vec<Kinship>, now: u64) -> usize {
        let mut begun = 0;
        for Kinship { table, region, is_split, .. } in over {
            // Clients' operations need room, too. The next look finds the others.
            if begun == left_undone::MAX_AT_ONCE {
                break;
            }
            let operation = Operation::CollectRegion { table, region, is_split };
            if self.procedures.exclude(&operation) {
                continue;
            }
            match self.submit(operation, Origin::default(), now) {
                Ok(_) => begun += 1,
                Err(error) => tracing::warn!("putting away a region's files: {error}"),
            }
        }
        begun
    }

    /// Where the table is split if somebody asks for this row: where its restriction allows.
    pub(crate) fn border(&self, table: &TableName, row: Bytes) -> Bytes {
        let descriptor = self.state.tables.get(table).and_then(|table| table.descriptor.as_ref());
        match descriptor {
            Some(table) => self.config.split_restriction.border(table, row),
            None => row,
        }
    }

    /// The daughters of a region.
    pub(super) fn decide_split(&self, decision: Decision, split_row: &Bytes) -> Decision {
        let Some(parent) = decision.old_regions.first() else { return decision };
        let id = self.region_id(&decision.old_regions);
        let daughter = |start: &Bytes, end: &Bytes| {
            RegionInfo::new(parent.table.clone(), start.clone(), end.clone(), id)
        };
        let new_regions = vec![daughter(&parent.start_key, split_row), daughter(split_row, &parent.end_key)];
        Decision { new_regions, ..decision }
    }

    /// The region that several become.
    pub(super) fn decide_merge(&self, decision: Decision) -> Decision {
        let parents = &decision.old_regions;
        let Some(first) = parents.first() else { return decision };
        // The last one to begin need not be the last one to end: regions that overlap are mended by merging them.
        let ends = || parents.iter().map(|parent| &parent.end_key);
        let end = if ends().any(Bytes::is_empty) { None } else { ends().max() };
        let (start, end) = (first.start_key.clone(), end.cloned().unwrap_or_default());
        let merged = RegionInfo::new(first.table.clone(), start, end, self.region_id(parents));
        Decision { new_regions: vec![merged], ..decision }
    }

    /// An empty region in the place of one.
    pub(super) fn decide_region_truncation(&self, decision: Decision) -> Decision {
        let empty = |old: &RegionInfo| {
            let (start, end) = (old.start_key.clone(), old.end_key.clone());
            RegionInfo::new(old.table.clone(), start, end, self.region_id(std::slice::from_ref(old)))
        };
        let new_regions = decision.old_regions.iter().map(empty).collect();
        Decision { new_regions, ..decision }
    }

    pub(super) fn plan_collection(&self, region: &str) -> Vec<Step> {
        let Some(known) = self.state.regions.get(region) else { return Vec::new() };
        let (table, info) = (known.info.table.clone(), known.info.clone());
        let archive = |regions| Step::CleanUp(StorageWork::ArchiveRegions { table, regions });
        if known.is_split() {
            return vec![archive(vec![region.to_owned()]), Step::Meta(vec![MetaEdit::RemoveRegion(info)])];
        }
        let (regions, parents) = (known.merged_from.clone(), known.merged_from.len());
        vec![archive(regions), Step::Meta(vec![MetaEdit::ForgetParents { region: info, parents }])]
    }
}

/// The steps of a split.
pub(super) fn split(decision: &Decision) -> Vec<Step> {
    let ([parent], [a, b]) = (&decision.old_regions[..], &decision.new_regions[..]) else {
        return Vec::new();
    };
    let daughters = Box::new([a.clone(), b.clone()]);
    let mut edits = vec![MetaEdit::Split { parent: parent.clone(), daughters }];
    let replicas = decision.replicas();
    let added = |region: &RegionInfo| MetaEdit::AddOffspring {
        region: region.clone(),
        merged_from: Vec::new(),
        replicas,
    };
    edits.extend([a, b].map(added));
    division(decision, edits)
}

/// The steps of a merge.
pub(super) fn merge(decision: &Decision) -> Vec<Step> {
    let [merged] = &decision.new_regions[..] else { return Vec::new() };
    let mut edits: Vec<_> = decision.old_regions.iter().cloned().map(MetaEdit::RemoveRegion).collect();
    edits.push(MetaEdit::AddOffspring {
        region: merged.clone(),
        merged_from: decision.old_regions.clone(),
        replicas: decision.replicas(),
    });
    division(decision, edits)
}

/// The steps of the truncation of a region. HBase keeps the region and empties its directory. Then a crash must not find edits in a
/// log that are in no file any more; a new region has none.
pub(super) fn truncate(decision: &Decision) -> Vec<Step> {
    let ([old], [new]) = (&decision.old_regions[..], &decision.new_regions[..]) else { return Vec::new() };
    let (closed, opened) = (vec![old.encoded_name()], vec![new.encoded_name()]);
    let archive = |regions| StorageWork::ArchiveRegions { table: old.table.clone(), regions };
    let added = MetaEdit::AddRegion { region: new.clone(), replicas: decision.replicas() };
    vec![
        Step::Otherwise(vec![Step::CleanUp(archive(opened.clone())), Step::Open(closed.clone())]),
        Step::Close(closed.clone()),
        Step::Prepare(StorageWork::CreateRegions(vec![new.clone()])),
        Step::Meta(vec![MetaEdit::RemoveRegion(old.clone()), added]),
        Step::CleanUp(archive(closed)),
        Step::Open(opened),
    ]
}

fn division(decision: &Decision, edits: Vec<MetaEdit>) -> Vec<Step> {
    let names = |regions: &[RegionInfo]| regions.iter().map(RegionInfo::encoded_name).collect::<Vec<_>>();
    let (parents, offspring) = (&decision.old_regions, &decision.new_regions);
    let Some(table) = parents.first().map(|parent| parent.table.clone()) else { return Vec::new() };
    let families = decision.old_descriptor.iter().flat_map(|table| &table.families);
    let families = families.map(|family| family.name.clone()).collect();
    let (closed, opened) = (names(parents), names(offspring));
    let archive = StorageWork::ArchiveRegions { table, regions: opened.clone() };
    let (regions, parents) = (offspring.clone(), parents.clone());
    vec![
        Step::Otherwise(vec![Step::CleanUp(archive), Step::Open(closed.clone())]),
        Step::Close(closed),
        Step::Prepare(StorageWork::CreateOffspring { regions, parents, families }),
        Step::Meta(edits),
        Step::Open(opened),
    ]
}
