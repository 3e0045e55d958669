use super::*;
use crate::date_tiered_config::DateTieredConfig;

mod date_tiered;
mod major;
mod ratio;
mod recorded;
mod striped;

const MB: u64 = 1 << 20;
const DAY_MS: i64 = 24 * 3600 * 1000;
const FILE: Candidate = Candidate {
    size_bytes: 10 * MB,
    written_ms: 1,
    timestamps: Some((1, 2)),
    is_empty: false,
    is_major: false,
    is_bulk_loaded: false,
    major_only: false,
    is_reference: false,
    name_hash: 0,
};
const NOW: Occasion = Occasion { major: false, off_peak: false, now_ms: 2, ttl_ms: None };
const ASKED: Occasion = Occasion { major: true, ..NOW };

fn files(sizes_mb: &[u64]) -> Vec<Candidate> {
    sizes_mb.iter().map(|size| Candidate { size_bytes: size * MB, ..FILE }).collect()
}

/// What is chosen of files of these sizes, in MB; nothing where nothing is.
fn chosen(config: &CompactionConfig, sizes_mb: &[u64], occasion: Occasion) -> Vec<usize> {
    config.select(&files(sizes_mb), occasion).map_or_else(Vec::new, |selection| selection.files)
}

fn range(numbers: std::ops::Range<usize>) -> Vec<usize> {
    numbers.collect()
}

fn explore(sizes_mb: &[u64]) -> Vec<usize> {
    chosen(&CompactionConfig::default(), sizes_mb, NOW)
}

#[test]
fn few_files_are_left_alone() {
    assert!(explore(&[]).is_empty());
    assert!(explore(&[10, 10]).is_empty());
}

#[test]
fn small_neighbours_are_taken_together_and_large_ones_left_out() {
    assert_eq!(explore(&[10, 10, 10]), range(0..3));
    assert_eq!(explore(&[5000, 10, 10, 10]), range(1..4));
    assert_eq!(explore(&[5000, 1000, 130, 130, 130, 130]), range(2..6));
    assert!(explore(&[4000, 1000, 300]).is_empty());
}

#[test]
fn at_most_ten_files_are_taken_at_once_and_the_smallest_such_run() {
    let mut sizes = vec![20; 6];
    sizes.extend([10; 8]);
    assert_eq!(explore(&sizes), range(4..14));
}

#[test]
fn a_stuck_store_takes_what_frees_most_files_per_byte() {
    let config = CompactionConfig { blocking_files: 6, ..CompactionConfig::default() };
    // Four files of 200 each free as much per byte as three: the first found stays.
    assert_eq!(chosen(&config, &[900, 200, 200, 200, 200, 300], NOW), range(1..4));
    assert_eq!(chosen(&config, &[900, 200, 200, 200, 100, 100], NOW), range(3..6));
    // Below the limit most files count.
    assert_eq!(chosen(&config, &[1000, 200, 200, 200, 200], NOW), range(1..5));
    // With nothing in ratio: the smallest run.
    assert_eq!(chosen(&config, &[24_300, 8100, 2700, 900, 300, 130], NOW), range(3..6));
}

#[test]
fn asked_for_all_takes_all_and_knows_it() {
    let selection = CompactionConfig::default().select(&files(&[9000, 1]), ASKED).unwrap();
    let all = Selection {
        files: vec![0, 1],
        all_files: true,
        is_major: true,
        off_peak: false,
        cut: Cut::Whole,
        whole: Some((Bytes::new(), Bytes::new())),
    };
    assert_eq!(selection, all);
    assert_eq!(CompactionConfig::default().select(&[], ASKED), None);
    // However large and however many.
    let config = CompactionConfig { max_size_bytes: MB, max_files: 2, ..CompactionConfig::default() };
    assert_eq!(config.select(&files(&[9; 20]), ASKED).unwrap().files.len(), 20);
}

#[test]
fn a_file_is_never_compacted_alone_without_being_asked() {
    let config = CompactionConfig { min_files: 1, major_period_ms: 0, ..CompactionConfig::default() };
    assert!(chosen(&config, &[10], NOW).is_empty());
    assert_eq!(chosen(&config, &[10, 10], NOW), range(0..2));
    let stuck = CompactionConfig { blocking_files: 1, ..config };
    assert!(chosen(&stuck, &[10], NOW).is_empty());
}

#[test]
fn large_old_files_are_left_out_and_large_runs_too() {
    let config = CompactionConfig { max_size_bytes: 100 * MB, ..CompactionConfig::default() };
    assert_eq!(chosen(&config, &[101, 200, 50, 20, 20], NOW), range(2..5));
    // Only the oldest; a large one among the others ends a run.
    assert!(chosen(&config, &[50, 101, 20, 20], NOW).is_empty());
    // Twenty files of which any five are too much together.
    assert_eq!(chosen(&config, &[25; 15], NOW), range(0..4));
}

