//! Store files of HBase's with references to values in MOB files: what is read, compacted and loaded is these values, wherever the
//! MOB file is. Where it is missing, reads of its values fail and say which it is.

use crate::fixtures::{fixtures, unhex};
use crate::hbase_tables::{
    MOB_FAMILY, SPLIT_MERGED_OR_CLONED, all, copy, everything, recorded_cell, recorded_scan, worlds_in,
};
use crate::world::{Plain, ROOT, World, check_same, family, scan};
use finback_cell::{ColumnFamilyDescriptor, MobRead, Scan, TableName};
use finback_fs::{FileSystem, MemFileSystem, write_file_durably};
use finback_layout::RootDir;
use finback_region::{BulkLoadFile, BulkLoadOptions, Region};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NAME: &str = "0123456789abcdef0123456789abcdef";

/// The table whose MOB file the references of the fixture name: it need not be that which has them.
const WRITTEN_BY: &[u8] = b"fixtures";

/// A family that has MOB files, and one that has had them.
fn families() -> [ColumnFamilyDescriptor; 2] {
    let now = family("cf", 1).with("IS_MOB", "true").with("MOB_THRESHOLD", "100");
    [now, family("cf", 1).with("IS_MOB", "false")]
}

/// A world whose region has been there.
fn world(family: ColumnFamilyDescriptor) -> World {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family]);
    world.recover().unwrap().close().unwrap();
    world
}

fn put_file(world: &World, name: &str, path: &Path) {
    let bytes = std::fs::read(fixtures().join("hfiles").join(format!("{name}.hfile"))).unwrap();
    world.fs.create_dir_all(path.parent().unwrap()).unwrap();
    write_file_durably(&*world.fs, path, &bytes).unwrap();
}

fn store_file(world: &World) -> PathBuf {
    world.root.family_dir(&world.info.table, &world.info.encoded_name(), b"cf").join(NAME)
}

