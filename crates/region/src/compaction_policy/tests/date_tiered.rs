//! `DateTieredCompactionPolicy`. Windows and choices are worked out by hand from HBase's rules.

use super::super::windows::Window;
use super::*;
use crate::date_tiered_config::DateTieredConfig;
use crate::output_files::MOST_FILES;

/// Windows of 6 ms, 4 in a tier; nothing older than 100 ms; 3 files for the window of now, 2 for others.
fn tiered() -> CompactionConfig {
    CompactionConfig {
        engine: StoreEngine::DateTiered,
        min_files: 2,
        max_files: 12,
        ratio: 1.2,
        min_size_bytes: 0,
        major_period_ms: 10,
        major_jitter: 0.0,
        date_tiered: DateTieredConfig {
            base_window_ms: 6,
            windows_per_tier: 4,
            max_age_ms: 100,
            incoming_window_min_files: 3,
            ..DateTieredConfig::default()
        },
        ..CompactionConfig::default()
    }
}

/// Files with these lowest and highest timestamps and sizes.
fn stored(files: &[(i64, i64, u64)]) -> Vec<Candidate> {
    let file = |&(min, max, size_bytes): &(i64, i64, u64)| Candidate {
        size_bytes,
        timestamps: Some((min, max)),
        written_ms: 0,
        ..FILE
    };
    files.iter().map(file).collect()
}

/// A minor compaction of files with these highest timestamps and sizes.
fn minor(config: &CompactionConfig, now_ms: i64, newest: &[i64], sizes: &[u64]) -> Option<(Vec<usize>, Cut)> {
    let files: Vec<_> = newest.iter().zip(sizes).map(|(&newest, &size)| (0, newest, size)).collect();
    let selection = config.select(&stored(&files), Occasion { now_ms, ..NOW });
    selection.map(|selection| (selection.files, selection.cut))
}

fn whole(numbers: &[usize]) -> Option<(Vec<usize>, Cut)> {
    Some((numbers.to_vec(), Cut::Times(vec![i64::MIN])))
}

fn starts(config: &DateTieredConfig, now_ms: i64, count: usize) -> Vec<i64> {
    let windows = std::iter::successors(Some(Window::incoming(config, now_ms)), |window| window.earlier());
    windows.take(count).map(Window::start_ms).collect()
}

#[test]
fn windows_grow_where_a_tier_ends() {
    let config = DateTieredConfig { base_window_ms: 6, windows_per_tier: 4, ..DateTieredConfig::default() };
    // 194 is in the 32nd window of 6, with which a window of 24 begins; the 7th of those, 168 to 192, comes before it,
    // down to 96 where one of 96 ends.
    assert_eq!(starts(&config, 194, 6), [192, 168, 144, 120, 96, 0]);
    assert_eq!(starts(&config, 209, 6), [204, 198, 192, 168, 144, 120]);
    // Before the epoch HBase rounds positions towards it, so that windows overlap: they end all the same.
    assert_eq!(starts(&config, 5, 4), [0, -24, -96, -384]);
}

#[test]
fn windows_older_than_any_tier_do_not_grow() {
    let config = DateTieredConfig {
        base_window_ms: 6,
        windows_per_tier: 4,
        max_tier_age_ms: Some(60),
        ..DateTieredConfig::default()
    };
    // 192 less 24 is not older than 194 less 60, and neither is 168 less 24 as a window of the same tier; 96 is.
    assert_eq!(starts(&config, 194, 6), [192, 168, 144, 120, 96, 72]);
    let config = DateTieredConfig { max_tier_age_ms: Some(20), ..config };
    assert_eq!(starts(&config, 194, 4), [192, 186, 180, 174]);
}

