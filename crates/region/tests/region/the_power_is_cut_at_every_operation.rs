//! A workload with everything that a region does, disturbed at every operation on the file system in turn: the power is
//! cut, the operation fails, it and all later ones fail, there is no room. What was acknowledged at its durability is
//! there, nothing else is, each write wholly or not at all, and with the fault gone everything goes on. The table's
//! descriptor is the old one or the new one, the new one once that was acknowledged, and the region is opened by it.
//!
//! The power is cut at every point, in one way that the point's number chooses; the other faults are tried at some of the
//! points. `FINBACK_FAULTS=all` tries everything everywhere. All of it once with a table whose values are in its store files,
//! and once with one whose large values are in MOB files.

use crate::machine::Machine;
use crate::workload::{LargeValues, STEPS, Step, Workload, write_when_possible};
use finback_fs::CrashMode;

/// Tries of a step that fails: a log that failed is left alone for a moment before another is begun.
const MAX_TRIES: usize = 500;

fn tries_all() -> bool {
    std::env::var("FINBACK_FAULTS").is_ok_and(|faults| faults == "all")
}

/// The ways in which a disk may lose what was not synced.
fn modes(point: u64) -> Vec<CrashMode> {
    let all = [
        CrashMode::Strict,
        CrashMode::Torn { seed: point },
        CrashMode::Reordered { seed: point },
        CrashMode::Torn { seed: !point },
        CrashMode::Reordered { seed: !point },
    ];
    if tries_all() { all.to_vec() } else { vec![all[point as usize % all.len()]] }
}

/// Runs the workload up to its first failure.
fn run_until_failure(workload: &mut Workload) {
    workload.ledger.one_log = true;
    for step in STEPS {
        if workload.step(step).is_err() {
            return;
        }
    }
}

/// How many operations, and looks, the workload has when nothing fails.
fn size(large_values: LargeValues) -> (u64, u64) {
    let mut workload = Workload::new(large_values);
    workload.ledger.one_log = true;
    for (number, step) in STEPS.into_iter().enumerate() {
        workload.step(step).unwrap_or_else(|error| panic!("step {number}, {step:?}: {error}"));
        if let Some(region) = &workload.region {
            workload.ledger.check_seen(region, &format!("after step {number}, {step:?}"));
        }
    }
    let (operations, reads) = (workload.machine.faults.operations(), workload.machine.faults.reads());
    assert!(operations > 300, "{operations} operations");
    assert_mob_files(&workload);
    (operations, reads)
}

/// Of each family there are, or have been, MOB files, if it has any.
fn assert_mob_files(workload: &Workload) {
    let world = &workload.machine.world;
    let (root, table) = (&world.root, &world.info.table);
    for family in [b"a", b"b", b"c"] {
        let served = root.list_mob_files(table, family).unwrap();
        let archived = world.fs.list(&root.archived_mob_family_dir(table, family)).unwrap_or_default();
        let has_had_some = !served.is_empty() || !archived.is_empty();
        assert_eq!(has_had_some, workload.large_values == LargeValues::InMobFiles, "{family:?}");
    }
}

/// How many bytes the workload writes when nothing fails.
fn size_in_bytes(large_values: LargeValues) -> u64 {
    const ROOM: u64 = 1 << 40;
    let mut workload = Workload::new(large_values);
    workload.machine.faults.set_byte_budget(Some(ROOM));
    for step in STEPS {
        workload.step(step).unwrap();
    }
    ROOM - workload.machine.faults.byte_budget().unwrap()
}

/// Recovers, checks, and sees that the region is a good one.
fn check_recovery(machine: Machine, workload: &Workload, what: &str) {
    let mut next = Workload::new(workload.large_values);
    (next.machine, next.ledger) = (machine, workload.ledger.clone());
    let region = next.machine.world.recover().unwrap_or_else(|error| panic!("{what}: {error}"));
    next.ledger.check_survived(&region, what);
    assert_tidy(&next.machine, what);
    next.region = Some(region);
    write_when_possible(&mut next);
    next.step(Step::FlushAll).unwrap();
    next.step(Step::Compact("a", true)).unwrap();
    next.ledger.check_seen(next.region.as_ref().unwrap(), &format!("{what}, compacted"));
}

