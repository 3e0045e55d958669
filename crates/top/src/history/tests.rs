use super::*;
use crate::record::{Figures, Record, Subject};

fn key(name: &str) -> Key {
    Record { subject: Subject::User(name.into()), figures: Figures::default() }.key()
}

#[test]
fn only_the_last_samples_are_kept() {
    let mut history = History::default();
    for at in 0..=MOST_SAMPLES as u64 {
        history.push(Sample { at_ms: at, reads: at as f64, writes: 0.0 });
        history.push_records(Mode::User, [(key("ann"), at as f64)].into_iter());
    }
    assert_eq!(history.samples().len(), MOST_SAMPLES);
    assert_eq!(history.samples()[0].at_ms, 1);
    let ann = key("ann");
    let of_ann = history.of(Mode::User, &ann);
    assert_eq!((of_ann.len(), of_ann.last()), (MOST_RECORD_SAMPLES, Some(MOST_SAMPLES as f64)));
}

#[test]
fn records_that_are_gone_are_forgotten_and_others_stay() {
    let mut history = History::default();
    let both = [(key("ann"), 1.0), (key("bob"), 2.0)];
    history.push_records(Mode::User, both.clone().into_iter());
    history.push_records(Mode::Client, both.into_iter());
    history.push_records(Mode::User, [(key("bob"), 3.0)].into_iter());
    assert_eq!(history.of(Mode::User, &key("ann")).len(), 0);
    assert_eq!(history.of(Mode::User, &key("bob")).collect::<Vec<_>>(), [2.0, 3.0]);
    assert_eq!(history.of(Mode::Client, &key("ann")).collect::<Vec<_>>(), [1.0]);
}

#[test]
fn no_more_records_are_kept_than_there_is_room_for() {
    let mut history = History::default();
    let many = (0..MOST_RECORDS + 5).map(|number| (key(&number.to_string()), 1.0));
    history.push_records(Mode::Region, many);
    assert_eq!(history.records.len(), MOST_RECORDS);
    // Those of another mode have room of their own.
    history.push_records(Mode::User, [(key("ann"), 1.0)].into_iter());
    assert_eq!(history.of(Mode::User, &key("ann")).len(), 1);
}
