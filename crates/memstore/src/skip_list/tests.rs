//! Small enough for Miri: `cargo +nightly miri test -p finback-memstore skip_list`.

use super::{MAX_HEIGHT, SkipList, SkipListCursor};
use finback_cell::cell::CellParts;
use finback_cell::key::Key;
use finback_cell::row_prefix::Beginning;
use finback_cell::{Cell, CellOrder};
use finback_sync::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::thread;

const ROWS: u64 = if cfg!(miri) { 60 } else { 20_000 };

fn put(row: &[u8], value: &[u8]) -> Vec<u8> {
    CellParts { row, family: b"f", qualifier: b"q", timestamp: 1, type_code: 4, value, tags: &[] }.to_vec()
}

fn row(number: u64) -> [u8; 20] {
    let mut row = *b"a row, so: -00000000";
    row[12..].copy_from_slice(&number.to_be_bytes());
    row
}

/// A list of rows that are expected to begin so, or, for want of that, as the first one does.
fn empty(beginning: Option<&[u8]>) -> Arc<SkipList> {
    Arc::new(SkipList::new(CellOrder::User, beginning.map(Beginning::new), 0, 0))
}

/// What all rows begin with, what some do, what none does.
fn beginnings() -> [Option<Vec<u8>>; 5] {
    let known = [b"a row".to_vec(), row(ROWS / 3)[..19].to_vec(), b"A".to_vec(), b"z".to_vec()].map(Some);
    let [all, some, before, behind] = known;
    [all, some, before, behind, None]
}

fn insert(list: &SkipList, number: u64, sequence_id: u64) {
    let row = row(number);
    list.inserter().insert(&Cell::from_checked(&put(&row, &row)), sequence_id);
}

/// A permutation of `0..count`, for counts that are no multiple of 7919.
fn scattered(count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |number| number * 7919 % count)
}

/// Walks to the end, checks that cells are whole and strictly in order, and counts them.
fn check_all(cursor: &mut SkipListCursor) -> u64 {
    let mut count = 0;
    let mut last: Option<(Vec<u8>, u64)> = None;
    while let Some((cell, sequence_id)) = cursor.peek() {
        assert_eq!(cell.row(), cell.value());
        assert_eq!(cell.family(), b"f");
        if let Some((last_row, last_sequence_id)) = &last {
            assert!((last_row.as_slice(), sequence_id) < (cell.row(), *last_sequence_id));
        }
        last = Some((cell.row().to_vec(), sequence_id));
        count += 1;
        cursor.next();
    }
    count
}

#[test]
fn an_empty_list_has_nothing_to_find() {
    let list = empty(None);
    let mut cursor = SkipListCursor::new(list.clone());
    assert!(cursor.peek().is_none());
    cursor.seek(&Key::first_on_row(b""));
    cursor.reseek(&Key::first_on_row(b"a"));
    cursor.next();
    assert!(cursor.peek().is_none());
    assert_eq!(list.previous_row(None), None);
    assert_eq!(list.previous_row(Some(b"a")), None);
}

#[test]
fn rows_inserted_in_any_order_are_found() {
    let scattered_rows = || Box::new(scattered(ROWS));
    let orders: [Box<dyn Iterator<Item = u64>>; 5] =
        [Box::new(0..ROWS), scattered_rows(), Box::new((0..ROWS).rev()), scattered_rows(), scattered_rows()];
    for (numbers, beginning) in orders.into_iter().zip(beginnings()) {
        let list = empty(beginning.as_deref());
        numbers.for_each(|number| insert(&list, number, 1));
        let mut cursor = SkipListCursor::new(list.clone());
        assert_eq!(check_all(&mut cursor), ROWS);
        for number in scattered(ROWS) {
            cursor.seek(&Key::first_on_row(&row(number)));
            assert_eq!(cursor.peek().unwrap().0.row(), row(number));
            let before = number.checked_sub(1).map(row);
            assert_eq!(list.previous_row(Some(&row(number))), before.as_ref().map(|row| &row[..]));
        }
        assert_eq!(list.previous_row(None), Some(&row(ROWS - 1)[..]));
    }
}

