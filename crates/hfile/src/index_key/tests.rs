use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_midpoint_separates(a in prop::collection::vec(0u8..4, 0..6), b in prop::collection::vec(0u8..4, 0..6)) {
        prop_assume!(a != b);
        let (left, right) = if a < b { (a, b) } else { (b, a) };
        let middle = midpoint(&left, &right);
        prop_assert!(left < middle && middle <= right);
    }
}

#[test]
fn a_byte_of_255_on_the_left_stays_on_the_left() {
    assert_eq!(midpoint(b"a\xff", b"b"), b"b");
    assert_eq!(midpoint(b"a", b"a\x00"), b"a\x00");
}
