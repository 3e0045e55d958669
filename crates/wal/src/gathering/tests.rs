use super::*;

const SYNC: Duration = Duration::from_millis(1);

/// After many syncs of a millisecond.
fn gathering() -> (Gathering, Instant) {
    let mut gathering = Gathering::default();
    (0..100).for_each(|_| gathering.synced(SYNC));
    (gathering, Instant::now())
}

#[test]
fn those_that_were_answered_are_waited_for() {
    let (mut gathering, now) = gathering();
    gathering.answered(now, 3, 1);
    let (expected, until) = gathering.wait(now, 1).unwrap();
    assert_eq!(expected, 4);
    assert!(until > now + SYNC * 9 / 10 && until <= now + SYNC);
    assert_eq!(gathering.wait(now, 3), Some((4, until)));
    assert_eq!(gathering.wait(now, 4), None);
}

#[test]
fn a_lone_writer_never_waits() {
    let (mut gathering, now) = gathering();
    gathering.answered(now, 1, 0);
    assert_eq!(gathering.wait(now, 1), None);
}

#[test]
fn a_writer_that_takes_its_time_is_not_waited_for_each_time() {
    let (mut gathering, now) = gathering();
    let mut waits = 0;
    for _ in 0..1000 {
        gathering.answered(now, 1, 0);
        waits += usize::from(gathering.wait(now, 0).is_some());
        assert_eq!(gathering.wait(now + 2 * SYNC, 0), None);
        gathering.ended(1);
    }
    assert!(waits < 30);
}

#[test]
fn nobody_is_waited_for_longer_than_a_sync_takes() {
    let (mut gathering, now) = gathering();
    gathering.answered(now, 3, 1);
    assert_eq!(gathering.wait(now + SYNC, 1), None);
    (0..100).for_each(|_| gathering.synced(Duration::from_secs(1)));
    gathering.answered(now, 3, 1);
    assert!(gathering.wait(now, 1).unwrap().1 <= now + LONGEST);
}

#[test]
fn a_fast_device_is_not_waited_at() {
    let mut gathering = Gathering::default();
    let now = Instant::now();
    gathering.answered(now, 3, 1);
    assert_eq!(gathering.wait(now, 1), None);
    (0..100).for_each(|_| gathering.synced(Duration::from_micros(20)));
    gathering.answered(now, 3, 1);
    assert_eq!(gathering.wait(now, 1), None);
}

/// How many of a thousand groups wait where `come` of 8 expected ones come.
fn waits(come: usize) -> usize {
    let (mut gathering, now) = gathering();
    let mut waits = 0;
    for _ in 0..1000 {
        gathering.answered(now, 8, 2);
        waits += usize::from(gathering.wait(now, 2).is_some());
        gathering.ended(2 + come);
    }
    waits
}

#[test]
fn where_nobody_comes_few_groups_wait() {
    assert_eq!(waits(8), 1000);
    assert_eq!(waits(7), 1000, "one is late");
    assert!(waits(6) < 30);
    assert!(waits(0) < 30);
}

#[test]
fn when_they_come_again_each_group_waits_again() {
    let (mut gathering, now) = gathering();
    let mut group = |come| {
        gathering.answered(now, 4, 0);
        let waits = gathering.wait(now, 1).is_some();
        gathering.ended(come);
        waits
    };
    for come in [1, 4] {
        for _ in 0..200 {
            group(come);
        }
    }
    assert!((0..100).all(|_| group(4)));
}
