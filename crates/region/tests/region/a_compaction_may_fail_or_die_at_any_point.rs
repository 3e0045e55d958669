//! A compaction fails, or the power is cut, at each of its operations: nothing that was answered is lost, nothing that was
//! deleted comes back, no file is served twice or forgotten.

use crate::machine::Machine;
use crate::world::{World, family, mutation, put, run, value};
use finback_cell::{Bytes, CellType, MutationKind, RegionInfo};
use finback_fs::{CrashMode, MemFileSystem};
use finback_region::{Region, RegionError};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

const DELETED_LATER: [&str; 2] = ["deleted1", "deleted2"];

fn new_machine() -> Machine {
    Machine::new(vec![family("a", 3).with("TTL", "1000")])
}

impl Machine {
    fn names(&self, archived: bool) -> Vec<String> {
        let dir = self.dir(archived);
        let entries = self.world.fs.list(&dir).unwrap_or_default();
        entries.into_iter().filter(|entry| !entry.is_dir).map(|entry| entry.name).collect()
    }

    fn dir(&self, archived: bool) -> PathBuf {
        let (root, region) = (&self.world.root, self.world.info.encoded_name());
        let table = &self.world.info.table;
        if archived {
            root.archived_family_dir(table, &region, b"a")
        } else {
            root.family_dir(table, &region, b"a")
        }
    }

    fn assert_files(&self, region: &Region, what: &str) {
        let (served, archived) = (self.names(false), self.names(true));
        assert_eq!(region.metrics().store_files, served.len(), "{what}: {served:?}");
        assert!(served.iter().all(|name| !archived.contains(name)), "{what}: {served:?} and {archived:?}");
    }

    fn assert_no_temporary_file(&self, what: &str) {
        let (root, region) = (&self.world.root, self.world.info.encoded_name());
        let dir = root.family_temp_dir(&self.world.info.table, &region, b"a");
        assert_eq!(self.world.fs.list(&dir).unwrap_or_default(), [], "{what}");
    }
}

/// What is known of each row: whether it is there; rows whose last write failed may or may not be.
type Told = BTreeMap<String, Option<bool>>;

fn write(region: &Region, told: &mut Told, row: &str, is_put: bool) -> Result<(), RegionError> {
    told.insert(row.to_owned(), None);
    let column = (row, "a", "q");
    let written = if is_put {
        put(column, row.as_bytes())
    } else {
        mutation(MutationKind::Delete, CellType::DeleteColumn, column, finback_cell::LATEST_TIMESTAMP, b"")
    };
    run(region.batch(vec![written])).swap_remove(0)?;
    told.insert(row.to_owned(), Some(is_put));
    Ok(())
}

fn check(region: &Region, told: &Told, what: &str) {
    for (row, is_there) in told {
        let found = value(region, (row, "a", "q"));
        assert!(found.as_deref().is_none_or(|found| found == row.as_bytes()));
        if let Some(is_there) = is_there {
            assert_eq!(found.is_some(), *is_there, "{what}: {row} of {told:?}");
        }
    }
}

/// Some files, with deleted rows and the markers in different ones.
fn fill(region: &Region, told: &mut Told) {
    for row in DELETED_LATER {
        write(region, told, row, true).unwrap();
    }
    write(region, told, "kept1", true).unwrap();
    region.flush(None).unwrap();
    write(region, told, DELETED_LATER[0], false).unwrap();
    write(region, told, "kept2", true).unwrap();
    region.flush(None).unwrap();
    write(region, told, "kept3", true).unwrap();
    region.flush(None).unwrap();
    write(region, told, "in memory", true).unwrap();
}

/// A compaction of two files, and one of all, with writes between and after them. Each step is tried whatever became of
/// those before.
fn program(region: &Region, told: &mut Told) -> Vec<Result<(), RegionError>> {
    vec![
        region.compact_run(b"a", 0..2).map(drop),
        region.compact(b"a", true).map(drop),
        write(region, told, DELETED_LATER[1], false),
        region.flush(None).map(drop),
        region.compact(b"a", true).map(drop),
        write(region, told, "kept4", true),
    ]
}

fn filled() -> (Machine, Arc<Region>, Told) {
    filled_on(new_machine())
}

fn filled_on(mut machine: Machine) -> (Machine, Arc<Region>, Told) {
    let mut told = Told::new();
    let region = machine.world.start().unwrap();
    fill(&region, &mut told);
    (machine, region, told)
}