#[test]
fn cells_put_in_together_are_each_where_they_belong_in_whatever_order_they_come() {
    /// Cells of a batch.
    const BATCH: usize = 25;
    for beginning in beginnings() {
        let list = empty(beginning.as_deref());
        let mut expected = BTreeMap::new();
        let mut cells = Vec::new();
        for (at, number) in scattered(ROWS).chain(0..ROWS / 4).enumerate() {
            // Rows of several cells; the same cell twice, side by side and further apart; a few rows in order.
            for qualifier in [&b"a"[..], b"b", b"b", b"c"].into_iter().take(at % 5) {
                let value = at.to_be_bytes();
                cells.push((row(number), qualifier, value));
                if at % 7 == 0 {
                    cells.push((row(number / 2), qualifier, value));
                }
            }
        }
        for batch in cells.chunks(BATCH) {
            let bytes: Vec<_> = batch
                .iter()
                .map(|(row, qualifier, value)| {
                    let (timestamp, type_code) = (1, 4);
                    CellParts { row, family: b"f", qualifier, timestamp, type_code, value, tags: &[] }
                        .to_vec()
                })
                .collect();
            let mut noted = Vec::new();
            list.inserter().insert_scattered(
                bytes.iter().map(|cell| Cell::from_checked(cell)),
                1,
                |cell, inserted| {
                    noted.push((cell.bytes().to_vec(), inserted.replaced.map(|old| old.value().to_vec())));
                },
            );
            let replaced =
                batch.iter().map(|(row, qualifier, value)| expected.insert((*row, *qualifier), *value));
            let replaced: Vec<_> = replaced.map(|old| old.map(|value| value.to_vec())).collect();
            assert_eq!(noted, bytes.into_iter().zip(replaced).collect::<Vec<_>>());
        }
        let mut cursor = SkipListCursor::new(list.clone());
        for ((row, qualifier), value) in &expected {
            let (cell, _) = cursor.peek().unwrap();
            assert_eq!((cell.row(), cell.qualifier(), cell.value()), (&row[..], *qualifier, &value[..]));
            cursor.next();
        }
        assert!(cursor.peek().is_none());
        for (row, qualifier) in expected.keys() {
            cursor.seek(&Key::first_on_column(row, b"f", qualifier));
            let (cell, _) = cursor.peek().unwrap();
            assert_eq!((cell.row(), cell.qualifier()), (&row[..], *qualifier));
        }
    }
}

#[test]
fn reseeks_of_any_distance_arrive_where_seeks_do() {
    let lists = beginnings().map(|beginning| {
        let list = empty(beginning.as_deref());
        scattered(ROWS).for_each(|number| insert(&list, 2 * number, 1));
        list
    });
    for (step, list) in [1, 2, 3, 10, 77, ROWS / 2].into_iter().zip(lists.iter().cycle()) {
        let mut cursor = SkipListCursor::new(list.clone());
        let mut target = 0;
        while target < 2 * ROWS - 1 {
            cursor.reseek(&Key::first_on_row(&row(target)));
            assert_eq!(cursor.peek().unwrap().0.row(), row(target.next_multiple_of(2)));
            target += step;
        }
        cursor.reseek(&Key::first_on_row(b"a"));
        assert!(cursor.peek().is_some(), "a reseek never goes back");
        cursor.reseek(&Key::last_on_row(&row(2 * ROWS)));
        assert!(cursor.peek().is_none());
        cursor.reseek(&Key::first_on_row(&row(0)));
        assert!(cursor.peek().is_none(), "not even from the end");
    }
}

