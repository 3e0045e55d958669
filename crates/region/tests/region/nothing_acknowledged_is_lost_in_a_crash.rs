//! The power is cut at every operation of the file system: what was answered with success is there afterwards, once.

use crate::machine::Machine;
use crate::world::{World, family, increment, number, put, run, value};
use finback_cell::{Durability, Mutation, TableDescriptor};
use finback_fs::CrashMode;
use finback_region::{InMemoryCompaction, JobControl, Region, RegionError};
use finback_wal::recovered_edits;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const COUNTER: (&str, &str, &str) = ("counter", "a", "n");

/// What the program was told.
#[derive(Debug, Default)]
struct Told {
    /// Increments that were answered, and all that were tried.
    increments: (i64, i64),
    /// Puts that were answered.
    rows: Vec<String>,
}

fn new_machine() -> Machine {
    Machine::new(vec![family("a", 1), family("b", 3)])
}

fn write(region: &Region, told: &mut Told, name: &str) -> Result<(), RegionError> {
    told.increments.1 += 1;
    run(region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)]))?;
    told.increments.0 += 1;
    let mut unlogged = put(("unlogged", "b", "q"), name.as_bytes());
    unlogged.durability = Durability::SkipWal;
    let mut results = run(region.batch(vec![put((name, "b", "q"), name.as_bytes()), unlogged]));
    results.swap_remove(0)?;
    told.rows.push(name.to_owned());
    Ok(())
}

/// Writes, flushes of one and of all families, a restart, and writes again. Ends at the first failure.
fn program(world: &mut World, told: &mut Told) -> Result<(), RegionError> {
    let region = world.start()?;
    write(&region, told, "row1")?;
    region.flush(Some(&[b"a".to_vec()]))?;
    write(&region, told, "row2")?;
    region.flush(None)?;
    write(&region, told, "row3")?;
    region.close()?;
    let region = world.start()?;
    write(&region, told, "row4")?;
    region.flush(Some(&[b"b".to_vec()]))?;
    write(&region, told, "row5")
}

fn check(region: &Region, told: &Told, what: &str) {
    let counted = number(region, COUNTER);
    let (answered, tried) = told.increments;
    assert!((answered..=tried).contains(&counted), "{what}: {counted} increments of {told:?}");
    for row in &told.rows {
        assert_eq!(value(region, (row, "b", "q")).as_deref(), Some(row.as_bytes()), "{what}: {told:?}");
    }
}

/// Recovers, writes, recovers again without a crash in between: nothing may be applied twice.
fn check_recovery(mut machine: Machine, mut told: Told, what: &str) {
    let region = machine.world.recover().unwrap_or_else(|error| panic!("{what}: {error}"));
    check(&region, &told, what);
    told.increments.0 = number(&region, COUNTER);
    told.increments.1 = told.increments.0;
    write(&region, &mut told, "after").unwrap();
    check(&region, &told, what);
    drop(region);
    let mut again = machine.crash(CrashMode::Strict);
    check(&again.world.recover().unwrap(), &told, &format!("{what}, recovered again"));
}

#[test]
fn at_every_operation_of_a_program() {
    let mut undisturbed = new_machine();
    program(&mut undisturbed.world, &mut Told::default()).unwrap();
    let operations = undisturbed.faults.operations();
    assert!(operations > 60, "{operations} operations");
    for at in 0..operations + 2 {
        let (mut machine, mut told) = (new_machine(), Told::default());
        machine.faults.fail_from(at);
        // Where it ends is told by what it was told.
        let _ = program(&mut machine.world, &mut told);
        let mode = if at % 2 == 0 { CrashMode::Strict } else { CrashMode::Torn { seed: at } };
        check_recovery(machine.crash(mode), told, &format!("operation {at}"));
    }
}

#[test]
fn at_every_operation_of_a_recovery() {
    let (mut machine, mut told) = (new_machine(), Told::default());
    program(&mut machine.world, &mut told).unwrap();
    let mut undisturbed = machine.crash(CrashMode::Strict);
    undisturbed.world.recover().unwrap();
    for at in 0..undisturbed.faults.operations() {
        let mut dying = machine.crash(CrashMode::Strict);
        dying.faults.fail_from(at);
        let _ = dying.world.recover();
        let told = Told { increments: told.increments, rows: told.rows.clone() };
        check_recovery(dying.crash(CrashMode::Torn { seed: at }), told, &format!("operation {at}"));
    }
}

