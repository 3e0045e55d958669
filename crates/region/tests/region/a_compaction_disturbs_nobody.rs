//! Scanners, a close and a giving up while a compaction is under way; what it does to old and expired cells.

use crate::world::{World, family, mutation, next, put, rest, results_of, run, scan, value};
use finback_cell::key::Key;
use finback_cell::{CellType, MutationKind, Scan};
use finback_fs::{Faults, FaultyFileSystem, MemFileSystem};
use finback_hfile::{FileId, HFileReader, HFileScanner, file_info_keys, read_through};
use finback_region::{Region, RegionError, ScanLimits, ScanOutput};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const ROWS: [&str; 4] = ["r1", "r2", "r3", "r4"];

fn start(attributes: &[(&str, &str)]) -> (World, Faults, Arc<Region>) {
    let faulty = FaultyFileSystem::new(Arc::new(MemFileSystem::new()));
    let faults = faulty.faults();
    let described = attributes
        .iter()
        .fold(family("a", 1).with("BLOCKSIZE", "64"), |family, (name, value)| family.with(name, value));
    let mut world = World::new(Arc::new(faulty), vec![described]);
    world.cache = crate::world::TestCache::new(true);
    let region = world.start().unwrap();
    (world, faults, region)
}

fn write(region: &Region, row: &str, content: &str) {
    run(region.batch(vec![put((row, "a", "q"), content.as_bytes())])).swap_remove(0).unwrap();
}

/// Each file has all rows.
fn fill(world: &World, region: &Region, files: usize) {
    for file in 0..files {
        world.host.now_ms.fetch_add(1, Ordering::SeqCst);
        ROWS.iter().for_each(|row| write(region, row, &format!("{row} {file}")));
        region.flush(None).unwrap();
    }
}

fn assert_all(region: &Region, file: usize) {
    for row in ROWS {
        assert_eq!(value(region, (row, "a", "q")), Some(format!("{row} {file}").into_bytes()));
    }
}

#[test]
fn a_scanner_does_not_go_on_without_markers_that_it_goes_by() {
    let (_, _, region) = start(&[]);
    let marker = mutation(MutationKind::Delete, CellType::DeleteFamily, ("r1", "a", ""), 5, b"");
    run(region.batch(vec![marker])).swap_remove(0).unwrap();
    region.flush(None).unwrap();
    // Behind the marker, and older by its timestamp.
    let hidden = mutation(MutationKind::Put, CellType::Put, ("r1", "a", "q"), 1, b"hidden");
    run(region.batch(vec![hidden])).swap_remove(0).unwrap();
    let described = Scan::default();
    let mut scanner = region.scanner(&described, None).unwrap();
    assert!(region.renew_scanner(&described, &mut scanner).unwrap(), "nothing has gone");
    assert!(region.compact(b"a", true).unwrap().unwrap().all_files);
    assert!(!region.renew_scanner(&described, &mut scanner).unwrap(), "the put would come to be seen");
    assert_eq!(rest(&mut scanner).unwrap(), []);
    assert_eq!(value(&region, ("r1", "a", "q")), Some(b"hidden".to_vec()), "as in HBase");
}