fn recorded(name: &str) -> Vec<Value> {
    let path = fixtures().join("expected").join(format!("{name}.cells.jsonl"));
    std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The cells with their values, as the MOB file has them.
fn with_values() -> Vec<Plain> {
    recorded("mob-data").iter().map(recorded_cell).collect()
}

/// The MOB file that all references of the fixture name, behind the length of the value.
fn mob_file_name() -> String {
    let names: Vec<String> = recorded("mob-refs")
        .iter()
        .map(|cell| String::from_utf8(unhex(&cell["val"]).split_off(4)).unwrap())
        .collect();
    assert!(!names.is_empty() && names.iter().all(|name| *name == names[0]), "{names:?}");
    names[0].clone()
}

fn mob_file(world: &World) -> PathBuf {
    let table = TableName::parse(WRITTEN_BY).unwrap();
    world.root.mob_family_dir(&table, b"cf").join(mob_file_name())
}

fn check(region: &Region, what: &str) {
    check_same(&scan(region, &Scan::default(), None).unwrap(), &with_values(), what);
    let reversed = scan(region, &Scan { reversed: true, ..Scan::default() }, None).unwrap();
    let expected: Vec<Plain> = with_values().into_iter().rev().collect();
    check_same(&reversed, &expected, &format!("{what}, backward"));
}

#[test]
fn a_region_gives_the_values_also_when_its_family_has_no_such_files_any_more() {
    for described in families() {
        let what = format!("{described:?}");
        let mut world = world(described);
        put_file(&world, "mob-refs", &store_file(&world));
        put_file(&world, "mob-data", &mob_file(&world));
        Region::warm_up(&world.root, &world.info, &world.table).unwrap();
        let region = world.recover().unwrap();
        check(&region, &what);
        let raw = Scan { mob: MobRead { raw: true, ..MobRead::default() }, ..Scan::default() };
        let references: Vec<Plain> = recorded("mob-refs").iter().map(recorded_cell).collect();
        check_same(&scan(&region, &raw, None).unwrap(), &references, &format!("{what}, its references"));
        for major in [false, true] {
            region.compact(b"cf", major).unwrap();
            check(&region, &format!("{what}, compacted, all of it: {major}"));
        }
        region.close().unwrap();
        check(&world.recover().unwrap(), &format!("{what}, compacted and opened again"));
    }
}

#[test]
fn a_compaction_that_a_user_asks_for_makes_the_values_the_tables_own() {
    let [described, _] = families();
    let mut world = world(described);
    put_file(&world, "mob-refs", &store_file(&world));
    put_file(&world, "mob-data", &mob_file(&world));
    let region = world.recover().unwrap();
    region.compact(b"cf", true).unwrap();
    region.close().unwrap();
    assert!(!world.root.list_mob_files(&world.info.table, b"cf").unwrap().is_empty(), "no file of its own");
    world.fs.remove_file(&mob_file(&world)).unwrap();
    check(&world.recover().unwrap(), "without the other table's file");
}

#[test]
fn a_file_with_references_is_loaded() {
    for described in families() {
        let what = format!("{described:?}");
        let mut world = world(described);
        put_file(&world, "mob-data", &mob_file(&world));
        let region = world.recover().unwrap();
        let path = PathBuf::from("/load/cf/file");
        put_file(&world, "mob-refs", &path);
        region.bulk_load(&[BulkLoadFile { family: "cf".into(), path }], &BulkLoadOptions::default()).unwrap();
        check(&region, &what);
        region.compact(b"cf", true).unwrap();
        check(&region, &format!("{what}, compacted"));
    }
}

/// HBase lets it be loaded and served: nothing in it is a reference.
#[test]
fn a_mob_file_in_the_place_of_a_store_file_is_read_as_what_it_is() {
    let [described, _] = families();
    let mut world = world(described);
    put_file(&world, "mob-data", &store_file(&world));
    let region = world.recover().unwrap();
    check(&region, "opened");
    region.compact(b"cf", true).unwrap();
    check(&region, "compacted");
}

#[test]
fn without_the_mob_file_reads_of_its_values_fail_and_name_it() {
    for described in families() {
        let mut world = world(described);
        put_file(&world, "mob-refs", &store_file(&world));
        let region = world.recover().unwrap();
        let error = scan(&region, &Scan::default(), None).unwrap_err().to_string();
        assert!(error.contains(&mob_file_name()), "{error}");
        let mob = MobRead { empty_if_missing: true, ..MobRead::default() };
        let found = scan(&region, &Scan { mob, ..Scan::default() }, None).unwrap();
        let empty = |cell: Plain| Plain { value: Vec::new(), ..cell };
        let expected: Vec<Plain> = with_values().into_iter().map(empty).collect();
        check_same(&found, &expected, "empty values where they are missing");
        put_file(&world, "mob-data", &mob_file(&world));
        check(&region, "with the file again");
    }
}

/// A compaction that resolves references must not go on without the values: its inputs are all there is of them.
#[test]
fn without_the_mob_file_a_compaction_that_resolves_fails_and_leaves_all_as_it_was() {
    let [described, _] = families();
    let mut world = world(described);
    put_file(&world, "mob-refs", &store_file(&world));
    let region = world.recover().unwrap();
    assert!(region.compact(b"cf", true).is_err());
    assert!(world.fs.exists(&store_file(&world)).unwrap());
    put_file(&world, "mob-data", &mob_file(&world));
    check(&region, "with the file again");
    region.compact(b"cf", true).unwrap();
    check(&region, "compacted");
}

/// A root directory of HBase's: the references of a clone name a file of the table that it was made of, which may have gone into
/// the archive.
#[test]
fn values_of_a_table_and_its_clone_are_found_in_the_mob_directory_and_in_the_archive() {
    for is_archived in [false, true] {
        for (table, regions) in &SPLIT_MERGED_OR_CLONED[1..] {
            let what = format!("{table}, in the archive: {is_archived}");
            let fs: Arc<dyn FileSystem> = Arc::new(MemFileSystem::new());
            copy(&fixtures().join("split-and-merged"), Path::new(ROOT), &*fs);
            let (root, original) =
                (RootDir::new(Arc::clone(&fs), ROOT), TableName::parse(b"ns1:t1").unwrap());
            let files = root.list_mob_files(&original, MOB_FAMILY).unwrap();
            assert_eq!(files.len(), 1, "{files:?}");
            if is_archived {
                root.archive_mob_file(&original, MOB_FAMILY, &files[0].name).unwrap();
            }
            let mut worlds = worlds_in(&fs, table, regions);
            let opened: Vec<_> = worlds.iter_mut().map(|world| world.start().unwrap()).collect();
            let found = all(&opened, &everything());
            check_same(&found, &recorded_scan(table, "scan"), &what);
            let is_large = |cell: &&Plain| cell.family == MOB_FAMILY && cell.value.len() > 100;
            assert!(found.iter().filter(is_large).count() > 10, "{what}");
        }
    }
}
