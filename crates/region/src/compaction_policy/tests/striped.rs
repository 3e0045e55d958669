//! `StripeStoreFileManager` and `StripeCompactionPolicy`. Layouts and choices are worked out by hand from HBase's rules.

use super::super::striped::InStripe;
use super::super::stripes::{Division, Stripes};
use super::*;
use crate::output_files::MOST_FILES;
use crate::stripe_config::StripeConfig;
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor, TableName};

fn rows(start: &'static str, end: &'static str) -> (Bytes, Bytes) {
    (Bytes::from_static(start.as_bytes()), Bytes::from_static(end.as_bytes()))
}

fn bounds(bounds: &[&'static str]) -> Vec<Bytes> {
    bounds.iter().map(|bound| Bytes::from_static(bound.as_bytes())).collect()
}

/// A file at level 0, or of a stripe, of so many MB, with a cell for each of them.
type File = (Option<(&'static str, &'static str)>, u64);

const LEVEL0: Option<(&str, &str)> = None;

fn layout(files: &[Option<(&'static str, &'static str)>]) -> Stripes {
    let rows_of = |file: &Option<(&'static str, &'static str)>| file.map(|(start, end)| rows(start, end));
    Stripes::of(&files.iter().map(rows_of).collect::<Vec<_>>())
}

fn striped() -> CompactionConfig {
    let stripe = StripeConfig {
        level0_min_files: 3,
        min_files: Some(3),
        max_files: Some(5),
        split_size_bytes: Some(100 * MB),
        ..StripeConfig::default()
    };
    CompactionConfig {
        engine: StoreEngine::Stripe,
        stripe,
        min_size_bytes: 1000 * MB,
        ..CompactionConfig::default()
    }
}

fn select(config: &CompactionConfig, files: &[File], occasion: Occasion) -> Option<Selection> {
    let candidates: Vec<_> =
        files.iter().map(|(_, size)| Candidate { size_bytes: size * MB, ..FILE }).collect();
    let in_stripes: Vec<_> = files
        .iter()
        .map(|(stripe, cells)| InStripe { rows: stripe.map(|(start, end)| rows(start, end)), cells: *cells })
        .collect();
    config.select_striped(&candidates, &in_stripes, occasion)
}

/// Files, where the output is cut, and the rows of which these are all files.
type Chosen = (Vec<usize>, Cut, Option<(Bytes, Bytes)>);

fn chosen(files: &[File]) -> Option<Chosen> {
    select(&striped(), files, NOW).map(|selection| (selection.files, selection.cut, selection.whole))
}

fn cells(start: &'static str, end: &'static str, pieces: usize, cells: u64) -> Cut {
    let (start, end) = rows(start, end);
    Cut::Cells { start, end, pieces, cells }
}

#[test]
fn files_that_fit_together_are_stripes() {
    let stripes = layout(&[Some(("", "m")), LEVEL0, Some(("m", "")), Some(("", "m"))]);
    assert_eq!(stripes.bounds, bounds(&["", "m", ""]));
    assert_eq!((stripes.files, stripes.level0), (vec![vec![3, 0], vec![2]], vec![1]));
    assert_eq!(layout(&[LEVEL0, LEVEL0]), Stripes { level0: vec![1, 0], ..Stripes::default() });
    assert_eq!(layout(&[Some(("", ""))]).bounds, bounds(&["", ""]));
}

#[test]
fn what_does_not_fit_is_at_level_0() {
    // A flush into a stripe that was cut meanwhile.
    let stripes = layout(&[Some(("", "m")), Some(("m", "")), Some(("m", "t")), Some(("t", ""))]);
    assert_eq!((stripes.bounds, stripes.level0), (bounds(&["", "m", "t", ""]), vec![1]));
    // No range of rows.
    assert_eq!(layout(&[Some(("m", "m")), Some(("z", "a"))]).level0, [1, 0]);
    // A gap, which nothing explains.
    let stripes = layout(&[Some(("", "c")), Some(("m", ""))]);
    assert_eq!((stripes.level0, stripes.files.len()), (vec![1, 0], 0));
    // Of a region that was cut out of a larger one: the edges are as good as open.
    let stripes = layout(&[Some(("c", "m")), Some(("m", "t"))]);
    assert_eq!((stripes.bounds, stripes.level0.len()), (bounds(&["", "m", ""]), 0));
}

#[test]
fn regions_are_divided_between_stripes_unless_half_a_stripe_is_fairer() {
    let stripes = layout(&[Some(("", "g")), Some(("g", "m")), Some(("m", ""))]);
    let between = |row: &'static str| Division::Between(Bytes::from_static(row.as_bytes()));
    // Wherever the largest file is.
    assert_eq!(stripes.division(&[100, 10, 90], 1.5), between("g"));
    assert_eq!(stripes.division(&[40, 30, 100], 1.5), between("m"));
    // 30 beside 70; with half of the second stripe 60 beside 40.
    assert_eq!(stripes.division(&[30, 60, 10], 1.5), Division::Within(vec![1]));
    assert_eq!(stripes.division(&[30, 60, 10], 3.0), between("g"));
    assert_eq!(stripes.division(&[10, 100, 45], 1.5), Division::Within(vec![1]));
    // 70 beside 100; 120 beside 50 would be worse.
    assert_eq!(stripes.division(&[40, 30, 100], 1.2), between("m"));
    // Nothing that could be between.
    assert_eq!(stripes.division(&[100, 0, 0], 1.5), Division::Within(vec![2, 1, 0]));
    assert_eq!(layout(&[LEVEL0, LEVEL0]).division(&[1, 2], 1.5), Division::Within(vec![1, 0]));
    assert_eq!(layout(&[Some(("", ""))]).division(&[1], 1.5), Division::Within(vec![0]));
}

#[test]
fn level_0_becomes_stripes_once_it_has_enough_files() {
    assert_eq!(chosen(&[(LEVEL0, 5), (LEVEL0, 5)]), None);
    let open = Some(rows("", ""));
    assert_eq!(chosen(&[(LEVEL0, 5); 3]), Some((vec![0, 1, 2], cells("", "", 1, 15), open.clone())));
    // 150 MB are 3 parts of 50, rather than 1.
    assert_eq!(chosen(&[(LEVEL0, 50); 3]), Some((vec![0, 1, 2], cells("", "", 3, 50), open)));
    // More than one compaction takes: the policy chooses, and markers stay.
    let (files, cut, whole) = chosen(&[(LEVEL0, 5); 7]).unwrap();
    assert_eq!((files, cut, whole), (vec![2, 3, 4, 5, 6], cells("", "", 1, 25), None));
}

#[test]
fn level_0_goes_into_the_stripes_with_a_whole_stripe_if_one_is_to_be_compacted() {
    let (a, b) = (Some(("", "m")), Some(("m", "")));
    let cut = |whole| Cut::Rows { bounds: bounds(&["", "m", ""]), whole };
    let level0 = [(LEVEL0, 1); 3];
    let files = [&[(a, 9), (b, 9)][..], &level0].concat();
    assert_eq!(chosen(&files), Some((vec![2, 3, 4], cut(None), None)));
    let files = [&[(a, 9), (b, 9), (b, 9), (b, 9)][..], &level0].concat();
    let with_b = Some((vec![1, 2, 3, 4, 5, 6], cut(Some((1, 2))), Some(rows("m", ""))));
    assert_eq!(chosen(&files), with_b);
    // Not with one that has to be cut.
    let files = [&[(a, 9), (b, 90), (b, 9), (b, 9)][..], &level0].concat();
    assert_eq!(chosen(&files), Some((vec![4, 5, 6], cut(None), None)));
    let selection = select(&striped(), &[&[(a, 9), (b, 9)][..], &level0].concat(), ASKED).unwrap();
    assert!(selection.all_files && selection.whole == Some(rows("", "")));
    assert_eq!((selection.files, selection.cut), (range(0..5), cut(Some((0, 2)))));
}

#[test]
fn a_stripe_is_compacted_by_itself_and_cut_when_it_is_large() {
    let (a, b) = (Some(("", "m")), Some(("m", "")));
    assert_eq!(chosen(&[(a, 9), (a, 9), (b, 9), (b, 9)]), None);
    let (files, cut, whole) = chosen(&[(a, 9), (b, 9), (b, 9), (b, 9)]).unwrap();
    assert_eq!((files, cut, whole), (vec![1, 2, 3], cells("m", "", 1, u64::MAX), Some(rows("m", ""))));
    // Markers stay while level 0 may have what they hide.
    let (_, _, whole) = chosen(&[(a, 9), (b, 9), (b, 9), (b, 9), (LEVEL0, 1)]).unwrap();
    assert_eq!(whole, None);
    // 120 MB are two parts; 160 are three of 50 rather than two of 80.
    let (_, cut, _) = chosen(&[(a, 9), (b, 40), (b, 40), (b, 40)]).unwrap();
    assert_eq!(cut, cells("m", "", 2, 60));
    let (_, cut, _) = chosen(&[(a, 9), (b, 60), (b, 50), (b, 50)]).unwrap();
    assert_eq!(cut, cells("m", "", 3, 53));
    // Of two stripes that with more files.
    let (files, ..) = chosen(&[(a, 9), (a, 9), (a, 9), (b, 9), (b, 9), (b, 9), (b, 9)]).unwrap();
    assert_eq!(files, [3, 4, 5, 6]);
}

#[test]
fn expired_stripes_become_one_with_their_neighbours() {
    let (a, b, c) = (Some(("", "g")), Some(("g", "m")), Some(("m", "")));
    let occasion = Occasion { now_ms: 1000, ttl_ms: Some(100), ..NOW };
    let files_of = |expired: [bool; 3], level0: bool| {
        let mut candidates = vec![FILE; 3];
        for (file, expired) in candidates.iter_mut().zip(expired) {
            file.timestamps = Some((1, if expired { 899 } else { 900 }));
        }
        let mut in_stripes: Vec<_> =
            [a, b, c].iter().map(|file| file.map(|(start, end)| rows(start, end))).collect();
        if level0 {
            candidates.push(Candidate { timestamps: Some((900, 900)), ..FILE });
            in_stripes.push(None);
        }
        let in_stripes: Vec<_> = in_stripes.into_iter().map(|rows| InStripe { rows, cells: 1 }).collect();
        let selection = striped().select_striped(&candidates, &in_stripes, occasion)?;
        Some((selection.files, selection.cut, selection.whole))
    };
    let whole = |start, end| (cells(start, end, 1, u64::MAX), Some(rows(start, end)));
    let (cut, rows) = whole("", "m");
    assert_eq!(files_of([true, true, false], false), Some((vec![0, 1], cut.clone(), rows)));
    assert_eq!(files_of([true, true, false], true), Some((vec![0, 1], cut, None)));
    let (cut, rows) = whole("g", "");
    assert_eq!(files_of([false, true, false], false), Some((vec![1, 2], cut, rows)));
    assert_eq!(files_of([false, false, true], false), None, "the last has no next one");
    assert_eq!(files_of([false; 3], false), None);
}

#[test]
fn counts_of_files_of_stripes_may_be_as_large_as_numbers_get() {
    let (a, b) = (Some(("", "m")), Some(("m", "")));
    for (min_files, max_files) in [(2, usize::MAX), (usize::MAX, usize::MAX), (usize::MAX, 2)] {
        let mut config = striped();
        (config.stripe.min_files, config.stripe.max_files) = (Some(min_files), Some(max_files));
        let selection = select(&config, &[(a, 9), (b, 9), (b, 9), (b, 9), (b, 9)], NOW);
        assert_eq!(selection.map(|selection| selection.files), (min_files == 2).then(|| range(1..5)));
    }
}

#[test]
fn a_stripe_is_large_by_the_flush_size_whatever_files_are_always_in_ratio() {
    let table = TableDescriptor::new(TableName::parse(b"t").unwrap());
    let family = ColumnFamilyDescriptor::with_defaults(b"f").with("hbase.hstore.compaction.min.size", "0");
    let pieces_of = |flush_size, size| {
        let config = CompactionConfig { engine: StoreEngine::Stripe, ..CompactionConfig::default() };
        let config = config.of_store(&table, &family, flush_size);
        let Cut::Cells { pieces, .. } = select(&config, &[(Some(("", "")), size); 4], NOW).unwrap().cut
        else {
            panic!("not cut by cells")
        };
        pieces
    };
    // 4 files, 4 times, for each of two parts.
    assert_eq!((pieces_of(128 * MB, 1), pieces_of(128 * MB, 1023), pieces_of(128 * MB, 1024)), (1, 1, 2));
    assert_eq!((pieces_of(0, 1023), pieces_of(0, 1024)), (1, 2));
    assert_eq!((pieces_of(MB, 7), pieces_of(MB, 8)), (1, 2));
}

/// A file of 200 MB for each of so many stripes.
fn many_stripes(count: u16) -> (Vec<Candidate>, Vec<InStripe>) {
    let bound = |number: u16| match number % count {
        0 => Bytes::new(),
        number => Bytes::copy_from_slice(&number.to_be_bytes()),
    };
    let of_stripe = |number| InStripe { rows: Some((bound(number), bound(number + 1))), cells: 200 };
    let file = Candidate { size_bytes: 200 * MB, ..FILE };
    (vec![file; count.into()], (0..count).map(of_stripe).collect())
}

fn pieces(cut: &Cut) -> usize {
    match cut {
        Cut::Rows { bounds, .. } => bounds.len() - 1,
        Cut::Cells { pieces, .. } => *pieces,
        Cut::Whole | Cut::Times(_) | Cut::History { .. } => 1,
    }
}

#[test]
fn stripes_that_are_too_many_become_fewer() {
    for count in [MOST_FILES + 1, 2 * MOST_FILES + 1] {
        let (mut files, mut in_stripes) = many_stripes(count.try_into().unwrap());
        (files[7].size_bytes, files[8].size_bytes) = (MB, MB);
        for level0 in [0, 3] {
            files.resize(count + level0, FILE);
            in_stripes.resize(count + level0, InStripe { rows: None, cells: 10 });
            let select = |occasion| striped().select_striped(&files, &in_stripes, occasion).unwrap();
            // The two smallest neighbours.
            let some = select(NOW);
            assert_eq!((some.files, pieces(&some.cut), some.whole.is_some()), (vec![7, 8], 1, level0 == 0));
            let all = select(ASKED);
            assert!(all.all_files && pieces(&all.cut) <= MOST_FILES, "{}", pieces(&all.cut));
            let Cut::Rows { bounds, whole } = all.cut else { panic!("not cut by rows") };
            assert_eq!(whole, Some((0, bounds.len() - 1)));
            assert!(bounds[0].is_empty() && bounds[bounds.len() - 1].is_empty());
        }
    }
}

#[test]
fn stripes_are_cut_only_as_long_as_they_are_not_too_many() {
    for (count, expected) in [(MOST_FILES - 2, 3), (MOST_FILES - 1, 2), (MOST_FILES, 1)] {
        let (mut files, mut in_stripes) = many_stripes(count.try_into().unwrap());
        files.extend([files[5]; 3]);
        in_stripes.extend(std::iter::repeat_n(in_stripes[5].clone(), 3));
        let selection = striped().select_striped(&files, &in_stripes, NOW).unwrap();
        assert_eq!((selection.files.len(), pieces(&selection.cut)), (4, expected));
    }
}

#[test]
fn stripes_are_as_pressing_as_the_fullest_of_them() {
    let stripes = |level0: usize, files: &[usize]| Stripes {
        level0: vec![0; level0],
        files: files.iter().map(|count| vec![0; *count]).collect(),
        ..Stripes::default()
    };
    // HBase's answers for 16 files that block, and 4 that are worth a compaction.
    for (stripes, priority, pressure) in [
        (stripes(0, &[4, 4, 4]), 2, 0.0),
        (stripes(0, &[5, 1, 1]), 3, 1.0),
        (stripes(0, &[5, 1]), 5, 0.25),
        (stripes(1, &[5, 1]), 4, 0.5),
        (stripes(3, &[1]), 12, 0.0),
        (stripes(0, &[15]), 2, 11.0 / 12.0),
        (stripes(9, &[1, 1]), 2, 0.0),
    ] {
        let files = stripes.level0.len() + stripes.files.iter().map(Vec::len).sum::<usize>();
        assert_eq!(stripes.left_in_each(16 - files), priority, "{stripes:?}");
        assert!((stripes.pressure(16, 4) - pressure).abs() < 1e-9, "{stripes:?}");
    }
}
