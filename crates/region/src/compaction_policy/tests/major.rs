//! When a major compaction is due.

use super::*;

/// Whether all of these files are chosen `days` after they were written.
fn due(files: &[Candidate], days: i64, ttl_days: Option<i64>) -> bool {
    let files: Vec<Candidate> = files.iter().map(|file| Candidate { written_ms: DAY_MS, ..*file }).collect();
    let occasion = Occasion { now_ms: (days + 1) * DAY_MS, ttl_ms: ttl_days.map(|ttl| ttl * DAY_MS), ..NOW };
    let selection = CompactionConfig::default().select(&files, occasion);
    selection.is_some_and(|selection| selection.all_files)
}

#[test]
fn the_period_of_a_store_is_spread_by_the_name_of_its_oldest_file() {
    // The hash 0 gives 0.73…: 10.5 days less 7 times that are 5.38 days; 1618132770 gives 0.96: 3.78 days.
    let two = files(&[10, 10]);
    assert!(!due(&two, 5, None) && due(&two, 6, None));
    let earlier = [Candidate { name_hash: 1_618_132_770, ..two[0] }, two[1]];
    assert!(!due(&earlier, 3, None) && due(&earlier, 4, None));
    let later = [two[0], Candidate { name_hash: 1_618_132_770, ..two[1] }];
    assert!(!due(&later, 5, None));
}

#[test]
fn without_jitter_the_period_is_the_period_and_without_a_period_nothing_is_due() {
    let config = CompactionConfig { major_jitter: 0.0, ..CompactionConfig::default() };
    let at = |config: &CompactionConfig, ms| {
        let files = [Candidate { written_ms: 5, ..FILE }, FILE.written_at(1000)];
        config.select(&files, Occasion { now_ms: ms, ..NOW }).is_some()
    };
    assert!(!at(&config, 7 * DAY_MS + 5) && at(&config, 7 * DAY_MS + 6));
    let never = CompactionConfig { major_period_ms: 0, ..config };
    assert!(!at(&never, i64::MAX));
}

#[test]
fn a_single_file_is_left_alone_until_some_of_it_has_expired() {
    for is_major in [false, true] {
        let single = [Candidate { is_major, timestamps: Some((DAY_MS, 3 * DAY_MS)), ..FILE }];
        assert!(!due(&single, 100, None));
        assert!(!due(&single, 20, Some(20)) && due(&single, 21, Some(20)));
        assert!(!due(&single, 3, Some(2)), "not before the period is over");
        let empty = [Candidate { timestamps: Some(ALL_AGES), is_empty: true, ..single[0] }];
        assert!(!due(&empty, 100, Some(2)));
    }
}

#[test]
fn files_of_unknown_age_and_stores_of_many_files_are_left_to_minor_compactions() {
    let unknown = [FILE.written_at(0), FILE.written_at(0)];
    let occasion = Occasion { now_ms: 100 * DAY_MS, ..NOW };
    assert_eq!(CompactionConfig::default().select(&unknown, occasion), None);
    let many = files(&[10; 10]);
    assert!(due(&many, 6, None), "ten files are a minor compaction, and all there are");
    let large = [files(&[9000]), files(&[10; 9])].concat();
    assert!(!due(&large, 6, None) && due(&large[..9], 6, None));
}

impl Candidate {
    fn written_at(self, written_ms: i64) -> Self {
        Self { written_ms, ..self }
    }
}
