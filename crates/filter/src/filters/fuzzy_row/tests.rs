use super::*;
use crate::testing::scan_rows;

const ROWS: [&str; 9] = ["aa1", "ab1", "ab2", "ac1x", "ba1", "bb9", "bz1", "ca2", "cz1"];

fn kept(pairs: &[(&'static str, &'static [u8])], is_mask_v2: bool, reversed: bool) -> Vec<String> {
    let pairs: Vec<_> = pairs.iter().map(|(key, mask)| ((*key).into(), Bytes::from_static(mask))).collect();
    scan_rows(&mut FuzzyRowFilter::new(&pairs, is_mask_v2).unwrap(), &ROWS, reversed)
}

#[test]
fn rows_match_in_the_fixed_positions_in_both_directions() {
    for (pairs, expected) in [
        (&[("??1", &[1, 1, 0][..])][..], &["aa1", "ab1", "ac1x", "ba1", "bz1", "cz1"][..]),
        (&[("b?1", &[0, 1, 0])], &["ba1", "bz1"]),
        (&[("?a?", &[1, 0, 1]), ("?b9", &[1, 0, 0])], &["aa1", "ba1", "bb9", "ca2"]),
        (&[("x??", &[0, 1, 1])], &[]),
    ] {
        assert_eq!(kept(pairs, true, false), expected, "{pairs:?}");
        let mut reversed = kept(pairs, true, true);
        reversed.reverse();
        assert_eq!(reversed, expected, "{pairs:?} reversed");
    }
}

#[test]
fn masks_come_raw_or_preprocessed() {
    let expected = ["ba1", "bz1"];
    assert_eq!(kept(&[("b\x001", &[0xff, 2, 0xff])], true, false), expected);
    assert_eq!(kept(&[("b\x001", &[0xff, 0, 0xff])], false, false), expected);
    assert_eq!(kept(&[("b?1", &[0, 1, 0])], false, false), expected);
}

#[test]
fn hints_are_the_next_row_that_can_match() {
    let key = FuzzyKey::new(b"a?c?", &[0, 1, 0, 1], 2);
    let next = |row: &[u8]| key.next_after(row, false);
    assert_eq!(next(b"aab9").unwrap(), b"aac");
    assert_eq!(next(b"aad9").unwrap(), b"abc");
    assert_eq!(next(b"a\xffd9"), None);
    assert_eq!(next(b"0").unwrap(), b"a\0c");
    assert_eq!(next(b"b"), None);
    // Behind all rows that match, and before those that share no more than the beginning.
    assert_eq!(key.next_after(b"aad9", true).unwrap(), b"aad");
    assert_eq!(key.next_after(b"a\0b", true), None);
    assert_eq!(key.next_after(b"z", true).unwrap(), b"a\xffd");
    let key = FuzzyKey::new(b"ab??\xff", &[0, 0, 1, 1, 0], 2);
    assert_eq!(key.next_after(b"acd", true).unwrap(), b"ac");
}

#[test]
fn keys_without_their_masks_are_refused() {
    assert!(FuzzyRowFilter::new(&[("ab".into(), "a".into())], true).is_err());
    let error = FuzzyRowFilter::new(&[(vec![0; 100_000].into(), "a".into())], true).err().unwrap();
    assert!(error.to_string().len() < 2_000, "the error has the whole key");
    assert!(FuzzyRowFilter::new(&[], true).is_err());
}