#[test]
fn a_replaced_cell_stays_readable_for_who_stands_on_it() {
    let list = empty(None);
    for number in 0..ROWS {
        insert(&list, number, 1);
    }
    let mut standing = SkipListCursor::new(list.clone());
    standing.seek(&Key::first_on_row(&row(3)));
    for number in scattered(ROWS) {
        let old = put(&row(number), &row(number));
        let mut writer = list.inserter();
        let inserted = writer.insert(&Cell::from_checked(&put(&row(number), b"new")), 1);
        assert_eq!(inserted.replaced.unwrap().bytes(), old);
    }
    assert_eq!(standing.peek().unwrap().0.value(), row(3));
    standing.next();
    let mut count = 4;
    while let Some((cell, _)) = standing.peek() {
        assert_eq!((cell.row(), cell.value()), (&row(count)[..], &b"new"[..]));
        count += 1;
        standing.next();
    }
    assert_eq!(count, ROWS);
}

#[test]
fn cells_of_all_sizes_around_the_chunk_limits_are_kept_whole() {
    let list = empty(None);
    let sizes: &[usize] = if cfg!(miri) {
        &[0, 4000, 4096, 5000, 300_000]
    } else {
        &[0, 1, 4000, 4096, 5000, 9000, 262_000, 262_144, 262_145, 300_000, 2 << 20, (2 << 20) + 1, 10 << 20]
    };
    let value = |at: usize| vec![at as u8; sizes[at]];
    let mut allocated = 0;
    for at in 0..sizes.len() {
        let mut writer = list.inserter();
        allocated += writer.insert(&Cell::from_checked(&put(&[at as u8], &value(at))), 1).allocated_bytes;
        drop(writer);
        insert(&list, at as u64, 1);
    }
    assert!(allocated >= sizes.iter().sum());
    let mut cursor = SkipListCursor::new(list);
    for at in 0..sizes.len() {
        assert_eq!(cursor.peek().unwrap().0.bytes(), put(&[at as u8], &value(at)));
        cursor.next();
    }
}

#[test]
fn a_cursor_keeps_the_memory_of_its_list() {
    let list = empty(None);
    scattered(ROWS).for_each(|number| insert(&list, number, 1));
    let mut cursor = SkipListCursor::new(list);
    let count = thread::spawn(move || check_all(&mut cursor)).join().unwrap();
    assert_eq!(count, ROWS);
}

#[test]
fn readers_of_a_growing_list_see_whole_cells_in_order_and_all_that_was_there() {
    const WRITERS: u64 = 2;
    let list = empty(None);
    let inserted = Arc::new(AtomicUsize::new(0));
    let running = Arc::new(AtomicUsize::new(WRITERS as usize));
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (list, inserted, running) = (list.clone(), inserted.clone(), running.clone());
            scope.spawn(move || {
                for number in scattered(ROWS) {
                    insert(&list, WRITERS * number + writer, 1 + writer);
                    // Replaces what was just inserted, which readers may be standing on.
                    insert(&list, WRITERS * number + writer, 1 + writer);
                    inserted.fetch_add(1, Release);
                }
                running.fetch_sub(1, Release);
            });
        }
        for _ in 0..2 {
            let (list, inserted, running) = (list.clone(), inserted.clone(), running.clone());
            scope.spawn(move || {
                loop {
                    let last_round = running.load(Acquire) == 0;
                    let at_least = inserted.load(Acquire) as u64;
                    let mut cursor = SkipListCursor::new(list.clone());
                    let seen = check_all(&mut cursor);
                    assert!(seen >= at_least, "saw {seen} of at least {at_least} cells");
                    if last_round {
                        break;
                    }
                }
            });
        }
    });
    assert_eq!(check_all(&mut SkipListCursor::new(list)), WRITERS * ROWS);
}

#[test]
fn cells_inserted_before_a_reader_began_are_found_by_seek_and_reseek_while_others_are_inserted() {
    let list = empty(None);
    for number in 0..ROWS {
        insert(&list, 2 * number, 1);
    }
    thread::scope(|scope| {
        let writing = list.clone();
        scope.spawn(move || scattered(ROWS).for_each(|number| insert(&writing, 2 * number + 1, 2)));
        for step in [1, 5] {
            let list = list.clone();
            scope.spawn(move || {
                let mut seeking = SkipListCursor::new(list.clone());
                let mut reseeking = SkipListCursor::new(list.clone());
                for number in (0..ROWS).step_by(step) {
                    let row = row(2 * number);
                    for cursor in [&mut seeking, &mut reseeking] {
                        cursor.reseek(&Key::first_on_row(&row));
                        assert_eq!(cursor.peek().unwrap().0.row(), row);
                    }
                    seeking.seek(&Key::first_on_row(&row));
                    assert_eq!(seeking.peek().unwrap().0.row(), row);
                    let previous = list.previous_row(Some(&row));
                    assert_eq!(previous.is_none(), number == 0);
                    assert!(previous.is_none_or(|previous| previous < &row[..]));
                }
            });
        }
    });
}

