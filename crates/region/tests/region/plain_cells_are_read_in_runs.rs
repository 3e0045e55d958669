//! Cells that nothing but themselves decides about are taken in runs within a row, and small rows of them in runs of rows, without
//! a filter. With a filter each is decided about,
//! and one that lets everything pass must change nothing: no cell, and no place where a reply is cut.

use crate::world::{ResultRow, World, family, mutation, next, results_of, run};
use finback_cell::{Bytes, Cell, CellType, Durability, Mutation, MutationKind, Scan, TimeRange};
use finback_filter::{Filter, FilterCode, FilterError};
use finback_fs::MemFileSystem;
use finback_region::{Region, ScanLimits, ScanOutput, ScanStop};
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const NOW: i64 = 1_000_000;

struct Everything;

impl Filter for Everything {
    fn filter_cell(&mut self, _: &Cell<'_>) -> Result<FilterCode, FilterError> {
        Ok(FilterCode::Include)
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// Puts of so many columns of a row, from one on, at a time.
    Put(u8, u8, u8, u8),
    /// Puts of the first so many columns of so many rows, from one on, at a time.
    PutRows(u8, u8, u8, u8),
    /// The same of every so many-th row from one on: the rows of others are between them.
    PutScattered(u8, u8, u8, u8),
    /// A marker: kind, row, column, time.
    Delete(u8, u8, u8, u8),
    Flush,
    Compact(bool),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..4u8, 0..30u8, 1..30u8, 0..4u8).prop_map(|(row, from, count, at)| Step::Put(row, from, count, at)),
        2 => (0..4u8, 0..4u8, 0..40u8, 0..4u8).prop_map(|(kind, row, column, at)| Step::Delete(kind, row, column, at)),
        2 => Just(Step::Flush),
        1 => any::<bool>().prop_map(Step::Compact),
    ]
}

fn step_of_many_rows() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..100u8, 1..100u8, 1..6u8, 0..4u8)
            .prop_map(|(from, count, columns, at)| Step::PutRows(from, count, columns, at)),
        // Mostly of one cell, of which another file has an older version.
        6 => (0..20u8, 2..6u8, prop_oneof![3 => Just(1u8), 1 => 2..4u8], 0..4u8)
            .prop_map(|(from, every, columns, at)| Step::PutScattered(from, every, columns, at)),
        1 => (0..100u8, 1..8u8, 8..20u8, 0..4u8)
            .prop_map(|(from, count, columns, at)| Step::PutRows(from, count, columns, at)),
        2 => (0..4u8, 0..200u8, 0..6u8, 0..4u8).prop_map(|(kind, row, column, at)| Step::Delete(kind, row, column, at)),
        3 => Just(Step::Flush),
        1 => any::<bool>().prop_map(Step::Compact),
    ]
}

/// What all rows of a table begin with: so much that what decides most comparisons of rows is behind it, or nothing.
const BEGINNINGS: [&str; 2] = ["", "of-all-rows-of-this-table-the-beginning,"];

/// The number of a row, or none.
fn edge() -> impl Strategy<Value = (Option<u8>, bool)> {
    (prop::option::weighted(0.75, 0..220u8), any::<bool>())
}

fn limits() -> impl Strategy<Value = ScanLimits> {
    let some = |least: usize, most: usize| prop_oneof![Just(usize::MAX), least..most];
    let replies = (some(1, 20), some(1, 40), some(1, 40), some(50, 3000), any::<bool>());
    (replies, some(1, 30), some(50, 2000)).prop_map(
        |((batch, results, rows, bytes, partial_rows), budget, turn_bytes)| ScanLimits {
            batch,
            results,
            rows,
            bytes,
            partial_rows,
            budget,
            turn_bytes,
        },
    )
}