#[test]
fn absurd_settings_and_times_end_somewhere() {
    for (base_window_ms, windows_per_tier) in [(0, 0), (-5, -5), (1, 1), (i64::MAX, 2), (1, i64::MAX), (2, 2)]
    {
        for max_tier_age_ms in [None, Some(0), Some(i64::MIN), Some(i64::MAX)] {
            let date_tiered = DateTieredConfig {
                base_window_ms,
                windows_per_tier,
                max_tier_age_ms,
                max_age_ms: i64::MAX,
                ..DateTieredConfig::default()
            };
            let config = CompactionConfig { date_tiered, ..tiered() };
            let files =
                stored(&[(i64::MIN, i64::MIN, 1), (-1, 0, 1), (i64::MIN, 5, 1), (i64::MAX, i64::MAX, 1)]);
            for now_ms in [0, 5_000_000, i64::MAX] {
                config.select(&files, Occasion { now_ms, ..NOW });
                let all = config.select(&files, Occasion { now_ms, ..ASKED }).unwrap();
                let Cut::Times(times) = all.cut else { panic!("not cut by time") };
                assert!(
                    times[0] == i64::MIN && times.is_sorted_by(|a, b| a < b) && times.len() <= MOST_FILES
                );
            }
        }
    }
}

#[test]
fn the_window_of_now_needs_files_of_its_own() {
    let config = tiered();
    assert_eq!(minor(&config, 16, &[12, 13, 14], &[1, 1, 1]), whole(&[0, 1, 2]));
    assert_eq!(minor(&config, 16, &[12, 13], &[1, 1]), None);
    // What comes from the future is in it as well.
    assert_eq!(minor(&config, 16, &[12, 13, 999], &[1, 1, 1]), whole(&[0, 1, 2]));
    // Two files are enough for an older window.
    assert_eq!(minor(&config, 16, &[6, 7, 13], &[1, 1, 1]), whole(&[0, 1]));
    // The youngest window that has enough goes first.
    assert_eq!(minor(&config, 16, &[6, 7, 12, 13, 14], &[1; 5]), whole(&[2, 3, 4]));
}

#[test]
fn a_file_is_as_new_as_those_before_it() {
    // The third has old cells, but lies between two of the window of now.
    assert_eq!(minor(&tiered(), 16, &[0, 13, 3, 12, 14], &[1; 5]), whole(&[1, 2, 3, 4]));
    // After a file from the future everything is new.
    assert_eq!(minor(&tiered(), 16, &[999, 0, 0], &[1; 3]), whole(&[0, 1, 2]));
}

#[test]
fn a_file_without_cells_is_in_the_window_of_now() {
    let config = tiered();
    let occasion = Occasion { now_ms: 16, ..NOW };
    let chosen = |files: &[Candidate]| config.select(files, occasion).map(|selection| selection.files);
    let empty = Candidate { timestamps: Some(ALL_AGES), is_empty: true, ..stored(&[(0, 0, 1)])[0] };
    let empty_files = [empty; 3];
    // It takes as many of them as of others there.
    assert_eq!(chosen(&empty_files[..2]), None);
    assert_eq!(chosen(&empty_files), Some(vec![0, 1, 2]));
    // What is older and comes after it is there as well.
    let old = stored(&[(0, 6, 1), (0, 7, 1)]);
    assert_eq!(chosen(&[old[0], old[1], empty]), Some(vec![0, 1]));
    assert_eq!(chosen(&[old[0], empty, old[1]]), None);
    assert_eq!(chosen(&[empty, old[0], old[1]]), Some(vec![0, 1, 2]));
}

#[test]
fn within_a_window_the_policy_chooses_by_size() {
    let config = tiered();
    assert_eq!(minor(&config, 16, &[12, 13, 14, 15], &[90, 10, 10, 10]), whole(&[1, 2, 3]));
    // Nothing in ratio: the next window is looked at.
    assert_eq!(minor(&config, 16, &[6, 7, 12, 13, 14], &[5, 5, 90, 9, 1]), whole(&[0, 1]));
    assert_eq!(minor(&config, 16, &[6, 7, 12, 13, 14], &[90, 5, 90, 9, 1]), None);
    // A store that is stuck takes the whole window.
    let stuck = CompactionConfig { blocking_files: 5, ..config.clone() };
    assert_eq!(minor(&stuck, 16, &[6, 7, 12, 13, 14], &[90, 5, 90, 9, 1]), whole(&[2, 3, 4]));
    let date_tiered =
        DateTieredConfig { window_policy: CompactionPolicy::RatioBased, ..config.date_tiered.clone() };
    let by_ratio = CompactionConfig { date_tiered, ..config };
    assert_eq!(minor(&by_ratio, 16, &[12, 13, 14, 15], &[90, 10, 10, 10]), whole(&[1, 2, 3]));
}

