use super::*;
use crate::row_lock::RowLocks;

const PUT: Contents = Contents { puts: true, markers: false };
const DELETE: Contents = Contents { puts: false, markers: true };
const BOTH: Contents = Contents { puts: true, markers: true };

#[test]
fn a_put_after_a_delete_of_the_same_millisecond_gets_the_next_one() {
    let times = WriteTimes::default();
    let row = [RowLocks::new().key(b"row")];
    let time = |now, contents| times.time(row.iter().copied(), now, contents);
    assert_eq!(time(1000, PUT), 1000);
    assert!(times.groups.get().is_none());
    assert_eq!(time(1000, DELETE), 1000);
    assert_eq!(time(1000, DELETE), 1000);
    assert_eq!(time(1000, PUT), 1001);
    assert_eq!(time(1000, PUT), 1001);
    // It hides the put.
    assert_eq!(time(1000, DELETE), 1001);
    assert_eq!(time(1001, BOTH), 1002);
    assert_eq!(time(1001, PUT), 1003);
    assert_eq!(time(1004, DELETE), 1004);
    assert_eq!(time(1006, PUT), 1006);
    // The clock was set back, by a minute, and by a day.
    assert_eq!(time(1006, DELETE), 1006);
    assert_eq!(time(1006 - 60_000, PUT), 1007);
    assert_eq!(time(1006 - 86_400_000, PUT), 1006 - 86_400_000);
}

#[test]
fn what_follows_an_update_that_is_ahead_of_the_clock_is_not_before_it() {
    let times = WriteTimes::default();
    let row = [RowLocks::new().key(b"row")];
    let time = |now, contents| times.time(row.iter().copied(), now, contents);
    assert_eq!(time(1000, PUT), 1000);
    times.note(row[0], 1020, PUT);
    assert_eq!(time(1001, PUT), 1020);
    assert_eq!(time(1001, DELETE), 1020);
    assert_eq!(time(1002, PUT), 1021);
    times.note(row[0], 1030, DELETE);
    assert_eq!(time(1002, PUT), 1031);
    assert_eq!(time(1040, PUT), 1040);
    let now = Times { clock: 1000, write: 1010 };
    assert!(now.is_run_ahead(1011) && now.is_run_ahead(1010 + MOST_AHEAD_MS));
    assert!(
        !now.is_run_ahead(1010) && !now.is_run_ahead(1011 + MOST_AHEAD_MS) && !now.is_run_ahead(i64::MAX)
    );
}

#[test]
fn writers_wait_when_they_are_far_ahead_of_the_clock() {
    let times = WriteTimes::default();
    let rows = [RowLocks::new().key(b"row")];
    let wait = |now| times.wait_ms(rows.iter().copied(), || now);
    assert_eq!(wait(1000), 0);
    for _ in 0..PATIENCE_MS {
        assert_eq!(wait(1000), 0);
        times.time(rows.iter().copied(), 1000, DELETE);
        times.time(rows.iter().copied(), 1000, PUT);
    }
    assert_eq!(wait(1000), PATIENCE_MS);
    assert_eq!(wait(1001), 0);
    // That is a clock that was set back.
    assert_eq!(wait(-86_000), 0);
}

#[test]
fn rows_of_a_batch_have_times_of_their_own() {
    let (times, locks) = (WriteTimes::default(), RowLocks::new());
    let mut rows: Vec<_> = (0..100_u8).map(|number| locks.key(&[number])).collect();
    rows.sort_unstable();
    let batch = |now, contents| {
        let batch = times.times(rows.iter().copied(), now, contents);
        rows.iter().map(|&row| batch.of(|| row)).collect::<Vec<_>>()
    };
    assert_eq!(batch(1000, PUT), [1000; 100]);
    let ahead = rows[7].group(GROUPS);
    let with_ahead = |time, others| {
        rows.iter().map(|row| if row.group(GROUPS) == ahead { time } else { others }).collect::<Vec<_>>()
    };
    times.note(rows[7], 1040, PUT);
    assert_eq!(batch(1001, PUT), with_ahead(1040, 1001));
    assert_eq!(batch(1002, BOTH), with_ahead(1040, 1002));
    // Each row's delete hid what its batch had put.
    assert_eq!(batch(1002, PUT), with_ahead(1041, 1003));
}
