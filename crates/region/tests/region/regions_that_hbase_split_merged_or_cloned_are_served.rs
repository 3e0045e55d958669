//! A root directory of HBase 2.5.11 after a split, a merge and the cloning of a snapshot of a split table: regions whose
//! files are references to halves of others' files, links, and references to links.

use crate::fixtures::{fixtures, unhex};
use crate::world::{Plain, ROOT, World, family, put, run, scan, value};
use finback_cell::schema::set_entry;
use finback_cell::{Bytes, FamilySelection, Get, Scan, TableName};
use finback_fs::{FileSystem, MemFileSystem, write_file_durably};
use finback_layout::RootDir;
use finback_region::Region;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// The tables, and the regions of them that were served: the directories have those too that these came from.
const SERVED: [(&str, &[&str]); 3] = [
    ("merged", &["56344ccb3e7e9b9fc6b7a8060ee07cf2"]),
    ("ns1:t1", &["4e18022e031234f82a30f63ee117cc9c", "aa3e036efc0ee5a505411110cecacfce"]),
    ("ns1:cloned", &["337d3b12e3f937fea3a890f8564bdc96", "b7628676d45d24a9d96f8105e3d2871f"]),
];

/// What a scan of the table gave in HBase.
fn recorded(table: &str, kind: &str) -> Vec<Plain> {
    let path = fixtures().join(format!("expected/{}.{kind}.jsonl", table.replace(':', ".")));
    let cell = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        Plain {
            row: unhex(&line["row"]),
            family: unhex(&line["fam"]),
            qualifier: unhex(&line["qual"]),
            timestamp: line["ts"].as_i64().unwrap(),
            type_code: line["type"].as_u64().unwrap() as u8,
            value: unhex(&line["val"]),
        }
    };
    std::fs::read_to_string(path).unwrap().lines().map(cell).collect()
}

fn copy(from: &Path, to: &Path, fs: &dyn FileSystem) {
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

fn worlds(table: &str, regions: &[&str]) -> Vec<World> {
    let fs: Arc<dyn FileSystem> = Arc::new(MemFileSystem::new());
    copy(&fixtures().join("split-and-merged"), Path::new(ROOT), &*fs);
    let root = RootDir::new(Arc::clone(&fs), ROOT);
    let mut table = root.read_table_descriptor(&TableName::parse(table.as_bytes()).unwrap()).unwrap();
    // Compactions were off, so that the references stayed.
    set_entry(&mut table.attributes, "COMPACTION_ENABLED", "true");
    // Large values of this family are in MOB files, with which no region is opened.
    table.families.retain(|family| family.name != "m");
    let world = |region: &&str| {
        let info = root.read_region_info(&table.name, region).unwrap();
        let world = World::of_region(Arc::clone(&fs), info, table.clone());
        world.host.now_ms.store(1_795_253_500_000, std::sync::atomic::Ordering::SeqCst);
        world
    };
    regions.iter().map(world).collect()
}

/// What was recorded has family `m` as well.
fn all_but_large_values() -> Scan {
    let family = |name: &'static str| FamilySelection {
        family: Bytes::from_static(name.as_bytes()),
        qualifiers: None,
    };
    Scan { families: vec![family("a"), family("b")], max_versions: u32::MAX, ..Scan::default() }
}

fn everything(table: &str) -> Scan {
    match table {
        "merged" => Scan { max_versions: u32::MAX, ..Scan::default() },
        _ => all_but_large_values(),
    }
}

fn all(regions: &[Arc<Region>], what: &Scan) -> Vec<Plain> {
    regions.iter().flat_map(|region| scan(region, what, None).unwrap()).collect()
}

