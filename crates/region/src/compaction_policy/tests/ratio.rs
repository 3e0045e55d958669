//! `RatioBasedCompactionPolicy`. Expectations are worked out by hand from HBase's rule: go on from the oldest file while
//! it is larger than both the least size and the ratio times the sum of the next `max_files - 1`.

use super::*;

fn ratio() -> CompactionConfig {
    CompactionConfig {
        policy: CompactionPolicy::RatioBased,
        max_files: 5,
        min_size_bytes: 10 * MB,
        ratio: 1.0,
        major_period_ms: 0,
        ..CompactionConfig::default()
    }
}

#[test]
fn from_the_first_file_on_that_is_not_larger_than_those_after_it() {
    let table: [(&[u64], std::ops::Range<usize>); 8] = [
        (&[100, 50, 23, 12, 12], 2..5),
        (&[100, 50, 25, 12, 12], 0..0),
        (&[97, 50, 23, 12, 12], 0..5),
        (&[7, 6, 5, 4, 3, 2, 1], 0..5),
        // All of them small: no ratio is asked for.
        (&[10, 1, 1], 0..3),
        (&[11, 1, 1], 0..0),
        (&[12, 12], 0..0),
        // The sum is of the next four alone: 100 is out although there are 120 after it.
        (&[100, 20, 20, 20, 20, 20, 20], 1..6),
    ];
    for (sizes, expected) in table {
        assert_eq!(chosen(&ratio(), sizes, NOW), range(expected), "{sizes:?}");
    }
}

#[test]
fn off_peak_hours_have_a_ratio_of_their_own() {
    let off_peak = Occasion { off_peak: true, ..NOW };
    let config = CompactionConfig { off_peak_ratio: 5.0, ..ratio() };
    assert_eq!(chosen(&config, &[200, 20, 20], off_peak), range(0..3));
    assert!(chosen(&config, &[201, 20, 20], off_peak).is_empty());
}

#[test]
fn a_store_that_is_stuck_stays_so_as_in_hbase() {
    let config = CompactionConfig { blocking_files: 3, ..ratio() };
    assert!(chosen(&config, &[1000, 400, 100, 20], NOW).is_empty());
}
