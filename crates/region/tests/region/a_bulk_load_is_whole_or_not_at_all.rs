//! A bulk load of two families fails, or the power is cut, at each of its operations.

use crate::hfiles::file_of;
use crate::machine::Machine;
use crate::workload::listed;
use crate::world::{family, mutation, put, run, value};
use finback_cell::{CellType, ColumnFamilyDescriptor, LATEST_TIMESTAMP, Mutation, MutationKind};
use finback_fs::CrashMode;
use finback_region::{BulkLoadFile, BulkLoadOptions, Region, RegionError};
use finback_wal::SyncMode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const FLUSH_SIZE: usize = 10_000;

fn start() -> (Machine, Arc<Region>, [BulkLoadFile; 2]) {
    start_on(SyncMode::Disk)
}

fn start_on(log: SyncMode) -> (Machine, Arc<Region>, [BulkLoadFile; 2]) {
    start_with(vec![family("a", 1), family("b", 1)], log)
}

fn start_with(
    families: Vec<ColumnFamilyDescriptor>,
    log: SyncMode,
) -> (Machine, Arc<Region>, [BulkLoadFile; 2]) {
    let mut machine = Machine::new(families);
    machine.world.config.flush_size_bytes = FLUSH_SIZE as u64;
    machine.world.wal_sync = log;
    let region = machine.world.start().unwrap();
    write(&region, "before");
    if log == SyncMode::Os {
        // Not on the disk before that.
        region.flush(None).unwrap();
    }
    let files = ["a", "b"].map(|family| {
        let file = file_of(&machine.world, "file", family, &["loaded"], 5, "v");
        // The client's directory outlives a crash; what is in the file need not.
        machine.world.fs.sync_dir(file.path.parent().unwrap()).unwrap();
        file
    });
    (machine, region, files)
}

fn write(region: &Region, row: &str) {
    run(region.batch(vec![put((row, "a", "q"), b"v")])).swap_remove(0).unwrap();
}

fn delete(column: (&str, &str, &str)) -> Mutation {
    mutation(MutationKind::Delete, CellType::DeleteColumn, column, LATEST_TIMESTAMP, b"")
}

fn load(region: &Region, files: &[BulkLoadFile]) -> Result<(), RegionError> {
    region.bulk_load(files, &BulkLoadOptions::default()).map(drop)
}

/// Whether the load is there: in both families, or in none.
fn is_loaded(region: &Region, what: &str) -> bool {
    let [a, b] = ["a", "b"].map(|family| value(region, ("loaded", family, "q")).is_some());
    assert_eq!(a, b, "{what}");
    assert!(value(region, ("before", "a", "q")).is_some(), "{what}");
    a
}

fn operations(log: SyncMode) -> u64 {
    let (machine, region, files) = start_on(log);
    let first = machine.faults.operations();
    load(&region, &files).unwrap();
    machine.faults.operations() - first
}

fn assert_clean(machine: &Machine, what: &str) {
    let world = &machine.world;
    let dir = world.root.region_bulk_load_dir(&world.info.table, &world.info.encoded_name());
    assert!(!world.fs.exists(&dir).unwrap(), "{what}");
}

/// What a client does to its files, if these are there still, is not done to those of the region.
fn assert_no_alias(machine: &Machine, files: &[BulkLoadFile], what: &str) {
    let world = &machine.world;
    let dir_of = |family| world.root.family_dir(&world.info.table, &world.info.encoded_name(), family);
    for entry in files.iter().flat_map(|file| {
        let dir = dir_of(&file.family);
        world.fs.list(&dir).unwrap().into_iter().map(move |entry| dir.join(entry.name))
    }) {
        assert!(!world.fs.has_other_names(&entry).unwrap(), "{what}: {}", entry.display());
    }
}

#[test]
fn the_power_is_cut() {
    cut_power(SyncMode::Disk);
}

/// Where puts are answered before they are on the disk, a load is as whole.
#[test]
fn the_power_is_cut_and_the_log_is_not_forced_to_the_disk() {
    cut_power(SyncMode::Os);
}

