use super::*;

const MB: u64 = 1 << 20;
const DAY_MS: i64 = 24 * 3600 * 1000;

fn files(sizes_mb: &[u64]) -> Vec<Candidate> {
    sizes_mb
        .iter()
        .map(|size| Candidate {
            size_bytes: size * MB,
            written_ms: 0,
            is_major: false,
            has_expired: false,
            major_only: false,
        })
        .collect()
}

fn select(sizes_mb: &[u64]) -> Option<std::ops::Range<usize>> {
    CompactionConfig::default().select(&files(sizes_mb), false, 1, 0.5).map(|selection| selection.files)
}

#[test]
fn few_files_are_left_alone() {
    assert_eq!(select(&[]), None);
    assert_eq!(select(&[10, 10]), None);
}

#[test]
fn small_neighbours_are_taken_together_and_large_ones_left_out() {
    assert_eq!(select(&[10, 10, 10]), Some(0..3));
    assert_eq!(select(&[5000, 10, 10, 10]), Some(1..4));
    assert_eq!(select(&[5000, 1000, 130, 130, 130, 130]), Some(2..6));
    assert_eq!(select(&[4000, 1000, 300]), None);
}

#[test]
fn at_most_ten_files_are_taken_at_once_and_the_smallest_such_run() {
    let mut sizes = vec![20; 6];
    sizes.extend([10; 8]);
    assert_eq!(select(&sizes), Some(4..14));
}

#[test]
fn a_stuck_store_takes_what_frees_most_files_per_byte() {
    let sizes: Vec<u64> = (0..20).map(|n| 100_000 >> n).map(|size: u64| size.max(200)).collect();
    assert!(select(&sizes[..15]).is_some());
    let selection = CompactionConfig::default().select(&files(&sizes), false, 1, 0.5).unwrap();
    assert!(selection.files.len() >= 3 && !selection.all_files);
}

#[test]
fn asked_for_all_takes_all_and_knows_it() {
    let selection = CompactionConfig::default().select(&files(&[9000, 1]), true, 1, 0.5).unwrap();
    assert_eq!(selection, Selection { files: 0..2, all_files: true });
    assert_eq!(CompactionConfig::default().select(&[], true, 1, 0.5), None);
}

#[test]
fn old_files_are_compacted_whole_once_the_period_of_their_store_is_over() {
    let config = CompactionConfig::default();
    let due = |files: &[Candidate], days, phase| config.select(files, false, days * DAY_MS, phase).is_some();
    let old = files(&[10]);
    assert!(!due(&old, 3, 0.5) && due(&old, 8, 0.5));
    // 7 days, give or take half of them.
    assert!(due(&old, 4, 1.0) && !due(&old, 10, 0.0) && due(&old, 11, 0.0));
    let done = [Candidate { is_major: true, ..old[0] }];
    assert!(!due(&done, 100, 0.5));
    // But that what has expired meanwhile goes.
    let expired = [Candidate { has_expired: true, ..done[0] }];
    assert!(due(&expired, 8, 0.5) && !due(&expired, 3, 0.5));
}

#[test]
fn a_file_is_never_compacted_alone_without_being_asked() {
    let config = CompactionConfig { min_files: 1, major_period_ms: 0, ..CompactionConfig::default() };
    assert_eq!(config.select(&files(&[10]), false, 1, 0.5), None);
    assert!(config.select(&files(&[10, 10]), false, 1, 0.5).is_some());
    let stuck = CompactionConfig { blocking_files: 1, ..config };
    assert_eq!(stuck.select(&files(&[10]), false, 1, 0.5), None);
}

#[test]
fn files_that_are_left_to_major_compactions_end_a_run() {
    let mut loaded = files(&[10; 8]);
    loaded[4].major_only = true;
    let config = CompactionConfig::default();
    let selection = config.select(&loaded, false, 1, 0.5).unwrap();
    assert_eq!(selection, Selection { files: 0..4, all_files: false });
    assert_eq!(config.select(&loaded[2..6], false, 1, 0.5), None);
    assert_eq!(config.select(&loaded, true, 1, 0.5).unwrap().files, 0..8);
    let stuck = CompactionConfig { blocking_files: 1, ..config };
    assert_eq!(stuck.select(&loaded[2..6], false, 1, 0.5), None);
}
