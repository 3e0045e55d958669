use super::{InMemoryCompaction, InMemoryOutcome, PipelineOptions, where_it_pays, worth_merging};
use crate::memstore::MemStore;
use finback_cell::cell::CellParts;
use finback_cell::{Cell, CellOrder};
use std::cell::Cell as Shared;

fn options(policy: InMemoryCompaction) -> PipelineOptions {
    PipelineOptions { policy, segments_limit: 2, adaptive_threshold: 0.25 }
}

/// A cell in its serialized form.
fn cell(row: u32, value: &[u8]) -> Vec<u8> {
    let row = row.to_be_bytes();
    CellParts { row: &row, family: b"f", qualifier: b"q", timestamp: 1, type_code: 4, value, tags: &[] }
        .to_vec()
}

fn put(store: &MemStore, row: u32, sequence_id: u64, value: &[u8]) -> isize {
    store.insert(&Cell::from_checked(&cell(row, value)), sequence_id).heap_bytes as isize
}

/// Keeps the newest cell of each row.
fn newest_only() -> impl FnMut(&Cell<'_>, u64) -> bool {
    let mut last: Option<Vec<u8>> = None;
    move |cell, _| {
        let is_new = last.as_deref() != Some(cell.row());
        last = Some(cell.row().to_vec());
        is_new
    }
}

fn cells(store: &MemStore) -> usize {
    store.size().cells
}

/// Writes rows `0..rows` so often, each time followed by an in-memory flush; checks that growth adds up.
fn write_rounds(
    store: &MemStore,
    policy: InMemoryCompaction,
    rows: u32,
    rounds: u64,
) -> Vec<InMemoryOutcome> {
    let mut grown = 0;
    let mut outcomes = Vec::new();
    for round in 1..=rounds {
        grown += (0..rows).map(|row| put(store, row, round, b"value")).sum::<isize>();
        assert!(store.push_active(0));
        outcomes.push(store.compact_in_memory(&options(policy), newest_only));
    }
    grown += outcomes.iter().map(|outcome| outcome.grown_bytes).sum::<isize>();
    assert_eq!(store.snapshot().grown_bytes() as isize, grown);
    outcomes
}

#[test]
fn names_are_hbases() {
    assert_eq!(InMemoryCompaction::from_name("basic"), Some(InMemoryCompaction::Basic));
    assert_eq!(InMemoryCompaction::from_name(" ADAPTIVE "), Some(InMemoryCompaction::Adaptive));
    assert_eq!(InMemoryCompaction::from_name("LAZY"), None);
}

#[test]
fn the_newest_segments_are_merged_and_older_ones_when_these_are_half_as_large() {
    assert_eq!(worth_merging(&[1, 1], 2), None);
    assert_eq!(worth_merging(&[1, 1, 10], 2), Some(0..2));
    assert_eq!(worth_merging(&[1, 4, 10], 2), Some(0..3));
    assert_eq!(worth_merging(&[5, 5, 5, 100, 1000], 3), Some(0..3));
    assert_eq!(worth_merging(&[7, 7], 0), Some(0..2), "a limit of none is one");
}

#[test]
fn basic_leaves_nothing_out_and_never_has_more_segments_than_the_limit() {
    let store = MemStore::new(CellOrder::User);
    for round in 1..20 {
        (0..50).for_each(|row| _ = put(&store, row, round, b"v"));
        store.push_active(0);
        let outcome = store.compact_in_memory(&options(InMemoryCompaction::Basic), newest_only);
        assert!(store.pipeline_length() <= 2);
        assert_eq!((outcome.cells_dropped, outcome.flattened), (0, 1));
        assert_eq!(cells(&store), 50 * round as usize);
        assert_eq!(store.lowest_unflushed_sequence_id(), Some(1));
    }
}

#[test]
fn eager_leaves_out_what_need_not_stay_and_gives_memory_back() {
    let basic = MemStore::new(CellOrder::User);
    write_rounds(&basic, InMemoryCompaction::Basic, 1000, 9);
    let eager = MemStore::new(CellOrder::User);
    let outcomes = write_rounds(&eager, InMemoryCompaction::Eager, 1000, 9);
    assert!(outcomes.iter().map(|outcome| outcome.cells_dropped).sum::<usize>() >= 7000);
    assert_eq!(cells(&basic), 9000);
    assert!(cells(&eager) <= 2000);
    assert!(eager.size().heap_bytes * 4 < basic.size().heap_bytes);
    assert!(eager.lowest_sequence_id() > Some(1), "the log may go as far");
}

#[test]
fn adaptive_copies_where_there_is_enough_to_leave_out() {
    let store = MemStore::new(CellOrder::User);
    let outcomes = write_rounds(&store, InMemoryCompaction::Adaptive, 500, 6);
    assert!(outcomes.iter().any(|outcome| outcome.cells_dropped > 0));
    // What a new segment has too much of goes when it becomes flat.
    (1..=2).for_each(|sequence_id| _ = put(&store, 7, 1000 + sequence_id, b"v"));
    store.push_active(0);
    assert!(store.compact_in_memory(&options(InMemoryCompaction::Adaptive), newest_only).cells_dropped > 0);
    let store = MemStore::new(CellOrder::User);
    for round in 0..10 {
        (round * 500..(round + 1) * 500).for_each(|row| _ = put(&store, row, 1, b"v"));
        store.push_active(0);
        let outcome = store.compact_in_memory(&options(InMemoryCompaction::Adaptive), newest_only);
        assert!(outcome.cells_read <= 500, "the merged ones were not copied");
    }
    assert_eq!(cells(&store), 5000);
}