/// Nothing that was begun and not finished is left.
fn assert_tidy(machine: &Machine, what: &str) {
    let (root, region) = (&machine.world.root, machine.world.info.encoded_name());
    let table = &machine.world.info.table;
    for dir in [root.region_temp_dir(table, &region), root.region_bulk_load_dir(table, &region)] {
        for family in machine.world.fs.list(&dir).unwrap_or_default() {
            let left = machine.world.fs.list(&dir.join(&family.name)).unwrap();
            assert!(left.is_empty(), "{what}: {left:?} in {}", dir.display());
        }
    }
    let left = machine.world.fs.list(&root.mob_temp_dir()).unwrap_or_default();
    assert!(left.is_empty(), "{what}: {left:?} of MOB files");
    // The second family's tracker keeps a list, and HBase would go by it.
    let named = |files: Vec<finback_layout::StoreFileEntry>| -> Vec<String> {
        files.into_iter().map(|file| file.name).collect()
    };
    let listed = named(root.listed_store_files(table, &region, b"b").unwrap());
    assert_eq!(listed, named(root.list_store_files(table, &region, b"b").unwrap()), "{what}");
}

/// Every so many points of a fault are tried: of those among files of large values half as many as of the others.
fn one_in(points: u64, large_values: LargeValues) -> u64 {
    match large_values {
        LargeValues::InStoreFiles => points,
        LargeValues::InMobFiles => 2 * points,
    }
}

/// The points of a fault, all or some of them, by two threads.
fn at_points(points: u64, sampled_step: u64, check: impl Fn(u64) + Sync) {
    let step = if tries_all() { 1 } else { sampled_step };
    std::thread::scope(|scope| {
        for first in 0..2 {
            let check = &check;
            scope.spawn(move || (0..points).step_by(step as usize).skip(first).step_by(2).for_each(check));
        }
    });
}

fn the_power_is_cut(large_values: LargeValues) {
    let (operations, _) = size(large_values);
    at_points(operations + 1, 1, |at| {
        let mut workload = Workload::new(large_values);
        workload.machine.faults.fail_from(at);
        run_until_failure(&mut workload);
        for mode in modes(at) {
            let what = format!("operation {at}, {mode:?}");
            check_recovery(workload.machine.crash(mode), &workload, &what);
        }
    });
}

fn the_power_is_cut_again_during_the_recovery(large_values: LargeValues) {
    let (operations, _) = size(large_values);
    at_points(operations + 1, one_in(5, large_values), |at| {
        let mut workload = Workload::new(large_values);
        workload.machine.faults.fail_from(at);
        run_until_failure(&mut workload);
        for mode in modes(at / 5 + at) {
            let mut undisturbed = workload.machine.crash(mode);
            undisturbed.world.recover().unwrap();
            let openings = undisturbed.faults.operations();
            let step = if tries_all() { 1 } else { openings };
            for opening in (at * 7 % openings..openings).step_by(step as usize) {
                let what = format!("operation {at}, {mode:?}, then {opening} of the opening");
                let mut dying = workload.machine.crash(mode);
                dying.faults.fail_from(opening);
                let _ = dying.world.recover();
                check_recovery(dying.crash(modes(at + opening)[0]), &workload, &what);
            }
        }
    });
}

