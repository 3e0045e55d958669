//! Sequences of operations on a region of HBase 2.5.11, with the contents of its files after each flush and compaction
//! and the results of its scans.

use crate::world::{Plain, World, family, mutation, run, scan};
use finback_cell::key::Key;
use finback_cell::{Bytes, CellType, FamilySelection, MutationKind, Scan, TimeRange, tag};
use finback_filter::comparators::BinaryComparator;
use finback_filter::filters::{Comparison, ValueFilter};
use finback_filter::{CompareOperator, Filter};
use finback_fs::MemFileSystem;
use finback_hfile::{FileId, HFileReader, HFileScanner, read_through};
use finback_region::Region;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A cell of a file: qualifier and so on, its sequence id, and its own time to live.
type StoredCell = (Plain, u64, Option<i64>);

const FAMILY: &str = "f";

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap()
}

fn number(value: &Value, key: &str) -> i64 {
    value[key].as_i64().unwrap()
}

#[derive(Default)]
struct Compared {
    scans: usize,
    flushes: usize,
    compactions: usize,
    partial_compactions: usize,
    sequences: usize,
}

#[test]
fn scans_flushes_and_compactions_give_what_hbase_gave() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11/semantics.jsonl");
    let recorded = std::fs::read_to_string(path).unwrap();
    let mut compared = Compared::default();
    for line in recorded.lines() {
        let sequence: Value = serde_json::from_str(line).unwrap();
        replay(&sequence, &mut compared);
    }
    let Compared { sequences, scans, flushes, compactions, partial_compactions } = compared;
    let counted = (sequences, scans, flushes, compactions, partial_compactions);
    assert_eq!(counted, (220, 2196, 374, 62, 19), "a part of the record was passed over");
}

fn replay(sequence: &Value, compared: &mut Compared) {
    let mut described = family(FAMILY, number(sequence, "versions") as u32)
        .with("MIN_VERSIONS", &number(sequence, "minVersions").to_string())
        .with("KEEP_DELETED_CELLS", text(sequence, "keepDeleted"))
        .with("NEW_VERSION_BEHAVIOR", &sequence["newVersionBehavior"].to_string())
        // HBase's least.
        .with("hbase.hstore.compaction.keep.seqId.period", "5");
    if let Some(ttl) = sequence["ttlMs"].as_i64() {
        described = described.with("TTL", &(ttl / 1000).to_string());
    }
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![described]);
    let region = world.start().unwrap();
    let seed = &sequence["seed"];
    compared.sequences += 1;
    for operation in sequence["ops"].as_array().unwrap() {
        world.host.now_ms.store(number(operation, "clock"), Ordering::SeqCst);
        match text(operation, "op") {
            "compact" => {
                compact(&region, operation, compared);
                assert_files(&world, operation, &format!("sequence {seed}, compaction"));
            }
            "flush" => {
                region.flush(None).unwrap();
                assert_files(&world, operation, &format!("sequence {seed}, flush"));
                compared.flushes += 1;
            }
            name => write(&region, name, operation),
        }
    }
    for query in sequence["queries"].as_array().unwrap() {
        world.host.now_ms.store(number(query, "clock"), Ordering::SeqCst);
        let (described, filter) = scan_of(query);
        let found = scan(&region, &described, filter).unwrap();
        let expected: Vec<Plain> = query["result"].as_array().unwrap().iter().map(plain).collect();
        assert_eq!(found, expected, "sequence {seed}: {query}");
        compared.scans += 1;
    }
}

