//! The root directory of an HBase 2.5.11 as it was while HBase ran, which is how a kill leaves it: store files
//! and logs that nobody has split. They are split here, and the tables read as they did in HBase.

use crate::fixtures::fixtures;
use crate::hbase_tables::{
    SPLIT_MERGED_OR_CLONED, all, check_reads, copy, everything, recorded_cell, recorded_scan, worlds_in,
};
use crate::world::{Plain, ROOT, World, check_same};
use finback_cell::{Scan, TableName};
use finback_fs::{FileSystem, MemFileSystem};
use finback_layout::RootDir;
use finback_region::Region;
use finback_wal::{FlushedSequenceIds, delete_recovered_edits, server_log_dir, split_server};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A table, and the regions of it that were served.
type Table = (&'static str, &'static [&'static str]);

/// Has the output of a compaction of all files, the inputs in the archive, and a file that was bulk loaded.
const COMPACTED: Table = ("compacted", &["a856d8c51b711d6d27fb295e0975f503"]);
/// The output of the compaction.
const OUTPUT: &str = "823aea940af7495c892c32dcc5a9ce02";
/// A list says which files it has.
const TRACKED: Table = ("ftrack", &["3472ec7d2a12b26788a41b85f9a6a099"]);
/// Has no files: all of it is in a log.
const META: Table = ("hbase:meta", &["1588230740"]);

/// The server that was killed.
const KILLED: &str = "localhost,42809,1795253463477";

/// What it left, put together from the fixtures that have parts of it.
fn left_behind() -> Arc<dyn FileSystem> {
    let fs: Arc<dyn FileSystem> = Arc::new(MemFileSystem::new());
    for part in ["rootdir", "split-and-merged", "compacted-and-tracked"] {
        copy(&fixtures().join(part), Path::new(ROOT), &*fs);
    }
    let root = RootDir::new(Arc::clone(&fs), ROOT);
    for (table, _) in SPLIT_MERGED_OR_CLONED {
        // HBase's own splitter has run over this part.
        let table = TableName::parse(table.as_bytes()).unwrap();
        for region in root.list_regions(&table).unwrap() {
            delete_recovered_edits(&*fs, &root.region_dir(&table, &region)).unwrap();
        }
    }
    copy(&fixtures().join("wals/cluster-live"), &server_log_dir(Path::new(ROOT), KILLED), &*fs);
    fs
}

/// The regions of a table after the server's logs were split.
fn taken_over((table, regions): Table) -> Vec<World> {
    let fs = left_behind();
    let logs = split_server(&*fs, Path::new(ROOT), KILLED, &|_| FlushedSequenceIds::default()).unwrap();
    assert_eq!(logs.len(), 2, "one of hbase:meta, and one of the other tables");
    worlds_in(&fs, table, regions)
}

/// The only region of a table.
fn only_region_of(table: Table) -> World {
    let mut worlds = taken_over(table);
    assert_eq!(worlds.len(), 1);
    worlds.remove(0)
}

/// What a raw scan gives. None of hbase:meta was recorded: there it is all that HBase's splitter has found in
/// the log.
fn recorded_raw_scan(table: &str) -> Vec<Plain> {
    if table != META.0 {
        return recorded_scan(table, "raw.scan");
    }
    let edits = std::fs::read_to_string(fixtures().join("expected/split-1588230740.jsonl")).unwrap();
    let mut cells = Vec::new();
    for line in edits.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        cells.extend(entry["cells"].as_array().unwrap().iter().map(recorded_cell));
    }
    // These rows have no bytes below the comma: hbase:meta has them in the order of their bytes.
    cells.sort_by(|a: &Plain, b: &Plain| {
        let columns = (&a.row, &a.family, &a.qualifier).cmp(&(&b.row, &b.family, &b.qualifier));
        columns.then_with(|| (b.timestamp, b.type_code).cmp(&(a.timestamp, a.type_code)))
    });
    cells
}

fn check_plain_scan(regions: &[Arc<Region>], table: &str, what: &str) {
    check_same(&all(regions, &everything()), &recorded_scan(table, "scan"), &format!("{table}, {what}"));
}

fn check_scans(regions: &[Arc<Region>], table: &str) {
    check_plain_scan(regions, table, "taken over");
    let raw = Scan { raw: true, ..everything() };
    check_same(&all(regions, &raw), &recorded_raw_scan(table), &format!("{table}, raw"));
}

/// The directory of the store of a table with one.
fn store(world: &World) -> PathBuf {
    world.root.family_dir(&world.info.table, &world.info.encoded_name(), b"f")
}

/// Where its files go that were compacted.
fn archive(world: &World) -> PathBuf {
    world.root.archived_family_dir(&world.info.table, &world.info.encoded_name(), b"f")
}

/// Names and lengths of the files in a directory.
fn files(world: &World, directory: &Path) -> Vec<(String, u64)> {
    let entries = world.fs.list(directory).unwrap().into_iter().filter(|entry| !entry.is_dir);
    let mut files: Vec<(String, u64)> = entries.map(|entry| (entry.name, entry.len)).collect();
    files.sort();
    files
}

/// The inputs of HBase's compaction come back from the archive. Which they are.
fn bring_inputs_back(world: &World) -> Vec<(String, u64)> {
    let inputs = files(world, &archive(world));
    assert_eq!(inputs.len(), 4);
    for (name, _) in &inputs {
        world.fs.rename(&archive(world).join(name), &store(world).join(name)).unwrap();
    }
    inputs
}

#[test]
fn they_are_read_compacted_and_opened_again() {
    for table in SPLIT_MERGED_OR_CLONED.into_iter().chain([COMPACTED, TRACKED, META]) {
        let mut worlds = taken_over(table);
        let (table, what) = (table.0, everything());
        let opened: Vec<_> = worlds.iter_mut().map(|world| world.start().unwrap()).collect();
        check_scans(&opened, table);
        check_reads(&opened, &what);

        for (region, world) in opened.iter().zip(&worlds) {
            region.flush(None).unwrap();
            for family in &world.table.families {
                region.compact(&family.name, true).unwrap();
            }
            assert!(region.metrics().most_store_files <= 1, "{table}");
        }
        check_plain_scan(&opened, table, "compacted");
        check_reads(&opened, &what);

        for region in &opened {
            region.close().unwrap();
        }
        let again: Vec<_> = worlds.iter_mut().map(|world| world.start().unwrap()).collect();
        check_plain_scan(&again, table, "opened again");
    }
}

/// The server may have died before that.
#[test]
fn what_hbase_has_compacted_and_not_archived_yet_is_left_out() {
    let mut world = only_region_of(COMPACTED);
    let inputs = bring_inputs_back(&world);
    let region = world.start().unwrap();
    check_scans(&[region], COMPACTED.0);
    assert_eq!(files(&world, &archive(&world)), inputs);
    assert_eq!(files(&world, &store(&world)).len(), 2);
}

#[test]
fn a_compaction_of_the_files_that_hbase_compacted_gives_what_it_gave_there() {
    let mut world = only_region_of(COMPACTED);
    for (name, _) in files(&world, &store(&world)) {
        world.fs.remove_file(&store(&world).join(name)).unwrap();
    }
    bring_inputs_back(&world);
    let region = world.start().unwrap();
    let outcome = region.compact(b"f", true).unwrap().unwrap();
    assert!(outcome.all_files);
    let mut expected = recorded_scan(COMPACTED.0, "raw.scan");
    // Of the file that was loaded later.
    expected.retain(|cell| cell.value != b"bulk");
    let raw = Scan { raw: true, ..everything() };
    check_same(&all(&[region], &raw), &expected, "compacted here");
}

#[test]
fn only_files_of_the_list_that_hbase_wrote_are_served() {
    let mut world = only_region_of(TRACKED);
    let (table, encoded) = (world.info.table.clone(), world.info.encoded_name());
    let mut listed = world.root.read_store_file_list(&table, &encoded, b"f").unwrap().unwrap();
    listed.sort();
    assert_eq!(listed, files(&world, &store(&world)));
    // A file of another table, which has other versions of the same rows.
    let other = TableName::parse(COMPACTED.0.as_bytes()).unwrap();
    let stray = world.root.family_dir(&other, COMPACTED.1[0], b"f").join(OUTPUT);
    world.fs.rename(&stray, &store(&world).join(OUTPUT)).unwrap();
    let region = world.start().unwrap();
    check_scans(&[Arc::clone(&region)], TRACKED.0);
    assert!(region.compact(b"f", true).unwrap().unwrap().all_files);
    check_plain_scan(&[Arc::clone(&region)], TRACKED.0, "compacted beside a stray file");
    region.close().unwrap();
    let again = world.start().unwrap();
    check_plain_scan(&[again], TRACKED.0, "opened again beside a stray file");
}
