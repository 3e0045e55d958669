use super::*;
use crate::testing::{cell_bytes, codes};

#[test]
fn qualifiers_before_the_prefix_seek_to_it() {
    let mut filter = ColumnPrefixFilter::new("bb".into());
    use FilterCode::*;
    let expected = [SeekNextUsingHint, SeekNextUsingHint, Include, Include, NextRow, NextRow];
    assert_eq!(codes(&mut filter, &["r/f:a", "r/f:b", "r/f:bb", "r/f:bbz", "r/f:bc", "r/f:c"]), expected);
    let hint = filter.next_cell_hint(&Cell::from_checked(&cell_bytes("r/f:a"))).unwrap();
    assert_eq!(format!("{hint:?}"), format!("r/f:bb/{}/255", i64::MAX));
}
