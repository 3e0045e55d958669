//! A read of one column of one row does not look into files whose cells are all older than what it found, and answers as
//! if it had.

use crate::world::{Plain, TestCache, World, family, mutation, put, rest, run, scan};
use finback_cell::{Bytes, CellType, FamilySelection, MutationKind, Scan, TimeRange};
use finback_fs::MemFileSystem;
use finback_region::Region;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::Arc;

/// A read of the row, or of one column of it.
fn get(row: &str, column: Option<&str>) -> Scan {
    let row = Bytes::copy_from_slice(row.as_bytes());
    let qualifiers = column.map(|column| vec![Bytes::copy_from_slice(column.as_bytes())]);
    Scan {
        start_row: row.clone(),
        stop_row: row,
        include_stop_row: true,
        families: vec![FamilySelection { family: "a".into(), qualifiers }],
        ..Scan::default()
    }
}

fn world(versions: u32) -> (World, Arc<Region>) {
    let described = family("a", versions).with("BLOCKSIZE", "64").with("BLOOMFILTER", "NONE");
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![described]);
    let region = world.start().unwrap();
    (world, region)
}

#[test]
fn only_the_newest_file_is_read() {
    let (mut world, region) = world(1);
    for value in [b"1", b"2", b"3"] {
        world.host.now_ms.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        run(region.batch(vec![put(("r", "a", "q"), value)])).swap_remove(0).unwrap();
        region.flush(None).unwrap();
    }
    region.close().unwrap();
    world.cache = TestCache::new(false);
    let region = world.start().unwrap();
    let found = scan(&region, &get("r", Some("q")), None).unwrap();
    assert_eq!((found.len(), &found[0].value[..]), (1, &b"3"[..]));
    assert_eq!(world.cache.len(), 1, "blocks read");
    assert_eq!(scan(&region, &get("r", None), None).unwrap(), found);
    assert_eq!(world.cache.len(), 3, "blocks read");
}

#[derive(Clone, Debug)]
enum Step {
    Write(CellType, &'static str, i64),
    Flush,
}

fn step() -> impl Strategy<Value = Step> {
    let types = [
        CellType::Put,
        CellType::Put,
        CellType::Put,
        CellType::Delete,
        CellType::DeleteColumn,
        CellType::DeleteFamily,
        CellType::DeleteFamilyVersion,
    ];
    let write = (select(types.to_vec()), select(vec!["", "p", "q", "s"]), 1i64..12)
        .prop_map(|(cell_type, qualifier, timestamp)| Step::Write(cell_type, qualifier, timestamp));
    prop_oneof![3 => write, 1 => Just(Step::Flush)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn it_answers_as_a_read_of_the_whole_row_does(
        steps in prop::collection::vec(step(), 1..24),
        kept in 1u32..4,
        wanted in 1u32..4,
        times in (0i64..12, 1i64..14),
        forgets: bool,
    ) {
        let (mut world, region) = world(kept);
        for step in &steps {
            match step {
                Step::Flush => drop(region.flush(None).unwrap()),
                Step::Write(cell_type, qualifier, timestamp) => {
                    let of_family = [CellType::DeleteFamily, CellType::DeleteFamilyVersion].contains(cell_type);
                    let column = ("r", "a", if of_family { "" } else { *qualifier });
                    let is_put = *cell_type == CellType::Put;
                    let kind = if is_put { MutationKind::Put } else { MutationKind::Delete };
                    let written = mutation(kind, *cell_type, column, *timestamp, b"v");
                    run(region.batch(vec![written])).swap_remove(0).unwrap();
                }
            }
        }
        region.close().unwrap();
        world.cache = TestCache::new(forgets);
        let region = world.start().unwrap();
        let time_range = TimeRange { min: times.0, max: times.0 + times.1 };
        for time_range in [TimeRange::ALL, time_range] {
            let described = |column| Scan { max_versions: wanted, time_range, ..get("r", column) };
            let row = scan(&region, &described(None), None).unwrap();
            for column in ["", "p", "q", "s"] {
                let mut scanner = region.scanner(&described(Some(column)), None).unwrap();
                let of_row: Vec<Plain> =
                    row.iter().filter(|cell| cell.qualifier == column.as_bytes()).cloned().collect();
                prop_assert_eq!(rest(&mut scanner).unwrap(), of_row, "column {:?}", column);
            }
        }
    }
}