/// Recovers, and ends at the first failure.
fn recover_and_flush(world: &mut World, told: &mut Told) -> Result<(), RegionError> {
    let region = world.recover()?;
    write(&region, told, "recovered")?;
    region.flush(Some(&[b"b".to_vec()]))?;
    write(&region, told, "half flushed")?;
    region.flush(None)?;
    write(&region, told, "flushed")
}

#[test]
fn at_every_operation_of_the_flush_after_a_recovery() {
    let (mut machine, mut told) = (new_machine(), Told::default());
    program(&mut machine.world, &mut told).unwrap();
    let mut undisturbed = machine.crash(CrashMode::Strict);
    recover_and_flush(&mut undisturbed.world, &mut Told::default()).unwrap();
    for at in 0..undisturbed.faults.operations() {
        let mut dying = machine.crash(CrashMode::Strict);
        let mut told = Told { increments: told.increments, rows: told.rows.clone() };
        dying.faults.fail_from(at);
        let _ = recover_and_flush(&mut dying.world, &mut told);
        let mode = if at % 2 == 0 { CrashMode::Strict } else { CrashMode::Torn { seed: at } };
        check_recovery(dying.crash(mode), told, &format!("operation {at}"));
    }
}

#[test]
fn what_was_replayed_is_served_at_once_and_its_edits_go_when_all_of_it_is_flushed() {
    let (mut machine, mut told) = (new_machine(), Told::default());
    let region = machine.world.start().unwrap();
    write(&region, &mut told, "row").unwrap();
    drop(region);
    let mut next = machine.crash(CrashMode::Strict);
    let region = next.world.recover().unwrap();
    check(&region, &told, "replayed");
    assert_eq!(region.metrics().store_files, 0);
    let info = region.info();
    let dir = next.world.root.region_dir(&info.table, &info.encoded_name());
    let left = || recovered_edits(&next.mem, &dir).unwrap().len();
    assert_eq!(left(), 1);
    let is_flushed = |family: &[u8]| {
        let flushed = region.flushed_sequence_ids().find(|(name, _)| name[..] == *family).unwrap().1;
        flushed >= region.open_sequence_id() - 1
    };
    assert!(!is_flushed(b"a") && !is_flushed(b"b"));
    region.flush(Some(&[b"a".to_vec()])).unwrap();
    assert_eq!((left(), is_flushed(b"b")), (1, false));
    region.flush(Some(&[b"b".to_vec()])).unwrap();
    assert_eq!((left(), is_flushed(b"b")), (0, true));
    check(&region, &told, "flushed");
}

#[test]
fn where_memory_is_short_what_was_replayed_is_flushed_before_it_is_served() {
    let (mut machine, mut told) = (new_machine(), Told::default());
    let region = machine.world.start().unwrap();
    write(&region, &mut told, "row").unwrap();
    drop(region);
    let mut next = machine.crash(CrashMode::Strict);
    next.world.host.limit_memory(1);
    let region = next.world.recover().unwrap();
    check(&region, &told, "replayed");
    assert_eq!((region.metrics().store_files, next.world.host.memstore_bytes()), (2, 0));
}

#[test]
fn a_replay_that_flushes_in_the_middle_keeps_every_edit() {
    let (mut machine, mut told) = (new_machine(), Told::default());
    let region = machine.world.start().unwrap();
    for row in 0..40 {
        write(&region, &mut told, &format!("row{row}")).unwrap();
    }
    drop(region);
    let mut next = machine.crash(CrashMode::Strict);
    next.world.config.flush_size_bytes = 1;
    let region = next.world.recover().unwrap();
    check(&region, &told, "replayed with flushes");
    assert!(region.metrics().store_files > 2, "it did flush in the middle");
    assert_eq!(next.world.host.memstore_bytes(), 0);
    // The sequence ids go on after all that were replayed.
    told.increments.1 += 1;
    run(region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)])).unwrap();
    assert_eq!(number(&region, COUNTER), told.increments.1);
}

