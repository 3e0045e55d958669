//! Two families of any VERSIONS, MIN_VERSIONS, TTL and KEEP_DELETED_CELLS, cells with times to live of their own, and a clock that goes
//! on; reads of other times in one family than in the other, and raw scans. Everything that is read is as the model has it, which
//! is told no more than which files took the place of which, and when there was an in-memory flush.
//!
//! EAGER and ADAPTIVE leave out in memory what a flush leaves out: surplus versions, what has expired or is deleted,
//! and, of a column, markers behind a put with which all that is older goes. Raw scans, reads of a part of time or of
//! named columns, and deletes that come later tell the difference; reads of all columns and times of lasting columns
//! do not (see `check_lasting`). With a background of its own an in-memory compaction may come at any time, and only
//! these last would be exact.
//!
//! Here it comes within the write that made the active segment too large: at the time of that write, and with no
//! scanner open. So every comparison is exact, as that of a flush: the model does the same to the same segments. Only
//! the cell of that write is not readable yet. It stays unless it has expired, counts for nothing and hides nothing.
//!
//! Nobody reads while something is flushed or compacted.

use crate::expired_and_deleted_model::{Asked, Attributes, InMemory, Store, Written, shown};
use crate::world::{FEW_BYTES, Plain, World, compare_plain_gets, family, mutation, run, scan};
use finback_cell::{
    Bytes, CellType, ColumnFamilyDescriptor, FamilySelection, KeepDeletedCells, Mutation, MutationKind, Scan,
    TimeRange,
};
use finback_fs::MemFileSystem;
use finback_region::{CompactionConfig, InMemoryCompaction, Region};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const ROWS: [&str; 2] = ["r", "s"];
const FAMILIES: [&str; 2] = ["a", "b"];
const QUALIFIERS: [&str; 3] = ["", "p", "q"];

/// As many segments as may stay side by side at all. Each has at least four cells, and a family gets fewer than 60
/// between two flushes: so none become one.
const ALL_SIDE_BY_SIDE: usize = 15;

/// From so many seconds after now, for so many.
type Times = Option<(i64, i64)>;

#[derive(Clone, Debug)]
enum Step {
    /// `at`: seconds after now. `ttl`: seconds.
    Write {
        cell_type: CellType,
        row: &'static str,
        family: usize,
        qualifier: &'static str,
        at: i64,
        ttl: Option<i64>,
    },
    /// Milliseconds.
    Wait(i64),
    /// Of one family, or of all.
    Flush(Option<usize>),
    /// Files from one on, whatever the policy would choose.
    CompactRun {
        family: usize,
        from: usize,
        count: usize,
    },
    /// All files, or those that the policy chooses.
    Compact {
        family: usize,
        major: bool,
    },
    Reopen,
    Read(Query),
}