#[test]
fn a_few_cells_replaced_over_and_over_are_never_missing() {
    const CELLS: u64 = 16;
    let list = empty(None);
    (0..CELLS).for_each(|number| insert(&list, number, 1));
    let writing = AtomicUsize::new(1);
    thread::scope(|scope| {
        scope.spawn(|| {
            (0..4 * ROWS).for_each(|round| insert(&list, round % CELLS, 1));
            writing.store(0, Release);
        });
        scope.spawn(|| {
            while writing.load(Acquire) > 0 {
                assert_eq!(check_all(&mut SkipListCursor::new(list.clone())), CELLS);
            }
        });
    });
}

#[test]
fn writers_of_the_same_cells_leave_each_once_and_whole() {
    let list = empty(None);
    thread::scope(|scope| {
        for writer in 0..3_u64 {
            let list = &list;
            // Each in another order, all with the same key and sequence id.
            scope.spawn(move || {
                scattered(ROWS).for_each(|number| insert(list, (number + writer * ROWS / 3) % ROWS, 1));
            });
        }
    });
    let mut cursor = SkipListCursor::new(list.clone());
    assert_eq!(check_all(&mut cursor), ROWS);
    for number in scattered(ROWS) {
        cursor.seek(&Key::first_on_row(&row(number)));
        assert_eq!(cursor.peek().unwrap().0.row(), row(number));
    }
}

#[test]
fn every_level_leads_through_the_list_in_order() {
    let list = SkipList::new(CellOrder::User, None, 0, 0);
    thread::scope(|scope| {
        for writer in 0..2 {
            let list = &list;
            scope.spawn(move || {
                for start in (0..ROWS).step_by(10) {
                    let mut inserter = list.inserter();
                    for number in start..start + 10 {
                        let row = row(3 * number + writer);
                        inserter.insert(&Cell::from_checked(&put(&row, &row)), 1);
                    }
                }
            });
        }
        scope.spawn(|| {
            let rows: Vec<_> = scattered(ROWS).map(|number| row(3 * number + 2)).collect();
            for rows in rows.chunks(20) {
                let cells: Vec<_> = rows.iter().map(|row| put(row, row)).collect();
                let cells = cells.iter().map(|cell| Cell::from_checked(cell));
                list.inserter()
                    .insert_scattered(cells, 1, |_, inserted| assert!(inserted.replaced.is_none()));
            }
        });
    });
    let mut nodes = Vec::new();
    for level in 0..MAX_HEIGHT {
        let mut at = list.follower(None, level);
        let mut rows = Vec::new();
        while let Some(node) = at {
            assert!(node.height() > level);
            rows.push(node.entry().0.row().to_vec());
            at = list.follower(at, level);
        }
        assert!(rows.is_sorted());
        nodes.push(rows.len() as u64);
    }
    assert_eq!(nodes[0], 3 * ROWS);
    assert!(nodes.is_sorted_by(|lower, higher| lower >= higher));
    assert!(
        nodes[1] > nodes[0] / 8 && nodes[1] < nodes[0] / 2,
        "a quarter reaches the next level: {nodes:?}"
    );
}

fn counter(row: &[u8], timestamp: i64, type_code: u8) -> Vec<u8> {
    let value = &timestamp.to_be_bytes();
    CellParts { row, family: b"f", qualifier: b"n", timestamp, type_code, value, tags: &[] }.to_vec()
}