/// Which of 4096 cells are asked, and how many are left out; rows have so many cells.
fn asked(row_cells: u64, is_dead: fn(u64) -> bool) -> (Vec<u64>, usize) {
    let (mut asked, mut left_out) = (Vec::new(), 0);
    let mut keeps = where_it_pays(
        |_, number| {
            asked.push(number);
            !is_dead(number)
        },
        0.25,
    );
    for number in 0..4096 {
        let cell = cell((number / row_cells) as u32, b"");
        left_out += usize::from(!keeps(&Cell::from_checked(&cell), number));
    }
    drop(keeps);
    (asked, left_out)
}

#[test]
fn where_little_can_be_left_out_few_cells_are_asked() {
    let counts = |is_dead| {
        let (asked, left_out) = asked(1, is_dead);
        (asked.len(), left_out)
    };
    assert_eq!(counts(|_| false), (4 * 128, 0));
    assert_eq!(counts(|number| number % 2 == 0), (4096, 2048));
    // Only where there is enough: in the second thousand.
    assert_eq!(counts(|number| number / 1024 == 1), (3 * 128 + 1024, 1024));
}

#[test]
fn who_is_asked_after_others_were_not_is_the_first_of_a_row() {
    for (row_cells, runs) in [(3, 4), (7, 4), (100, 4), (1500, 3), (4096, 1)] {
        let (asked, _) = asked(row_cells, |_| false);
        let first_of_run = |place: &usize| *place == 0 || asked[*place] != asked[place - 1] + 1;
        let firsts: Vec<u64> = (0..asked.len()).filter(first_of_run).map(|place| asked[place]).collect();
        assert_eq!(firsts.len(), runs, "{firsts:?}");
        assert!(firsts.iter().all(|first| first % row_cells == 0), "rows of {row_cells}: {firsts:?}");
    }
}

#[test]
fn a_segment_of_which_nothing_need_stay_goes() {
    let store = MemStore::new(CellOrder::User);
    put(&store, 1, 1, b"v");
    store.push_active(0);
    let outcome = store.compact_in_memory(&options(InMemoryCompaction::Eager), || |_: &Cell<'_>, _| false);
    assert_eq!((outcome.cells_dropped, store.pipeline_length()), (1, 0));
    assert!(store.is_empty());
    assert_eq!(store.lowest_sequence_id(), None);
}

#[test]
fn large_cells_are_not_copied_and_go_when_they_are_left_out() {
    const LARGE: usize = 1 << 20;
    let store = MemStore::new(CellOrder::User);
    for sequence_id in 1..=3 {
        for row in 0..4 {
            put(&store, row, sequence_id, &vec![row as u8; LARGE]);
        }
        put(&store, 9, sequence_id, b"small");
    }
    let place = |row: u32| {
        let segments = store.segments();
        let scanner =
            segments.iter().map(|segment| segment.scanner()).find(|scanner| scanner.peek().is_some());
        let mut scanner = scanner.unwrap();
        scanner.seek(&finback_cell::key::Key::first_on_row(&row.to_be_bytes()));
        scanner.peek().unwrap().0.bytes().as_ptr()
    };
    let before = place(2);
    store.push_active(0);
    store.compact_in_memory(&options(InMemoryCompaction::Eager), newest_only);
    assert_eq!(place(2), before);
    assert_eq!(cells(&store), 5);
    assert!(store.size().heap_bytes < 5 * LARGE);
}

#[test]
fn a_scanner_opened_before_reads_on_what_was_there() {
    let store = MemStore::new(CellOrder::User);
    for sequence_id in 1..=2 {
        (0..100).for_each(|row| _ = put(&store, row, sequence_id, b"v"));
        store.push_active(0);
    }
    let segments = store.segments();
    let mut scanners: Vec<_> = segments.iter().map(|segment| segment.scanner()).collect();
    drop(segments);
    let eager = PipelineOptions { segments_limit: 1, ..options(InMemoryCompaction::Eager) };
    store.compact_in_memory(&eager, newest_only);
    assert_eq!(cells(&store), 100);
    let mut seen = 0;
    for scanner in &mut scanners {
        while scanner.peek().is_some() {
            seen += 1;
            scanner.next();
        }
    }
    assert_eq!(seen, 200);
}

#[test]
fn work_on_segments_that_a_snapshot_took_is_thrown_away() {
    let store = MemStore::new(CellOrder::User);
    (0..10_000).for_each(|row| _ = put(&store, row, 1, b"v"));
    store.push_active(0);
    let asked = Shared::new(0);
    let outcome = store.compact_in_memory(&options(InMemoryCompaction::Eager), || {
        |_: &Cell<'_>, _| {
            asked.set(asked.get() + 1);
            if asked.get() == 100 {
                assert_eq!(store.snapshot().size().cells, 10_000);
            }
            true
        }
    });
    assert!(outcome.lost_race);
    assert!(asked.get() < 5000, "it stops soon");
    assert_eq!(store.snapshot_size().cells, 10_000);
    assert_eq!(store.pipeline_length(), 0);
}

#[test]
fn segments_that_come_during_a_compaction_stay_in_front() {
    let store = MemStore::new(CellOrder::User);
    for sequence_id in 1..=2 {
        (0..10).for_each(|row| _ = put(&store, row, sequence_id, b"old"));
        store.push_active(0);
    }
    let came = Shared::new(false);
    store.compact_in_memory(&options(InMemoryCompaction::Eager), || {
        |_: &Cell<'_>, _| {
            if !came.replace(true) {
                put(&store, 1, 3, b"new");
                store.push_active(0);
            }
            true
        }
    });
    let newest: Vec<_> =
        store.segments().iter().filter_map(|segment| segment.highest_sequence_id()).collect();
    assert!(newest.is_sorted_by(|newer, older| newer > older), "{newest:?}");
    assert_eq!(cells(&store), 21);
}