#[derive(Clone, Debug)]
struct Query {
    raw: bool,
    /// A single row, or all.
    row: Option<&'static str>,
    reversed: bool,
    /// With the qualifiers that are named.
    families: Vec<(usize, Option<Vec<&'static str>>)>,
    versions: u32,
    times: Times,
    family_times: [Times; 2],
}

fn attributes() -> impl Strategy<Value = Attributes> {
    let keep_deleted = select(vec![KeepDeletedCells::False, KeepDeletedCells::True, KeepDeletedCells::Ttl]);
    let ttl_seconds = prop::option::weighted(0.7, 2i64..8);
    (1u32..=4, 0u32..=3, ttl_seconds, keep_deleted).prop_map(
        |(versions, min_versions, ttl_seconds, keep_deleted)| Attributes {
            versions,
            // HBase does not create a family with more.
            min_versions: min_versions.min(versions),
            ttl_seconds,
            keep_deleted,
        },
    )
}

/// `mob_threshold`: above how many bytes values go into MOB files, if they do.
fn described(name: &str, attributes: &Attributes, mob_threshold: Option<u64>) -> ColumnFamilyDescriptor {
    let keep_deleted = match attributes.keep_deleted {
        KeepDeletedCells::False => "FALSE",
        KeepDeletedCells::True => "TRUE",
        KeepDeletedCells::Ttl => "TTL",
    };
    let described = family(name, attributes.versions)
        .with("MIN_VERSIONS", &attributes.min_versions.to_string())
        .with("KEEP_DELETED_CELLS", keep_deleted)
        .with("BLOCKSIZE", "64");
    let described = match mob_threshold {
        Some(bytes) => described.with("IS_MOB", "true").with("MOB_THRESHOLD", &bytes.to_string()),
        None => described,
    };
    match attributes.ttl_seconds {
        Some(seconds) => described.with("TTL", &seconds.to_string()),
        None => described,
    }
}

/// Segments of one cell each, or of a few, that become one every time; and some that stay side by side.
const SEGMENTS: [(u32, usize); 3] = [(1, 1), (FEW_BYTES, 1), (FEW_BYTES, ALL_SIDE_BY_SIDE)];

const LEAVE_OUT: [InMemoryCompaction; 2] = [InMemoryCompaction::Eager, InMemoryCompaction::Adaptive];

fn in_memory() -> impl Strategy<Value = InMemory> {
    let leave_nothing_out = vec![InMemoryCompaction::None, InMemoryCompaction::Basic];
    let policy = prop_oneof![1 => select(leave_nothing_out), 2 => select(LEAVE_OUT.to_vec())];
    (policy, select(SEGMENTS.to_vec())).prop_map(|(policy, (flushed_above_bytes, side_by_side))| InMemory {
        policy,
        flushed_above_bytes,
        side_by_side,
    })
}

fn write() -> impl Strategy<Value = Step> {
    let marker = select(vec![
        CellType::Delete,
        CellType::DeleteColumn,
        CellType::DeleteFamily,
        CellType::DeleteFamilyVersion,
    ]);
    let cell_type = prop_oneof![3 => Just(CellType::Put), 1 => marker];
    let place = (select(&ROWS[..]), 0usize..2, select(&QUALIFIERS[..]));
    (cell_type, place, -6i64..3, prop::option::weighted(0.15, 1i64..6)).prop_map(
        |(cell_type, (row, family, qualifier), at, ttl)| {
            let of_family = matches!(cell_type, CellType::DeleteFamily | CellType::DeleteFamilyVersion);
            let qualifier = if of_family { "" } else { qualifier };
            Step::Write { cell_type, row, family, qualifier, at, ttl }
        },
    )
}

fn query() -> impl Strategy<Value = Query> {
    let times = |part: f64| prop::option::weighted(part, (-8i64..3, 1i64..8));
    let qualifiers = || prop::option::weighted(0.4, subsequence(&["", "p", "q", "z"][..], 1..=3));
    let families = select(vec![vec![0usize], vec![1], vec![0, 1], vec![0, 1]]);
    let versions = prop_oneof![2 => 1u32..=5, 1 => Just(u32::MAX)];
    let rows = (prop::option::weighted(0.4, select(&ROWS[..])), any::<bool>());
    let all_times = (times(0.4), times(0.25), times(0.25));
    (prop::bool::weighted(0.25), rows, families, qualifiers(), qualifiers(), versions, all_times).prop_map(
        |(raw, (row, reversed), families, of_a, of_b, versions, (times, times_of_a, times_of_b))| {
            let named = [of_a, of_b];
            // A raw scan names no columns, and a read of one row has no direction.
            let with_names = |family: usize| (family, named[family].clone().filter(|_| !raw));
            Query {
                raw,
                row,
                reversed: reversed && row.is_none(),
                families: families.into_iter().map(with_names).collect(),
                versions,
                times,
                family_times: [times_of_a, times_of_b],
            }
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        14 => write(),
        2 => (1i64..7).prop_map(|halves| Step::Wait(500 * halves)),
        2 => prop::option::of(0usize..2).prop_map(Step::Flush),
        2 => (0usize..2, 0usize..4, 1usize..4)
            .prop_map(|(family, from, count)| Step::CompactRun { family, from, count }),
        1 => (0usize..2, any::<bool>()).prop_map(|(family, major)| Step::Compact { family, major }),
        1 => Just(Step::Reopen),
        6 => query().prop_map(Step::Read),
    ]
}

impl Query {
    /// Everything that is there.
    fn raw() -> Self {
        Self {
            raw: true,
            row: None,
            reversed: false,
            families: vec![(0, None), (1, None)],
            versions: u32::MAX,
            times: None,
            family_times: [None, None],
        }
    }

    fn asked(&self, (family, qualifiers): &(usize, Option<Vec<&'static str>>), now: i64) -> Asked {
        Asked {
            raw: self.raw,
            times: time_range(self.family_times[*family].or(self.times), now),
            versions: self.versions,
            qualifiers: qualifiers.clone(),
        }
    }

    fn scan(&self, now: i64) -> Scan {
        let families = self.families.iter().map(|(family, qualifiers)| FamilySelection {
            family: name(*family),
            qualifiers: qualifiers
                .as_ref()
                .map(|all| all.iter().map(|one| Bytes::copy_from_slice(one.as_bytes())).collect()),
        });
        let own_times = self.family_times.iter().enumerate().filter(|(_, times)| times.is_some());
        let row = Bytes::from_static(self.row.unwrap_or_default().as_bytes());
        Scan {
            start_row: row.clone(),
            stop_row: row,
            include_stop_row: self.row.is_some(),
            reversed: self.reversed,
            families: families.collect(),
            time_range: time_range(self.times, now),
            family_time_ranges: own_times
                .map(|(family, times)| (name(family), time_range(*times, now)))
                .collect(),
            max_versions: self.versions,
            raw: self.raw,
            ..Scan::default()
        }
    }
}

fn name(family: usize) -> Bytes {
    Bytes::from_static(FAMILIES[family].as_bytes())
}

/// Timestamps are whole seconds: so the edge of a time to live, and of a range, is often met.
fn timestamp(now: i64, seconds: i64) -> i64 {
    (now / 1000 + seconds) * 1000
}

fn time_range(times: Times, now: i64) -> TimeRange {
    times.map_or(TimeRange::ALL, |(from, seconds)| TimeRange {
        min: timestamp(now, from),
        max: timestamp(now, from + seconds),
    })
}

/// The region and what it should contain.
struct Tested {
    world: World,
    region: Arc<Region>,
    stores: [Store; 2],
    in_memory: InMemory,
    written: usize,
}

impl Tested {
    fn new(attributes: [Attributes; 2], mob_thresholds: [Option<u64>; 2], in_memory: InMemory) -> Self {
        let families = vec![
            described(FAMILIES[0], &attributes[0], mob_thresholds[0]),
            described(FAMILIES[1], &attributes[1], mob_thresholds[1]).with("BLOOMFILTER", "ROWCOL"),
        ];
        let mut world = World::new(Arc::new(MemFileSystem::new()), families);
        world.config.compaction =
            CompactionConfig { min_files: 2, max_files: 3, ..CompactionConfig::default() };
        world.compact_in_memory_above(in_memory.policy, in_memory.flushed_above_bytes);
        world.config.pipeline_segments_limit = in_memory.side_by_side;
        world.host.has_no_background.store(true, Ordering::SeqCst);
        let region = world.start().unwrap();
        Self { world, region, stores: attributes.map(Store::new), in_memory, written: 0 }
    }

    fn now(&self) -> i64 {
        self.world.host.now_ms.load(Ordering::SeqCst)
    }

    fn apply(&mut self, step: &Step) {
        match step {
            Step::Write { .. } => self.write(step),
            Step::Wait(ms) => {
                self.world.host.now_ms.fetch_add(*ms, Ordering::SeqCst);
            }
            Step::Flush(family) => {
                let families = family.map(|family| vec![FAMILIES[family].as_bytes().to_vec()]);
                self.region.flush(families.as_deref()).unwrap();
                match family {
                    Some(family) => self.flushed(*family),
                    None => (0..FAMILIES.len()).for_each(|family| self.flushed(family)),
                }
            }
            Step::CompactRun { family, from, count } => self.compact_run(*family, *from, *count),
            Step::Compact { family, major } => {
                self.region.compact(FAMILIES[*family].as_bytes(), *major).unwrap();
                let now = self.now();
                self.stores[*family].drop_expired(now);
                self.compacted(*family);
            }
            Step::Reopen => {
                self.region.close().unwrap();
                self.region = self.world.start().unwrap();
                (0..FAMILIES.len()).for_each(|family| self.flushed(family));
            }
            Step::Read(query) => self.read(query),
        }
        if !matches!(step, Step::Read(_) | Step::Write { .. }) {
            self.read(&Query::raw());
        }
    }

    fn write(&mut self, step: &Step) {
        let Step::Write { cell_type, row, family, qualifier, at, ttl } = step else { return };
        let is_put = *cell_type == CellType::Put;
        let kind = if is_put { MutationKind::Put } else { MutationKind::Delete };
        let value = if is_put { self.written.to_string() } else { String::new() };
        let column = (*row, FAMILIES[*family], *qualifier);
        let written = mutation(kind, *cell_type, column, timestamp(self.now(), *at), value.as_bytes());
        let written = Mutation { ttl_ms: ttl.map(|seconds| 1000 * seconds), ..written };
        for cell in &written.cells {
            let (ttl_ms, number) = (written.ttl_ms, self.written);
            self.stores[*family].write(Written { cell: Plain::from(&cell), ttl_ms, number });
            self.written += 1;
        }
        let before = self.region.metrics().in_memory;
        run(self.region.batch(vec![written])).into_iter().for_each(|result| result.unwrap());
        let after = self.region.metrics().in_memory;
        let dropped = (after.cells_dropped - before.cells_dropped) as usize;
        if self.in_memory.leaves_out() && after.flushes > before.flushes {
            let (now, in_memory) = (self.now(), self.in_memory);
            self.stores[*family].compact_in_memory(now, in_memory, dropped);
            self.read(&Query::raw());
        } else {
            assert_eq!(dropped, 0, "cells left out in memory without a reason");
        }
    }

    fn file_names(&self, family: usize) -> BTreeSet<String> {
        let paths = self.region.store_file_paths(&[name(family)]).unwrap();
        paths.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
    }

    fn flushed(&mut self, family: usize) {
        let (now, names) = (self.now(), self.file_names(family));
        self.stores[family].flush(now, &names);
    }

    fn compacted(&mut self, family: usize) {
        let (now, names) = (self.now(), self.file_names(family));
        self.stores[family].compact(now, &names);
    }

    fn compact_run(&mut self, family: usize, from: usize, count: usize) {
        let files = self.stores[family].file_count();
        if files > 0 {
            let from = from % files;
            let run = from..(from + count).min(files);
            self.region.compact_run(FAMILIES[family].as_bytes(), run).unwrap();
            self.compacted(family);
        }
    }

    fn read(&self, query: &Query) {
        let now = self.now();
        let found = scan(&self.region, &query.scan(now), None).unwrap();
        let mut rows = ROWS.to_vec();
        rows.retain(|row| query.row.is_none_or(|wanted| wanted == *row));
        if query.reversed {
            rows.reverse();
        }
        let mut expected: Vec<Plain> = Vec::new();
        for row in rows {
            for wanted in &query.families {
                let asked = query.asked(wanted, now);
                expected.extend(self.stores[wanted.0].read(row, &asked, now));
                if !query.raw && asked.qualifiers.is_none() && asked.times.is_all() {
                    self.check_lasting(&found, (row, wanted.0), &asked);
                }
            }
        }
        assert_eq!(lines(&found), lines(&expected), "{query:?} at {now} of {:#?}", self.stores);
        compare_plain_gets(&self.region, &query.scan(now)).unwrap();
    }

    /// What HBase gives of these columns does not depend on flushes and compactions, nor on those in memory,
    /// whatever the model knows of them.
    fn check_lasting(&self, found: &[Plain], (row, family): (&str, usize), asked: &Asked) {
        let (now, store) = (self.now(), &self.stores[family]);
        let lasting = store.lasting_columns(row);
        let mut found = found.to_vec();
        found.retain(|cell| {
            cell.row == row.as_bytes()
                && cell.family == FAMILIES[family].as_bytes()
                && lasting.contains(&cell.qualifier)
        });
        let mut expected = store.read_all_written(row, asked, now);
        expected.retain(|cell| lasting.contains(&cell.qualifier));
        assert_eq!(lines(&found), lines(&expected), "lasting: {row} for {asked:?} at {now} of {store:#?}");
    }
}

fn lines(cells: &[Plain]) -> Vec<String> {
    cells.iter().map(shown).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 900, max_shrink_iters: 3000, ..ProptestConfig::default() })]