fn cut_power(log: SyncMode) {
    let operations = operations(log);
    assert!(operations > 15, "{operations}");
    let mut outcomes = std::collections::BTreeSet::new();
    for at in 0..=operations {
        for seed in 0..3 {
            let what = format!("operation {at}, seed {seed}");
            let (machine, region, files) = start_on(log);
            machine.faults.fail_from(machine.faults.operations() + at);
            let answered = load(&region, &files).is_ok();
            let mode = if seed == 0 { CrashMode::Strict } else { CrashMode::Torn { seed } };
            let mut next = machine.crash(mode);
            let region = next.world.recover().unwrap_or_else(|error| panic!("{what}: {error}"));
            let loaded = is_loaded(&region, &what);
            assert!(loaded || !answered, "{what}");
            assert!(
                loaded || files.iter().all(|file| next.world.fs.exists(&file.path).unwrap()),
                "{what}: the client's files are gone"
            );
            assert_clean(&next, &what);
            assert_no_alias(&next, &files, &what);
            outcomes.insert((answered, loaded));
            // Nothing of it is done twice, and nothing comes later.
            write(&region, "after");
            region.flush(None).unwrap();
            let mut again = next.crash(CrashMode::Strict);
            let region = again.world.recover().unwrap();
            assert_eq!(is_loaded(&region, &what), loaded, "{what}, recovered again");
        }
    }
    assert_eq!(outcomes.into_iter().collect::<Vec<_>>(), [(false, false), (false, true), (true, true)]);
}

#[test]
fn the_power_is_cut_again_while_the_load_is_finished() {
    for at in 0..=operations(SyncMode::Disk) {
        let (machine, region, files) = start();
        machine.faults.fail_from(machine.faults.operations() + at);
        let answered = load(&region, &files).is_ok();
        let mut undisturbed = machine.crash(CrashMode::Strict);
        undisturbed.world.recover().unwrap();
        // The opening alone has many operations: a few of them for each.
        for opening in (at % 5..undisturbed.faults.operations()).step_by(5) {
            let what = format!("operation {at}, then {opening} of the opening");
            let mut dying = machine.crash(CrashMode::Strict);
            dying.faults.fail_from(opening);
            let _ = dying.world.recover();
            let mut next = dying.crash(CrashMode::Torn { seed: at + opening });
            let region = next.world.recover().unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(is_loaded(&region, &what) || !answered, "{what}");
            assert_clean(&next, &what);
            assert_no_alias(&next, &files, &what);
        }
    }
}

#[test]
fn one_operation_fails() {
    let operations = operations(SyncMode::Disk);
    let mut failures = 0;
    for at in 0..operations {
        let what = format!("operation {at}");
        let (mut machine, region, files) = start();
        machine.faults.fail_operation(machine.faults.operations() + at);
        let answer = load(&region, &files);
        machine.faults.heal();
        assert_eq!(is_loaded(&region, &what), answer.is_ok(), "{what}");
        if answer.is_err() {
            failures += 1;
            assert!(files.iter().all(|file| machine.world.fs.exists(&file.path).unwrap()), "{what}");
            let again = (0..100).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(2));
                load(&region, &files).is_ok()
            });
            assert!(again, "{what}: loads do not work again");
        }
        assert!(is_loaded(&region, &what));
        region.close().unwrap();
        let region = machine.world.start().unwrap();
        assert!(is_loaded(&region, &what), "{what}, opened again");
        assert_clean(&machine, &what);
    }
    assert!(failures > 15, "{failures}");
}

