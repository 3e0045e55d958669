use super::*;

fn number(scale: i32, unscaled: &[u8]) -> Bytes {
    [&scale.to_be_bytes()[..], unscaled].concat().into()
}

#[test]
fn numbers_are_compared_by_value() {
    // 12.34 as HBase sends it, and others in ascending order.
    let ascending = [
        number(i32::MIN, b"\x80"),
        number(0, b"\xff\x00"),
        number(2, b"\xfb\x2e"),
        number(0, b"\xff"),
        number(i32::MAX, b"\xff"),
        number(5, b"\x00"),
        number(i32::MAX, b"\x01"),
        number(3, b"\x04\xd2"),
        number(2, b"\x04\xd2"),
        number(0, b"\x0d"),
        number(0, b"\x00\x80"),
        number(-1, b"\x0d"),
        number(0, &[0x7f; 1024]),
        number(i32::MIN, b"\x01"),
    ];
    for (i, given) in ascending.iter().enumerate() {
        let given = BigDecimalComparator::new(given.clone()).unwrap();
        for (j, value) in ascending.iter().enumerate() {
            assert_eq!(given.compare_to(value), Ok(i.cmp(&j)), "{i} {j}");
        }
    }
}

#[test]
fn the_scale_does_not_count_by_itself() {
    let given = BigDecimalComparator::new(number(2, b"\x04\xd2")).unwrap();
    assert_eq!(given.compare_to(&number(3, b"\x30\x34")), Ok(Ordering::Equal));
    let zero = BigDecimalComparator::new(number(2, b"\x00\x00")).unwrap();
    assert_eq!(zero.compare_to(&number(-7, b"\x00")), Ok(Ordering::Equal));
    let negative = BigDecimalComparator::new(number(0, b"\xff\xff\xff\xff\x00\x00\x00\x00")).unwrap();
    assert_eq!(negative.compare_to(&number(0, b"\xff\x00\x00\x00\x00")), Ok(Ordering::Equal));
    assert_eq!(negative.compare_to(&number(-1, b"\xe6\x66\x66\x66")), Ok(Ordering::Greater));
}

#[test]
fn what_is_no_number_is_an_error() {
    for bytes in [&b""[..], b"\0\0\0", b"\0\0\0\0"] {
        assert!(BigDecimalComparator::new(Bytes::copy_from_slice(bytes)).is_err());
    }
    assert!(BigDecimalComparator::new(number(0, &[1; 1025])).is_err());
}