    #[test]
    fn whatever_expires_and_is_deleted(
        of_a in attributes(),
        of_b in attributes(),
        // Values have one byte or two.
        mob_thresholds in prop::array::uniform2(prop::option::weighted(0.3, 0u64..2)),
        in_memory in in_memory(),
        steps in prop::collection::vec(step(), 1..60),
        last in query(),
    ) {
        let mut tested = Tested::new([of_a, of_b], mob_thresholds, in_memory);
        for step in &steps {
            tested.apply(step);
        }
        tested.read(&last);
        tested.read(&Query::raw());
    }
}

/// Chance brings all of this about, too, but nobody counts how often.
#[test]
fn cells_are_left_out_in_memory_in_all_these_ways() {
    let one_version = || Attributes {
        versions: 1,
        min_versions: 0,
        ttl_seconds: None,
        keep_deleted: KeepDeletedCells::False,
    };
    for (policy, (flushed_above_bytes, side_by_side)) in
        LEAVE_OUT.into_iter().flat_map(|policy| SEGMENTS.map(|segments| (policy, segments)))
    {
        let in_memory = InMemory { policy, flushed_above_bytes, side_by_side };
        let mut tested = Tested::new([one_version(), one_version()], [None; 2], in_memory);
        for at in 0..20 {
            let (cell_type, row, qualifier) = (CellType::Put, ROWS[0], QUALIFIERS[1]);
            tested.apply(&Step::Write { cell_type, row, family: 0, qualifier, at, ttl: None });
        }
        let counted = tested.region.metrics().in_memory;
        assert!(counted.flushes > 1 && counted.cells_dropped > 1, "{in_memory:?}: {counted:?}");
        tested.apply(&Step::Flush(None));
    }
}
