use super::MemStore;
use crate::in_memory_compaction::{InMemoryCompaction, PipelineOptions};
use crate::segment::Segment;
use finback_cell::cell::CellParts;
use finback_cell::{Cell, CellOrder};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

const BASIC: PipelineOptions =
    PipelineOptions { policy: InMemoryCompaction::Basic, segments_limit: 2, adaptive_threshold: 0.5 };

/// Both halves of an in-memory flush, without leaving anything out. Whether there was anything to do.
fn flush_in_memory(store: &MemStore) -> bool {
    let pushed = store.push_active(0);
    store.compact_in_memory(&BASIC, || |_: &Cell<'_>, _| true);
    pushed
}

fn insert(store: &MemStore, row: &[u8], sequence_id: u64) -> usize {
    let parts =
        CellParts { row, family: b"f", qualifier: b"q", timestamp: 1, type_code: 4, value: row, tags: &[] };
    store.insert(&Cell::from_checked(&parts.to_vec()), sequence_id).heap_bytes
}

/// Rows and sequence ids of all segments, sorted.
fn contents(segments: &[Arc<Segment>]) -> Vec<(Vec<u8>, u64)> {
    let mut all = Vec::new();
    for segment in segments {
        let mut scanner = segment.scanner();
        while let Some((cell, sequence_id)) = scanner.peek() {
            all.push((cell.row().to_vec(), sequence_id));
            scanner.next();
        }
    }
    all.sort();
    all
}

fn rows(rows: &[(&[u8], u64)]) -> Vec<(Vec<u8>, u64)> {
    rows.iter().map(|(row, sequence_id)| (row.to_vec(), *sequence_id)).collect()
}

#[test]
fn an_idle_memstore_takes_about_a_kib() {
    let store = MemStore::new(CellOrder::User);
    let list_of_segments = size_of::<Arc<Segment>>() + 2 * size_of::<usize>();
    assert!(size_of::<MemStore>() + list_of_segments + store.size().heap_bytes < 1100);
    assert!(store.is_empty());
    assert_eq!(store.lowest_sequence_id(), None);
}

#[test]
fn a_flush_keeps_cells_readable_until_its_snapshot_is_dropped() {
    let store = MemStore::new(CellOrder::User);
    insert(&store, b"a", 5);
    insert(&store, b"b", 4);
    let snapshot = store.snapshot();
    insert(&store, b"a", 6);
    assert_eq!(contents(snapshot.segments()), rows(&[(b"a", 5), (b"b", 4)]));
    assert_eq!(contents(&store.segments()), rows(&[(b"a", 5), (b"a", 6), (b"b", 4)]));
    assert_eq!((snapshot.lowest_sequence_id(), snapshot.highest_sequence_id()), (Some(4), Some(5)));
    assert_eq!(store.lowest_sequence_id(), Some(4));
    assert_eq!(store.lowest_snapshot_sequence_id(), Some(4));
    assert_eq!(store.lowest_unflushed_sequence_id(), Some(6));
    assert_eq!((store.snapshot_size().cells, store.unflushed_size().cells), (2, 1));

    assert!(store.drop_snapshot(snapshot.id()));
    assert_eq!(contents(&store.segments()), rows(&[(b"a", 6)]));
    assert_eq!((store.lowest_sequence_id(), store.lowest_snapshot_sequence_id()), (Some(6), None));
    assert!(!store.drop_snapshot(snapshot.id()));
    assert_eq!(store.snapshot_size().heap_bytes, 0);
}

#[test]
fn the_snapshot_of_a_failed_flush_becomes_part_of_the_next_one() {
    let store = MemStore::new(CellOrder::User);
    insert(&store, b"a", 1);
    let failed = store.snapshot();
    insert(&store, b"b", 2);
    let next = store.snapshot();
    insert(&store, b"c", 3);
    assert_eq!(contents(next.segments()), rows(&[(b"a", 1), (b"b", 2)]));
    assert_eq!(contents(&next.segments()[..1]), rows(&[(b"b", 2)]), "newest first");
    assert!(!store.drop_snapshot(failed.id()), "taken over");
    assert_eq!(contents(&store.segments()), rows(&[(b"a", 1), (b"b", 2), (b"c", 3)]));
    assert!(store.drop_snapshot(next.id()));
    assert_eq!(contents(&store.segments()), rows(&[(b"c", 3)]));
}

#[test]
fn a_snapshot_of_nothing_is_empty_and_costs_nothing() {
    let store = MemStore::new(CellOrder::User);
    let before = store.size();
    let snapshot = store.snapshot();
    assert!(snapshot.is_empty());
    assert_eq!((snapshot.timestamps(), snapshot.lowest_sequence_id()), (None, None));
    assert_eq!(store.size(), before);
    assert!(!flush_in_memory(&store));
    assert_eq!(store.segments().len(), 1);
    assert!(store.drop_snapshot(snapshot.id()));
}

#[test]
fn an_in_memory_flush_makes_a_smaller_flat_segment_with_the_same_cells() {
    let store = MemStore::new(CellOrder::User);
    for row in 0..100_u32 {
        insert(&store, &row.to_be_bytes(), 7);
    }
    let (before, size) = (contents(&store.segments()), store.size());
    assert!(flush_in_memory(&store));
    insert(&store, b"later", 8);
    let segments = store.segments();
    assert_eq!(segments.iter().map(|segment| segment.is_flat()).collect::<Vec<_>>(), [false, true]);
    assert_eq!(contents(&segments[1..]), before);
    assert!(
        segments[1].heap_bytes() < size.heap_bytes,
        "{} of {}",
        segments[1].heap_bytes(),
        size.heap_bytes
    );
    assert_eq!(segments[1].data_bytes(), size.data_bytes);
    assert_eq!(segments[1].lowest_sequence_id(), Some(7));
    assert_eq!(store.lowest_unflushed_sequence_id(), Some(7));
    assert_eq!(store.active_size().cells, 1);

    let snapshot = store.snapshot();
    assert_eq!(snapshot.segments().len(), 2);
    assert_eq!(snapshot.size().cells, 101);
}

#[test]
fn memory_is_freed_with_the_last_scanner() {
    let store = MemStore::new(CellOrder::User);
    insert(&store, b"a", 1);
    let scanner = store.segments()[0].scanner();
    let segment = Arc::downgrade(&store.segments()[0]);
    let snapshot = store.snapshot();
    assert!(store.drop_snapshot(snapshot.id()));
    drop(snapshot);
    assert!(segment.upgrade().is_none());
    assert_eq!(scanner.peek().unwrap().0.row(), b"a", "a scanner needs only the cells");
}

#[test]
fn growth_adds_up_to_the_size() {
    let store = MemStore::new(CellOrder::User);
    let idle = store.size().heap_bytes;
    let grown: usize = (0..5000_u32).map(|row| insert(&store, &row.to_be_bytes(), 1)).sum();
    assert_eq!(store.size().heap_bytes, idle + grown);
}

#[test]
fn no_cell_is_lost_or_doubled_while_writes_snapshots_and_in_memory_flushes_race() {
    const WRITERS: u32 = 2;
    const ROWS: u32 = 5_000;
    let store = MemStore::new(CellOrder::User);
    let writing = AtomicBool::new(true);
    let flushed = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let store = &store;
                scope.spawn(move || {
                    for row in 0..ROWS {
                        insert(store, &(row * WRITERS + writer).to_be_bytes(), 1);
                    }
                })
            })
            .collect();
        let flat = scope.spawn(|| {
            while writing.load(Relaxed) {
                flush_in_memory(&store);
            }
        });
        let flusher = scope.spawn(|| {
            let mut flushed = Vec::new();
            let mut round = 0;
            while writing.load(Relaxed) {
                let snapshot = store.snapshot();
                round += 1;
                if round % 3 != 0 {
                    flushed.extend(contents(snapshot.segments()));
                    assert!(store.drop_snapshot(snapshot.id()));
                }
            }
            flushed
        });
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        writing.store(false, Relaxed);
        flat.join().unwrap();
        flusher.join().unwrap()
    });
    let mut all = flushed;
    all.extend(contents(&store.segments()));
    all.sort();
    let expected: Vec<_> = (0..WRITERS * ROWS).map(|row| (row.to_be_bytes().to_vec(), 1)).collect();
    assert_eq!(all, expected);
}
