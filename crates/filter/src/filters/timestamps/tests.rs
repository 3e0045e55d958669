use super::*;
use crate::testing::{cell_bytes, codes};

#[test]
fn versions_below_the_lowest_leave_the_column() {
    use FilterCode::*;
    let cells = ["r/f:a@9=", "r/f:a@5=", "r/f:a@4=", "r/f:a@2=", "r/f:a@1="];
    let of = |timestamps: &[i64], can_hint| {
        codes(&mut TimestampsFilter::new(timestamps.to_vec(), can_hint).unwrap(), &cells)
    };
    assert_eq!(of(&[2, 5, 2], false), [Skip, Include, Skip, Include, NextColumn]);
    assert_eq!(of(&[2, 5], true), [SeekNextUsingHint, Include, SeekNextUsingHint, Include, NextColumn]);
    assert_eq!(of(&[], true), [NextColumn; 5]);
    assert!(TimestampsFilter::new(vec![-1], false).is_err());
}

#[test]
fn hints_lead_to_the_next_lower_timestamp_of_the_column() {
    let mut filter = TimestampsFilter::new(vec![2, 5], true).unwrap();
    let mut hint =
        |text| format!("{:?}", filter.next_cell_hint(&Cell::from_checked(&cell_bytes(text))).unwrap());
    assert_eq!(hint("r/f:a@9"), "r/f:a/5/255");
    assert_eq!(hint("r/f:a@4"), "r/f:a/2/255");
    assert_eq!(hint("r/f:a@2"), format!("r/f:a/{}/0", i64::MIN));
    assert_eq!(
        TimestampsFilter::new(vec![2], false)
            .unwrap()
            .next_cell_hint(&Cell::from_checked(&cell_bytes("r/f:a"))),
        None
    );
}
