//! The cells of system tables: what would be in WALs and HFiles. Survives its servers.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use finback_cell::{CellBlock, CellBlockBuilder, RegionInfo, cell::CellParts};
use finback_proto::pb;
use pb::mutation_proto::{DeleteType, MutationType};

type Column = (Bytes, Bytes);
type Row = BTreeMap<Column, (u64, Bytes)>;

#[derive(Default)]
struct Region {
    rows: BTreeMap<Bytes, Row>,
    /// Newest delete marker of a family (empty qualifier) or a column: it hides what is not newer, also what comes later.
    markers: BTreeMap<(Bytes, Column), u64>,
}

/// All regions, by encoded name. Clones are the same store.
#[derive(Clone, Default)]
pub struct Store(Arc<Mutex<BTreeMap<String, Region>>>);

impl Store {
    /// What is there now, apart from what comes.
    pub fn copy(&self) -> Self {
        let regions = self.0.lock().unwrap();
        let copy = |region: &Region| Region { rows: region.rows.clone(), markers: region.markers.clone() };
        Self(Arc::new(Mutex::new(
            regions.iter().map(|(name, region)| (name.clone(), copy(region))).collect(),
        )))
    }

    /// Applies mutations together.
    pub fn apply(&self, region: &str, mutations: &[pb::MutationProto]) {
        let mut regions = self.0.lock().unwrap();
        let region = regions.entry(region.to_owned()).or_default();
        for mutation in mutations {
            region.apply(mutation);
        }
    }

    pub fn value(&self, region: &str, row: &[u8], family: &str, qualifier: &str) -> Option<Bytes> {
        let regions = self.0.lock().unwrap();
        let column = (Bytes::from(family.to_owned()), Bytes::from(qualifier.to_owned()));
        Some(regions.get(region)?.rows.get(row)?.get(&column)?.1.clone())
    }

    pub fn row_keys(&self, region: &str) -> Vec<Bytes> {
        let regions = self.0.lock().unwrap();
        regions.get(region).map(|region| region.rows.keys().cloned().collect()).unwrap_or_default()
    }

    /// What a region has goes to those that it was divided into.
    pub fn divide(&self, region: &str, into: &[RegionInfo]) {
        let mut regions = self.0.lock().unwrap();
        let divided = regions.remove(region).unwrap_or_default();
        for part in into {
            let is_of = |row: &Bytes| part.contains_row(row);
            let rows = divided.rows.iter().filter(|(row, _)| is_of(row));
            let markers = divided.markers.iter().filter(|((row, _), _)| is_of(row));
            let part_of = Region {
                rows: rows.map(|(row, cells)| (row.clone(), cells.clone())).collect(),
                markers: markers.map(|(place, at)| (place.clone(), *at)).collect(),
            };
            regions.insert(part.encoded_name(), part_of);
        }
    }

    /// The markers of a region, as rows of one cell.
    pub fn markers(&self, region: &str, families: &[Bytes]) -> Vec<CellBlock> {
        let regions = self.0.lock().unwrap();
        let Some(region) = regions.get(region) else { return Vec::new() };
        let marker = |((row, (family, qualifier)), at): (&(Bytes, Column), &u64)| {
            let mut block = CellBlockBuilder::with_capacity(64);
            block.push_parts(&CellParts {
                row,
                family,
                qualifier,
                timestamp: *at as i64,
                type_code: if qualifier.is_empty() { 14 } else { 12 },
                value: &[],
                tags: &[],
            });
            block.finish()
        };
        region.markers.iter().filter(|((_, (family, _)), _)| families.contains(family)).map(marker).collect()
    }

    /// Rows with the cells of these families, in order.
    pub fn rows(&self, region: &str, families: &[Bytes]) -> Vec<CellBlock> {
        let regions = self.0.lock().unwrap();
        let Some(region) = regions.get(region) else { return Vec::new() };
        let rows = region.rows.iter().map(|(key, row)| block(key, row, families));
        rows.filter(|block| !block.is_empty()).collect()
    }
}

fn block(key: &Bytes, row: &Row, families: &[Bytes]) -> CellBlock {
    let mut block = CellBlockBuilder::with_capacity(256);
    for ((family, qualifier), (timestamp, value)) in row.iter().filter(|((f, _), _)| families.contains(f)) {
        block.push_parts(&CellParts {
            row: key,
            family,
            qualifier,
            timestamp: *timestamp as i64,
            type_code: 4,
            value,
            tags: &[],
        });
    }
    block.finish()
}

impl Region {
    fn apply(&mut self, mutation: &pb::MutationProto) {
        let row = mutation.row.clone().expect("a row");
        let is_put = mutation.mutate_type() == MutationType::Put;
        for column in &mutation.column_value {
            for cell in &column.qualifier_value {
                let at = cell.timestamp.expect("the master gives timestamps");
                let name = (column.family.clone(), cell.qualifier.clone().unwrap_or_default());
                match is_put {
                    true => self.put(&row, name, at, cell.value.clone().expect("a value")),
                    false => self.delete(&row, name, at, cell.delete_type()),
                }
            }
        }
        if self.rows.get(&row).is_some_and(Row::is_empty) {
            self.rows.remove(&row);
        }
    }

    fn put(&mut self, row: &Bytes, name: Column, at: u64, value: Bytes) {
        let marker = |column: Column| self.markers.get(&(row.clone(), column)).copied().unwrap_or(0);
        if at <= marker((name.0.clone(), Bytes::new())).max(marker(name.clone())) {
            return; // Hidden.
        }
        let cells = self.rows.entry(row.clone()).or_default();
        if cells.get(&name).is_none_or(|(old, _)| *old <= at) {
            cells.insert(name, (at, value));
        }
    }

    fn delete(&mut self, row: &Bytes, name: Column, at: u64, kind: DeleteType) {
        let all = match kind {
            DeleteType::DeleteFamily => true,
            DeleteType::DeleteMultipleVersions => false,
            other => panic!("{other:?}"),
        };
        self.markers.insert((row.clone(), name.clone()), at);
        if let Some(cells) = self.rows.get_mut(row) {
            let hit = |column: &Column| column.0 == name.0 && (all || column.1 == name.1);
            cells.retain(|column, (written, _)| !(hit(column) && *written <= at));
        }
    }
}
