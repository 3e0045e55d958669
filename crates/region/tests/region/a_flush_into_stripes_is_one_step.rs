//! A flush writes several files, and fails or loses power at each of its operations: nothing that was acknowledged is lost,
//! nothing is there twice, and nothing that was deleted comes back.

use crate::a_region_agrees_with_a_simple_model::striped;
use crate::machine::Machine;
use crate::world::{family, mutation, put, run, scan};
use finback_cell::{CellType, LATEST_TIMESTAMP, MutationKind, Scan};
use finback_fs::CrashMode;
use finback_region::{CompactionConfig, Region};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const ROWS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
const DELETED: &str = "c";

/// A machine with a store of three stripes, of which memory has new versions, and a delete.
fn filled() -> (Machine, Arc<Region>) {
    let mut machine = Machine::new(vec![family("a", 2)]);
    machine.world.config.compaction = striped(3, &CompactionConfig::default());
    let region = machine.world.start().unwrap();
    write(&machine, &region);
    region.flush(None).unwrap();
    write(&machine, &region);
    let delete =
        mutation(MutationKind::Delete, CellType::DeleteColumn, (DELETED, "a", "q"), LATEST_TIMESTAMP, b"");
    run(region.batch(vec![delete])).swap_remove(0).unwrap();
    (machine, region)
}

fn write(machine: &Machine, region: &Region) {
    machine.world.host.now_ms.fetch_add(3, Ordering::SeqCst);
    for row in ROWS {
        run(region.batch(vec![put((row, "a", "q"), row.as_bytes())])).swap_remove(0).unwrap();
    }
}

/// Two versions of every row that was not deleted, each once.
fn check(region: &Region, what: &str) {
    let cells = scan(region, &Scan { max_versions: 9, ..Scan::default() }, None).unwrap();
    let found: Vec<_> = cells.iter().map(|cell| (&cell.row[..], cell.timestamp)).collect();
    let wanted: Vec<_> = ROWS
        .iter()
        .filter(|row| **row != DELETED)
        .flat_map(|row| [1_000_006, 1_000_003].map(|timestamp| (row.as_bytes(), timestamp)))
        .collect();
    assert_eq!(found, wanted, "{what}");
}

fn files(machine: &Machine) -> usize {
    let (root, region) = (&machine.world.root, machine.world.info.encoded_name());
    machine.mem_files(&root.family_dir(&machine.world.info.table, &region, b"a"))
}

/// How many operations the flush has when nothing fails.
fn operations() -> u64 {
    let (machine, region) = filled();
    assert_eq!(files(&machine), 3);
    let first = machine.faults.operations();
    region.flush(None).unwrap();
    assert_eq!(files(&machine), 6);
    machine.faults.operations() - first
}

#[test]
fn the_power_is_cut_at_each_operation() {
    let mut outcomes = BTreeSet::new();
    for at in 0..=operations() {
        let what = format!("operation {at}");
        let (machine, region) = filled();
        machine.faults.fail_from(machine.faults.operations() + at);
        let _ = region.flush(None);
        let mode = if at % 2 == 0 { CrashMode::Strict } else { CrashMode::Torn { seed: at } };
        let mut next = machine.crash(mode);
        outcomes.insert(files(&next));
        let region = next.world.recover().unwrap_or_else(|error| panic!("{what}: {error}"));
        check(&region, &what);
        assert_eq!(region.metrics().store_files, files(&next), "{what}");
        region.compact(b"a", true).unwrap();
        check(&region, &format!("{what}, compacted"));
        drop(region);
        let mut again = next.crash(CrashMode::Strict);
        check(&again.world.recover().unwrap(), &format!("{what}, recovered again"));
    }
    assert_eq!(outcomes, BTreeSet::from([3, 4, 5, 6]), "cut before, between and after the renames");
}

#[test]
fn one_operation_fails_and_the_power_is_cut_later() {
    for at in 0..operations() {
        let what = format!("operation {at}");
        let (machine, region) = filled();
        machine.faults.fail_operation(machine.faults.operations() + at);
        let _ = region.flush(None);
        machine.faults.heal();
        check(&region, &what);
        check(&machine.crash(CrashMode::Strict).world.recover().unwrap(), &format!("{what}, then a crash"));
        // What could not be taken back is known to the next compaction. A log that failed needs a moment.
        let compacted = (0..100).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            region.flush(None).is_ok() && region.compact(b"a", true).is_ok()
        });
        assert!(compacted, "{what}: no compaction any more");
        check(&region, &format!("{what}, compacted"));
        let mut next = machine.crash(CrashMode::Strict);
        let region = next.world.recover().unwrap();
        check(&region, &format!("{what}, compacted, then a crash"));
        assert_eq!(region.metrics().store_files, files(&next), "{what}");
    }
}