#[test]
fn what_a_marker_hides_goes_with_the_marker_though_a_scanner_is_older() {
    let (_, _, region) = start(&[]);
    for (kind, qualifier) in [(CellType::DeleteFamily, ""), (CellType::DeleteColumn, "q")] {
        let marker = mutation(MutationKind::Delete, kind, ("r1", "a", qualifier), 5, b"");
        run(region.batch(vec![marker])).swap_remove(0).unwrap();
        let mut scanner = region.scanner(&Scan::default(), None).unwrap();
        // In a file, as far as the scanner goes.
        for (timestamp, content) in [(4, b"hidden"), (6, b"seen--"), (3, b"hidden")] {
            let late = mutation(MutationKind::Put, CellType::Put, ("r1", "a", "q"), timestamp, content);
            run(region.batch(vec![late])).swap_remove(0).unwrap();
        }
        region.flush(None).unwrap();
        assert!(region.compact(b"a", true).unwrap().unwrap().all_files);
        assert_eq!(rest(&mut scanner).unwrap(), []);
        let all = Scan { max_versions: u32::MAX, ..Scan::default() };
        let seen = |cells: Vec<_>| cells.len() == 1;
        assert!(seen(scan(&region, &all, None).unwrap()), "{kind:?}");
        assert!(seen(scan(&region, &Scan { raw: true, ..all }, None).unwrap()), "{kind:?}: with the marker");
        let gone = mutation(MutationKind::Delete, CellType::DeleteColumn, ("r1", "a", "q"), 9, b"");
        run(region.batch(vec![gone])).swap_remove(0).unwrap();
        drop(scanner);
        region.flush(None).unwrap();
        region.compact(b"a", true).unwrap();
    }
}

#[test]
fn scanners_that_are_open_read_on_from_the_files_that_go() {
    let (world, _, region) = start(&[]);
    fill(&world, &region, 3);
    let all = scan(&region, &Scan::default(), None).unwrap();
    let mut fresh = region.scanner(&Scan::default(), None).unwrap();
    let mut begun = region.scanner(&Scan::default(), None).unwrap();
    let mut first = ScanOutput::default();
    next(&mut begun, &mut first, &ScanLimits { results: 1, ..ScanLimits::NONE }).unwrap();
    fill(&world, &region, 1);
    let outcome = region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(outcome.inputs, 4);
    assert_eq!(rest(&mut fresh).unwrap(), all);
    let mut cells = results_of(&first).remove(0).cells;
    cells.extend(rest(&mut begun).unwrap());
    assert_eq!(cells, all);
    assert_all(&region, 0);
    // What they held back goes with the next.
    drop((fresh, begun));
    assert!(outcome.cells_written > 4);
    assert_eq!(region.compact(b"a", true).unwrap().unwrap().cells_written, 4);
    assert_all(&region, 0);
}

/// Compacts, and does something when the compaction is under way.
fn meanwhile(
    faults: &Faults,
    region: &Arc<Region>,
    action: impl FnOnce(&Region) + Send,
) -> Result<(), RegionError> {
    faults.pause();
    std::thread::scope(|scope| {
        let compaction = scope.spawn(|| region.compact(b"a", true).map(drop));
        while faults.waiting() == 0 {
            std::thread::yield_now();
        }
        assert_eq!(region.compactions_under_way(), (false, true));
        let action = scope.spawn(|| action(region));
        while !region.is_closing() {
            std::thread::yield_now();
        }
        faults.resume();
        action.join().unwrap();
        compaction.join().unwrap()
    })
}

#[test]
fn a_region_that_closes_waits_until_its_compaction_has_given_up() {
    let (mut world, faults, region) = start(&[]);
    fill(&world, &region, 3);
    let ended = meanwhile(&faults, &region, |region| region.close().unwrap());
    assert!(matches!(ended, Err(RegionError::Closing(_))), "{ended:?}");
    assert_eq!(region.compactions_under_way(), (false, false));
    assert!(matches!(region.compact(b"a", true), Err(RegionError::Closing(_))));
    assert!(region.families_to_compact().is_empty());
    assert_eq!(region.metrics().store_files, 3);
    let region = world.start().unwrap();
    assert_eq!(region.metrics().store_files, 3);
    assert_all(&region, 2);
}

#[test]
fn the_compaction_of_a_region_that_was_given_up_leaves_its_files_to_the_next_opener() {
    let (mut world, faults, region) = start(&[]);
    fill(&world, &region, 3);
    let ended = meanwhile(&faults, &region, Region::abandon);
    assert!(matches!(ended, Err(RegionError::Closing(_))), "{ended:?}");
    drop(region);
    let region = world.recover().unwrap();
    assert_eq!(region.metrics().store_files, 3);
    assert_all(&region, 2);
}