#[test]
fn off_peak_hours_have_a_ratio_and_a_size_of_their_own() {
    let config = CompactionConfig {
        max_size_bytes: 2000 * MB,
        off_peak_max_size_bytes: Some(4000 * MB),
        ..CompactionConfig::default()
    };
    let sizes = [1500, 200, 200, 200];
    assert_eq!(chosen(&config, &sizes, NOW), range(1..4));
    let off_peak = Occasion { off_peak: true, ..NOW };
    let selection = config.select(&files(&sizes), off_peak).unwrap();
    assert_eq!(selection.files, range(0..4), "1500 is not more than 600 times 5");
    // All files: that is no use of off-peak hours.
    assert!(selection.all_files && !selection.off_peak);
    assert!(!selection.is_major, "they were chosen like some");
    let selection = config.select(&files(&[3900, 200, 200, 200]), off_peak).unwrap();
    assert!(selection.files == range(1..4) && selection.off_peak);
}

#[test]
fn files_that_are_left_to_major_compactions_are_as_if_they_were_not_there() {
    let mut loaded = files(&[10; 6]);
    loaded[2].major_only = true;
    let config = CompactionConfig::default();
    let selection = config.select(&loaded, NOW).unwrap();
    assert!(selection.files == [0, 1, 3, 4, 5] && !selection.all_files);
    assert_eq!(config.select(&loaded[1..4], NOW), None);
    assert_eq!(config.select(&loaded, ASKED).unwrap().files, range(0..6));
    let stuck = CompactionConfig { blocking_files: 1, ..config };
    assert_eq!(stuck.select(&loaded[1..4], NOW), None);
}

#[test]
fn a_first_in_first_out_store_drops_what_has_expired_and_nothing_else() {
    let config = CompactionConfig { policy: CompactionPolicy::Fifo, ..CompactionConfig::default() };
    let mut stored = files(&[10; 5]);
    for (file, newest) in stored.iter_mut().zip([100, 300, 200, 201, 900]) {
        file.timestamps = Some((1, newest));
    }
    // An empty file has nothing that could expire.
    stored.push(Candidate { timestamps: Some(ALL_AGES), is_empty: true, ..FILE });
    let occasion = Occasion { now_ms: 1200, ttl_ms: Some(1000), ..NOW };
    for major in [false, true] {
        let selection = config.select(&stored, Occasion { major, ..occasion }).unwrap();
        assert!(selection.files == [0, 2] && !selection.all_files, "{selection:?}");
        assert_eq!(config.select(&stored, Occasion { major, ttl_ms: None, ..occasion }), None);
    }
}

#[test]
fn references_go_as_soon_as_they_can_and_all_files_with_them() {
    let config = CompactionConfig::default();
    let mut files = files(&[10, 10]);
    files[0] = Candidate { size_bytes: u64::MAX, is_reference: true, ..FILE };
    let selection = config.select(&files, NOW).expect("two files are enough");
    assert_eq!((selection.files, selection.all_files, selection.is_major), (range(0..2), true, false));
    let fifo = CompactionConfig { policy: CompactionPolicy::Fifo, ..CompactionConfig::default() };
    assert_eq!(fifo.select(&files, NOW).expect("not by age").files, range(0..2));
    let mut many = vec![Candidate { is_reference: true, ..FILE }; 12];
    let first = config.select(&many, NOW).expect("as many as there may be");
    assert_eq!((first.files, first.all_files), (range(0..10), false));
    many.truncate(1);
    assert_eq!(config.select(&many, NOW).expect("one is enough").files, range(0..1));
}

#[test]
fn counts_of_files_may_be_as_large_as_numbers_get() {
    let engines = [StoreEngine::Default, StoreEngine::DateTiered];
    let policies = [CompactionPolicy::Exploring, CompactionPolicy::RatioBased];
    for (min_files, max_files) in [(2, usize::MAX), (usize::MAX, usize::MAX), (usize::MAX, 2)] {
        for (engine, policy) in engines.into_iter().flat_map(|engine| policies.map(|policy| (engine, policy)))
        {
            let date_tiered = DateTieredConfig { window_policy: policy, ..DateTieredConfig::default() };
            let config = CompactionConfig {
                engine,
                policy,
                min_files,
                max_files,
                min_size_bytes: 0,
                date_tiered: DateTieredConfig { incoming_window_min_files: min_files, ..date_tiered },
                ..CompactionConfig::default()
            };
            let expected = if min_files == 2 { range(1..5) } else { Vec::new() };
            assert_eq!(chosen(&config, &[90, 10, 10, 10, 10], NOW), expected, "{engine:?} {policy:?}");
        }
    }
}
