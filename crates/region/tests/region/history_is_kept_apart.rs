//! `hbase.enable.historical.compaction.files`: what no read of the present needs is in files of its own, and whether these are read
//! makes no difference to any read, whatever was written, flushed, compacted and is being read.

use crate::world::{
    Plain, TestCache, World, compare_plain_gets, family, mutation, put, run, scan, scan_counting_blocks,
};
use finback_cell::{Bytes, CellType, FamilySelection, Mutation, MutationKind, Scan, TimeRange};
use finback_fs::MemFileSystem;
use finback_hfile::{FileId, HFileReader, file_info_keys};
use finback_region::{CompactionConfig, Region, RegionConfig, RegionScanner};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const SETTING: &str = "hbase.enable.historical.compaction.files";
const ROWS: [&str; 2] = ["r", "s"];
const QUALIFIERS: [&str; 3] = ["", "p", "q"];

fn start(attributes: &[(&str, &str)]) -> (World, Arc<Region>) {
    let described = attributes
        .iter()
        .fold(family("a", 1).with("BLOCKSIZE", "64"), |family, (name, value)| family.with(name, value));
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![described]);
    world.cache = TestCache::new(true);
    world.config.compaction = config(true, &world.config.compaction);
    let region = world.start().unwrap();
    (world, region)
}

fn config(keeps_history_apart: bool, config: &CompactionConfig) -> CompactionConfig {
    CompactionConfig { keeps_history_apart, min_files: 2, max_files: 4, ..config.clone() }
}

/// Whether files of history are left out from now on.
fn leave_out(world: &World, region: &Region, keeps_history_apart: bool) {
    let compaction = config(keeps_history_apart, &world.config.compaction);
    region.reconfigure(&Arc::new(RegionConfig { compaction, ..world.config.clone() }));
}

/// Of each file whether it is one of history.
fn files(world: &World, region: &Region) -> Vec<bool> {
    let paths = region.store_file_paths(&[]).unwrap();
    let is_historical = |path: &std::path::PathBuf| {
        let reader = HFileReader::open(world.fs.open(path).unwrap(), path, FileId::next()).unwrap();
        reader.file_info(file_info_keys::HISTORICAL) == Some(&[0xff][..])
    };
    paths.iter().map(is_historical).collect()
}

fn write_at(region: &Region, cell_type: CellType, qualifier: &str, at: i64) {
    let kind = if cell_type == CellType::Put { MutationKind::Put } else { MutationKind::Delete };
    run(region.mutate(&mutation(kind, cell_type, ("r", "a", qualifier), at, b"v"))).unwrap();
}

#[test]
fn reads_of_the_present_leave_it_out_and_others_do_not() {
    let (world, region) = start(&[("KEEP_DELETED_CELLS", "TRUE"), ("VERSIONS", "100")]);
    for at in 1..=40 {
        write_at(&region, CellType::Put, "p", at);
        write_at(&region, CellType::Put, "q", at);
    }
    (1..=35).for_each(|at| write_at(&region, CellType::Delete, "p", at));
    write_at(&region, CellType::DeleteColumn, "q", 35);
    region.flush(None).unwrap();
    assert_eq!(files(&world, &region), [false]);
    region.compact(b"a", true).unwrap();
    let mut found = files(&world, &region);
    found.sort_unstable();
    assert_eq!(found, [false, true]);

    let all = Scan { max_versions: u32::MAX, ..Scan::default() };
    let raw = Scan { raw: true, ..all.clone() };
    let past = Scan { time_range: TimeRange { min: 0, max: 30 }, ..all.clone() };
    let of_family = vec![(Bytes::from_static(b"a"), TimeRange { min: 0, max: 30 })];
    let past_of_family = Scan { family_time_ranges: of_family, ..all.clone() };
    let read = |scan: &Scan| {
        let (rows, blocks) = scan_counting_blocks(&region, scan);
        (rows.iter().map(|row| row.cells.len()).sum::<usize>(), blocks)
    };
    let (apart, together) = (read(&all), (leave_out(&world, &region, false), read(&all)).1);
    assert_eq!((apart.0, together.0), (10, 10));
    assert!(apart.1 < together.1, "{apart:?}, {together:?}");
    leave_out(&world, &region, true);
    assert_eq!((read(&raw).0, read(&past).0, read(&past_of_family).0), (116, 29, 29));

    // Both become one again, and apart again.
    region.compact(b"a", true).unwrap();
    assert_eq!((files(&world, &region).len(), read(&all).0, read(&raw).0), (2, 10, 116));
    leave_out(&world, &region, false);
    region.compact(b"a", true).unwrap();
    assert_eq!((files(&world, &region), read(&all).0, read(&raw).0), (vec![false], 10, 116));
}