/// Each step is repeated until it succeeds.
fn run_to_the_end(workload: &mut Workload, what: &str) {
    for (number, step) in STEPS.into_iter().enumerate() {
        let done = (0..MAX_TRIES).any(|tries| {
            if tries > 0 {
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
            workload.step(step).is_ok()
        });
        assert!(done, "{what}: step {number}, {step:?}, does not succeed any more");
        if let Some(region) = &workload.region {
            workload.ledger.check_seen(region, &format!("{what}, after step {number}, {step:?}"));
        }
    }
}

fn one_operation_fails(large_values: LargeValues) {
    let (operations, _) = size(large_values);
    at_points(operations, one_in(9, large_values), |at| {
        let what = format!("operation {at} fails");
        let mut workload = Workload::new(large_values);
        workload.machine.faults.fail_operation(at);
        run_to_the_end(&mut workload, &what);
        workload.machine.faults.heal();
        let crashed = workload.machine.crash(modes(at)[0]);
        check_recovery(crashed, &workload, &what);
    });
}

fn one_look_fails(large_values: LargeValues) {
    let (_, reads) = size(large_values);
    at_points(reads, one_in(31, large_values), |at| {
        let what = format!("look {at} fails");
        let mut workload = Workload::new(large_values);
        workload.machine.faults.fail_read(at);
        // The test looks too.
        for step in STEPS {
            let done = (0..MAX_TRIES).any(|_| workload.step(step).is_ok());
            assert!(done, "{what}: {step:?} does not succeed any more");
        }
        workload.machine.faults.heal();
        if let Some(region) = &workload.region {
            workload.ledger.check_seen(region, &what);
        }
        check_recovery(workload.machine.crash(modes(at)[0]), &workload, &what);
    });
}

/// Each step once, whatever becomes of it.
fn try_all_steps(workload: &mut Workload) {
    for step in STEPS {
        let _ = workload.step(step);
    }
}

/// With the fault gone: what was acknowledged is seen, and writing, flushing and compacting work.
fn check_healed(workload: &mut Workload, what: &str) {
    for _ in 0..MAX_TRIES {
        if workload.region.is_some() {
            break;
        }
        let step = if workload.machine.world.wal.is_some() { Step::Open } else { Step::Restart };
        let _ = workload.step(step);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let region = workload.region.clone().unwrap_or_else(|| panic!("{what}: it does not open any more"));
    workload.ledger.check_seen(&region, &format!("{what}, healed"));
    write_when_possible(workload);
    for step in [Step::FlushAll, Step::Compact("a", true)] {
        workload.step(step).unwrap_or_else(|error| panic!("{what}: {step:?}: {error}"));
    }
    workload.ledger.check_seen(&region, &format!("{what}, compacted"));
}

fn all_operations_fail_for_a_while(large_values: LargeValues) {
    let (operations, _) = size(large_values);
    at_points(operations, one_in(7, large_values), |at| {
        let what = format!("operations from {at} on fail");
        let mut workload = Workload::new(large_values);
        workload.machine.faults.fail_from(at);
        try_all_steps(&mut workload);
        let crashed = workload.machine.crash(modes(at)[0]);
        check_recovery(crashed, &workload, &format!("{what}, then the power"));
        workload.machine.faults.heal();
        check_healed(&mut workload, &what);
        check_recovery(workload.machine.crash(modes(at)[0]), &workload, &what);
    });
}

fn the_disk_is_full(large_values: LargeValues) {
    // Smaller than most of what is written at a time.
    const STEP: u64 = 150;
    let points = size_in_bytes(large_values) / STEP;
    assert!(points > 600, "{points} points");
    at_points(points, one_in(points / 50, large_values), |point| {
        let bytes = point * STEP;
        let what = format!("room for {bytes} bytes");
        let mut workload = Workload::new(large_values);
        workload.machine.faults.set_byte_budget(Some(bytes));
        try_all_steps(&mut workload);
        let crashed = workload.machine.crash(modes(point)[0]);
        check_recovery(crashed, &workload, &format!("{what}, then the power"));
        workload.machine.faults.set_byte_budget(None);
        check_healed(&mut workload, &what);
        check_recovery(workload.machine.crash(modes(point)[0]), &workload, &what);
    });
}

/// The same checks of both kinds of tables.
macro_rules! checks {
    ($($check:ident),* $(,)?) => {
        mod with_values_in_store_files {
            $(#[test]
            fn $check() {
                super::$check(super::LargeValues::InStoreFiles);
            })*
        }

        mod with_values_in_mob_files {
            $(#[test]
            fn $check() {
                super::$check(super::LargeValues::InMobFiles);
            })*
        }
    };
}

checks! {
    the_power_is_cut,
    the_power_is_cut_again_during_the_recovery,
    one_operation_fails,
    one_look_fails,
    all_operations_fail_for_a_while,
    the_disk_is_full,
}
