use super::*;
use crate::testing::{filter, scan_rows};
use finback_proto::pb;

#[test]
fn nothing_passes() {
    let mut filter = filter("FilterAllFilter", &pb::FilterAllFilter {});
    assert_eq!(scan_rows(filter.as_mut(), &["a", "b"], false), [""; 0]);
    assert!(filter.has_filter_row() && filter.filter_row() && FilterAllFilter.filter_row());
}