#[test]
fn all_may_be_history_and_the_newest_file_still_says_what_it_was_made_of() {
    let (mut world, region) = start(&[("KEEP_DELETED_CELLS", "TRUE")]);
    write_at(&region, CellType::Put, "q", 1);
    region.flush(None).unwrap();
    write_at(&region, CellType::DeleteColumn, "q", 2);
    region.flush(None).unwrap();
    write_at(&region, CellType::DeleteColumn, "q", 1);
    region.flush(None).unwrap();
    region.compact(b"a", true).unwrap();
    assert_eq!(files(&world, &region).len(), 2);
    region.close().unwrap();
    let region = world.start().unwrap();
    assert_eq!(files(&world, &region).len(), 2);
    assert!(scan(&region, &Scan::default(), None).unwrap().is_empty());
    let raw = Scan { raw: true, max_versions: u32::MAX, ..Scan::default() };
    assert_eq!(scan(&region, &raw, None).unwrap().len(), 3);
}

#[test]
fn only_stores_of_the_default_engine_without_new_version_behavior_have_any() {
    let date_tiered = "org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine";
    for (name, value, is_kept_apart) in [
        (SETTING, "true", true),
        (SETTING, "false", false),
        ("NEW_VERSION_BEHAVIOR", "true", false),
        ("hbase.hstore.engine.class", date_tiered, false),
    ] {
        let (world, region) = start(&[("KEEP_DELETED_CELLS", "TRUE"), (name, value)]);
        write_at(&region, CellType::Put, "q", 1);
        write_at(&region, CellType::DeleteColumn, "q", 1);
        region.flush(None).unwrap();
        region.compact(b"a", true).unwrap();
        assert_eq!(files(&world, &region).contains(&true), is_kept_apart, "{name}={value}");
    }
}

#[test]
fn the_two_files_of_a_compaction_are_not_compacted_again_at_once() {
    let (_world, region) = start(&[("KEEP_DELETED_CELLS", "TRUE")]);
    for at in [1, 2] {
        run(region.mutate(&put(("r", "a", "q"), b"v"))).unwrap();
        write_at(&region, CellType::DeleteColumn, "q", i64::MAX - 9 + at);
        region.flush(None).unwrap();
    }
    assert!(region.compact(b"a", false).unwrap().is_none(), "two are too few");
    region.compact(b"a", true).unwrap();
    assert!(region.compact(b"a", false).unwrap().is_none());
}

#[derive(Clone, Debug)]
enum Step {
    /// `at`: seconds after now. `ttl`: seconds.
    Write {
        cell_type: CellType,
        row: &'static str,
        qualifier: &'static str,
        at: i64,
        ttl: Option<i64>,
    },
    Wait(i64),
    Flush,
    /// Files from one on, so many, if there are; or those that the policy chooses, or all.
    CompactRun(usize, usize),
    Compact(bool),
    /// A reader that stays, over what comes.
    Open,
    Read(Query),
}

#[derive(Clone, Debug)]
struct Query {
    row: Option<&'static str>,
    reversed: bool,
    qualifiers: Option<Vec<&'static str>>,
    versions: u32,
    /// From so many seconds after now on.
    from: Option<i64>,
    /// As the reader that stays sees it.
    of_open: bool,
}

fn write() -> impl Strategy<Value = Step> {
    let marker = select(vec![
        CellType::Delete,
        CellType::DeleteColumn,
        CellType::DeleteFamily,
        CellType::DeleteFamilyVersion,
    ]);
    let cell_type = prop_oneof![3 => Just(CellType::Put), 2 => marker];
    let place = (select(&ROWS[..]), select(&QUALIFIERS[..]));
    (cell_type, place, -6i64..3, prop::option::weighted(0.15, 1i64..6)).prop_map(
        |(cell_type, (row, qualifier), at, ttl)| {
            let of_family = matches!(cell_type, CellType::DeleteFamily | CellType::DeleteFamilyVersion);
            Step::Write { cell_type, row, qualifier: if of_family { "" } else { qualifier }, at, ttl }
        },
    )
}