#[test]
fn a_flush_of_one_family_keeps_the_log_of_the_other() {
    let mut machine = new_machine();
    let region = machine.world.start().unwrap();
    run(region.batch(vec![put(("r", "b", "q"), b"kept")])).remove(0).unwrap();
    let kept = region.read_point();
    run(region.batch(vec![put(("r", "a", "q"), b"flushed")])).remove(0).unwrap();
    let wal = machine.world.wal.clone().unwrap();
    region.flush(Some(&[b"a".to_vec()])).unwrap();
    assert_eq!(region.metrics().flushed_sequence_id, kept - 1, "b has an edit in memory only");
    run(wal.roll()).unwrap();
    region.flush(Some(&[b"a".to_vec()])).unwrap();
    let mut next = machine.crash(CrashMode::Strict);
    let recovered = next.world.recover().unwrap();
    assert_eq!(value(&recovered, ("r", "b", "q")).as_deref(), Some(&b"kept"[..]));
    assert_eq!(value(&recovered, ("r", "a", "q")).as_deref(), Some(&b"flushed"[..]));
    // Flushed altogether, it lets go of its logs, in which only markers are left.
    region.flush(None).unwrap();
    assert!(!region.flush(None).unwrap().flushed);
    assert_eq!(region.metrics().flushed_sequence_id, region.read_point());
    run(wal.roll()).unwrap();
    region.flush(None).unwrap();
    let logs = machine.world.root.wals_dir();
    let servers = machine.world.fs.list(&logs).unwrap();
    let files = machine.world.fs.list(&logs.join(&servers[0].name)).unwrap();
    assert_eq!(files.len(), 1, "{files:?}");
}

#[test]
fn a_flush_of_one_family_frees_the_logs_that_have_only_its_edits() {
    let mut machine = new_machine();
    let region = machine.world.start().unwrap();
    let wal = machine.world.wal.clone().unwrap();
    let write = |family, value: &[u8]| {
        run(region.batch(vec![put(("r", family, "q"), value)])).remove(0).unwrap();
        run(wal.roll()).unwrap();
        wal.stats().rolled_logs
    };
    assert_eq!(write("b", b"kept"), 1);
    assert_eq!(write("a", b"hidden"), 2);
    assert_eq!(write("a", b"flushed"), 3);
    region.flush(Some(&[b"a".to_vec()])).unwrap();
    assert_eq!(wal.stats().rolled_logs, 1, "b's edit is in the first");
    assert_eq!(write("a", b"after the flush"), 2);
    let mut next = machine.crash(CrashMode::Strict);
    let recovered = next.world.recover().unwrap();
    assert_eq!(value(&recovered, ("r", "b", "q")).as_deref(), Some(&b"kept"[..]));
    assert_eq!(value(&recovered, ("r", "a", "q")).as_deref(), Some(&b"after the flush"[..]));
    region.flush(None).unwrap();
    assert_eq!(wal.stats().rolled_logs, 0);
}

/// A region whose in-memory compactions leave out versions, where the tests can foresee when.
fn eager() -> (Machine, Arc<Region>) {
    let mut machine = new_machine();
    machine.world.compact_in_memory(InMemoryCompaction::Eager);
    machine.world.host.has_no_background.store(true, Ordering::SeqCst);
    let region = machine.world.start().unwrap();
    (machine, region)
}

fn put_version(region: &Region, family: &str, durability: Durability, value: &[u8]) {
    let put = Mutation { durability, ..put(("r", family, "q"), value) };
    run(region.batch(vec![put])).remove(0).unwrap();
}

/// What a flush writes several blocks of.
fn put_blocks(region: &Region, family: &str) {
    for row in ["x", "y", "z"] {
        run(region.batch(vec![put((row, family, "q"), &[7; 100 << 10])])).remove(0).unwrap();
    }
}

/// Puts so many versions over what a family has that the older ones leave memory.
fn hide(region: &Region, family: &str, durability: Durability) {
    let dropped = || region.metrics().in_memory.cells_dropped;
    let before = dropped();
    for _ in 0..100 {
        put_version(region, family, durability, b"newer");
    }
    assert!(dropped() > before);
}

fn is_version_there_after_a_crash(machine: &Machine, family: &str) -> bool {
    let recovered = machine.crash(CrashMode::Strict).world.recover().unwrap();
    value(&recovered, ("r", family, "q")).is_some()
}

