//! A root directory of HBase 2.5.11 after a split, a merge and the cloning of a snapshot of a split table: regions whose
//! files are references to halves of others' files, links, and references to links.

use crate::fixtures::fixtures;
use crate::hbase_tables::{
    SPLIT_MERGED_OR_CLONED, all, check_reads, copy, everything, recorded_scan, worlds_in,
};
use crate::world::{ROOT, World, family, put, run, value};
use finback_cell::Scan;
use finback_fs::{FileSystem, MemFileSystem, write_file_durably};
use std::path::Path;
use std::sync::Arc;

/// The regions of a table, with the edits that HBase has split from the log of a server.
fn worlds(table: &str, regions: &[&str]) -> Vec<World> {
    let fs: Arc<dyn FileSystem> = Arc::new(MemFileSystem::new());
    copy(&fixtures().join("split-and-merged"), Path::new(ROOT), &*fs);
    worlds_in(&fs, table, regions)
}

fn names(world: &World, family: &str) -> Vec<String> {
    let files = world.root.list_store_files(&world.info.table, &world.info.encoded_name(), family.as_bytes());
    files.unwrap().into_iter().filter(|file| file.elsewhere.is_some()).map(|file| file.name).collect()
}

#[test]
fn they_are_read_compacted_and_opened_again() {
    for (table, regions) in SPLIT_MERGED_OR_CLONED {
        let mut worlds = worlds(table, regions);
        let what = everything();
        let opened: Vec<_> = worlds.iter_mut().map(|world| world.start().unwrap()).collect();
        let wanted = |kind| recorded_scan(table, kind);
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
    let mut world = worlds("merged", &SPLIT_MERGED_OR_CLONED[0].1[..1]).remove(0);
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
