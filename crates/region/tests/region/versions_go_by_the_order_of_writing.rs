//! NEW_VERSION_BEHAVIOR in one row: whatever is flushed and compacted in between, what can be seen is what is left when
//! one write after the other is carried out, and what has expired by now has gone. KEEP_DELETED_CELLS makes no difference to that.

use crate::new_version_model::standing;
use crate::world::{Plain, World, family, mutation, run, scan};
use finback_cell::{CellType, FamilySelection, MutationKind, Scan};
use finback_fs::MemFileSystem;
use finback_region::Region;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Families with the versions they keep, and the markers that they get: see the note in `random_operations`. HBase does
/// not count right who stood above whom when there are several puts at one place: only the last, which has no surplus
/// versions, gets them.
const FAMILIES: [(&str, u32, [CellType; 3]); 3] = [
    ("c", 1, [CellType::Delete, CellType::DeleteColumn, CellType::DeleteFamily]),
    ("d", 2, [CellType::Delete, CellType::DeleteColumn, CellType::DeleteFamilyVersion]),
    ("e", 1000, [CellType::Delete, CellType::DeleteColumn, CellType::DeleteFamily]),
];

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Which kind of cell (0 to 2 are markers), of which qualifier, at what time in seconds.
    Write(usize, &'static str, i64),
    /// So many halves of a second.
    Wait(i64),
    Flush,
    /// All files, or some.
    Compact(bool),
    /// A reader that stays, over what comes.
    Open,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (0usize..8, select(vec!["", "q"]), 1i64..6).prop_map(|(kind, column, at)| Step::Write(kind, column, at)),
        1 => (1i64..5).prop_map(Step::Wait),
        1 => Just(Step::Flush),
        1 => any::<bool>().prop_map(Step::Compact),
        1 => Just(Step::Open),
    ]
}

/// Reads of all columns, of one that is named, and of the newest versions.
fn assert_reads(region: &Region, family: &'static str, expected: &[Plain], read_point: Option<u64>) {
    let read = |qualifiers: Option<Vec<&'static [u8]>>, max_versions| {
        let qualifiers = qualifiers.map(|all| all.into_iter().map(Into::into).collect());
        let families = vec![FamilySelection { family: family.into(), qualifiers }];
        scan(region, &Scan { families, max_versions, read_point, ..Scan::default() }, None).unwrap()
    };
    assert_eq!(read(None, u32::MAX), expected, "family {family}");
    for qualifier in ["", "q"] {
        let of_column = || expected.iter().filter(|cell| cell.qualifier == qualifier.as_bytes());
        let named = || Some(vec![qualifier.as_bytes(), b"z"]);
        assert_eq!(read(named(), u32::MAX), of_column().cloned().collect::<Vec<_>>());
        assert_eq!(read(named(), 1), of_column().take(1).cloned().collect::<Vec<_>>());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_flushed_and_compacted(
        (name, versions, markers) in select(&FAMILIES[..]),
        keep_deleted in select(vec!["FALSE", "TRUE", "TTL"]),
        ttl_seconds in prop::option::weighted(0.4, 2i64..8),
        steps in prop::collection::vec(step(), 1..30),
    ) {
        let mut described =
            family(name, versions).with("NEW_VERSION_BEHAVIOR", "true").with("KEEP_DELETED_CELLS", keep_deleted);
        if let Some(seconds) = ttl_seconds {
            described = described.with("TTL", &seconds.to_string());
        }
        let mut world = World::new(Arc::new(MemFileSystem::new()), vec![described]);
        let region = world.start().unwrap();
        let begin = world.host.now_ms.load(Ordering::SeqCst);
        let mut written: Vec<Plain> = Vec::new();
        let mut opened = None;
        let expected = |written: &[Plain]| {
            let oldest = ttl_seconds.map_or(i64::MIN, |ttl| world.host.now_ms.load(Ordering::SeqCst) - 1000 * ttl);
            let mut left = standing(written.iter().enumerate().collect(), versions as usize);
            left.retain(|cell| cell.timestamp >= oldest);
            left
        };
        for step in steps {
            match step {
                Step::Write(kind, qualifier, at) => {
                    let at = begin + 1000 * (at - 5);
                    let cell_type = markers.get(kind).copied().unwrap_or(CellType::Put);
                    let of_family = matches!(cell_type, CellType::DeleteFamily | CellType::DeleteFamilyVersion);
                    let qualifier = if of_family { "" } else { qualifier };
                    let same = |cell: &&Plain| (&cell.qualifier[..], cell.timestamp) == (qualifier.as_bytes(), at);
                    let puts = written.iter().filter(same).filter(|cell| cell.type_code == CellType::Put.code());
                    if cell_type == CellType::Put && puts.count() > 0 && versions < 1000 {
                        continue;
                    }
                    let is_put = cell_type == CellType::Put;
                    let kind = if is_put { MutationKind::Put } else { MutationKind::Delete };
                    let value = if is_put { vec![b'v', written.len() as u8] } else { Vec::new() };
                    let mutation = mutation(kind, cell_type, ("r", name, qualifier), at, &value);
                    written.extend(mutation.cells.iter().map(|cell| Plain::from(&cell)));
                    run(region.batch(vec![mutation])).into_iter().for_each(|result| result.unwrap());
                }
                Step::Wait(halves) => drop(world.host.now_ms.fetch_add(500 * halves, Ordering::SeqCst)),
                Step::Flush => drop(region.flush(None).unwrap()),
                Step::Compact(all) => drop(region.compact(name.as_bytes(), all).unwrap()),
                Step::Open => {
                    let scanner = region.scanner(&Scan::default(), None).unwrap();
                    opened = Some((scanner, written.len()));
                }
            }
            assert_reads(&region, name, &expected(&written), None);
            if let Some((scanner, count)) = &opened {
                let read_point = Some(scanner.read_point());
                assert_reads(&region, name, &expected(&written[..*count]), read_point);
            }
        }
    }
}