/// Puts an unlogged version over one that is in the log, so often that the older leaves memory before one family is flushed.
#[test]
fn a_version_that_one_in_no_log_hides_keeps_its_log() {
    let (machine, region) = eager();
    let wal = machine.world.wal.clone().unwrap();
    let flushed_of_a = || region.flushed_sequence_ids().next().unwrap().1;
    put_version(&region, "a", Durability::SyncWal, b"logged");
    let logged = region.read_point();
    assert!(flushed_of_a() < logged);
    run(wal.roll()).unwrap();
    hide(&region, "a", Durability::SkipWal);
    put_version(&region, "b", Durability::SyncWal, b"flushed");
    run(wal.roll()).unwrap();
    region.flush(Some(&[b"b".to_vec()])).unwrap();
    assert!(flushed_of_a() < logged);
    assert!(is_version_there_after_a_crash(&machine, "a"));
    // With all of it in files, nothing keeps the log.
    region.flush(None).unwrap();
    assert_eq!(wal.stats().rolled_logs, 0);
}

/// How many logs are kept after a flush of the other family, where versions have left memory that are in the log, and so are those
/// that hide them.
fn logs_kept_for_hidden_versions(before: impl FnOnce(&Region)) -> usize {
    let (machine, region) = eager();
    let wal = machine.world.wal.clone().unwrap();
    before(&region);
    run(wal.roll()).unwrap();
    put_version(&region, "a", Durability::SyncWal, b"logged");
    run(wal.roll()).unwrap();
    hide(&region, "a", Durability::SyncWal);
    run(wal.roll()).unwrap();
    put_version(&region, "b", Durability::SyncWal, b"flushed");
    region.flush(Some(&[b"b".to_vec()])).unwrap();
    assert!(is_version_there_after_a_crash(&machine, "a"));
    wal.stats().rolled_logs
}

#[test]
fn versions_in_no_log_keep_no_log_when_they_are_flushed_nor_that_of_other_families() {
    let kept = logs_kept_for_hidden_versions(|_| {});
    assert_eq!(kept, 1, "that of the newer ones");
    let flushed = |region: &Region| {
        hide(region, "a", Durability::SkipWal);
        region.flush(Some(&[b"a".to_vec()])).unwrap();
    };
    assert_eq!(logs_kept_for_hidden_versions(flushed), kept);
    let of_other_family = |region: &Region| put_version(region, "b", Durability::SkipWal, b"in no log");
    assert_eq!(logs_kept_for_hidden_versions(of_other_family), kept);
    let in_one_batch_with_a_logged_one = |region: &Region| {
        let unlogged = Mutation { durability: Durability::SkipWal, ..put(("s", "b", "q"), b"in no log") };
        run(region.batch(vec![put(("s", "a", "q"), b"logged"), unlogged]));
        region.flush(Some(&[b"a".to_vec()])).unwrap();
    };
    assert_eq!(logs_kept_for_hidden_versions(in_one_batch_with_a_logged_one), kept);
    // As long as they are in memory they keep it.
    let in_memory = |region: &Region| put_version(region, "a", Durability::SkipWal, b"in no log");
    assert!(logs_kept_for_hidden_versions(in_memory) > kept);
}

#[test]
fn a_version_that_one_in_no_log_hides_while_others_are_flushed_keeps_its_log() {
    let (machine, region) = eager();
    let wal = machine.world.wal.clone().unwrap();
    put_blocks(&region, "a");
    let control = Meanwhile::new(|| {
        put_version(&region, "a", Durability::SyncWal, b"logged");
        run(wal.roll()).unwrap();
        hide(&region, "a", Durability::SkipWal);
    });
    region.flush_under(Some(&[b"a".to_vec()]), &control).unwrap();
    assert!(control.is_done.into_inner());
    put_version(&region, "b", Durability::SyncWal, b"flushed");
    run(wal.roll()).unwrap();
    region.flush(Some(&[b"b".to_vec()])).unwrap();
    assert!(is_version_there_after_a_crash(&machine, "a"));
}

#[test]
fn a_version_that_one_in_no_log_hides_keeps_its_log_when_a_flush_fails() {
    let (machine, region) = eager();
    let wal = machine.world.wal.clone().unwrap();
    put_version(&region, "a", Durability::SyncWal, b"logged");
    run(wal.roll()).unwrap();
    hide(&region, "a", Durability::SkipWal);
    put_blocks(&region, "a");
    let control = Meanwhile::new(|| machine.faults.fail_operation(machine.faults.operations()));
    assert!(region.flush_under(Some(&[b"a".to_vec()]), &control).is_err());
    put_version(&region, "b", Durability::SyncWal, b"flushed");
    run(wal.roll()).unwrap();
    region.flush(Some(&[b"b".to_vec()])).unwrap();
    assert!(is_version_there_after_a_crash(&machine, "a"));
}

