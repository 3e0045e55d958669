use super::*;

#[test]
fn the_last_timestamp_is_in_no_range_but_that_of_all() {
    let latest = TimeRange { min: 5, max: i64::MAX };
    assert!(TimeRange::ALL.contains(i64::MAX) && TimeRange::ALL.overlaps(i64::MAX, i64::MAX));
    assert!(!latest.contains(i64::MAX) && !latest.overlaps(i64::MAX, i64::MAX));
    assert!(latest.contains(i64::MAX - 1) && latest.contains(5) && !latest.contains(4));
    assert!(TimeRange::ALL.contains(-1) && TimeRange::ALL.contains_or_precedes(-1));
    assert!(latest.contains_or_precedes(i64::MAX) && !latest.contains_or_precedes(4));
    assert!(latest.overlaps(0, 5) && latest.overlaps(7, i64::MAX) && !latest.overlaps(0, 4));
}