fn compact(region: &Region, operation: &Value, compared: &mut Compared) {
    let inputs: Vec<usize> = operation["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|input| input.as_u64().unwrap() as usize)
        .collect();
    let run = inputs[0]..inputs[0] + inputs.len();
    assert!(inputs.iter().copied().eq(run.clone()), "files that are no neighbours");
    let all_files = operation["allFiles"].as_bool().unwrap();
    compared.compactions += 1;
    compared.partial_compactions += usize::from(!all_files);
    let outcome = if all_files {
        region.compact(FAMILY.as_bytes(), true).unwrap().expect("files to compact")
    } else {
        region.compact_run(FAMILY.as_bytes(), run).unwrap()
    };
    assert_eq!((outcome.inputs, outcome.all_files), (inputs.len(), all_files));
}

fn write(region: &Region, name: &str, operation: &Value) {
    let cell_type = match name {
        "put" => CellType::Put,
        "delete" => CellType::Delete,
        "deleteColumn" => CellType::DeleteColumn,
        "deleteFamily" => CellType::DeleteFamily,
        "deleteFamilyVersion" => CellType::DeleteFamilyVersion,
        other => panic!("unknown operation {other}"),
    };
    let kind = if cell_type == CellType::Put { MutationKind::Put } else { MutationKind::Delete };
    let value = operation["val"].as_str().unwrap_or_default();
    let column = (text(operation, "row"), FAMILY, text(operation, "qual"));
    let mut mutation = mutation(kind, cell_type, column, number(operation, "ts"), value.as_bytes());
    mutation.ttl_ms = operation["ttl"].as_i64();
    for result in run(region.batch(vec![mutation])) {
        result.unwrap();
    }
}

fn scan_of(query: &Value) -> (Scan, Option<Box<dyn Filter>>) {
    let qualifiers = query["columns"].as_array().map(|columns| {
        let mut columns: Vec<Bytes> = columns
            .iter()
            .map(|column| Bytes::copy_from_slice(column.as_str().unwrap().as_bytes()))
            .collect();
        columns.sort();
        columns
    });
    let range = query["timeRange"].as_array().map_or(TimeRange::ALL, |range| TimeRange {
        min: range[0].as_i64().unwrap(),
        max: range[1].as_i64().unwrap(),
    });
    let scan = Scan {
        families: vec![FamilySelection { family: Bytes::from_static(FAMILY.as_bytes()), qualifiers }],
        time_range: range,
        max_versions: number(query, "versions") as u32,
        raw: query["raw"].as_bool().unwrap(),
        ..Scan::default()
    };
    let filter = query["filterValueNot"].as_str().map(|value| {
        let comparator = Box::new(BinaryComparator::new(Bytes::copy_from_slice(value.as_bytes())));
        Box::new(ValueFilter::new(Comparison::new(CompareOperator::NotEqual, comparator))) as Box<dyn Filter>
    });
    (scan, filter)
}

/// `[row, qualifier, timestamp, type, value, ...]`.
fn plain(cell: &Value) -> Plain {
    let bytes = |at: usize| cell[at].as_str().unwrap().as_bytes().to_vec();
    Plain {
        row: bytes(0),
        family: FAMILY.as_bytes().to_vec(),
        qualifier: bytes(1),
        timestamp: cell[2].as_i64().unwrap(),
        type_code: cell[3].as_u64().unwrap() as u8,
        value: bytes(4),
    }
}

/// Sequence ids differ by what each server gives to its own markers; their order does not.
fn with_ranks(mut files: Vec<Vec<StoredCell>>) -> Vec<Vec<StoredCell>> {
    let all: BTreeSet<u64> = files.iter().flatten().map(|(_, sequence_id, _)| *sequence_id).collect();
    let ranks: Vec<u64> = all.into_iter().collect();
    for (_, sequence_id, _) in files.iter_mut().flatten() {
        *sequence_id = ranks.binary_search(sequence_id).unwrap() as u64;
    }
    files
}

fn assert_files(world: &World, operation: &Value, what: &str) {
    let expected = operation["files"].as_array().unwrap().iter().map(|file| {
        let cell = |cell: &Value| (plain(cell), cell[5].as_u64().unwrap(), cell[6].as_i64());
        file.as_array().unwrap().iter().map(cell).collect()
    });
    let (table, region) = (&world.info.table, world.info.encoded_name());
    let mut files: Vec<(u64, Vec<StoredCell>)> = world
        .root
        .list_store_files(table, &region, FAMILY.as_bytes())
        .unwrap()
        .iter()
        .map(|entry| stored_cells(world, &entry.path))
        .collect();
    files.sort_by_key(|(max_sequence_id, _)| *max_sequence_id);
    let found = files.into_iter().map(|(_, cells)| cells).collect();
    assert_eq!(with_ranks(found), with_ranks(expected.collect()), "{what} at {}", operation["clock"]);
}

fn stored_cells(world: &World, path: &Path) -> (u64, Vec<StoredCell>) {
    let reader = HFileReader::open(world.fs.open(path).unwrap(), path, FileId::next()).unwrap();
    let mut scanner = HFileScanner::new(Arc::clone(&reader), None, false);
    let mut cells = Vec::new();
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(b""))).unwrap();
    while let Some((cell, sequence_id)) = scanner.peek() {
        cells.push((Plain::from(&cell), sequence_id, tag::ttl_ms(cell.tags())));
        read_through(&mut scanner, HFileScanner::advance).unwrap();
    }
    (reader.max_sequence_id().unwrap(), cells)
}
