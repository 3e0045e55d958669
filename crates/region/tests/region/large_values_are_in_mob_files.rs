//! Values longer than MOB_THRESHOLD are in MOB files, and nobody who reads notices.

use crate::world::{Plain, World, family, mutation, next, put, run, scan, value};
use finback_cell::{CellType, ColumnFamilyDescriptor, MobRead, MutationKind, Scan};
use finback_filter::CompareOperator;
use finback_filter::comparators::BinaryComparator;
use finback_filter::filters::{Comparison, KeyOnlyFilter, ValueFilter};
use finback_fs::MemFileSystem;
use finback_hfile::HFileReader;
use finback_layout::{MobFileName, mob_file_refs};
use finback_region::{
    JobControl, MobCompactions, MobConfig, MobFiles, Region, RegionError, ScanLimits, ScanOutput,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const LARGE: &[u8] = b"a value of more than eight bytes";
const COLUMN: (&str, &str, &str) = ("row", "m", "q");

fn with_threshold(threshold: u32) -> ColumnFamilyDescriptor {
    family("m", 3).with("IS_MOB", "true").with("MOB_THRESHOLD", &threshold.to_string())
}

fn world() -> World {
    World::new(Arc::new(MemFileSystem::new()), vec![with_threshold(8)])
}

fn write(region: &Region, row: &str, value: &[u8]) {
    run(region.mutate(&put((row, "m", "q"), value))).unwrap();
}

/// Names of the MOB files in their place, sorted.
fn mob_files(world: &World) -> Vec<String> {
    let files = world.root.list_mob_files(&world.table.name, b"m").unwrap();
    let mut names: Vec<String> = files.into_iter().map(|entry| entry.name).collect();
    names.sort();
    names
}

/// Names of the MOB files that the store files say they refer to, sorted.
fn referred(world: &World) -> Vec<String> {
    let encoded = world.info.encoded_name();
    let mut names = Vec::new();
    for file in world.root.list_store_files(&world.table.name, &encoded, b"m").unwrap() {
        let reader = HFileReader::open_identified(world.fs.open(&file.path).unwrap(), &file.path).unwrap();
        let refs = mob_file_refs(reader.file_info(b"MOB_FILE_REFS").expect("it says so")).unwrap();
        for (table, files) in refs {
            assert_eq!(table, world.table.name);
            names.extend(files);
        }
    }
    names.sort();
    names.dedup();
    names
}

/// What is in the store files, in their words.
fn stored(region: &Region) -> Vec<Vec<u8>> {
    let raw = Scan { mob: MobRead { raw: true, ..MobRead::default() }, ..Scan::default() };
    scan(region, &raw, None).unwrap().into_iter().map(|cell| cell.value).collect()
}

fn values(region: &Region, read: &Scan) -> Result<Vec<Vec<u8>>, RegionError> {
    Ok(scan(region, read, None)?.into_iter().map(|cell| cell.value).collect())
}

#[test]
fn a_flush_writes_them_to_a_mob_file_and_references_to_the_store() {
    let mut world = world();
    let region = world.start().unwrap();
    for (row, value) in [("a", LARGE), ("b", b"8 bytes."), ("c", b"9 bytes .")] {
        write(&region, row, value);
    }
    run(region.mutate(&mutation(MutationKind::Delete, CellType::Delete, ("d", "m", "q"), 5, b""))).unwrap();
    region.flush(None).unwrap();
    let files = mob_files(&world);
    assert_eq!(files.len(), 1);
    let parsed = MobFileName::parse(&files[0]).unwrap();
    assert_eq!(parsed.region, Some(&*world.info.encoded_name()));
    // The clock of the tests stands at 1,000 s since the epoch.
    assert!(["19691231", "19700101"].contains(&parsed.date), "{}", parsed.date);
    assert_eq!(referred(&world), files);
    let reference = |length: i32| [&length.to_be_bytes()[..], files[0].as_bytes()].concat();
    assert_eq!(stored(&region), [reference(LARGE.len() as i32), b"8 bytes.".to_vec(), reference(9)]);
    for reader in [region, world.recover().unwrap()] {
        let all = values(&reader, &Scan::default()).unwrap();
        assert_eq!(all, [LARGE, b"8 bytes.", b"9 bytes ."]);
        let backwards = Scan { reversed: true, ..Scan::default() };
        assert_eq!(values(&reader, &backwards).unwrap(), [&b"9 bytes ."[..], b"8 bytes.", LARGE]);
        assert_eq!(value(&reader, ("a", "m", "q")).as_deref(), Some(LARGE));
        let only = Scan { mob: MobRead { references_only: true, ..MobRead::default() }, ..Scan::default() };
        assert_eq!(values(&reader, &only).unwrap(), [LARGE, b"9 bytes ."]);
    }
}

#[test]
fn compactions_keep_references_but_for_one_that_somebody_asks_for() {
    let mut world = world();
    let region = world.start().unwrap();
    let expected: Vec<Vec<u8>> = (0..3).map(|n| [LARGE, &[n]].concat()).collect();
    for (number, value) in expected.iter().enumerate() {
        write(&region, &number.to_string(), value);
        region.flush(None).unwrap();
    }
    let flushed = mob_files(&world);
    assert_eq!((flushed.len(), referred(&world)), (3, flushed.clone()));
    let outcome = region.compact_run(b"m", 0..3).unwrap();
    assert!(outcome.all_files && !outcome.is_joined && outcome.blocks_copied == 0);
    assert_eq!((mob_files(&world), referred(&world)), (flushed.clone(), flushed.clone()));
    assert_eq!(values(&region, &Scan::default()).unwrap(), expected);

    region.compact(b"m", true).unwrap().unwrap();
    let rewritten = referred(&world);
    assert_eq!(rewritten.len(), 1);
    assert!(!flushed.contains(&rewritten[0]) && mob_files(&world).contains(&rewritten[0]));
    for name in &flushed {
        // As a sweep does it.
        world.root.archive_mob_file(&world.table.name, b"m", name).unwrap();
    }
    assert_eq!(values(&region, &Scan::default()).unwrap(), expected);
    assert_eq!(values(&world.recover().unwrap(), &Scan::default()).unwrap(), expected);
}

#[test]
fn values_that_are_small_by_now_come_back_and_large_ones_go() {
    let mut world = world();
    let region = world.start().unwrap();
    write(&region, "small", b"nine byte");
    write(&region, "large", LARGE);
    region.flush(None).unwrap();
    region.close().unwrap();
    world.table = Arc::new(finback_cell::TableDescriptor {
        families: vec![with_threshold(9)],
        ..(*world.table).clone()
    });
    let region = world.start().unwrap();
    region.compact_run(b"m", 0..1).unwrap();
    assert_eq!(stored(&region).iter().filter(|value| value.len() > 9).count(), 2);
    region.compact(b"m", true).unwrap().unwrap();
    assert_eq!(stored(&region)[1], b"nine byte");
    assert!(stored(&region)[0].len() > LARGE.len());
    region.close().unwrap();

    // Without IS_MOB references are followed all the same, and the next compaction brings the values back.
    world.table =
        Arc::new(finback_cell::TableDescriptor { families: vec![family("m", 3)], ..(*world.table).clone() });
    let region = world.start().unwrap();
    assert_eq!(values(&region, &Scan::default()).unwrap(), [LARGE, b"nine byte"]);
    region.compact_run(b"m", 0..1).unwrap();
    assert_eq!(stored(&region), [LARGE, b"nine byte"]);
    region.close().unwrap();

    // What was written before IS_MOB was set goes to a MOB file with any compaction.
    world.table = Arc::new(finback_cell::TableDescriptor {
        families: vec![with_threshold(8)],
        ..(*world.table).clone()
    });
    let region = world.start().unwrap();
    region.compact_run(b"m", 0..1).unwrap();
    assert!(stored(&region).iter().all(|value| value.len() > LARGE.len()));
    assert_eq!(values(&region, &Scan::default()).unwrap(), [LARGE, b"nine byte"]);
}

#[test]
fn a_value_is_found_in_the_archive_and_one_that_is_nowhere_is_an_error() {
    let mut world = world();
    let region = world.start().unwrap();
    write(&region, "row", LARGE);
    region.flush(None).unwrap();
    let name = mob_files(&world).remove(0);
    world.root.archive_mob_file(&world.table.name, b"m", &name).unwrap();
    region.close().unwrap();
    let region = world.start().unwrap();
    assert_eq!(value(&region, COLUMN).as_deref(), Some(LARGE));
    region.close().unwrap();

    world.fs.remove_file(&world.root.archived_mob_family_dir(&world.table.name, b"m").join(&name)).unwrap();
    let region = world.start().unwrap();
    let error = values(&region, &Scan::default()).unwrap_err();
    assert!(
        matches!(&error, RegionError::MissingMobFile { name: missing, .. } if *missing == name),
        "{error}"
    );
    let empty = Scan { mob: MobRead { empty_if_missing: true, ..MobRead::default() }, ..Scan::default() };
    assert_eq!(values(&region, &empty).unwrap(), [b""]);
    // A compaction leaves everything as it is, unless it may leave out what is lost.
    let error = region.compact(b"m", true).unwrap_err();
    assert!(matches!(error, RegionError::MissingMobFile { .. }), "{error}");
    assert_eq!(stored(&region).len(), 1);
    region.close().unwrap();
    world.config.mob.discards_missing = true;
    let region = world.start().unwrap();
    region.compact(b"m", true).unwrap().unwrap();
    assert_eq!(stored(&region), Vec::<Vec<u8>>::new());
}

#[test]
fn a_file_that_cannot_be_opened_is_an_error_of_its_own() {
    let mut world = world();
    let region = world.start().unwrap();
    write(&region, "row", LARGE);
    region.flush(None).unwrap();
    let path = world.root.mob_family_dir(&world.table.name, b"m").join(&mob_files(&world)[0]);
    world.fs.remove_file(&path).unwrap();
    let mut file = world.fs.create_new(&path).unwrap();
    file.append(b"no file of HBase's").unwrap();
    drop(file);
    region.close().unwrap();
    let region = world.start().unwrap();
    let error = values(&region, &Scan::default()).unwrap_err();
    assert!(matches!(error, RegionError::DamagedMobFile(_)), "{error}");
    let empty = Scan { mob: MobRead { empty_if_missing: true, ..MobRead::default() }, ..Scan::default() };
    assert_eq!(values(&region, &empty).unwrap(), [b""]);
}

#[test]
fn large_mob_files_stay_where_that_is_wanted() {
    let mut world = world();
    world.config.mob.max_file_bytes = 64 << 10;
    let table = (*world.table).clone().with("hbase.mob.compaction.type", "optimized");
    world.table = Arc::new(table);
    let region = world.start().unwrap();
    let mut expected = vec![vec![1; 70_000], LARGE.to_vec()];
    expected.extend((2..7).map(|n| vec![n; 40_000]));
    write(&region, "0", &expected[0]);
    region.flush(None).unwrap();
    let large = mob_files(&world).remove(0);
    for (number, value) in expected.iter().enumerate().skip(1) {
        write(&region, &number.to_string(), value);
        region.flush(None).unwrap();
    }
    region.compact(b"m", true).unwrap().unwrap();
    let referred = referred(&world);
    // The small ones became files that end when they have grown beyond 64 KiB.
    assert!(referred.contains(&large) && referred.len() == 3, "{referred:?}");
    assert_eq!(values(&region, &Scan::default()).unwrap(), expected);
}

#[test]
fn filters_see_references_and_clients_see_values() {
    let mut world = world();
    let region = world.start().unwrap();
    write(&region, "row", LARGE);
    region.flush(None).unwrap();
    let reference = stored(&region).remove(0);
    let filtered = |value: &[u8]| {
        let comparator = BinaryComparator::new(value.to_vec().into());
        let filter = ValueFilter::new(Comparison::new(CompareOperator::Equal, Box::new(comparator)));
        scan(&region, &Scan::default(), Some(Box::new(filter))).unwrap().len()
    };
    assert_eq!((filtered(&reference), filtered(LARGE)), (1, 0));
    let key_only =
        |lengths| scan(&region, &Scan::default(), Some(Box::new(KeyOnlyFilter::new(lengths)))).unwrap();
    assert_eq!(key_only(false)[0].value, b"");
    assert_eq!(key_only(true)[0].value, (reference.len() as i32).to_be_bytes());
}

/// Of one key there may be several cells while a scanner sees the older one.
#[test]
fn cells_of_one_key_are_told_apart() {
    let mut world = world();
    let region = world.start().unwrap();
    let at = |value: &[u8]| mutation(MutationKind::Put, CellType::Put, COLUMN, 7, value);
    let versions: Vec<Vec<u8>> = (0..4).map(|n| [LARGE, &[n]].concat()).collect();
    let mut scanners = Vec::new();
    for value in &versions {
        run(region.mutate(&at(value))).unwrap();
        scanners.push(region.scanner(&Scan::default(), None).unwrap());
    }
    region.flush(None).unwrap();
    // Those that were opened before the flush read from memory; these read the file at an older point.
    let at_point = |point| Scan { read_point: Some(point), ..Scan::default() };
    for (scanner, value) in scanners.iter().zip(&versions) {
        assert_eq!(&values(&region, &at_point(scanner.read_point())).unwrap(), std::slice::from_ref(value));
    }
    assert_eq!(values(&region, &Scan::default()).unwrap(), [versions[3].clone()]);
    region.compact(b"m", true).unwrap().unwrap();
    for (scanner, value) in scanners.iter().zip(&versions) {
        assert_eq!(&values(&region, &at_point(scanner.read_point())).unwrap(), std::slice::from_ref(value));
    }
    drop(scanners);
    region.compact(b"m", true).unwrap().unwrap();
    assert_eq!(values(&region, &Scan::default()).unwrap(), [versions[3].clone()]);
}

/// A large value is told before it is found, and a scanner that has let go of its blocks goes on.
#[test]
fn a_scan_in_small_turns_finds_all() {
    let mut world = world();
    let region = world.start().unwrap();
    let expected: Vec<Vec<u8>> = (0..50).map(|n| vec![n; 3_000 * usize::from(n)]).collect();
    for (number, value) in expected.iter().enumerate() {
        write(&region, &format!("{number:02}"), value);
        if number % 7 == 0 {
            region.flush(None).unwrap();
        }
    }
    region.flush(None).unwrap();
    let mut scanner = region.scanner(&Scan::default(), None).unwrap();
    let limits = ScanLimits { budget: 3, turn_bytes: 4_000, ..ScanLimits::NONE };
    let mut out = ScanOutput::default();
    while next(&mut scanner, &mut out, &limits).unwrap() == finback_region::ScanStop::Budget {
        scanner.park();
    }
    let found: Vec<Vec<u8>> = out.cells().map(|cell| Plain::from(&cell).value).collect();
    assert!(found == expected);
}

/// Nothing is left of MOB files that nobody came to refer to.
#[test]
fn what_was_begun_goes_when_the_region_is_opened() {
    let mut world = world();
    world.start().unwrap().close().unwrap();
    let of_region = |region: &str| {
        let name = finback_layout::new_mob_file_name(b"", "19700101", region).unwrap();
        let path = world.root.mob_temp_dir().join(name);
        world.fs.create_dir_all(&world.root.mob_temp_dir()).unwrap();
        drop(world.fs.create_new(&path).unwrap());
        path
    };
    let (own, other) = (of_region(&world.info.encoded_name()), of_region("0123456789abcdef0123456789abcdef"));
    world.start().unwrap();
    assert!(!world.fs.exists(&own).unwrap());
    // Another region may be writing it.
    assert!(world.fs.exists(&other).unwrap());
}

/// A MOB file that lacks a cell: the value is lost, and no other one with it.
#[test]
fn a_value_that_its_file_lacks_takes_no_other_with_it() {
    let mut world = world();
    let region = world.start().unwrap();
    let mut names = Vec::new();
    for row in ["a", "b", "c"] {
        write(&region, row, LARGE);
        region.flush(None).unwrap();
        names.extend(mob_files(&world).into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
    }
    region.close().unwrap();
    // The file of the first row has what that of the last has.
    let [first, _, last] =
        [0, 1, 2].map(|at| world.root.mob_family_dir(&world.table.name, b"m").join(&names[at]));
    let file = world.fs.open(&last).unwrap();
    let mut bytes = vec![0; file.len().unwrap() as usize];
    file.read_exact_at(0, &mut bytes).unwrap();
    world.fs.remove_file(&first).unwrap();
    finback_fs::write_file_durably(&*world.fs, &first, &bytes).unwrap();
    let region = world.start().unwrap();
    for error in [values(&region, &Scan::default()).unwrap_err(), region.compact(b"m", true).unwrap_err()] {
        assert!(matches!(&error, RegionError::MissingMobCell { path, .. } if *path == first), "{error}");
    }
    let empty = Scan { mob: MobRead { empty_if_missing: true, ..MobRead::default() }, ..Scan::default() };
    assert_eq!(values(&region, &empty).unwrap(), [b"", LARGE, LARGE]);
    region.close().unwrap();
    world.config.mob.discards_missing = true;
    let region = world.start().unwrap();
    region.compact(b"m", true).unwrap().unwrap();
    let left: Vec<_> =
        scan(&region, &Scan::default(), None).unwrap().into_iter().map(|cell| cell.row).collect();
    assert_eq!(left, [b"b", b"c"]);
}

#[test]
fn a_minor_compaction_of_all_files_writes_them_anew_where_somebody_asked_for_it() {
    struct By {
        somebody: bool,
    }
    impl JobControl for By {
        fn is_cancelled(&self) -> bool {
            false
        }

        fn is_asked_for(&self) -> bool {
            self.somebody
        }

        fn wrote(&self, _: u64) {}
    }
    let mut world = world();
    let region = world.start().unwrap();
    let write_files = |files: usize| {
        for number in 0..files {
            write(&region, &number.to_string(), LARGE);
            region.flush(None).unwrap();
        }
    };
    write_files(3);
    let flushed = mob_files(&world);
    let outcome = region.compact_under(b"m", false, &By { somebody: false }).unwrap().unwrap();
    assert!(outcome.all_files && !outcome.is_major);
    assert_eq!(referred(&world), flushed);
    write_files(2);
    let outcome = region.compact_under(b"m", false, &By { somebody: true }).unwrap().unwrap();
    assert!(outcome.all_files && !outcome.is_major);
    let anew = referred(&world);
    assert!(anew.len() == 1 && !flushed.contains(&anew[0]), "{anew:?}");
    assert_eq!(values(&region, &Scan::default()).unwrap(), [LARGE; 3]);
}

/// No MOB file has its place long before a store file refers to it, however many there are: who takes those away that nobody needs
/// goes by that.
#[test]
fn mob_files_of_a_compaction_get_their_places_at_its_end() {
    struct Watch<'a>(&'a World, Vec<String>, AtomicU64);
    impl JobControl for Watch<'_> {
        fn is_cancelled(&self) -> bool {
            assert_eq!(mob_files(self.0), self.1);
            false
        }

        fn wrote(&self, bytes: u64) {
            self.2.fetch_add(bytes, Ordering::Relaxed);
        }
    }
    let mut world = world();
    world.config.mob =
        MobConfig { compactions: MobCompactions::Optimized, max_file_bytes: 64 << 10, ..world.config.mob };
    let region = world.start().unwrap();
    for number in 0..100 {
        write(&region, &format!("{number:03}"), &[number; 20_000]);
        if number % 2 == 1 {
            region.flush(None).unwrap();
        }
    }
    let before = mob_files(&world);
    let watch = Watch(&world, before.clone(), AtomicU64::new(0));
    region.compact_under(b"m", true, &watch).unwrap().unwrap();
    // What goes into MOB files is paid for like anything.
    assert!(watch.2.into_inner() > 1_500_000);
    let referred = referred(&world);
    assert!(referred.len() > 10 && referred.iter().all(|name| !before.contains(name)), "{referred:?}");
}