/// Timestamps and sequence ids of all cells.
fn versions(list: &Arc<SkipList>) -> Vec<(i64, u64)> {
    let mut cursor = SkipListCursor::new(list.clone());
    let mut found = Vec::new();
    while let Some((cell, sequence_id)) = cursor.peek() {
        found.push((cell.timestamp(), sequence_id));
        cursor.next();
    }
    found
}

#[test]
fn an_upsert_keeps_what_the_oldest_reader_sees_and_takes_the_room_of_the_rest() {
    let list = empty(None);
    let upsert = |timestamp: i64, sequence_id, smallest_read_point| {
        let bytes = counter(b"a", timestamp, 4);
        let mut inserter = list.inserter();
        let inserted = inserter.upsert(&Cell::from_checked(&bytes), sequence_id, smallest_read_point);
        inserted.replaced.map(|cell| cell.timestamp())
    };
    assert_eq!(upsert(10, 1, 0), None);
    assert_eq!(upsert(11, 2, 1), None);
    assert_eq!(upsert(12, 3, 1), None, "a reader at 1 sees only the oldest");
    assert_eq!(versions(&list), [(12, 3), (11, 2), (10, 1)]);
    let mut standing = SkipListCursor::new(list.clone());
    assert_eq!(upsert(13, 4, 3), Some(11));
    assert_eq!(versions(&list), [(13, 4), (12, 3), (10, 1)]);
    assert_eq!(standing.peek().unwrap().1, 3, "what a reader stands on stays");
    standing.next();
    assert_eq!(standing.peek().unwrap().1, 3, "seen again, in order");
    assert_eq!(upsert(13, 5, 4), None, "not newer");
    assert_eq!(versions(&list), [(13, 5), (13, 4), (12, 3), (10, 1)]);
}

#[test]
fn an_upsert_leaves_markers_and_other_columns_alone() {
    let list = empty(None);
    let insert = |bytes: Vec<u8>, sequence_id| {
        list.inserter().insert(&Cell::from_checked(&bytes), sequence_id);
    };
    insert(counter(b"a", 5, 4), 1);
    insert(counter(b"b", 6, 4), 2);
    insert(counter(b"b", 7, 8), 3);
    insert(counter(b"b", 5, 4), 4);
    for (row, sequence_id) in [(b"a", 5), (b"b", 6), (b"c", 7)] {
        let bytes = counter(row, 10, 4);
        let mut inserter = list.inserter();
        assert!(inserter.upsert(&Cell::from_checked(&bytes), sequence_id, 100).replaced.is_none());
    }
    assert_eq!(versions(&list), [(10, 5), (5, 1), (10, 6), (7, 3), (6, 2), (5, 4), (10, 7)]);
}

#[test]
fn a_counter_is_never_missing_while_it_is_upserted() {
    let list = empty(None);
    // What is visible, and what the reader reads at: registered under one lock.
    let points = Mutex::new((0, 0));
    let upsert = |count: u64| {
        for row in [b"a", b"b", b"c"] {
            let (current, reader) = *points.lock();
            let bytes = counter(row, count as i64, 4);
            list.inserter().upsert(&Cell::from_checked(&bytes), count, current.min(reader));
        }
        points.lock().0 = count;
    };
    upsert(1);
    thread::scope(|scope| {
        scope.spawn(|| (2..=ROWS).for_each(upsert));
        scope.spawn(|| {
            let mut seen = 0;
            while seen < ROWS {
                seen = {
                    let mut points = points.lock();
                    points.1 = points.0;
                    points.0
                };
                let mut cursor = SkipListCursor::new(list.clone());
                for row in [b"a", b"b", b"c"] {
                    cursor.seek(&Key::first_on_column(row, b"f", b"n"));
                    while cursor.peek().is_some_and(|(cell, count)| cell.row() == row && count > seen) {
                        cursor.next();
                    }
                    let (cell, count) = cursor.peek().unwrap();
                    assert_eq!((cell.row(), count), (&row[..], seen));
                    assert_eq!(cell.value(), count.to_be_bytes());
                }
            }
        });
    });
    let upserted = versions(&list).len() as u64;
    assert!((6..3 * ROWS).contains(&upserted), "{upserted}");
}
