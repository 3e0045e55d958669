//! Random cells in both orders and both forms, against a `BTreeMap`.

use finback_cell::cell::CellParts;
use finback_cell::key::Key;
use finback_cell::{Cell, CellOrder, CellType};
use finback_memstore::{InMemoryCompaction, MemStore, PipelineOptions, Segment, SegmentScanner};
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A row as parts that compare one after the other.
type RowParts = Vec<Vec<u8>>;
type Coordinates = (RowParts, Vec<u8>, Reverse<i64>, Reverse<u8>);
type Model = BTreeMap<(Coordinates, Reverse<u64>), Vec<u8>>;

#[derive(Clone, Debug)]
struct Point {
    row: Vec<u8>,
    qualifier: Vec<u8>,
    timestamp: i64,
    type_code: u8,
}

#[derive(Clone, Debug)]
struct Write {
    point: Point,
    sequence_id: u64,
    value: Vec<u8>,
    tags: Vec<u8>,
}

impl Point {
    fn key(&self) -> Key<'_> {
        Key {
            row: &self.row,
            family: b"f",
            qualifier: &self.qualifier,
            timestamp: self.timestamp,
            type_code: self.type_code,
        }
    }

    fn coordinates(&self, order: CellOrder) -> Coordinates {
        (
            row_parts(order, &self.row),
            self.qualifier.clone(),
            Reverse(self.timestamp),
            Reverse(self.type_code),
        )
    }
}

impl Write {
    fn key_value(&self) -> Vec<u8> {
        let Point { row, qualifier, timestamp, type_code } = &self.point;
        let (value, tags) = (&self.value[..], &self.tags[..]);
        CellParts { row, family: b"f", qualifier, timestamp: *timestamp, type_code: *type_code, value, tags }
            .to_vec()
    }
}

/// Rows of `hbase:meta` compare by table (up to the first comma), start key, and what follows the last comma.
fn row_parts(order: CellOrder, row: &[u8]) -> RowParts {
    let first = row.iter().position(|&byte| byte == b',');
    let Some(first) = first.filter(|_| order == CellOrder::Meta) else { return vec![row.to_vec()] };
    let rest = &row[first + 1..];
    let id = rest.iter().rposition(|&byte| byte == b',').unwrap_or(rest.len());
    vec![row[..first].to_vec(), rest[..id].to_vec(), rest[id..].to_vec()]
}

fn any_row() -> impl Strategy<Value = Vec<u8>> {
    // Bytes around the comma, and lengths around the eight bytes that are compared first.
    let byte = prop::sample::select(b"\x00!,a\xff".to_vec());
    (prop::sample::select(vec![&b""[..], b"aaaaaaa", b"aaaaaaaa", b"t,"]), prop::collection::vec(byte, 0..4))
        .prop_map(|(prefix, rest)| [prefix, &rest].concat())
}

fn any_point() -> impl Strategy<Value = Point> {
    let type_code = prop::sample::select(vec![4_u8, 8, 12, 14]);
    (any_row(), prop::collection::vec(0_u8..2, 0..3), 0_i64..3, type_code)
        .prop_map(|(row, qualifier, timestamp, type_code)| Point { row, qualifier, timestamp, type_code })
}

fn any_write() -> impl Strategy<Value = Write> {
    (
        any_point(),
        0_u64..4,
        prop::collection::vec(any::<u8>(), 0..40),
        prop::collection::vec(any::<u8>(), 0..3),
    )
        .prop_map(|(point, sequence_id, value, tags)| Write { point, sequence_id, value, tags })
}

/// What a scanner shows, in owned form.
fn shown(scanner: &SegmentScanner) -> Option<(Vec<u8>, u64)> {
    scanner.peek().map(|(cell, sequence_id)| (cell.bytes().to_vec(), sequence_id))
}

fn from_model(order: CellOrder, model: &Model, from: &Point) -> Vec<(Vec<u8>, u64)> {
    let from = (from.coordinates(order), Reverse(u64::MAX));
    model.range(from..).map(|((_, Reverse(sequence_id)), bytes)| (bytes.clone(), *sequence_id)).collect()
}

fn check(order: CellOrder, segment: &Segment, model: &Model, targets: &[Point]) {
    let first = Point { row: Vec::new(), qualifier: Vec::new(), timestamp: i64::MAX, type_code: u8::MAX };
    let mut scanner = segment.scanner();
    for expected in from_model(order, model, &first) {
        assert_eq!(shown(&scanner), Some(expected));
        scanner.next();
    }
    assert_eq!(shown(&scanner), None);

    for target in targets {
        let expected = from_model(order, model, target);
        scanner.seek(&target.key());
        assert_eq!(shown(&scanner).as_ref(), expected.first());
        scanner.next();
        assert_eq!(shown(&scanner).as_ref(), expected.get(1));
        check_previous_row(order, &scanner, model, Some(&target.row));
    }
    check_previous_row(order, &scanner, model, None);

    let mut ascending = targets.to_vec();
    ascending.sort_by_key(|target| target.coordinates(order));
    scanner.rewind();
    for target in &ascending {
        scanner.reseek(&target.key());
        assert_eq!(shown(&scanner).as_ref(), from_model(order, model, target).first());
    }
    check_statistics(segment, model);
}

