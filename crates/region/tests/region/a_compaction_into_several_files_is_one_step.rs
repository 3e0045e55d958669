//! A compaction writes several files, and fails or loses power at each of its operations: the next opening serves all of
//! its inputs or all of its outputs, nothing that was answered is lost, and nothing that was deleted comes back.

use crate::a_region_agrees_with_a_simple_model::striped;
use crate::machine::Machine;
use crate::world::{family, mutation, put, run, value};
use finback_cell::{CellType, LATEST_TIMESTAMP, MutationKind};
use finback_fs::CrashMode;
use finback_region::{CompactionConfig, DateTieredConfig, Host, Region, StoreEngine};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Windows of 1, 2, 4 … ms.
fn date_tiered() -> CompactionConfig {
    let date_tiered = DateTieredConfig {
        base_window_ms: 1,
        windows_per_tier: 2,
        incoming_window_min_files: 2,
        single_output_for_minor: false,
        ..DateTieredConfig::default()
    };
    CompactionConfig { engine: StoreEngine::DateTiered, date_tiered, ..CompactionConfig::default() }
}

fn engines() -> Vec<CompactionConfig> {
    let mut striped = striped(3, &CompactionConfig::default());
    // The inputs are three, whichever engine.
    striped.stripe.flush_to_level0 = true;
    vec![date_tiered(), striped]
}

const ROWS: [&str; 4] = ["a", "c", "e", "g"];
const DELETED: [&str; 2] = ["b", "f"];

fn delete(region: &Region, row: &str) {
    let column = (row, "a", "q");
    let delete = mutation(MutationKind::Delete, CellType::DeleteColumn, column, LATEST_TIMESTAMP, b"");
    run(region.batch(vec![delete])).swap_remove(0).unwrap();
}

/// A machine with three files: rows of different ages, two of them deleted.
fn filled(compaction: CompactionConfig) -> (Machine, Arc<Region>) {
    let mut machine = Machine::new(vec![family("a", 3)]);
    machine.world.config.compaction = compaction;
    let region = machine.world.start().unwrap();
    let write = |row: &str| {
        machine.world.host.now_ms.fetch_add(3, Ordering::SeqCst);
        run(region.batch(vec![put((row, "a", "q"), row.as_bytes())])).swap_remove(0).unwrap();
    };
    DELETED.iter().for_each(|row| write(row));
    write(ROWS[0]);
    region.flush(None).unwrap();
    write(ROWS[1]);
    delete(&region, DELETED[0]);
    region.flush(None).unwrap();
    write(ROWS[2]);
    delete(&region, DELETED[1]);
    region.flush(None).unwrap();
    write(ROWS[3]);
    (machine, region)
}

impl Machine {
    fn store_dir(&self) -> PathBuf {
        let (root, region) = (&self.world.root, self.world.info.encoded_name());
        root.family_dir(&self.world.info.table, &region, b"a")
    }

    fn stored(&self) -> BTreeSet<String> {
        let entries = self.world.fs.list(&self.store_dir()).unwrap();
        entries.into_iter().map(|entry| entry.name).collect()
    }
}

fn check(region: &Region, what: &str) {
    for row in ROWS {
        assert_eq!(value(region, (row, "a", "q")).as_deref(), Some(row.as_bytes()), "{what}: {row}");
    }
    for row in DELETED {
        assert_eq!(value(region, (row, "a", "q")), None, "{what}: {row}");
    }
}

/// How many operations the compaction has when nothing fails.
fn operations(engine: &CompactionConfig) -> u64 {
    let (machine, region) = filled(engine.clone());
    let first = machine.faults.operations();
    region.compact(b"a", true).unwrap();
    let operations = machine.faults.operations() - first;
    assert!(operations > 15, "{operations} operations");
    operations
}