#[test]
fn a_scan_that_lost_its_scanner_goes_on_where_it_was_or_as_of_now_and_misses_no_row() {
    let (world, _, region) = start(&[("hbase.hstore.compaction.keep.seqId.period", "5")]);
    fill(&world, &region, 1);
    let lost = region.scanner(&Scan::default(), None).unwrap();
    let described = Scan { read_point: Some(lost.read_point()), ..Scan::default() };
    let resumed = || {
        let mut scanner = region.resumed_scanner(&described, None).unwrap();
        let cells = rest(&mut scanner).unwrap();
        cells.into_iter().map(|cell| String::from_utf8(cell.value).unwrap()).collect::<Vec<_>>()
    };
    write(&region, "r2", "new");
    region.flush(None).unwrap();
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(resumed(), ["r1 0", "r2 0", "r3 0", "r4 0"], "what the scanner needed was kept for it");
    let kept = lost.keep_read_point();
    drop(lost);
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(resumed(), ["r1 0", "r2 0", "r3 0", "r4 0"], "and for its read point");
    drop(kept);
    assert_eq!(resumed(), ["r1 0", "r2 0", "r3 0", "r4 0"], "it is still there");
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(resumed(), ["r1 0", "new", "r3 0", "r4 0"]);
}

#[test]
fn a_store_without_files_has_nothing_to_compact() {
    let (world, _, region) = start(&[]);
    write(&region, "r1", "in memory");
    assert_eq!(region.compact(b"a", true).unwrap(), None);
    assert_eq!(region.compact(b"a", false).unwrap(), None);
    assert!(region.families_to_compact().is_empty());
    assert!(matches!(region.compact(b"b", true), Err(RegionError::NoSuchFamily { .. })));
    for run in [0..0, 0..1, 1..1, 0..usize::MAX] {
        assert!(matches!(region.compact_run(b"a", run), Err(RegionError::Invalid(_))));
    }
    fill(&world, &region, 1);
    assert!(region.compact_run(b"a", std::ops::Range { start: 1, end: 0 }).is_err());
}

#[test]
fn a_store_of_which_everything_goes_keeps_its_sequence_id() {
    let (mut world, _, region) = start(&[("TTL", "10")]);
    fill(&world, &region, 3);
    let newest = region.read_point();
    world.host.now_ms.fetch_add(20_000, Ordering::SeqCst);
    let outcome = region.compact(b"a", true).unwrap().unwrap();
    assert_eq!((outcome.inputs, outcome.cells_written), (3, 0));
    assert_eq!(region.metrics().store_files, 1);
    assert_eq!(scan(&region, &Scan { raw: true, ..Scan::default() }, None).unwrap(), []);
    // Neither the empty file nor the log brings anything back.
    region.compact(b"a", true).unwrap().unwrap();
    drop(region);
    let region = world.recover().unwrap();
    assert!(region.open_sequence_id() > newest);
    assert_eq!(scan(&region, &Scan { raw: true, ..Scan::default() }, None).unwrap(), []);
    fill(&world, &region, 1);
    assert_all(&region, 0);
}

/// Sequence ids of the only file, and its highest according to its file info.
fn sequence_ids(world: &World) -> (Vec<u64>, i64) {
    let entries = world.root.list_store_files(&world.info.table, &world.info.encoded_name(), b"a").unwrap();
    let path = &entries[0].path;
    assert_eq!(entries.len(), 1);
    let reader = HFileReader::open(world.fs.open(path).unwrap(), path, FileId::next()).unwrap();
    let highest = reader.file_info(file_info_keys::MAX_MEMSTORE_TS);
    let highest = highest.map_or(0, |highest| i64::from_be_bytes(highest.try_into().unwrap()));
    let mut scanner = HFileScanner::new(reader, None, false);
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(b""))).unwrap();
    let mut found = Vec::new();
    while let Some((_, sequence_id)) = scanner.peek() {
        found.push(sequence_id);
        read_through(&mut scanner, HFileScanner::advance).unwrap();
    }
    (found, highest)
}