/// How many operations the program has when nothing fails.
fn operations_of_the_program() -> u64 {
    let (machine, region, mut told) = filled();
    let first = machine.faults.operations();
    program(&region, &mut told).into_iter().collect::<Result<Vec<()>, _>>().unwrap();
    machine.assert_files(&region, "undisturbed");
    assert_eq!(machine.names(false).len(), 1);
    assert_eq!(
        machine.names(true).len(),
        6,
        "three flushes, a compaction of two, one of all, and another flush"
    );
    machine.faults.operations() - first
}

/// After a crash: what is there now, after a compaction of all files, and after another opening.
fn check_recovery(mut machine: Machine, told: &Told, what: &str) {
    let region = machine.world.recover().unwrap_or_else(|error| panic!("{what}: {error}"));
    check(&region, told, what);
    machine.assert_files(&region, what);
    machine.assert_no_temporary_file(what);
    region.compact(b"a", true).unwrap();
    check(&region, told, &format!("{what}, compacted"));
    machine.assert_files(&region, &format!("{what}, compacted"));
    drop(region);
    let mut again = machine.crash(CrashMode::Strict);
    let region = again.world.recover().unwrap();
    check(&region, told, &format!("{what}, recovered again"));
    again.assert_files(&region, &format!("{what}, recovered again"));
}

#[test]
fn the_power_is_cut() {
    let operations = operations_of_the_program();
    assert!(operations > 40, "{operations} operations");
    for at in 0..=operations {
        let (machine, region, mut told) = filled();
        machine.faults.fail_from(machine.faults.operations() + at);
        program(&region, &mut told);
        let mode = if at % 2 == 0 { CrashMode::Strict } else { CrashMode::Torn { seed: at } };
        check_recovery(machine.crash(mode), &told, &format!("operation {at}"));
    }
}

#[test]
fn the_power_is_cut_while_leftovers_are_put_away() {
    let operations = operations_of_the_program();
    for at in 0..=operations {
        let (machine, region, mut told) = filled();
        machine.faults.fail_from(machine.faults.operations() + at);
        program(&region, &mut told);
        let mut undisturbed = machine.crash(CrashMode::Strict);
        undisturbed.world.recover().unwrap();
        // The opening alone has many operations: a few of them for each.
        for opening in (at % 7..undisturbed.faults.operations()).step_by(7) {
            let mut dying = machine.crash(CrashMode::Strict);
            dying.faults.fail_from(opening);
            let _ = dying.world.recover();
            let what = format!("operation {at}, then {opening} of the opening");
            check_recovery(dying.crash(CrashMode::Torn { seed: at }), &told, &what);
        }
    }
}

#[test]
fn one_operation_fails_and_the_server_goes_on() {
    for at in 0..=operations_of_the_program() {
        for failures in 1..3 {
            let what = format!("operation {at}, {failures} times");
            let (mut machine, region, mut told) = filled();
            machine.faults.fail_operation(machine.faults.operations() + at);
            program(&region, &mut told);
            machine.faults.heal();
            check(&region, &told, &what);
            machine.assert_no_temporary_file(&what);
            if failures == 2 {
                machine.faults.fail_operation(machine.faults.operations() + at % 11);
                let _ = region.compact(b"a", true);
                machine.faults.heal();
                check(&region, &told, &what);
            }
            let last = (0..100).find(|_| {
                std::thread::sleep(std::time::Duration::from_millis(2));
                write(&region, &mut told, "kept1", false).is_ok()
            });
            assert!(last.is_some(), "{what}: writes do not work again");
            region.flush(None).unwrap();
            region.compact(b"a", true).unwrap();
            check(&region, &told, &format!("{what}, compacted"));
            machine.assert_files(&region, &format!("{what}, compacted"));
            region.close().unwrap();
            let region = machine.world.start().unwrap();
            check(&region, &told, &format!("{what}, opened again"));
            machine.assert_files(&region, &format!("{what}, opened again"));
        }
    }
}

