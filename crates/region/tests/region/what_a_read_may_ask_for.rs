//! Parts of a read that are not versions and deletes: times for each family, raw reads, one state
//! of the region for as long as they last.

use crate::world::{Plain, World, family, mutation, next, put, results_of, run, scan};
use finback_cell::{
    Bytes, CellType, FamilySelection, MutationKind, RegionInfo, Scan, TableDescriptor, TableName, TimeRange,
};
use finback_fs::MemFileSystem;
use finback_region::{InMemoryCompaction, Region, RegionError, RegionScanner, ScanLimits, ScanOutput};
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn start() -> (World, Arc<Region>) {
    let families = vec![family("a", 9), family("b", 9), family("c", 9)];
    let mut world = World::new(Arc::new(MemFileSystem::new()), families);
    let region = world.start().unwrap();
    (world, region)
}

fn found(region: &Region, described: &Scan) -> Vec<(String, i64)> {
    let cells = scan(region, described, None).unwrap();
    cells.into_iter().map(|cell| (String::from_utf8(cell.family).unwrap(), cell.timestamp)).collect()
}

fn write(region: &Region, cell_type: CellType, family: &str, timestamp: i64) {
    let kind = if cell_type == CellType::Put { MutationKind::Put } else { MutationKind::Delete };
    let mutation = mutation(kind, cell_type, ("r", family, "q"), timestamp, b"");
    run(region.batch(vec![mutation])).into_iter().for_each(|result| result.unwrap());
}

#[test]
fn a_familys_own_times_replace_those_of_the_read() {
    let (_world, region) = start();
    for family in ["a", "b", "c"] {
        (1..8).for_each(|timestamp| write(&region, CellType::Put, family, timestamp));
    }
    let range = |min, max| TimeRange { min, max };
    let own = |family: &'static str, min, max| (Bytes::from_static(family.as_bytes()), range(min, max));
    let read = Scan {
        max_versions: 9,
        time_range: range(2, 4),
        family_time_ranges: vec![own("b", 5, 7), own("c", 8, 9)],
        ..Scan::default()
    };
    let expected = [("a", 3), ("a", 2), ("b", 6), ("b", 5)].map(|(family, at)| (family.to_owned(), at));
    // In memory, in one file, and with a file and segment that are left out for their times.
    assert_eq!(found(&region, &read), expected);
    region.flush(None).unwrap();
    assert_eq!(found(&region, &read), expected);
    (8..10).for_each(|timestamp| write(&region, CellType::Put, "b", timestamp));
    region.flush(None).unwrap();
    write(&region, CellType::Put, "b", 20);
    assert_eq!(found(&region, &read), expected);
}

#[test]
fn a_raw_read_has_markers_and_what_they_hide_and_takes_no_columns() {
    let (_world, region) = start();
    write(&region, CellType::Put, "a", 1);
    write(&region, CellType::DeleteColumn, "a", 2);
    assert_eq!(found(&region, &Scan::default()), []);
    let raw = Scan { raw: true, max_versions: 9, ..Scan::default() };
    assert_eq!(found(&region, &raw), [("a".to_owned(), 2), ("a".to_owned(), 1)]);
    let qualifiers = Some(vec![Bytes::from_static(b"q")]);
    let families = vec![FamilySelection { family: Bytes::from_static(b"a"), qualifiers }];
    let refused = region.scanner(&Scan { families, ..raw }, None).err().unwrap();
    assert!(
        matches!(&refused, RegionError::Invalid(why) if why == "Cannot specify any column for a raw scan")
    );
}

/// Every cell of the read, and of another that began at the same time.
fn assert_old(region: &Region, scanner: &mut RegionScanner, at: Option<u64>, what: &str) {
    let mut out = ScanOutput::default();
    next(scanner, &mut out, &ScanLimits { rows: 1, ..ScanLimits::NONE }).unwrap();
    let [row] = &results_of(&out)[..] else { panic!("{what}: one row") };
    let values = |cells: &[Plain]| cells.iter().map(|cell| cell.value.clone()).collect::<Vec<_>>();
    assert_eq!(values(&row.cells), [b"old", b"old"], "{what}");
    let seen = scan(region, &Scan { read_point: at, ..Scan::default() }, None).unwrap();
    assert_eq!(values(&seen), [b"old"; 2 * ROWS.len()], "{what}");
}

const ROWS: [&str; 4] = ["r1", "r2", "r3", "r4"];