#[test]
fn sequence_ids_of_old_files_are_forgotten_but_not_those_that_a_reader_needs() {
    const DAY_MS: i64 = 24 * 3600 * 1000;
    let (world, _, region) = start(&[("hbase.hstore.compaction.keep.seqId.period", "5")]);
    fill(&world, &region, 2);
    world.host.now_ms.fetch_add(4 * DAY_MS, Ordering::SeqCst);
    region.compact(b"a", true).unwrap().unwrap();
    let (young, highest) = sequence_ids(&world);
    assert!(young.iter().all(|id| *id > 0) && highest == *young.iter().max().unwrap() as i64);
    // Six days later the file is old; another is not.
    world.host.now_ms.fetch_add(6 * DAY_MS, Ordering::SeqCst);
    let reader = region.scanner(&Scan::default(), None).unwrap();
    write(&region, "r1", "new");
    let newest = region.read_point();
    region.flush(None).unwrap();
    region.compact(b"a", true).unwrap().unwrap();
    let (found, _) = sequence_ids(&world);
    let kept: Vec<u64> = found.into_iter().filter(|id| *id > 0).collect();
    assert_eq!(kept, [newest]);
    assert_eq!(value(&region, ("r1", "a", "q")).as_deref(), Some(&b"new"[..]));
    assert_eq!(value(&region, ("r2", "a", "q")).as_deref(), Some(&b"r2 1"[..]));
    drop(reader);
    world.host.now_ms.fetch_add(6 * DAY_MS, Ordering::SeqCst);
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(sequence_ids(&world), (vec![0; 4], 0));
    // Files without sequence ids are compacted to files without.
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(sequence_ids(&world), (vec![0; 4], 0));
    assert_eq!(value(&region, ("r1", "a", "q")).as_deref(), Some(&b"new"[..]));
}

#[test]
fn without_a_setting_sequence_ids_are_forgotten_at_once_but_not_those_that_a_reader_needs() {
    let (world, _, region) = start(&[]);
    fill(&world, &region, 2);
    let reader = region.scanner(&Scan::default(), None).unwrap();
    write(&region, "r1", "new");
    let newest = region.read_point();
    region.flush(None).unwrap();
    region.compact(b"a", true).unwrap().unwrap();
    let (found, _) = sequence_ids(&world);
    assert_eq!(found.into_iter().filter(|id| *id > 0).collect::<Vec<_>>(), [newest]);
    drop(reader);
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(sequence_ids(&world), (vec![0; 4], 0));
    // What is written afterwards is newer, whatever the time on it.
    let at =
        mutation(MutationKind::Put, CellType::Put, ("r1", "a", "q"), timestamp_of(&region, "r1"), b"newer");
    run(region.batch(vec![at])).swap_remove(0).unwrap();
    assert_eq!(value(&region, ("r1", "a", "q")).as_deref(), Some(&b"newer"[..]));
    region.flush(None).unwrap();
    assert_eq!(value(&region, ("r1", "a", "q")).as_deref(), Some(&b"newer"[..]));
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(value(&region, ("r1", "a", "q")).as_deref(), Some(&b"newer"[..]));
}

#[test]
fn versions_that_go_by_the_order_of_writing_keep_their_sequence_ids() {
    let (world, _, region) = start(&[("NEW_VERSION_BEHAVIOR", "true")]);
    fill(&world, &region, 2);
    region.compact(b"a", true).unwrap().unwrap();
    assert!(sequence_ids(&world).0.iter().all(|id| *id > 0));
}

fn timestamp_of(region: &Region, row: &str) -> i64 {
    let cells = scan(region, &Scan::default(), None).unwrap();
    cells.iter().find(|cell| cell.row == row.as_bytes()).unwrap().timestamp
}