fn apply(region: &Region, step: &Step, beginning: &str) {
    let write = |kind, cell_type, (row, column, at): (u8, u8, u8), value: &[u8]| -> Mutation {
        let (row, qualifier) = (format!("{beginning}r{row}"), format!("c{column:02}"));
        let qualifier = if column == 0 { "" } else { &qualifier };
        Mutation {
            durability: Durability::SkipWal,
            ..mutation(kind, cell_type, (&row, "f", qualifier), NOW - 10 * i64::from(at), value)
        }
    };
    let put_rows = |rows: Vec<u8>, columns: u8, at| {
        let puts: Vec<_> = rows
            .into_iter()
            .flat_map(|row| (0..columns).map(move |column| (row, column, at)))
            .map(|place| write(MutationKind::Put, CellType::Put, place, &[place.0]))
            .collect();
        run(region.batch(puts)).into_iter().for_each(|put| put.unwrap());
    };
    match *step {
        Step::Put(row, from, count, at) => {
            let puts: Vec<_> = (from..from + count)
                .map(|column| write(MutationKind::Put, CellType::Put, (row, column, at), &[column]))
                .collect();
            run(region.batch(puts)).into_iter().for_each(|put| put.unwrap());
        }
        Step::PutRows(from, count, columns, at) => put_rows((from..from + count).collect(), columns, at),
        Step::PutScattered(from, every, columns, at) => {
            put_rows((from..200).step_by(every.into()).collect(), columns, at);
        }
        Step::Delete(kind, row, column, at) => {
            let kinds = [
                CellType::Delete,
                CellType::DeleteColumn,
                CellType::DeleteFamily,
                CellType::DeleteFamilyVersion,
            ];
            let cell_type = kinds[usize::from(kind)];
            let column = if kind < 2 { column } else { 0 };
            let delete = write(MutationKind::Delete, cell_type, (row, column, at), b"");
            run(region.batch(vec![delete])).swap_remove(0).unwrap();
        }
        Step::Flush => drop(region.flush(None).unwrap()),
        Step::Compact(major) => drop(region.compact(b"f", major).unwrap()),
    }
}

/// All replies of a scan; `between` comes between two of them.
fn replies(
    region: &Region,
    described: &Scan,
    limits: &ScanLimits,
    filter: Option<Box<dyn Filter>>,
    between: impl Fn(),
) -> Vec<(Vec<ResultRow>, ScanStop)> {
    let mut scanner = region.scanner(described, filter).unwrap();
    let mut replies = Vec::new();
    loop {
        let mut out = ScanOutput::default();
        // Where a turn ends depends on the blocks that were in memory.
        let stop = loop {
            match next(&mut scanner, &mut out, limits).unwrap() {
                ScanStop::Budget => {}
                stop => break stop,
            }
        };
        replies.push((results_of(&out), stop));
        if stop == ScanStop::Exhausted {
            return replies;
        }
        assert!(replies.len() < 10_000, "no end");
        between();
    }
}

/// A region whose files have, each, cells of the family f: kind, row, qualifier, how much older than now, in ms.
fn region_of_files(files: &[&[(CellType, &str, &str, i64)]]) -> (World, Arc<Region>) {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("f", 1)]);
    world.host.now_ms.store(NOW, Ordering::SeqCst);
    let region = world.start().unwrap();
    for file in files {
        for &(cell_type, row, qualifier, age) in *file {
            let kind = if cell_type == CellType::Put { MutationKind::Put } else { MutationKind::Delete };
            let write = mutation(kind, cell_type, (row, "f", qualifier), NOW - age, b"v");
            run(region.batch(vec![write])).swap_remove(0).unwrap();
        }
        region.flush(None).unwrap();
    }
    (world, region)
}

#[test]
fn a_marker_of_the_family_is_not_taken_for_an_older_version() {
    for marker in [CellType::DeleteFamily, CellType::DeleteFamilyVersion] {
        let (_world, region) = region_of_files(&[
            &[(CellType::Put, "r", "c", 30)],
            &[
                (marker, "r", "", if marker == CellType::DeleteFamily { 20 } else { 30 }),
                (CellType::Put, "z", "", 30),
            ],
            &[(CellType::Put, "a", "", 0), (CellType::Put, "r", "", 0)],
        ]);
        let found = replies(&region, &Scan::default(), &ScanLimits::NONE, None, || ());
        let cells: Vec<usize> = found[0].0.iter().map(|row| row.cells.len()).collect();
        assert_eq!(cells, [1, 1, 1], "{marker:?}: {found:?}");
    }
}