#[test]
fn undisturbed_it_is_cut_and_all_of_its_inputs_go() {
    for engine in engines() {
        let (mut machine, region) = filled(engine);
        let inputs = machine.stored();
        let outcome = region.compact(b"a", true).unwrap().unwrap();
        let outputs = machine.stored();
        assert!(outputs.len() > 1 && outputs.is_disjoint(&inputs), "{outputs:?}");
        assert_eq!((outcome.inputs, outcome.cells_written), (3, 3), "markers and what they hid are gone");
        assert_eq!(region.metrics().store_files, outputs.len());
        check(&region, "compacted");
        region.close().unwrap();
        check(&machine.world.start().unwrap(), "opened again");
    }
}

#[test]
fn the_power_is_cut_at_each_operation() {
    for engine in engines() {
        let mut outcomes = BTreeSet::new();
        for at in 0..=operations(&engine) {
            let (machine, region) = filled(engine.clone());
            let inputs = machine.stored();
            machine.faults.fail_from(machine.faults.operations() + at);
            let _ = region.compact(b"a", true);
            let mode = if at % 2 == 0 { CrashMode::Strict } else { CrashMode::Torn { seed: at } };
            let mut next = machine.crash(mode);
            let region = next.world.recover().unwrap_or_else(|error| panic!("operation {at}: {error}"));
            let what = format!("operation {at}");
            check(&region, &what);
            // What the log had is in memory again.
            let stored = next.stored();
            assert_eq!(region.metrics().store_files, stored.len(), "{what}");
            let old = stored.intersection(&inputs).count();
            assert!(old == 0 || (old == 3 && stored.len() == 3), "{what}: {stored:?} of {inputs:?}");
            outcomes.insert(old);
            region.compact(b"a", true).unwrap();
            check(&region, &format!("{what}, compacted"));
            drop(region);
            let mut again = next.crash(CrashMode::Strict);
            check(&again.world.recover().unwrap(), &format!("{what}, recovered again"));
        }
        assert_eq!(outcomes, BTreeSet::from([0, 3]), "cut before and after the step that counts");
    }
}

#[test]
fn one_operation_fails_and_the_power_is_cut_later() {
    for engine in engines() {
        for at in 0..operations(&engine) {
            let what = format!("operation {at}");
            let (machine, region) = filled(engine.clone());
            machine.faults.fail_operation(machine.faults.operations() + at);
            let _ = region.compact(b"a", true);
            machine.faults.heal();
            check(&region, &what);
            let mut next = machine.crash(CrashMode::Strict);
            check(&next.world.recover().unwrap(), &format!("{what}, then a crash"));
            // Whatever was left over is known to the next compaction. A log that failed needs a moment.
            let compacted = (0..100).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(2));
                region.flush(None).is_ok() && region.compact(b"a", true).is_ok()
            });
            assert!(compacted, "{what}: no compaction any more");
            check(&region, &format!("{what}, compacted"));
            let mut next = machine.crash(CrashMode::Strict);
            let region = next.world.recover().unwrap();
            check(&region, &format!("{what}, compacted, then a crash"));
            assert_eq!(region.metrics().store_files, next.stored().len(), "{what}");
        }
    }
}

#[test]
fn there_may_be_more_windows_than_files_of_one_compaction() {
    let mut compaction = date_tiered();
    compaction.date_tiered.windows_per_tier = 1;
    let mut machine = Machine::new(vec![family("a", 1)]);
    machine.world.config.compaction = compaction;
    let region = machine.world.start().unwrap();
    let times = [("first", 1), ("now", machine.world.host.now_ms())];
    for (row, time) in times {
        let put = mutation(MutationKind::Put, CellType::Put, (row, "a", "q"), time, b"v");
        run(region.batch(vec![put])).swap_remove(0).unwrap();
        region.flush(None).unwrap();
    }
    assert_eq!(region.compact(b"a", true).unwrap().unwrap().inputs, 2);
    times.iter().for_each(|(row, _)| assert!(value(&region, (row, "a", "q")).is_some(), "{row}"));
}