fn query() -> impl Strategy<Value = Query> {
    let qualifiers = prop::option::weighted(0.4, subsequence(&QUALIFIERS[..], 1..=2));
    let rows = (prop::option::weighted(0.4, select(&ROWS[..])), any::<bool>());
    let versions = prop_oneof![2 => 1u32..=4, 1 => Just(u32::MAX)];
    let from = prop::option::weighted(0.3, -8i64..3);
    (rows, qualifiers, versions, from, any::<bool>()).prop_map(
        |((row, reversed), qualifiers, versions, from, of_open)| {
            let reversed = reversed && row.is_none();
            Query { row, reversed, qualifiers, versions, from, of_open }
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => write(),
        2 => (1i64..7).prop_map(|halves| Step::Wait(500 * halves)),
        2 => Just(Step::Flush),
        2 => (0usize..4, 1usize..5).prop_map(|(from, count)| Step::CompactRun(from, count)),
        1 => any::<bool>().prop_map(Step::Compact),
        1 => Just(Step::Open),
        6 => query().prop_map(Step::Read),
    ]
}

struct Tested {
    world: World,
    region: Arc<Region>,
    open: Option<RegionScanner>,
    written: usize,
}

impl Tested {
    fn now(&self) -> i64 {
        self.world.host.now_ms.load(Ordering::SeqCst)
    }

    fn timestamp(&self, seconds: i64) -> i64 {
        (self.now() / 1000 + seconds) * 1000
    }

    fn apply(&mut self, step: &Step) {
        match step {
            Step::Write { cell_type, row, qualifier, at, ttl } => {
                let kind = if *cell_type == CellType::Put { MutationKind::Put } else { MutationKind::Delete };
                let value =
                    if *cell_type == CellType::Put { self.written.to_string() } else { String::new() };
                let column = (*row, "a", *qualifier);
                let written = mutation(kind, *cell_type, column, self.timestamp(*at), value.as_bytes());
                run(self.region.mutate(&Mutation { ttl_ms: ttl.map(|ttl| 1000 * ttl), ..written })).unwrap();
                self.written += 1;
            }
            Step::Wait(ms) => drop(self.world.host.now_ms.fetch_add(*ms, Ordering::SeqCst)),
            Step::Flush => drop(self.region.flush(None).unwrap()),
            Step::CompactRun(from, count) => {
                let files = files(&self.world, &self.region).len();
                if files > 0 {
                    let from = from % files;
                    self.region.compact_run(b"a", from..(from + count).min(files)).unwrap();
                }
            }
            Step::Compact(major) => drop(self.region.compact(b"a", *major).unwrap()),
            Step::Open => self.open = Some(self.region.scanner(&Scan::default(), None).unwrap()),
            Step::Read(query) => self.read(query),
        }
    }

    /// With files of history left out, and with them.
    fn read(&self, query: &Query) {
        let names =
            |all: &Vec<&'static str>| all.iter().map(|one| Bytes::from_static(one.as_bytes())).collect();
        let row = Bytes::from_static(query.row.unwrap_or_default().as_bytes());
        let scan_of = Scan {
            start_row: row.clone(),
            stop_row: row,
            include_stop_row: query.row.is_some(),
            reversed: query.reversed,
            families: vec![FamilySelection {
                family: Bytes::from_static(b"a"),
                qualifiers: query.qualifiers.as_ref().map(names),
            }],
            time_range: TimeRange {
                min: query.from.map_or(TimeRange::ALL.min, |from| self.timestamp(from)),
                ..TimeRange::ALL
            },
            max_versions: query.versions,
            read_point: self.open.as_ref().filter(|_| query.of_open).map(RegionScanner::read_point),
            ..Scan::default()
        };
        let read = || -> Vec<Plain> { scan(&self.region, &scan_of, None).unwrap() };
        let apart = read();
        leave_out(&self.world, &self.region, false);
        let together = read();
        leave_out(&self.world, &self.region, true);
        compare_plain_gets(&self.region, &scan_of).unwrap();
        assert_eq!(apart, together, "{query:?} at {} of {:?}", self.now(), files(&self.world, &self.region));
    }
}

fn described() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let ttl = prop::option::weighted(0.6, 2i64..8);
    (1u32..=4, 0u32..=3, ttl, select(vec!["FALSE", "TRUE", "TTL"])).prop_map(
        |(versions, min_versions, ttl, keep_deleted)| {
            let mut attributes = vec![
                ("VERSIONS", versions.to_string()),
                ("MIN_VERSIONS", min_versions.min(versions).to_string()),
                ("KEEP_DELETED_CELLS", keep_deleted.to_owned()),
            ];
            attributes.extend(ttl.map(|ttl| ("TTL", ttl.to_string())));
            attributes
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, max_shrink_iters: 3000, ..ProptestConfig::default() })]

    #[test]
    fn no_read_of_the_present_misses_it(
        attributes in described(),
        steps in prop::collection::vec(step(), 1..60),
        last in query(),
    ) {
        let attributes: Vec<(&str, &str)> =
            attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let (world, region) = start(&attributes);
        let mut tested = Tested { world, region, open: None, written: 0 };
        for step in &steps {
            tested.apply(step);
        }
        tested.apply(&Step::Flush);
        tested.apply(&Step::Compact(true));
        tested.read(&last);
        let everything = Query { row: None, reversed: false, qualifiers: None, versions: 4, from: None, of_open: false };
        tested.read(&everything);
    }
}
