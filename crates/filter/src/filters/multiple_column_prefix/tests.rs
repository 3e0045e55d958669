use super::*;
use crate::testing::{cell_bytes, codes};

#[test]
fn the_next_prefix_is_sought() {
    let mut filter = MultipleColumnPrefixFilter::new(vec!["d".into(), "b".into()]).unwrap();
    use FilterCode::*;
    let cells = ["r/f:a", "r/f:b1", "r/f:c", "r/f:d", "r/f:e"];
    assert_eq!(codes(&mut filter, &cells), [SeekNextUsingHint, Include, SeekNextUsingHint, Include, NextRow]);
    filter.filter_cell(&Cell::from_checked(&cell_bytes("r/f:c"))).unwrap();
    let hint = filter.next_cell_hint(&Cell::from_checked(&cell_bytes("r/f:c"))).unwrap();
    assert_eq!(hint.as_key().qualifier, b"d");
}

#[test]
fn a_prefix_of_a_prefix_ends_where_the_longer_begins() {
    let mut filter = MultipleColumnPrefixFilter::new(vec!["a".into(), "ab".into()]).unwrap();
    use FilterCode::*;
    assert_eq!(codes(&mut filter, &["r/f:aa", "r/f:abc", "r/f:ac"]), [Include, Include, NextRow]);
    assert!(MultipleColumnPrefixFilter::new(vec!["a".into(), "a".into()]).is_err());
    let mut all = MultipleColumnPrefixFilter::new(Vec::new()).unwrap();
    assert_eq!(codes(&mut all, &["r/f:x"]), [Include]);
}
