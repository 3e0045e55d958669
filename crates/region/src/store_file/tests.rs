//! Store files of a root directory that HBase 2.5.11 left, beside what HBase said of each.

use crate::files_of_region::files_of;
use finback_cell::TableName;
use finback_fs::LocalFileSystem;
use finback_layout::{RootDir, StoreFileTracker};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11")
}

/// The part of the root directory that has the table.
fn root_of(table: &str) -> RootDir {
    let part = match table {
        "compacted" | "ftrack" => "compacted-and-tracked",
        _ => "split-and-merged",
    };
    RootDir::new(Arc::new(LocalFileSystem::new()), fixtures().join(part))
}

/// The store files of a region, as HBase's were recorded.
fn store_files(table: &str, region: &str) -> Vec<Value> {
    let (root, name) = (root_of(table), TableName::parse(table.as_bytes()).unwrap());
    let descriptor = root.read_table_descriptor(&name).unwrap();
    let info = root.read_region_info(&name, region).unwrap();
    let mut found = Vec::new();
    for family in &descriptor.families {
        let tracker = StoreFileTracker::of(&descriptor, family).unwrap();
        for file in files_of(&root, &info, &family.name, tracker).unwrap() {
            let candidate = file.candidate();
            // HBase takes half of the cells for those of a reference, also where it refers to all of a file.
            let part = if candidate.is_reference { 2 } else { 1 };
            found.push(json!({
                "table": table,
                "region": region,
                "family": std::str::from_utf8(&family.name).unwrap(),
                "path": file.path().strip_prefix(root.path()).unwrap().to_str().unwrap(),
                "maxSeqId": file.max_sequence_id(),
                "bulk": candidate.is_bulk_loaded,
                "reference": candidate.is_reference,
                "entries": file.reader().entry_count() / part,
            }));
        }
    }
    found
}

#[test]
fn hbase_had_the_same_files_with_the_same_sequence_ids_and_as_many_cells() {
    let recorded = std::fs::read_to_string(fixtures().join("expected/rootdir.storefiles.jsonl")).unwrap();
    let recorded: Vec<Value> = recorded.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let text = |file: &Value, key: &str| file[key].as_str().unwrap().to_owned();
    let regions: BTreeSet<(String, String)> =
        recorded.iter().map(|file| (text(file, "table"), text(file, "region"))).collect();
    assert_eq!(regions.len(), 7, "those of five tables");
    // Recorded in the same order: by table, region, family and name.
    let found: Vec<Value> = regions.iter().flat_map(|(table, region)| store_files(table, region)).collect();
    for (found, recorded) in found.iter().zip(&recorded) {
        assert_eq!(found, recorded);
    }
    assert_eq!(found.len(), recorded.len());
}
