use super::*;
use std::time::Duration;

/// The deadline in seconds, of times in seconds.
fn until(progress: u64, since: u64, wanted: u64) -> u64 {
    let limits = Limits {
        crowded_stall_timeout: Duration::from_secs(5),
        crowded_reply_timeout: Duration::from_secs(60),
        ..Limits::default()
    };
    let begin = Instant::now();
    let at = |seconds| begin + Duration::from_secs(seconds);
    until_in_a_crowd(&limits, at(progress), at(since), at(wanted)).duration_since(begin).as_secs()
}

#[test]
fn a_client_that_takes_nothing_is_closed_after_a_while() {
    assert_eq!(until(10, 10, 3), 15);
    assert_eq!(until(20, 10, 3), 25, "it took some");
}

#[test]
fn a_client_that_was_away_may_read_before_others_have_waited_as_long() {
    assert_eq!(until(10, 10, 100), 105);
    assert_eq!(until(10, 10, 12), 17);
}

#[test]
fn a_client_that_reads_too_slowly_is_closed_as_well() {
    assert_eq!(until(68, 10, 12), 70);
    assert_eq!(until(99, 10, 98), 103, "when others have waited");
}