/// Backward, from each row and up to it, and row by row, which asks the Bloom filters.
fn check_reads(regions: &[Arc<Region>], forward: &Scan) {
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

fn names(world: &World, family: &str) -> Vec<String> {
    let files = world.root.list_store_files(&world.info.table, &world.info.encoded_name(), family.as_bytes());
    files.unwrap().into_iter().filter(|file| file.elsewhere.is_some()).map(|file| file.name).collect()
}

#[test]
fn they_are_read_compacted_and_opened_again() {
    for (table, regions) in SERVED {
        let mut worlds = worlds(table, regions);
        let what = everything(table);
        let opened: Vec<_> = worlds.iter_mut().map(|world| world.start().unwrap()).collect();
        let wanted = |kind| -> Vec<Plain> {
            let cells = recorded(table, kind).into_iter();
            cells.filter(|cell| table == "merged" || cell.family != b"m").collect()
        };
        assert!(all(&opened, &Scan { raw: true, ..what.clone() }) == wanted("raw.scan"), "{table}, raw");
        assert!(all(&opened, &what) == wanted("scan"), "{table}");
        check_reads(&opened, &what);

        for (region, world) in opened.iter().zip(&worlds) {
            for family in world.table.families.iter().map(|family| &family.name) {
                let name = std::str::from_utf8(family).unwrap();
                let elsewhere = names(world, name);
                // What was replayed has made files of its own, so that there may be three.
                assert!(!elsewhere.is_empty(), "{table} {name}");
                let is_split = elsewhere.iter().any(|file| file.contains('.'));
                assert_eq!(region.families_to_compact().contains(family), is_split, "{table} {name}");
                let outcome = region.compact(family, !is_split).unwrap().unwrap();
                assert!(outcome.all_files, "{table} {name}");
                assert_eq!(names(world, name), [""; 0]);
            }
        }
        assert!(all(&opened, &what) == wanted("scan"), "{table}, compacted");
        check_reads(&opened, &what);

        for (region, world) in opened.iter().zip(&mut worlds) {
            let family = std::str::from_utf8(&world.table.families[0].name).unwrap();
            let row = String::from_utf8([&world.info.start_key[..], b"new"].concat()).unwrap();
            run(region.batch(vec![put((&row, family, "q"), b"ours")])).remove(0).unwrap();
            region.close().unwrap();
        }
        let again: Vec<_> = worlds.iter_mut().map(|world| world.start().unwrap()).collect();
        let found = all(&again, &what);
        assert_eq!(found.len(), wanted("scan").len() + again.len(), "{table}, opened again");
        check_reads(&again, &what);
    }
}

#[test]
fn a_file_that_is_gone_is_named_and_the_region_not_opened_without_it() {
    let mut world = worlds("merged", &SERVED[0].1[..1]).remove(0);
    let from = "b7c00b964376cff158bc7760d715d840";
    let file = world.root.family_dir(&world.info.table, from, b"f").join("881890b6a83941388f7ee50110352985");
    world.fs.remove_file(&file).unwrap();
    let error = world.start().unwrap_err().to_string();
    assert!(error.contains(&file.display().to_string()), "{error}");
}

/// As `hbase.wal.split.to.hfile` leaves them.
#[test]
fn logs_that_hbase_split_into_store_files_are_taken_in() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    let region = world.start().unwrap();
    run(region.mutate(&put(("r", "a", "q"), b"v"))).unwrap();
    region.close().unwrap();
    let (table, encoded) = (world.info.table.clone(), world.info.encoded_name());
    let store = world.root.family_dir(&table, &encoded, b"a");
    let recovered = world.root.recovered_files_dir(&table, &encoded, b"a");
    let fs = Arc::clone(&world.fs);
    let name = |dir: &Path| fs.list(dir).unwrap().into_iter().find(|entry| !entry.is_dir).unwrap().name;
    let file = name(&store);
    world.fs.create_dir_all(&recovered).unwrap();
    world.fs.rename(&store.join(&file), &recovered.join(&file)).unwrap();
    world.fs.create_new(&recovered.join("0123456789abcdef0123456789abcdef")).unwrap();
    let region = world.recover().unwrap();
    assert_eq!(value(&region, ("r", "a", "q")).as_deref(), Some(&b"v"[..]));
    region.close().unwrap();
    assert_eq!(name(&store), file);
    assert!(world.fs.list(&recovered).unwrap().is_empty());

    // One that is not whole is nothing to open a region without.
    let torn = recovered.join("fedcba9876543210fedcba9876543210");
    write_file_durably(&*world.fs, &torn, b"torn").unwrap();
    assert!(world.recover().is_err());
    assert!(world.fs.exists(&torn).unwrap());
}