#[test]
fn windows_that_are_too_old_are_left_alone() {
    let config = tiered();
    // Now is 194: windows from 192, 168, 144, 120, 96. 94 and later is young enough, and in the window from 96 on.
    assert_eq!(minor(&config, 194, &[97, 98], &[1, 1]), whole(&[0, 1]));
    assert_eq!(minor(&config, 194, &[70, 71], &[1, 1]), None);
}

#[test]
fn a_whole_window_may_be_parted_from_what_is_older() {
    let date_tiered = DateTieredConfig { single_output_for_minor: false, ..tiered().date_tiered };
    let config = CompactionConfig { date_tiered, ..tiered() };
    let cut = Cut::Times(vec![i64::MIN, 12]);
    assert_eq!(minor(&config, 16, &[12, 13, 14], &[1; 3]), Some((vec![0, 1, 2], cut)));
    // With a file left out the output is one.
    assert_eq!(minor(&config, 16, &[12, 13, 14, 15], &[90, 10, 10, 10]), whole(&[1, 2, 3]));
}

#[test]
fn all_files_are_cut_at_each_window_down_to_the_oldest_cell() {
    let all = |now_ms, files: &[(i64, i64, u64)]| {
        tiered().select(&stored(files), Occasion { now_ms, ..ASKED }).unwrap().cut
    };
    let times = |times: &[i64]| Cut::Times([&[i64::MIN], times].concat());
    assert_eq!(all(194, &[(100, 193, 1)]), times(&[120, 144, 168, 192]));
    assert_eq!(all(194, &[(120, 193, 1)]), times(&[144, 168, 192]));
    assert_eq!(all(194, &[(192, 193, 1)]), times(&[]));
    assert_eq!(all(194, &[(300, 301, 1)]), times(&[]));
    assert_eq!(all(209, &[(199, 200, 1), (191, 208, 1)]), times(&[192, 198, 204]));
}

#[test]
fn a_major_compaction_is_due_when_some_file_is_out_of_its_window() {
    let is_due = |files: &[(i64, i64, u64)], change: &dyn Fn(&mut Candidate), ttl_ms| {
        let mut files = stored(files);
        files.iter_mut().for_each(|file| {
            (file.written_ms, file.is_major) = (100, true);
            change(file);
        });
        let config = CompactionConfig { min_files: 9, ..tiered() };
        config.select(&files, Occasion { now_ms: 194, ttl_ms, ..NOW }).is_some()
    };
    let in_place: [(i64, i64, u64); 3] = [(97, 119, 1), (145, 146, 1), (192, 193, 1)];
    assert!(!is_due(&in_place, &|_| {}, None));
    assert!(is_due(&in_place, &|file| file.is_major = file.timestamps != Some((145, 146)), None));
    assert!(is_due(&in_place, &|file| file.is_bulk_loaded = true, None));
    assert!(!is_due(&in_place, &|file| (file.is_major, file.written_ms) = (false, 190), None), "too young");
    // The oldest cell is 97 old.
    assert!(is_due(&in_place, &|_| {}, Some(97)) && !is_due(&in_place, &|_| {}, Some(98)));
    assert!(is_due(&[(97, 121, 1)], &|_| {}, None), "across windows");
    assert!(is_due(&[(145, 146, 1), (147, 148, 1)], &|_| {}, None), "two in a window");
}
