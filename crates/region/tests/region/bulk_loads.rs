//! Bulk loads: what is read afterwards, what is refused, and that a refusal changes nothing.

use crate::hfiles::{
    file_of, put_cell, write_file_that_keeps_its_ids, write_file_that_names, write_hfile, write_store_file,
};
use crate::machine::Machine;
use crate::world::{family, increment, mutation, put, run, scan, value};
use finback_cell::{
    Bytes, CellOrder, CellType, MutationKind, RegionInfo, Scan, TableDescriptor, TableName, TimeRange,
};
use finback_filter::{Comparator, FilterError};
use finback_fs::CrashMode;
use finback_region::{
    BulkLoadFile, BulkLoadOptions, CompareOperator, Condition, ConditionRules, ConditionTest, Region,
    RegionError,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A time at which many cells of these tests are.
const TIME: i64 = 500;

fn new_machine() -> Machine {
    Machine::new(vec![family("a", 3), family("b", 3)])
}

fn put_at_time(region: &Region, row: &str, content: &str) {
    let written = mutation(MutationKind::Put, CellType::Put, (row, "a", "q"), TIME, content.as_bytes());
    run(region.batch(vec![written])).swap_remove(0).unwrap();
}

fn read(region: &Region, row: &str) -> Option<String> {
    value(region, (row, "a", "q")).map(|value| String::from_utf8(value).unwrap())
}

fn names(machine: &Machine, family: &[u8]) -> Vec<String> {
    let world = &machine.world;
    let dir = world.root.family_dir(&world.info.table, &world.info.encoded_name(), family);
    world.fs.list(&dir).unwrap_or_default().into_iter().map(|entry| entry.name).collect()
}

fn staged(machine: &Machine) -> Vec<PathBuf> {
    let world = &machine.world;
    let dir = world.root.region_bulk_load_dir(&world.info.table, &world.info.encoded_name());
    let list = |dir: &Path| world.fs.list(dir).unwrap_or_default();
    list(&dir)
        .iter()
        .flat_map(|family| {
            let dir = dir.join(&family.name);
            list(&dir).into_iter().map(move |entry| dir.join(entry.name)).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn its_cells_are_newer_than_what_was_written_before_and_older_than_what_comes_after() {
    let mut machine = new_machine();
    let region = machine.world.start().unwrap();
    for row in ["before", "both"] {
        put_at_time(&region, row, "first");
    }
    let file = file_of(&machine.world, "f", "a", &["after", "before", "both", "new"], TIME, "loaded");
    let loaded = region.bulk_load(std::slice::from_ref(&file), &BulkLoadOptions::default()).unwrap();
    for row in ["after", "both"] {
        put_at_time(&region, row, "last");
    }
    let sequence_id = loaded.sequence_id.unwrap();
    assert!(loaded.names[0].ends_with(&format!("_SeqId_{sequence_id}_")), "{loaded:?}");
    assert!(names(&machine, b"a").contains(&loaded.names[0]));
    assert!(!machine.world.fs.exists(&file.path).unwrap(), "the file was moved");
    assert_eq!(staged(&machine), [] as [PathBuf; 0]);
    let check = |region: &Region, what: &str| {
        let found = ["before", "both", "after", "new"].map(|row| read(region, row).unwrap());
        assert_eq!(found, ["loaded", "last", "last", "loaded"], "{what}");
    };
    check(&region, "loaded");
    region.flush(None).unwrap();
    check(&region, "flushed");
    region.compact(b"a", true).unwrap().unwrap();
    check(&region, "compacted");
    region.close().unwrap();
    let region = machine.world.start().unwrap();
    check(&region, "opened again");
    assert!(region.open_sequence_id() > sequence_id);
}

#[test]
fn without_a_sequence_id_its_cells_are_older_than_all() {
    let mut machine = new_machine();
    let region = machine.world.start().unwrap();
    put_at_time(&region, "r", "written");
    let file = file_of(&machine.world, "f", "a", &["other", "r"], TIME, "loaded");
    let options = BulkLoadOptions { assign_sequence_id: false, ..BulkLoadOptions::default() };
    let loaded = region.bulk_load(&[file], &options).unwrap();
    assert_eq!((loaded.sequence_id, loaded.names[0].len()), (None, 32));
    let check = |region: &Region| {
        assert_eq!(read(region, "r").as_deref(), Some("written"));
        assert_eq!(read(region, "other").as_deref(), Some("loaded"));
    };
    check(&region);
    let mut next = machine.crash(CrashMode::Strict);
    let region = next.world.recover().unwrap();
    check(&region);
    region.compact(b"a", true).unwrap().unwrap();
    check(&region);
}

#[test]
fn a_file_that_does_not_say_when_it_was_made_is_as_old_as_it_is_on_disk() {
    const MONTH: Duration = Duration::from_secs(30 * 24 * 3600);
    let mut machine = new_machine();
    let region = machine.world.start().unwrap();
    let file = file_of(&machine.world, "f", "a", &["r"], TIME, "loaded");
    region.bulk_load(&[file], &BulkLoadOptions::default()).unwrap();
    put_at_time(&region, "r", "written");
    region.flush(None).unwrap();
    assert!(region.families_to_compact().is_empty());
    // Long after, by the clock of the file system, a major compaction is due.
    let later = SystemTime::now().duration_since(UNIX_EPOCH).unwrap() + MONTH;
    let later_ms = i64::try_from(later.as_millis()).unwrap();
    machine.world.host.now_ms.store(later_ms, Ordering::SeqCst);
    assert_eq!(region.families_to_compact(), ["a"]);
}

#[test]
fn sequence_ids_of_another_table_mean_nothing_here() {
    load_a_file_with_sequence_ids(false);
    load_a_file_with_sequence_ids(true);
}

fn load_a_file_with_sequence_ids(is_made_for_load: bool) {
    let mut machine = new_machine();
    let region = machine.world.start().unwrap();
    put_at_time(&region, "r", "written");
    let file = BulkLoadFile { family: b"a".to_vec(), path: "/client/a/f".into() };
    let cells = ["other", "r"].map(|row| put_cell(row, "a", TIME, "loaded"));
    write_store_file(&machine.world, &file.path, &cells, 1_000_000, is_made_for_load);
    let options = BulkLoadOptions { assign_sequence_id: false, ..BulkLoadOptions::default() };
    assert_eq!(region.bulk_load(&[file], &options).unwrap().sequence_id, None);
    put_at_time(&region, "later", "written");
    let check = |region: &Region, what: &str| {
        let found = ["r", "other", "later"].map(|row| read(region, row));
        assert_eq!(
            found.each_ref().map(Option::as_deref),
            [Some("written"), Some("loaded"), Some("written")],
            "{what}"
        );
    };
    check(&region, "loaded");
    let mut next = machine.crash(CrashMode::Strict);
    let region = next.world.recover().unwrap();
    check(&region, "recovered");
    // Nor for what is written from now on.
    assert!(region.open_sequence_id() < 1_000_000, "{}", region.open_sequence_id());
    region.compact(b"a", true).unwrap().unwrap();
    check(&region, "compacted");
}

#[test]
fn sequence_ids_without_any_above_are_refused() {
    let mut machine = new_machine();
    let region = machine.world.start().unwrap();
    let load = |name: &str, sequence_id| {
        let file = BulkLoadFile { family: b"a".to_vec(), path: Path::new("/client/a").join(name) };
        write_file_that_keeps_its_ids(
            &machine.world,
            &file.path,
            &[put_cell("r", "a", TIME, name)],
            sequence_id,
        );
        region.bulk_load(&[file], &BulkLoadOptions::default())
    };
    let error = load("last", i64::MAX as u64).unwrap_err();
    assert!(error.to_string().contains("sequence ids above which there are none"), "{error}");
    load("high", 1 << 40).unwrap();
    let mut next = machine.crash(CrashMode::Strict);
    let region = next.world.recover().unwrap();
    assert_eq!(read(&region, "r").as_deref(), Some("high"));
    put_at_time(&region, "r", "later");
    region.flush(None).unwrap();
    assert_eq!(read(&region, "r").as_deref(), Some("later"));
}

#[test]
fn what_it_says_of_other_files_does_not_count() {
    let mut machine = new_machine();
    let region = machine.world.start().unwrap();
    put_at_time(&region, "r", "written");
    region.flush(None).unwrap();
    let [served] = &names(&machine, b"a")[..] else { panic!("one file") };
    let keys = ["FINBACK_PART_OF_COMPACTION", "COMPACTION_EVENT_KEY"];
    for (number, (key, assign_sequence_id)) in
        keys.into_iter().flat_map(|key| [(key, true), (key, false)]).enumerate()
    {
        let name = format!("f{number}");
        let file = BulkLoadFile { family: b"a".to_vec(), path: Path::new("/client/a").join(&name) };
        let cells = [put_cell(&name, "a", TIME, "loaded")];
        write_file_that_names(&machine.world, &file.path, &cells, (key, served));
        let options = BulkLoadOptions { assign_sequence_id, ..BulkLoadOptions::default() };
        region.bulk_load(&[file], &options).unwrap();
    }
    region.close().unwrap();
    let region = machine.world.start().unwrap();
    assert_eq!(read(&region, "r").as_deref(), Some("written"));
    assert!((0..4).all(|number| read(&region, &format!("f{number}")).as_deref() == Some("loaded")));
    assert_eq!(names(&machine, b"a").len(), 5);
}

#[test]
fn what_no_delta_encoding_can_hold_is_compacted_without() {
    let encoded = family("a", 3).with("DATA_BLOCK_ENCODING", "fast_diff");
    let mut machine = Machine::new(vec![encoded, family("b", 3)]);
    let region = machine.world.start().unwrap();
    put_at_time(&region, "r", "written");
    region.flush(None).unwrap();
    let path = PathBuf::from("/client/f");
    let cells = [("1", "a"), ("2", "x"), ("3", "a")].map(|(row, family)| put_cell(row, family, TIME, "v"));
    write_hfile(&machine.world, &path, &cells, CellOrder::User);
    let file = BulkLoadFile { family: b"a".to_vec(), path };
    region.bulk_load(&[file], &BulkLoadOptions::default()).unwrap();
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(names(&machine, b"a").len(), 1);
    let found = ["r", "1", "3"].map(|row| read(&region, row));
    assert_eq!(found.each_ref().map(Option::as_deref), [Some("written"), Some("v"), Some("v")]);
}

#[test]
fn a_copy_leaves_the_client_its_file() {
    let mut machine = new_machine();
    let region = machine.world.start().unwrap();
    let file = file_of(&machine.world, "f", "a", &["r"], TIME, "loaded");
    let options = BulkLoadOptions { keep_source: true, ..BulkLoadOptions::default() };
    region.bulk_load(std::slice::from_ref(&file), &options).unwrap();
    assert!(machine.world.fs.exists(&file.path).unwrap());
    // Once more, under a newer sequence id.
    region.bulk_load(&[file], &options).unwrap();
    assert_eq!(read(&region, "r").as_deref(), Some("loaded"));
    assert_eq!(names(&machine, b"a").len(), 2);
}

#[test]
fn a_load_without_anything_written_before_has_a_sequence_id_of_its_own() {
    let mut machine = new_machine();
    let region = machine.world.start().unwrap();
    let mut last = region.read_point();
    for (number, content) in ["one", "two", "three"].into_iter().enumerate() {
        let file = file_of(&machine.world, &format!("f{number}"), "a", &["r"], TIME, content);
        let loaded = region.bulk_load(&[file], &BulkLoadOptions::default()).unwrap();
        let sequence_id = loaded.sequence_id.unwrap();
        assert!(sequence_id > last);
        last = sequence_id;
        assert_eq!(read(&region, "r").as_deref(), Some(content), "the later load wins");
    }
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_changes() {
    let name = TableName::parse(b"t").unwrap();
    let info = RegionInfo::new(name.clone(), Bytes::from_static(b"f"), Bytes::from_static(b"m"), 1);
    let table =
        TableDescriptor { families: vec![family("a", 1), family("b", 1)], ..TableDescriptor::new(name) };
    let mut machine = Machine::of_region(info, table);
    let region = machine.world.start().unwrap();
    let world = &machine.world;
    let good = file_of(world, "good", "a", &["f", "lzz"], TIME, "v");
    let outside = [
        file_of(world, "below", "a", &["e", "g"], TIME, "v"),
        file_of(world, "above", "a", &["g", "m"], TIME, "v"),
    ];
    let unknown = BulkLoadFile { family: b"c".to_vec(), ..good.clone() };
    let other_family = BulkLoadFile { family: b"b".to_vec(), ..good.clone() };
    let missing = BulkLoadFile { path: "/client/missing".into(), ..good.clone() };
    let directory = BulkLoadFile { path: "/client".into(), ..good.clone() };
    let empty = file_of(world, "empty", "a", &[], TIME, "v");
    let meta = BulkLoadFile { path: "/client/a/meta".into(), ..good.clone() };
    write_hfile(world, &meta.path, &[put_cell("g", "a", TIME, "v")], CellOrder::Meta);
    let garbage = BulkLoadFile { path: "/client/a/garbage".into(), ..good.clone() };
    world.fs.create_new(&garbage.path).unwrap().append(&[b'x'; 10_000]).unwrap();
    let load = |files: &[&BulkLoadFile]| {
        let files: Vec<BulkLoadFile> = files.iter().map(|&file| file.clone()).collect();
        region.bulk_load(&files, &BulkLoadOptions::default())
    };
    for file in &outside {
        assert!(matches!(load(&[&good, file]), Err(RegionError::OutsideRegion { .. })), "{file:?}");
    }
    assert!(matches!(load(&[&good, &unknown]), Err(RegionError::NoSuchFamily { .. })));
    for refused in [&other_family, &missing, &directory, &empty, &meta, &garbage, &good] {
        let error = load(&[&good, refused]).unwrap_err();
        assert!(!matches!(error, RegionError::OutsideRegion { .. }), "{refused:?}: {error}");
        assert!(world.fs.exists(&good.path).unwrap(), "{error}");
        assert_eq!((names(&machine, b"a").len(), staged(&machine).len()), (0, 0), "{error}");
        assert_eq!(scan(&region, &Scan::default(), None).unwrap(), []);
    }
    assert!(load(&[]).is_err());
    load(&[&good]).unwrap();
    assert_eq!(read(&region, "lzz").as_deref(), Some("v"));
}

#[test]
fn every_cell_is_looked_at_where_the_settings_say_so() {
    let mut machine = new_machine();
    machine.world.config.verify_bulk_loads = true;
    let region = machine.world.start().unwrap();
    let path = PathBuf::from("/client/f");
    let cells = ["b", "x", "b"].map(|family| put_cell("r", family, TIME, "v"));
    let cells = [&cells[..], &[put_cell("s", "b", TIME, "v")]].concat();
    let rows = ["1", "2", "3", "4"];
    let cells: Vec<_> = cells
        .into_iter()
        .zip(rows)
        .map(|(cell, row)| crate::world::Plain { row: row.into(), ..cell })
        .collect();
    write_hfile(&machine.world, &path, &cells, CellOrder::User);
    let file = BulkLoadFile { family: b"b".to_vec(), path };
    let error = region.bulk_load(&[file], &BulkLoadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("family x"), "{error}");
    let good = file_of(&machine.world, "good", "b", &["1", "2", "3"], TIME, "v");
    region.bulk_load(&[good], &BulkLoadOptions::default()).unwrap();
}

#[test]
fn readers_see_the_files_of_all_families_at_once() {
    let mut machine = new_machine();
    let region = machine.world.start().unwrap();
    let loads: Vec<[BulkLoadFile; 2]> = (0..30)
        .map(|number| {
            let name = format!("f{number}");
            ["a", "b"].map(|family| file_of(&machine.world, &name, family, &["r"], TIME, &name))
        })
        .collect();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = || {
            let mut looks = 0;
            while !done.load(Ordering::Acquire) || looks < 10 {
                let cells = scan(&region, &Scan::default(), None).unwrap();
                assert!(matches!(cells.len(), 0 | 2), "{cells:?}");
                assert!(cells.len() < 2 || cells[0].value == cells[1].value, "{cells:?}");
                looks += 1;
            }
        };
        let readers = [scope.spawn(reader), scope.spawn(reader)];
        for files in &loads {
            region.bulk_load(files, &BulkLoadOptions::default()).unwrap();
        }
        done.store(true, Ordering::Release);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    });
}

/// Equal to whatever is there; but the first who hears of it may do something before.
struct EqualAfterAWhile {
    was_asked: Arc<AtomicBool>,
    is_done: Arc<AtomicBool>,
}

impl Comparator for EqualAfterAWhile {
    fn compare_to(&self, _: &[u8]) -> Result<std::cmp::Ordering, FilterError> {
        const PATIENCE: Duration = Duration::from_millis(500);
        self.was_asked.store(true, Ordering::Release);
        let asked = Instant::now();
        while !self.is_done.load(Ordering::Acquire) && asked.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(std::cmp::Ordering::Equal)
    }

    fn given(&self) -> &[u8] {
        b"given"
    }
}

#[test]
fn all_reads_of_a_write_are_from_before_a_load_or_from_behind_it() {
    const LATER: i64 = 2_000_000;
    const NINE: &str = "\0\0\0\0\0\0\0\x09";
    let mut machine = new_machine();
    let region = machine.world.start().unwrap();
    let number = ("r", "b", "q");
    for written in [put(("r", "a", "q"), b"before"), put(number, &1i64.to_be_bytes())] {
        run(region.batch(vec![written])).swap_remove(0).unwrap();
    }
    let files = ["a", "b"].map(|family| file_of(&machine.world, "f", family, &["r"], LATER, NINE));
    let (was_asked, is_done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let comparator = EqualAfterAWhile { was_asked: Arc::clone(&was_asked), is_done: Arc::clone(&is_done) };
    let test = ConditionTest::Value {
        family: "a".into(),
        qualifier: "q".into(),
        operator: CompareOperator::Equal,
        comparator: Box::new(comparator),
    };
    let condition = Condition { row: "r".into(), time_range: TimeRange::ALL, test };
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            let asked = (0..10_000).any(|_| {
                std::thread::sleep(Duration::from_millis(1));
                was_asked.load(Ordering::Acquire)
            });
            assert!(asked);
            region.bulk_load(&files, &BulkLoadOptions::default()).unwrap();
            is_done.store(true, Ordering::Release);
        });
        let group = vec![increment(number, 1)];
        run(region.mutate_atomically_by(ConditionRules::MutateRows, vec![condition], group, None)).unwrap()
    });
    assert!(outcome.applied);
    // The condition has seen what was there before the load.
    let found = outcome.cells.iter().next().unwrap();
    assert_eq!(i64::from_be_bytes(found.value().try_into().unwrap()), 2);
    // And what comes behind it sees all of it.
    assert_eq!(read(&region, "r").as_deref(), Some(NINE));
    let outcome = run(region.mutate_atomically(Vec::new(), vec![increment(number, 1)])).unwrap();
    let found = outcome.cells.iter().next().unwrap();
    assert_eq!(i64::from_be_bytes(found.value().try_into().unwrap()), 10);
}

#[test]
fn writes_and_flushes_go_on_while_files_are_loaded() {
    let mut machine = new_machine();
    let region = machine.world.start().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..100 {
                let row = format!("w{number}");
                run(region.batch(vec![put((&row, "a", "q"), b"v")])).swap_remove(0).unwrap();
            }
        });
        scope.spawn(|| (0..10).for_each(|_| assert!(region.flush(None).is_ok())));
        for number in 0..10 {
            let file =
                file_of(&machine.world, &format!("f{number}"), "a", &[&format!("l{number}")], TIME, "v");
            region.bulk_load(&[file], &BulkLoadOptions::default()).unwrap();
        }
    });
    let mut next = machine.crash(CrashMode::Strict);
    let region = next.world.recover().unwrap();
    assert_eq!(scan(&region, &Scan::default(), None).unwrap().len(), 110);
}