#[test]
fn a_reply_that_ends_with_a_row_of_older_versions_is_flagged_as_ever() {
    let rows = ["a", "b", "c", "d", "e", "f"];
    let of_age = |age| rows.map(|row| (CellType::Put, row, "q", age));
    let (_world, region) = region_of_files(&[&of_age(10), &of_age(0)]);
    for bytes in 1..400 {
        let limits = ScanLimits { bytes, partial_rows: true, ..ScanLimits::NONE };
        let expected = replies(&region, &Scan::default(), &limits, Some(Box::new(Everything)), || ());
        let found = replies(&region, &Scan::default(), &limits, None, || ());
        assert_eq!(found, expected, "{bytes} bytes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn a_filter_that_lets_everything_pass_changes_nothing(
        steps in prop::collection::vec(step(), 1..25),
        limits in limits(),
        (versions, max_versions, min_versions) in (1..3u32, 1..3u32, 0..2u32),
        (oldest, newest, ttl) in (0..4u8, 0..4u8, prop::option::of(0..4u8)),
        reversed: bool,
        (store_limit, store_offset) in (prop::option::weighted(0.2, 1..20u32), prop_oneof![4 => Just(0u32), 1 => 0..10u32]),
        encoding in prop::sample::select(vec!["NONE", "FAST_DIFF", "DIFF"]),
    ) {
        let mut described = family("f", versions)
            .with("BLOCKSIZE", "300")
            .with("DATA_BLOCK_ENCODING", encoding)
            .with("MIN_VERSIONS", &min_versions.to_string());
        if ttl.is_some() {
            described = described.with("TTL", "1");
        }
        let mut world = World::new(Arc::new(MemFileSystem::new()), vec![described]);
        world.host.now_ms.store(NOW, Ordering::SeqCst);
        let region = world.start().unwrap();
        steps.iter().for_each(|step| apply(&region, step, ""));
        // Of those times that are older than a second some have expired.
        world.host.now_ms.store(NOW + 1005 - 10 * i64::from(ttl.unwrap_or(0)), Ordering::SeqCst);
        let time_range = match (NOW - 10 * i64::from(oldest), NOW + 1 - 10 * i64::from(newest)) {
            (min, max) if min < max => TimeRange { min, max },
            _ => TimeRange::ALL,
        };
        let scan = Scan { max_versions, time_range, reversed, store_limit, store_offset, ..Scan::default() };
        let expected = replies(&region, &scan, &limits, Some(Box::new(Everything)), || ());
        prop_assert_eq!(replies(&region, &scan, &limits, None, || ()), expected);
    }

    #[test]
    fn nor_does_it_with_many_rows_whose_files_change_meanwhile(
        steps in prop::collection::vec(step_of_many_rows(), 1..15),
        limits in limits(),
        versions in 1..3u32,
        ((start, include_start), (stop, include_stop)) in (edge(), edge()),
        block_size in prop::sample::select(vec!["100", "1500", "20000"]),
        beginning in prop::sample::select(&BEGINNINGS[..]),
        is_flushed: bool,
    ) {
        let edge = |row: Option<u8>| row.map_or_else(Bytes::new, |row| format!("{beginning}r{row}").into());
        let described = family("f", versions).with("BLOCKSIZE", block_size);
        let mut world = World::new(Arc::new(MemFileSystem::new()), vec![described]);
        world.host.now_ms.store(NOW, Ordering::SeqCst);
        let region = world.start().unwrap();
        steps.iter().for_each(|step| apply(&region, step, beginning));
        let scan = Scan {
            start_row: edge(start), include_start_row: include_start, stop_row: edge(stop), include_stop_row: include_stop,
            max_versions: versions, ..Scan::default()
        };
        let expected = replies(&region, &scan, &limits, Some(Box::new(Everything)), || ());
        let change_files = || if is_flushed {
            apply(&region, &Step::Flush, beginning);
            apply(&region, &Step::Compact(true), beginning);
        };
        prop_assert_eq!(replies(&region, &scan, &limits, None, change_files), expected);
    }
}