/// Daughters call files by other names than those by which their region knows what is left over of a compaction.
#[test]
fn one_operation_fails_and_the_region_is_split() {
    for tracker in ["DEFAULT", "FILE"] {
        let filled =
            || filled_on(Machine::new(vec![family("a", 3).with("hbase.store.file-tracker.impl", tracker)]));
        let (machine, region, _) = filled();
        let first = machine.faults.operations();
        region.compact(b"a", true).unwrap();
        for at in 0..machine.faults.operations() - first {
            let what = format!("{tracker}, operation {at}");
            let (machine, region, mut told) = filled();
            machine.faults.fail_operation(machine.faults.operations() + at);
            let _ = region.compact(b"a", true);
            machine.faults.heal();
            let written = (0..100).find(|_| {
                std::thread::sleep(std::time::Duration::from_millis(2));
                write(&region, &mut told, DELETED_LATER[1], false).is_ok()
            });
            assert!(written.is_some(), "{what}: writes do not work again");
            region.close().unwrap();
            machine.assert_files(&region, &what);
            let parent = machine.world.info.clone();
            let daughter = RegionInfo::new(parent.table.clone(), Bytes::new(), "x".into(), 2);
            machine.world.fs.create_dir_all(&machine.world.root.temp_dir()).unwrap();
            machine.world.root.write_table_descriptor(&machine.world.table).unwrap();
            machine.world.root.create_offspring(&daughter, &[parent], &["a".into()], &|_| None).unwrap();
            let mut world = machine.undisturbed();
            world.info = daughter;
            check(&world.start().unwrap(), &told, &what);
        }
    }
}

#[test]
fn what_cannot_be_put_away_keeps_the_region_open() {
    let (machine, region, told) = filled();
    let first = machine.faults.operations();
    region.compact(b"a", true).unwrap();
    let to_the_last = machine.faults.operations() - first - 1;
    let (machine, region, _) = filled();
    region.flush(None).unwrap();
    let served = machine.names(false).len();
    machine.faults.fail_from(machine.faults.operations() + to_the_last);
    region.compact(b"a", true).unwrap();
    assert!(machine.names(false).len() > 1, "of {served} some are left over");
    assert!(region.close().is_err());
    check(&region, &told, "not closed");
    machine.faults.heal();
    region.close().unwrap();
    assert_eq!(machine.names(false).len(), 1);
}

#[test]
fn one_operation_fails_and_the_power_is_cut_in_the_next_compaction() {
    // More than the first compaction has, and more than the second has.
    for at in 0..16 {
        for cut in 0..16 {
            let (machine, region, mut told) = filled();
            machine.faults.fail_operation(machine.faults.operations() + at);
            let _ = region.compact(b"a", true);
            machine.faults.heal();
            write(&region, &mut told, DELETED_LATER[1], false).unwrap();
            region.flush(None).unwrap();
            machine.faults.fail_from(machine.faults.operations() + cut);
            let _ = region.compact(b"a", true);
            check_recovery(machine.crash(CrashMode::Strict), &told, &format!("operation {at}, cut at {cut}"));
        }
    }
}

#[test]
fn without_room_the_store_stays_as_it_was() {
    let (machine, region, told) = filled();
    let before = machine.names(false);
    for bytes in [0, 1, 100, 400] {
        machine.faults.set_byte_budget(Some(bytes));
        assert!(region.compact(b"a", true).is_err(), "{bytes} bytes");
        machine.faults.set_byte_budget(None);
        assert_eq!(machine.names(false), before);
        machine.assert_no_temporary_file("no room");
        check(&region, &told, "no room");
        assert_eq!(region.compactions_under_way(), (false, false));
    }
    assert_eq!(region.compact(b"a", true).unwrap().unwrap().inputs, 3);
    check(&region, &told, "with room");
}

/// Moves files from the archive back to the store, as if the server had died before it put them away.
fn bring_back(machine: &Machine, names: &[String]) {
    for name in names {
        machine.world.fs.rename(&machine.dir(true).join(name), &machine.dir(false).join(name)).unwrap();
    }
}

#[test]
fn what_the_log_says_of_a_compaction_is_done_at_the_opening() {
    let (machine, region, mut told) = filled();
    // All files but the newest expire, and go without an output: only the log knows of it.
    machine.world.host.now_ms.fetch_add(2_000_000, std::sync::atomic::Ordering::SeqCst);
    told.values_mut().for_each(|is_there| *is_there = Some(false));
    write(&region, &mut told, "new", true).unwrap();
    region.flush(None).unwrap();
    let old = machine.names(false).len() - 1;
    assert_eq!(region.families_to_compact(), ["a"]);
    let outcome = region.compact(b"a", false).unwrap().unwrap();
    assert_eq!((outcome.inputs, outcome.cells_written), (old, 0));
    assert!(region.families_to_compact().is_empty() && region.compact(b"a", false).unwrap().is_none());
    machine.assert_files(&region, "expired");
    check(&region, &told, "expired");
    let gone = machine.names(true);
    assert_eq!(gone.len(), old);
    let mut next = machine.crash(CrashMode::Strict);
    bring_back(&next, &gone);
    let region = next.world.recover().unwrap();
    check(&region, &told, "expired, after a crash");
    assert_eq!((region.metrics().store_files, next.names(true).len()), (1, old));
}