/// Edits wait for the log, and those that do not are in memory before them.
#[test]
fn what_is_in_the_log_and_not_yet_in_memory_is_not_said_to_be_in_files() {
    let mut machine = new_machine();
    let region = machine.world.start().unwrap();
    let flushed_of_a = || region.flushed_sequence_ids().next().unwrap().1;
    let before = region.read_point();
    machine.faults.pause();
    let of_durability = |row, durability| Mutation { durability, ..put((row, "a", "q"), b"value") };
    let mutations = [("r", Durability::SyncWal), ("s", Durability::AsyncWal)]
        .map(|(row, durability)| of_durability(row, durability));
    let mut writes = mutations.each_ref().map(|put| Box::pin(region.mutate(put)));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    for write in &mut writes {
        assert!(write.as_mut().poll(&mut context).is_pending());
    }
    assert_eq!((region.metrics().memstore_cells, region.read_point()), (1, before), "the second one's");
    assert!(flushed_of_a() <= before, "{} of {before}", flushed_of_a());
    machine.faults.resume();
    for write in writes {
        run(write).unwrap();
    }
    assert_eq!(flushed_of_a(), before);
}

/// Where a newer version takes the place of an older one the log needs both until it is told otherwise.
#[test]
fn where_versions_leave_memory_only_what_the_log_was_told_is_said_to_be_in_files() {
    let mut machine = new_machine();
    machine.world.compact_in_memory(InMemoryCompaction::Eager);
    let region = machine.world.start().unwrap();
    for row in ["r", "s"] {
        run(region.mutate(&put((row, "b", "q"), b"value"))).unwrap();
    }
    run(region.mutate(&put(("r", "a", "q"), b"value"))).unwrap();
    let flushed_of_a = || region.flushed_sequence_ids().next().unwrap().1;
    assert_eq!(flushed_of_a(), region.metrics().flushed_sequence_id);
    let written = region.read_point();
    region.flush(None).unwrap();
    assert!(flushed_of_a() >= written);
}

#[test]
fn a_family_that_was_deleted_and_added_again_is_empty_also_after_a_crash() {
    let mut machine = new_machine();
    let both = Arc::clone(&machine.world.table);
    let region = machine.world.start().unwrap();
    run(region.batch(vec![put(("r", "a", "q"), b"kept"), put(("r", "b", "q"), b"deleted")]));
    region.close().unwrap();
    let world = &mut machine.world;
    let without = TableDescriptor { families: vec![family("a", 1)], ..(*both).clone() };
    world.table = Arc::new(without);
    world.open().unwrap().close().unwrap();
    world.root.archive_family(&world.info.table, &world.info.encoded_name(), b"b").unwrap();
    world.table = both;
    let region = world.open().unwrap();
    run(region.batch(vec![put(("s", "b", "q"), b"written since")]));
    let mut next = machine.crash(CrashMode::Strict);
    let recovered = next.world.recover().unwrap();
    assert_eq!(value(&recovered, ("r", "a", "q")).as_deref(), Some(&b"kept"[..]));
    assert_eq!(value(&recovered, ("r", "b", "q")), None);
    assert_eq!(value(&recovered, ("s", "b", "q")).as_deref(), Some(&b"written since"[..]));
}

/// Does something once, when a block was written.
struct Meanwhile<F> {
    work: F,
    is_done: AtomicBool,
}

impl<F: Fn() + Send + Sync> Meanwhile<F> {
    fn new(work: F) -> Self {
        Self { work, is_done: AtomicBool::new(false) }
    }
}

impl<F: Fn() + Send + Sync> JobControl for Meanwhile<F> {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn wrote(&self, _: u64) {
        if !self.is_done.swap(true, Ordering::SeqCst) {
            (self.work)();
        }
    }
}

#[test]
fn a_version_that_one_not_yet_in_the_log_hides_keeps_its_log() {
    let (machine, region) = eager();
    let wal = machine.world.wal.clone().unwrap();
    put_version(&region, "a", Durability::SyncWal, b"logged");
    run(wal.roll()).unwrap();
    put_blocks(&region, "b");
    run(wal.roll()).unwrap();
    let control = Meanwhile::new(|| hide(&region, "a", Durability::AsyncWal));
    region.flush_under(Some(&[b"b".to_vec()]), &control).unwrap();
    assert!(control.is_done.into_inner());
    assert!(is_version_there_after_a_crash(&machine, "a"));
}
