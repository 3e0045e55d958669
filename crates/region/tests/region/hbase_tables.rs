//! Tables of root directories that HBase 2.5.11 left: their regions, what it read in them, and reads to
//! compare with that.

use crate::fixtures::{fixtures, unhex};
use crate::world::{Plain, ROOT, World, scan};
use finback_cell::schema::set_entry;
use finback_cell::{Bytes, Get, Scan, TableName};
use finback_fs::{FileSystem, write_file_durably};
use finback_layout::RootDir;
use finback_region::Region;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Tables, and the regions of them that were served: the directories have those too that these came from.
pub(crate) const SPLIT_MERGED_OR_CLONED: [(&str, &[&str]); 3] = [
    ("merged", &["56344ccb3e7e9b9fc6b7a8060ee07cf2"]),
    ("ns1:t1", &["4e18022e031234f82a30f63ee117cc9c", "aa3e036efc0ee5a505411110cecacfce"]),
    ("ns1:cloned", &["337d3b12e3f937fea3a890f8564bdc96", "b7628676d45d24a9d96f8105e3d2871f"]),
];

/// Large values of this family are in MOB files.
pub(crate) const MOB_FAMILY: &[u8] = b"m";

/// What a scan of the table gave in HBase.
pub(crate) fn recorded_scan(table: &str, kind: &str) -> Vec<Plain> {
    let path = fixtures().join(format!("expected/{}.{kind}.jsonl", table.replace(':', ".")));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| recorded_cell(&serde_json::from_str(line).unwrap())).collect()
}

/// A cell as HBase's readers have written it down.
pub(crate) fn recorded_cell(cell: &Value) -> Plain {
    Plain {
        row: unhex(&cell["row"]),
        family: unhex(&cell["fam"]),
        qualifier: unhex(&cell["qual"]),
        timestamp: cell["ts"].as_i64().unwrap(),
        type_code: cell["type"].as_u64().unwrap() as u8,
        value: unhex(&cell["val"]),
    }
}

/// Copies a directory of the fixtures, over what is there already.
pub(crate) fn copy(from: &Path, to: &Path, fs: &dyn FileSystem) {
    fs.create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to, fs);
        } else {
            write_file_durably(fs, &to, &std::fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

/// These regions of a root directory that HBase left, soon after that.
pub(crate) fn worlds_in(fs: &Arc<dyn FileSystem>, table: &str, regions: &[&str]) -> Vec<World> {
    let root = RootDir::new(Arc::clone(fs), ROOT);
    let mut table = root.read_table_descriptor(&TableName::parse(table.as_bytes()).unwrap()).unwrap();
    // Where there are references, compactions were off, so that they stayed.
    set_entry(&mut table.attributes, "COMPACTION_ENABLED", "true");
    let world = |region: &&str| {
        let info = root.read_region_info(&table.name, region).unwrap();
        let world = World::of_region(Arc::clone(fs), info, table.clone());
        world.host.now_ms.store(1_795_253_500_000, Ordering::SeqCst);
        world
    };
    regions.iter().map(world).collect()
}

/// The scan that was recorded of every table.
pub(crate) fn everything() -> Scan {
    Scan { max_versions: u32::MAX, ..Scan::default() }
}

/// What a scan of all of these regions gives.
pub(crate) fn all(regions: &[Arc<Region>], what: &Scan) -> Vec<Plain> {
    regions.iter().flat_map(|region| scan(region, what, None).unwrap()).collect()
}

/// Backward, from each row and up to it, and row by row, which asks the Bloom filters.
pub(crate) fn check_reads(regions: &[Arc<Region>], forward: &Scan) {
    let cells = all(regions, forward);
    let rows: BTreeSet<&[u8]> = cells.iter().map(|cell| &cell.row[..]).collect();
    let of_rows = |wanted: &dyn Fn(&[u8]) -> bool| -> Vec<Plain> {
        cells.iter().filter(|cell| wanted(&cell.row)).cloned().collect()
    };
    let mut backward = Vec::new();
    for region in regions.iter().rev() {
        backward.extend(scan(region, &Scan { reversed: true, ..forward.clone() }, None).unwrap());
    }
    let expected: Vec<Plain> = rows.iter().rev().flat_map(|row| of_rows(&|other| other == *row)).collect();
    assert!(backward == expected, "backward");
    for row in rows.iter().map(|row| Bytes::copy_from_slice(row)) {
        let after = Scan { start_row: row.clone(), ..forward.clone() };
        assert!(all_within(regions, &after) == of_rows(&|other| other >= &row[..]), "from {row:?}");
        let before = Scan { stop_row: row.clone(), ..forward.clone() };
        assert!(all_within(regions, &before) == of_rows(&|other| other < &row[..]), "up to {row:?}");
        let families = forward.families.clone();
        let get = Scan { families, max_versions: u32::MAX, ..Get::new(row.clone()).scan };
        let region = regions.iter().find(|region| region.info().contains_row(&row)).unwrap();
        assert!(scan(region, &get, None).unwrap() == of_rows(&|other| other == &row[..]), "{row:?}");
    }
}

/// As a client does it: each region is asked for its part.
fn all_within(regions: &[Arc<Region>], what: &Scan) -> Vec<Plain> {
    let mut cells = Vec::new();
    for region in regions {
        let info = region.info();
        let start_row = what.start_row.clone().max(info.start_key.clone());
        let stop_row = match (what.stop_row.is_empty(), info.end_key.is_empty()) {
            (_, true) => what.stop_row.clone(),
            (true, false) => info.end_key.clone(),
            (false, false) => what.stop_row.clone().min(info.end_key.clone()),
        };
        if stop_row.is_empty() || start_row < stop_row {
            cells.extend(scan(region, &Scan { start_row, stop_row, ..what.clone() }, None).unwrap());
        }
    }
    cells
}