/// Of stores with lists of their files: what a full disk lets nobody write is not what is on it.
#[test]
fn a_list_names_no_file_that_was_taken_back() {
    let mut failures = 0;
    for budget in (0..).step_by(24) {
        let what = format!("room for {budget} bytes");
        let (machine, region, files) = start_with(vec![listed("a"), listed("b")], SyncMode::Disk);
        machine.faults.set_byte_budget(Some(budget));
        let answer = load(&region, &files);
        assert_eq!(is_loaded(&region, &what), answer.is_ok(), "{what}");
        machine.faults.set_byte_budget(None);
        if answer.is_ok() {
            break;
        }
        failures += 1;
        let flushed = (0..100).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            write_when_possible(&region, b"v");
            region.flush(None).is_ok()
        });
        assert!(flushed, "{what}");
        let mut next = machine.crash(CrashMode::Strict);
        let region = next.world.recover().unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(!is_loaded(&region, &what), "{what}, after a crash");
    }
    assert!(failures > 10, "{failures}");
}

/// Of a store with a list of its files: while an input of a compaction waits for the archive it is there, and in no list.
#[test]
fn what_was_loaded_and_compacted_away_stays_away() {
    let deleted = || {
        let mut machine = Machine::new(vec![listed("a")]);
        let region = machine.world.start().unwrap();
        load(&region, &[file_of(&machine.world, "file", "a", &["loaded"], 5, "v")]).unwrap();
        run(region.mutate(&delete(("loaded", "a", "q")))).unwrap();
        region.flush(None).unwrap();
        // Keeps the log, with what it says of the load.
        write(&region, "before");
        (machine, region)
    };
    let (machine, region) = deleted();
    let first = machine.faults.operations();
    region.compact(b"a", true).unwrap().unwrap();
    let operations = machine.faults.operations() - first;
    assert!(operations > 10, "{operations}");
    for at in 0..=operations {
        let (machine, region) = deleted();
        machine.faults.fail_from(machine.faults.operations() + at);
        let _ = region.compact(b"a", true);
        let mut next = machine.crash(CrashMode::Strict);
        let region = next.world.recover().unwrap_or_else(|error| panic!("operation {at}: {error}"));
        assert!(value(&region, ("loaded", "a", "q")).is_none(), "operation {at}");
        assert!(value(&region, ("before", "a", "q")).is_some(), "operation {at}");
    }
}

#[test]
fn a_load_that_could_not_be_taken_back_holds_up_flushes_until_it_can() {
    let operations = operations(SyncMode::Disk);
    let mut held_up = 0;
    for at in 0..operations {
        let what = format!("from operation {at} on");
        let (machine, region, files) = start();
        machine.faults.fail_from(machine.faults.operations() + at);
        let answer = load(&region, &files);
        held_up += u64::from(region.flush(None).is_err());
        assert_eq!(is_loaded(&region, &what), answer.is_ok(), "{what}");
        machine.faults.heal();
        let flushed = (0..100).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            region.flush(None).is_ok()
        });
        assert!(flushed, "{what}");
        assert_eq!(is_loaded(&region, &what), answer.is_ok(), "{what}");
        write_when_possible(&region, b"v");
        region.flush(None).unwrap();
        let mut next = machine.crash(CrashMode::Strict);
        let region = next.world.recover().unwrap();
        assert_eq!(is_loaded(&region, &what), answer.is_ok(), "{what}, after a crash");
    }
    assert!(held_up > 0);
}

#[test]
fn a_flush_that_a_load_held_up_is_asked_for_again() {
    for at in 0..operations(SyncMode::Disk) {
        let (machine, region, files) = start();
        machine.faults.fail_from(machine.faults.operations() + at);
        let _ = load(&region, &files);
        machine.faults.heal();
        write_when_possible(&region, b"v");
        write_when_possible(&region, &[0; FLUSH_SIZE]);
        machine.faults.fail_from(machine.faults.operations());
        region.flush(None).unwrap_err();
        machine.faults.heal();
        let asked = || machine.world.host.flushes_wanted.load(Ordering::SeqCst);
        let before = asked();
        write_when_possible(&region, b"v");
        assert!(asked() > before, "from operation {at} on");
    }
}

fn write_when_possible(region: &Region, value: &[u8]) {
    let write = || run(region.batch(vec![put(("later", "a", "q"), value)])).swap_remove(0);
    for _ in 0..100 {
        if write().is_ok() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    write().expect("writes work again");
}
