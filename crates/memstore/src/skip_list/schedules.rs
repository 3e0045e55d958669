//! Several threads at one list, in many orders of their steps.

use super::SkipList;
use finback_cell::cell::CellParts;
use finback_cell::key::Key;
use finback_cell::{Cell, CellOrder};
use finback_sync::{thread, try_schedules};
use std::sync::Arc;

/// Schedules tried of each program.
const SCHEDULES: usize = 300;

fn cell(row: u8, value: u8) -> Vec<u8> {
    let parts = CellParts {
        row: &[row],
        family: b"f",
        qualifier: b"q",
        timestamp: 1,
        type_code: 4,
        value: &[value],
        tags: b"",
    };
    parts.to_vec()
}

/// Rows, sequence ids and values from the first to the last, by the links of the lowest level.
fn contents(list: &SkipList) -> Vec<(u8, u64, u8)> {
    let mut node = list.first();
    let mut found = Vec::new();
    while let Some(at) = node {
        let (cell, sequence_id) = at.entry();
        found.push((cell.row()[0], sequence_id, cell.value()[0]));
        node = list.follower(Some(at), 0);
    }
    found
}

fn list() -> Arc<SkipList> {
    Arc::new(SkipList::new(CellOrder::User, None, 0, 0))
}

fn insert(list: &SkipList, row: u8, sequence_id: u64, value: u8) -> Option<u8> {
    let bytes = cell(row, value);
    let inserted = list.inserter().insert(&Cell::from_checked(&bytes), sequence_id);
    inserted.replaced.map(|old| old.value()[0])
}

#[test]
fn neighbours_put_in_at_once_are_all_there_in_their_order() {
    try_schedules(SCHEDULES, || {
        let list = list();
        let writers: Vec<_> = [[2, 5], [3, 4], [1, 6]]
            .into_iter()
            .map(|rows| {
                let list = Arc::clone(&list);
                thread::spawn(move || {
                    for row in rows {
                        insert(&list, row, 1, row);
                    }
                })
            })
            .collect();
        // What a reader has met once it meets again, whole and in order.
        let mut before = contents(&list);
        for _ in 0..2 {
            let now = contents(&list);
            assert!(now.windows(2).all(|pair| pair[0] < pair[1]), "{now:?}");
            assert!(before.iter().all(|entry| now.contains(entry)), "{before:?}, then {now:?}");
            before = now;
        }
        for writer in writers {
            writer.join().unwrap();
        }
        assert_eq!(contents(&list), (1..=6).map(|row| (row, 1, row)).collect::<Vec<_>>());
        for row in 1..=6 {
            let key = Key::first_on_row(std::slice::from_ref(&row));
            let found = list.seek(&key).map(|node| node.entry().0.row()[0]);
            assert_eq!(found, Some(row), "the higher levels lead there");
        }
    });
}

#[test]
fn groups_of_neighbours_put_in_at_once_are_all_there_in_their_order() {
    try_schedules(SCHEDULES, || {
        let list = list();
        insert(&list, 5, 1, 5);
        // The first row is searched alone, the others together.
        let writers: Vec<_> = [[9, 2, 7, 4], [0, 8, 3, 6]]
            .into_iter()
            .map(|rows| {
                let list = Arc::clone(&list);
                thread::spawn(move || {
                    let cells = rows.map(|row| cell(row, row));
                    let cells = cells.iter().map(|cell| Cell::from_checked(cell));
                    list.inserter()
                        .insert_scattered(cells, 1, |_, inserted| assert!(inserted.replaced.is_none()));
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        let all = [0, 2, 3, 4, 5, 6, 7, 8, 9].map(|row| (row, 1, row));
        assert_eq!(contents(&list), all);
        for (row, ..) in all {
            let found = list.seek(&Key::first_on_row(&[row])).map(|node| node.entry().0.row()[0]);
            assert_eq!(found, Some(row), "the higher levels lead there");
        }
    });
}

#[test]
fn of_two_equal_cells_put_in_at_once_one_takes_the_place_of_the_other() {
    try_schedules(SCHEDULES, || {
        let list = list();
        let writers: Vec<_> = [1, 2]
            .into_iter()
            .map(|value| {
                let list = Arc::clone(&list);
                thread::spawn(move || insert(&list, 7, 1, value))
            })
            .collect();
        let replaced: Vec<_> = writers.into_iter().map(|writer| writer.join().unwrap()).collect();
        let left = contents(&list);
        assert_eq!(left.len(), 1, "{left:?}");
        let lost = 3 - left[0].2;
        assert!(replaced == [None, Some(lost)] || replaced == [Some(lost), None], "{replaced:?}, {left:?}");
    });
}
