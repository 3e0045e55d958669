use super::*;
use crate::record::{Figures, Subject};

fn records(names: &str) -> Vec<Record> {
    let record =
        |name: char| Record { subject: Subject::User(name.to_string().into()), figures: Figures::default() };
    names.chars().map(record).collect()
}

fn selection(page: usize, records: &[Record]) -> Selection {
    let mut selection = Selection::default();
    selection.resize(page, records.len());
    selection.follow(records);
    selection
}

#[test]
fn the_first_record_is_chosen_whichever_it_is() {
    let mut selection = selection(3, &records("abcde"));
    selection.follow(&records("edcba"));
    assert_eq!((selection.at(), selection.first()), (0, 0));
}

#[test]
fn another_record_is_followed_wherever_it_goes() {
    let abcde = records("abcde");
    let mut selection = selection(3, &abcde);
    selection.move_by(1, &abcde);
    selection.follow(&records("acdeb"));
    assert_eq!((selection.at(), selection.first()), (4, 2));
    // When it is gone, what stands there now is chosen.
    selection.follow(&records("acde"));
    assert_eq!((selection.at(), selection.first()), (3, 1));
    selection.follow(&records("acdeb"));
    assert_eq!(selection.at(), 4);
}

#[test]
fn back_at_the_first_it_stays_there() {
    let abc = records("abc");
    let mut selection = selection(3, &abc);
    selection.move_by(2, &abc);
    selection.move_by(-9, &abc);
    selection.follow(&records("bca"));
    assert_eq!(selection.at(), 0);
}

#[test]
fn the_chosen_record_always_has_room_and_no_room_is_left_over() {
    let all = records("abcdefghij");
    let mut selection = selection(4, &all);
    for (by, at, first) in [(3, 3, 0), (1, 4, 1), (99, 9, 6), (-1, 8, 6), (-4, 4, 4), (isize::MIN, 0, 0)] {
        selection.move_by(by, &all);
        assert_eq!((selection.at(), selection.first()), (at, first));
    }
    selection.move_by(9, &all);
    selection.resize(8, all.len());
    assert_eq!(selection.first(), 2);
    selection.follow(&records("ab"));
    assert_eq!((selection.at(), selection.first()), (1, 0));
}

#[test]
fn without_records_or_room_nothing_breaks() {
    let mut selection = selection(0, &[]);
    selection.move_by(1, &[]);
    selection.move_to(usize::MAX, &[]);
    selection.follow(&records("ab"));
    selection.move_by(1, &records("ab"));
    assert_eq!((selection.at(), selection.first()), (1, 1));
}