fn check_previous_row(order: CellOrder, scanner: &SegmentScanner, model: &Model, row: Option<&[u8]>) {
    let before = |parts: &RowParts| row.is_none_or(|row| *parts < row_parts(order, row));
    let expected = model.iter().rfind(|(((parts, ..), _), _)| before(parts));
    let expected = expected.map(|(_, bytes)| Cell::parse(bytes).unwrap().row().to_vec());
    assert_eq!(scanner.previous_row(row).map(<[u8]>::to_vec), expected);
}

fn check_statistics(segment: &Segment, model: &Model) {
    assert_eq!(segment.len(), model.len());
    assert_eq!(segment.is_empty(), model.is_empty());
    assert_eq!(segment.data_bytes(), model.values().map(Vec::len).sum::<usize>());
    let cells = || model.values().map(|bytes| Cell::parse(bytes).unwrap());
    assert_eq!(segment.delete_markers(), cells().filter(Cell::is_delete).count());
    let hides_all_older = |cell: &Cell<'_>| {
        [CellType::DeleteColumn.code(), CellType::DeleteFamily.code()].contains(&cell.type_code())
    };
    let beginning = || cells().any(|cell| hides_all_older(&cell)).then_some(0);
    let timestamps = || cells().map(|cell| cell.timestamp()).chain(beginning());
    assert_eq!(segment.timestamps(), timestamps().min().zip(timestamps().max()));
    let sequence_ids = || model.keys().map(|(_, Reverse(sequence_id))| *sequence_id);
    assert_eq!(segment.lowest_sequence_id(), sequence_ids().min());
    assert_eq!(segment.highest_sequence_id(), sequence_ids().max());
    assert!(segment.has_tags() || cells().all(|cell| cell.tags().is_empty()));
}

/// Puts all segments but the active one together, in their flat form.
fn merge(store: &MemStore) {
    let options =
        PipelineOptions { policy: InMemoryCompaction::Basic, segments_limit: 1, adaptive_threshold: 1.0 };
    store.compact_in_memory(&options, || |_: &Cell<'_>, _| true);
}

fn active(store: &MemStore) -> Arc<Segment> {
    store.segments()[0].clone()
}

proptest! {
    #[test]
    fn whatever_is_inserted(
        is_meta in any::<bool>(),
        writes in prop::collection::vec(any_write(), 0..120),
        targets in prop::collection::vec(any_point(), 1..40),
    ) {
        let order = if is_meta { CellOrder::Meta } else { CellOrder::User };
        let store = MemStore::new(order);
        let mut model = Model::new();
        for (at, write) in writes.iter().enumerate() {
            let bytes = write.key_value();
            store.insert(&Cell::parse(&bytes).unwrap(), write.sequence_id);
            model.insert((write.point.coordinates(order), Reverse(write.sequence_id)), bytes);
            if at == writes.len() / 2 {
                check(order, &active(&store), &model, &targets);
            }
        }
        check(order, &active(&store), &model, &targets);
        prop_assert_eq!(store.push_active(0), !writes.is_empty());
        merge(&store);
        if !writes.is_empty() {
            check(order, &store.segments()[1], &model, &targets);
        }
    }

    #[test]
    fn whatever_is_merged(
        is_meta in any::<bool>(),
        parts in prop::collection::vec(prop::collection::vec(any_write(), 1..40), 1..6),
        targets in prop::collection::vec(any_point(), 1..40),
        at_once in any::<bool>(),
    ) {
        let order = if is_meta { CellOrder::Meta } else { CellOrder::User };
        let store = MemStore::new(order);
        let mut model = Model::new();
        for (number, writes) in parts.iter().enumerate() {
            for write in writes {
                let sequence_id = 10 * number as u64 + write.sequence_id;
                let bytes = write.key_value();
                store.insert(&Cell::parse(&bytes).unwrap(), sequence_id);
                model.insert((write.point.coordinates(order), Reverse(sequence_id)), bytes);
            }
            prop_assert!(store.push_active(0));
            if !at_once {
                merge(&store);
            }
        }
        merge(&store);
        let segments = store.segments();
        prop_assert_eq!(segments.len(), 2);
        check(order, &segments[1], &model, &targets);
    }
}