#[test]
fn a_scanner_sees_one_state_of_all_families_whatever_becomes_of_memory_and_files() {
    use InMemoryCompaction::{Adaptive, Basic, Eager, None as Never};
    for policy in [Never, Basic, Eager, Adaptive] {
        let families = vec![family("a", 1), family("b", 1)];
        let mut world = World::new(Arc::new(MemFileSystem::new()), families);
        world.compact_in_memory(policy);
        world.host.has_no_background.store(true, Ordering::SeqCst);
        let region = world.start().unwrap();
        let both = |row, value: &[u8]| vec![put((row, "a", "q"), value), put((row, "b", "q"), value)];
        let write = |row, value: &[u8]| run(region.mutate_atomically(Vec::new(), both(row, value))).unwrap();
        ROWS.iter().for_each(|row| assert!(write(row, b"old").applied));
        let mut scanner = region.scanner(&Scan::default(), None).unwrap();
        let at = Some(scanner.read_point());
        let change_all = |round: usize| {
            for row in ROWS {
                // More than an active segment holds, so that the policy has its turn.
                (0..20).for_each(|number| assert!(write(row, &[b'n'; 30][..number]).applied));
                let gone = ("a", CellType::DeleteFamily, "");
                let (family, cell_type, qualifier) =
                    if round == 1 { gone } else { ("b", CellType::DeleteColumn, "q") };
                let column = (row, family, qualifier);
                let delete = mutation(MutationKind::Delete, cell_type, column, 1 << 40, b"");
                run(region.batch(vec![delete])).remove(0).unwrap();
            }
        };
        change_all(0);
        assert_old(&region, &mut scanner, at, "in memory");
        region.flush(None).unwrap();
        assert_old(&region, &mut scanner, at, "flushed");
        change_all(1);
        region.flush(None).unwrap();
        compact(&region, false);
        assert_old(&region, &mut scanner, at, "flushed again");
        compact(&region, true);
        assert_old(&region, &mut scanner, at, "compacted");
        drop(scanner);
        // Nobody sees the old state any more, and nothing is left of what is hidden.
        compact(&region, true);
        assert_eq!(found(&region, &Scan { raw: true, max_versions: 9, ..Scan::default() }), []);
    }
}

fn compact(region: &Region, major: bool) {
    for family in ["a", "b"] {
        region.compact(family.as_bytes(), major).unwrap();
    }
}

#[test]
fn a_read_of_nothing_stays_one_whatever_is_written_and_however_it_is_renewed() {
    let (_world, region) = start();
    let get = finback_cell::Get::new(Bytes::from_static(b"r")).scan;
    // Nothing at all, and a file whose Bloom filter or rows say that it has nothing of the row.
    for other in ["s", "q"] {
        let mut scanner = region.scanner(&get, None).unwrap();
        run(region.mutate(&put((other, "a", "q"), b"1"))).unwrap();
        assert!(!region.renew_scanner(&get, &mut scanner).unwrap(), "there is nothing to renew");
        assert_eq!(crate::world::rest(&mut scanner).unwrap(), []);
        region.flush(None).unwrap();
        assert_eq!(found(&region, &get), []);
    }
    run(region.mutate(&put(("r", "a", "q"), b"1"))).unwrap();
    assert_eq!(found(&region, &get).len(), 1);
}

#[test]
fn an_error_does_not_repeat_a_name_of_any_length() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    let region = world.start().unwrap();
    let families = vec![FamilySelection { family: vec![0xff; 1 << 20].into(), qualifiers: None }];
    let error = region.scanner(&Scan { families, ..Scan::default() }, None).err().unwrap();
    assert!(matches!(error, RegionError::NoSuchFamily { .. }));
    assert!(error.to_string().len() < 2_000, "{} bytes", error.to_string().len());
}

#[test]
fn an_error_does_not_repeat_the_name_of_a_region_of_any_length() {
    let table = TableName::parse(b"t").unwrap();
    let info = RegionInfo::new(table.clone(), vec![1; 30_000].into(), Bytes::new(), 1);
    let table = TableDescriptor::new(table).with_family(family("a", 1)).with("READONLY", "true");
    let mut world = World::of_region(Arc::new(MemFileSystem::new()), info, table);
    let region = world.start().unwrap();
    let families = vec![FamilySelection { family: "b".into(), qualifiers: None }];
    let no_family = region.scanner(&Scan { families, ..Scan::default() }, None).err().unwrap();
    let wrong_region = region.check_row(b"\0", "get").unwrap_err();
    let read_only = run(region.mutate(&put(("\u{2}", "a", "q"), b"1"))).unwrap_err();
    assert!(matches!(no_family, RegionError::NoSuchFamily { .. }));
    assert!(matches!(wrong_region, RegionError::WrongRegion { .. }));
    assert!(matches!(read_only, RegionError::ReadOnly(_)), "{read_only:.100}");
    for error in [no_family, wrong_region, read_only].map(|error| error.to_string()) {
        assert!(error.len() < 3_000, "{} bytes", error.len());
    }
}

#[test]
fn what_was_found_of_a_row_for_the_next_reply_counts_as_held() {
    const CELLS: usize = 10;
    let (_world, region) = start();
    let columns: Vec<String> = (0..CELLS).map(|column| format!("q{column}")).collect();
    let puts: Vec<_> = columns.iter().map(|column| put(("r", "a", column), &[1; 1000])).collect();
    run(region.batch(puts)).into_iter().for_each(|written| written.unwrap());
    let mut scanner = region.scanner(&Scan::default(), None).unwrap();
    let (mut out, few) = (ScanOutput::default(), ScanLimits { budget: CELLS / 2, ..ScanLimits::NONE });
    next(&mut scanner, &mut out, &few).unwrap();
    assert_eq!(scanner.held_bytes(), 0);
    scanner.suspend(&mut out, false);
    assert!(out.cells.is_empty());
    let carried = scanner.held_bytes();
    assert!(carried > 1000 * (CELLS / 2 - 1), "{carried}");
    scanner.park();
    assert_eq!((scanner.held_bytes(), scanner.carried_bytes()), (carried, carried));
    next(&mut scanner, &mut out, &ScanLimits::NONE).unwrap();
    assert_eq!((scanner.held_bytes(), out.cells().count(), &out.counts[..]), (0, CELLS, &[CELLS as u32][..]));
}