#[test]
fn inputs_whose_output_is_gone_are_served_whatever_the_log_says() {
    let (machine, region, told) = filled();
    region.compact(b"a", true).unwrap();
    let (outputs, inputs) = (machine.names(false), machine.names(true));
    // With the output there, inputs that come back are leftovers.
    let mut next = machine.crash(CrashMode::Strict);
    bring_back(&next, &inputs[..2]);
    let region = next.world.recover().unwrap();
    check(&region, &told, "with the output");
    next.assert_files(&region, "with the output");
    assert!(inputs.iter().all(|input| next.names(true).contains(input)));
    // Without it they are all there is.
    let mut next = machine.crash(CrashMode::Strict);
    bring_back(&next, &inputs);
    next.world.fs.remove_file(&next.dir(false).join(&outputs[0])).unwrap();
    let region = next.world.recover().unwrap();
    check(&region, &told, "without the output");
}

/// Of a store with a list of its files: a change of it that fails may have been made all the same.
#[test]
fn a_list_names_files_that_are_there_however_its_change_failed() {
    let listed = || Machine::new(vec![family("a", 3).with("hbase.store.file-tracker.impl", "FILE")]);
    let filled = || {
        let (machine, region, told) = filled_on(listed());
        // A flush at the close would write the list.
        region.flush(None).unwrap();
        (machine, region, told)
    };
    let (machine, region, _) = filled();
    let first = machine.faults.operations();
    region.compact(b"a", true).unwrap();
    let points = machine.faults.operations() - first;
    assert!(points > 10, "{points}");
    for (point, lasts, crashes) in (0..points)
        .flat_map(|point| [(false, false), (false, true), (true, false)].map(|(l, c)| (point, l, c)))
    {
        let what = format!("operation {point} fails, later ones too: {lasts}, crashes: {crashes}");
        let (mut machine, region, told) = filled();
        let at = machine.faults.operations() + point;
        if lasts {
            machine.faults.fail_from(at);
        } else {
            machine.faults.fail_operation(at);
        }
        let _ = region.compact(b"a", true);
        machine.faults.heal();
        check(&region, &told, &what);
        let region = if crashes {
            machine = machine.crash(CrashMode::Strict);
            machine.world.recover().unwrap_or_else(|error| panic!("{what}: {error}"))
        } else {
            // A log that failed is tried again soon.
            let mut opened = None;
            for _ in 0..500 {
                std::thread::sleep(std::time::Duration::from_millis(1));
                opened = Some(region.close().and_then(|()| machine.world.open()));
                if !matches!(opened, Some(Err(RegionError::Wal(_)))) {
                    break;
                }
            }
            opened.unwrap().unwrap_or_else(|error| panic!("{what}: {error}"))
        };
        check(&region, &told, &what);
        machine.assert_files(&region, &what);
    }
}

/// As a compaction outside of a server leaves it that is killed between the two: the table may be disabled, and a snapshot be taken of it.
#[test]
fn what_a_compaction_left_is_not_among_the_files_that_would_be_served() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    let region = world.start().unwrap();
    for value in [b"1", b"2"] {
        run(region.mutate(&put(("r", "a", "q"), value))).unwrap();
        region.flush(None).unwrap();
    }
    let names = |files: &[std::path::PathBuf]| -> Vec<String> {
        files.iter().map(|file| file.file_name().unwrap().to_string_lossy().into_owned()).collect()
    };
    let inputs = names(&region.store_file_paths(&[]).unwrap());
    region.compact(b"a", true).unwrap();
    let outputs = names(&region.store_file_paths(&[]).unwrap());
    region.close().unwrap();
    let (table, encoded) = (&world.info.table, world.info.encoded_name());
    let archived = world.root.archived_family_dir(table, &encoded, b"a").join(&inputs[0]);
    world.fs.rename(&archived, &world.root.family_dir(table, &encoded, b"a").join(&inputs[0])).unwrap();
    let served = Region::served_files(&world.root, &world.info, &world.table).unwrap();
    assert_eq!(served, [("a".into(), outputs)]);
}
