//! Operations and reads by chance, for [`crate::a_region_agrees_with_a_simple_model`].

use crate::column_test::{ColumnTest, Kind};
use crate::model::Read;
use finback_cell::CellType;
use finback_region::ScanLimits;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::ops::Bound;

const ROWS: [&str; 6] = ["a", "ab", "b", "b\0", "c", "d"];
pub(crate) const FAMILIES: [&str; 4] = ["a", "b", "c", "d"];
const QUALIFIERS: [&str; 4] = ["", "n", "q", "qq"];

/// A cell: a put, or a marker that the family may have.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) family: &'static str,
    pub(crate) qualifier: &'static str,
    pub(crate) cell_type: CellType,
    /// `None` is "now", or for a Delete the newest version.
    pub(crate) timestamp: Option<i64>,
    pub(crate) value: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// Rows with puts and deletes.
    Batch(Vec<(&'static str, Vec<Write>)>, bool),
    Increment(&'static str, i64),
    Append(&'static str, Vec<u8>),
    /// If the newest value of b:q of the row equals the value, the row gets the writes.
    CheckAndMutate(&'static str, Vec<u8>, Vec<Write>),
    Flush(Option<&'static str>),
    /// Of a family: all its files, or those that the policy chooses.
    Compact(&'static str, bool),
    OpenScanner(Query),
    ReadScanner,
    Query(Query),
    /// By another descriptor, if the table has MOB files.
    Reopen(MobThresholds),
    Crash,
}

/// Of each family, above how many bytes values go into MOB files, if they do.
pub(crate) type MobThresholds = [Option<u64>; FAMILIES.len()];

pub(crate) const NO_MOB_FILES: MobThresholds = [None; FAMILIES.len()];

pub(crate) fn mob_thresholds() -> impl Strategy<Value = MobThresholds> {
    // Values have up to three bytes, and numbers eight.
    prop::array::uniform4(prop::option::weighted(0.6, 0u64..4))
}

/// A read, and in which pieces it is read.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) read: Read,
    pub(crate) pieces: Vec<ScanLimits>,
    pub(crate) suspends_partial: bool,
}

fn write() -> impl Strategy<Value = Write> {
    let put = (select(&FAMILIES[..]), Just(CellType::Put));
    // Under NEW_VERSION_BEHAVIOR (c and d) a version that was deleted for the whole family still counts when the family
    // is deleted later.
    let marker = prop_oneof![
        (select(vec!["a", "b", "c"]), select(vec![CellType::DeleteColumn, CellType::DeleteFamily])),
        (select(vec!["b", "d"]), select(vec![CellType::Delete, CellType::DeleteFamilyVersion])),
        (Just("c"), Just(CellType::Delete)),
        (Just("d"), Just(CellType::DeleteColumn)),
    ];
    let kind = prop_oneof![3 => put, 1 => marker];
    let value = prop::collection::vec(select(b"xyz".to_vec()), 0..4);
    (kind, select(&QUALIFIERS[..]), prop::option::weighted(0.7, 1i64..8), value).prop_map(
        |((family, cell_type), qualifier, timestamp, value)| {
            let of_family = matches!(cell_type, CellType::DeleteFamily | CellType::DeleteFamilyVersion);
            Write { family, qualifier: if of_family { "" } else { qualifier }, cell_type, timestamp, value }
        },
    )
}

fn limits() -> impl Strategy<Value = ScanLimits> {
    let small = |most: usize| prop_oneof![2 => Just(usize::MAX), 1 => 1..most];
    (small(4), small(4), small(3), small(150), any::<bool>(), prop_oneof![Just(usize::MAX), 1usize..6])
        .prop_map(|(results, rows, batch, bytes, partial_rows, budget)| ScanLimits {
            results,
            rows,
            batch,
            bytes,
            partial_rows,
            budget,
            turn_bytes: if budget % 2 == 1 { bytes / 2 } else { usize::MAX },
        })
}

fn bound() -> impl Strategy<Value = Bound<Vec<u8>>> {
    let row = || select(vec!["a", "aa", "ab", "b", "b\0", "b\0\0", "c", "d", "e"]).prop_map(Vec::from);
    prop_oneof![
        2 => Just(Bound::Unbounded),
        2 => row().prop_map(Bound::Included),
        1 => row().prop_map(Bound::Excluded)
    ]
}

fn column_test() -> impl Strategy<Value = ColumnTest> {
    let kind = select(vec![Kind::Single, Kind::Exclude, Kind::Cells, Kind::Needed]);
    (select(&FAMILIES[..]), select(&QUALIFIERS[..]), select(b"xyz".to_vec()), kind).prop_map(
        |(family, qualifier, byte, kind)| ColumnTest {
            family: family.into(),
            qualifier: qualifier.into(),
            byte,
            kind,
        },
    )
}

pub(crate) fn query() -> impl Strategy<Value = Query> {
    let qualifiers = || {
        prop::option::weighted(0.4, subsequence(&["", "m", "n", "q", "qq", "z"][..], 1..5).prop_map(owned))
    };
    let families = prop_oneof![
        Just(vec![(b"a".to_vec(), None), (b"b".to_vec(), None)]),
        qualifiers().prop_map(|qualifiers| vec![(b"b".to_vec(), qualifiers)]),
        (qualifiers(), qualifiers()).prop_map(|(a, b)| vec![(b"a".to_vec(), a), (b"b".to_vec(), b)]),
        (qualifiers(), qualifiers()).prop_map(|(c, d)| vec![(b"c".to_vec(), c), (b"d".to_vec(), d)]),
        (qualifiers(), qualifiers()).prop_map(|(a, c)| vec![(b"a".to_vec(), a), (b"c".to_vec(), c)]),
    ];
    let some_times = || (0i64..5, 1i64..6).prop_map(|(min, size)| (min, min + size));
    let times = prop_oneof![2 => Just((0, i64::MAX)), 1 => some_times()];
    // Of the family that keeps all its versions.
    let own_times =
        prop::option::weighted(0.2, some_times()).prop_map(|times| times.map(|times| (b"b".to_vec(), times)));
    let filter = (
        prop::option::weighted(0.2, select(b"xyz".to_vec())),
        prop::bool::weighted(0.1),
        prop::option::weighted(0.3, column_test()),
    );
    let page = prop::option::weighted(0.1, 1usize..4);
    let on_demand = select(vec![None, None, Some(true), Some(false)]);
    let versions = prop_oneof![Just(1usize), Just(2), Just(usize::MAX)];
    let store = (select(vec![0usize, 0, 0, 1, 2]), prop::option::weighted(0.2, 1usize..4));
    let pieces = prop::collection::vec(limits(), 1..4);
    let shape = (families, (times, own_times), versions, store, bound(), bound(), any::<bool>());
    (shape, filter, page, pieces, any::<bool>(), on_demand).prop_map(
        |(shape, (without_value, even_rows, column), page, pieces, suspends_partial, on_demand)| {
            let (mut families, (times, own_times), versions, store, from, to, reversed) = shape;
            let (store_offset, store_limit) = store;
            if times.1 != i64::MAX {
                families = vec![(b"b".to_vec(), families.pop().and_then(|(_, qualifiers)| qualifiers))];
            }
            // One filter at a time.
            let without_value = without_value.filter(|_| !even_rows);
            let column = column.filter(|_| !even_rows && without_value.is_none());
            let page = page.filter(|_| !even_rows && without_value.is_none() && column.is_none());
            let read = Read {
                families,
                times,
                own_times,
                versions,
                store_offset,
                store_limit,
                from,
                to,
                reversed,
                without_value,
                even_rows,
                page,
                column,
                on_demand,
            };
            Query { read, pieces, suspends_partial }
        },
    )
}

fn owned(names: Vec<&str>) -> Vec<Vec<u8>> {
    names.into_iter().map(|name| name.as_bytes().to_vec()).collect()
}

pub(crate) fn operation() -> impl Strategy<Value = Operation> {
    let row = || select(&ROWS[..]);
    let writes = || prop::collection::vec(write(), 1..4);
    prop_oneof![
        8 => (prop::collection::vec((row(), writes()), 1..4), prop::bool::weighted(0.3))
            .prop_map(|(rows, atomic)| Operation::Batch(rows, atomic)),
        2 => (row(), -3i64..9).prop_map(|(row, delta)| Operation::Increment(row, delta)),
        1 => (row(), prop::collection::vec(select(b"xyz".to_vec()), 0..3))
            .prop_map(|(row, value)| Operation::Append(row, value)),
        1 => (row(), prop::collection::vec(select(b"xyz".to_vec()), 0..2), writes())
            .prop_map(|(row, value, writes)| Operation::CheckAndMutate(row, value, writes)),
        3 => prop::option::weighted(0.7, select(&FAMILIES[..])).prop_map(Operation::Flush),
        2 => (select(&FAMILIES[..]), any::<bool>()).prop_map(|(family, major)| Operation::Compact(family, major)),
        3 => query().prop_map(Operation::OpenScanner),
        2 => Just(Operation::ReadScanner),
        5 => query().prop_map(Operation::Query),
        1 => mob_thresholds().prop_map(Operation::Reopen),
        1 => Just(Operation::Crash),
    ]
}
