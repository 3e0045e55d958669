use super::*;

fn failed(ranges: &FailedRanges, positions: std::ops::RangeInclusive<u64>) -> Vec<u64> {
    positions.filter(|&p| ranges.check(p).is_err()).collect()
}

#[test]
fn only_positions_inside_a_range_failed() {
    let mut ranges = FailedRanges::default();
    ranges.add(2, 4, &WalError::Closed);
    ranges.add(4, 5, &WalError::Closed);
    ranges.add(8, 9, &WalError::Closed);
    assert_eq!(failed(&ranges, 0..=12), [3, 4, 5, 9]);
    assert_eq!(ranges.0.len(), 2, "neighbours are one");
}

#[test]
fn what_is_forgotten_is_a_failure_never_a_success() {
    let mut ranges = FailedRanges::default();
    let count = MAX_FAILED_RANGES as u64 + 10;
    for i in 0..count {
        ranges.add(i * 10, i * 10 + 1, &WalError::Closed);
    }
    assert_eq!(ranges.0.len(), MAX_FAILED_RANGES);
    for i in 0..count {
        assert!(ranges.check(i * 10 + 1).is_err());
    }
    assert!(ranges.check(count * 10 - 5).is_ok());
}

#[test]
fn a_group_that_fails_takes_in_what_had_failed_of_it() {
    let mut ranges = FailedRanges::default();
    ranges.add(1, 2, &WalError::Closed);
    ranges.add(5, 6, &WalError::Closed);
    ranges.add(8, 9, &WalError::Closed);
    ranges.add(4, 10, &WalError::Closed);
    assert_eq!(failed(&ranges, 0..=12), [2, 5, 6, 7, 8, 9, 10]);
    assert_eq!(ranges.0.len(), 2);
}