#[test]
fn mob_files_that_are_not_used_are_closed() {
    let mut world = world();
    world.start_server().unwrap();
    let files = Arc::new(MobFiles::new(3));
    world.config.mob_files = Arc::clone(&files);
    let region = world.open().unwrap();
    for row in ["a", "b", "c", "d"] {
        write(&region, row, LARGE);
        region.flush(None).unwrap();
        assert_eq!(value(&region, (row, "m", "q")).as_deref(), Some(LARGE));
    }
    let counted = || (files.figures().open_files, files.figures().misses, files.figures().evicted);
    assert_eq!(counted(), (3, 4, 1));
    // All were used since the beginning.
    files.close_unused(1.0);
    assert_eq!(counted(), (3, 4, 1));
    assert_eq!(value(&region, ("d", "m", "q")).as_deref(), Some(LARGE));
    files.close_unused(1.0);
    assert_eq!(counted(), (1, 4, 3));
    files.forget(&world.table.name, b"m", &mob_files(&world)[0]);
    for name in mob_files(&world) {
        files.forget(&world.table.name, b"m", &name);
    }
    assert_eq!(counted(), (0, 4, 3));
    files.close_unused(0.0);
    assert_eq!(values(&region, &Scan::default()).unwrap(), [LARGE; 4]);
    files.close_unused(0.34);
    assert_eq!(files.figures().open_files, 1);
}
