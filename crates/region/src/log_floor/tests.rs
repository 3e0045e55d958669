use super::*;

/// Below all that memory has.
const HIGH: u64 = 1000;

#[test]
fn the_floor_of_what_was_flushed_ends_and_that_of_what_came_meanwhile_stays() {
    let floor = LogFloor::default();
    assert_eq!(floor.limits(HIGH), HIGH);
    floor.before_unlogged(|| 7);
    floor.before_unlogged(|| unreachable!("it is there already"));
    assert_eq!(floor.limits(HIGH), 7);
    floor.begin_flush();
    assert_eq!(floor.limits(HIGH), 7);
    // The memory's lowest one is in the flush.
    floor.before_unlogged(|| 8);
    floor.flushed(20);
    assert_eq!(floor.limits(HIGH), 21);
    floor.begin_flush();
    floor.flushed(30);
    assert_eq!(floor.limits(HIGH), HIGH);
}

#[test]
fn a_flush_that_fails_leaves_the_floor_to_the_next_one() {
    let floor = LogFloor::default();
    floor.before_unlogged(|| 7);
    floor.begin_flush();
    floor.before_unlogged(|| 9);
    floor.begin_flush();
    assert_eq!(floor.limits(HIGH), 7);
    floor.flushed(30);
    assert_eq!(floor.limits(HIGH), HIGH);
}
