use super::*;

#[test]
fn any_bit_left_matches_if_the_lengths_are_the_same() {
    let matches = |op, mask: &'static [u8], value: &[u8]| {
        BitComparator::new(Bytes::from_static(mask), op).compare_to(value).unwrap().is_eq()
    };
    assert!(matches(BitwiseOp::And, b"\x0f\x00", b"\x08\x00"));
    assert!(!matches(BitwiseOp::And, b"\x0f\x00", b"\xf0\xff"));
    assert!(matches(BitwiseOp::Or, b"\x00\x00", b"\x00\x01"));
    assert!(!matches(BitwiseOp::Or, b"\x00\x00", b"\x00\x00"));
    assert!(matches(BitwiseOp::Xor, b"\x01\x02", b"\x01\x03"));
    assert!(!matches(BitwiseOp::Xor, b"\x01\x02", b"\x01\x02"));
    assert!(!matches(BitwiseOp::Or, b"\x01", b"\x01\x01"));
    assert!(!matches(BitwiseOp::Or, b"", b""));
}
