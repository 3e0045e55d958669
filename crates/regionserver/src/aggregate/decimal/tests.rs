use super::*;

fn value(unscaled: i64, scale: i32) -> Vec<u8> {
    Decimal { unscaled: unscaled.into(), scale }.to_value()
}

/// The cents of `unscaled` · 10^-`scale`.
fn cents(unscaled: i64, scale: i32) -> i64 {
    Decimal::from_value(&value(unscaled, scale)).unwrap().unscaled.try_into().unwrap()
}

#[test]
fn values_are_written_as_hbase_does() {
    // Bytes.toBytes(new BigDecimal("-1.28")), ("1.28"), ("0"), ("1E+3").
    assert_eq!(value(-128, 2), [0, 0, 0, 2, 0x80]);
    assert_eq!(value(128, 2), [0, 0, 0, 2, 0, 0x80]);
    assert_eq!(value(0, 0), [0, 0, 0, 0, 0]);
    assert_eq!(value(1, -3), [0xff, 0xff, 0xff, 0xfd, 1]);
}

#[test]
fn numbers_are_rounded_to_cents_and_from_the_middle_to_the_even_neighbour() {
    assert_eq!((cents(7, 0), cents(7, 1), cents(7, -2)), (700, 70, 70_000));
    assert_eq!(
        [1245, 1255, 1250, 1251, 1249].map(|thousandths| cents(thousandths, 3)),
        [124, 126, 125, 125, 125]
    );
    assert_eq!([-1245, -1255, -1251].map(|thousandths| cents(thousandths, 3)), [-124, -126, -125]);
    assert_eq!((cents(5, 4), cents(-51, 4), cents(51, 4)), (0, -1, 1));
}

#[test]
fn squares_are_rounded_again() {
    let squared = |unscaled| Decimal { unscaled: BigInt::from(unscaled), scale: CENTS }.squared().unscaled;
    assert_eq!([15, -15, 150, 7].map(squared), [2, 2, 225, 0].map(BigInt::from), "0.15, -0.15, 1.5, 0.07");
}

#[test]
fn what_is_no_number_or_too_large_a_one_has_none() {
    for bad in [&b""[..], b"\0\0\0", b"\0\0\0\0", b"\x7f\xff\xff\xff\x01", b"\x80\0\0\0\x01"] {
        assert_eq!(Decimal::from_value(bad), None, "{bad:?}");
    }
    assert_eq!(Decimal::from_value(&[0; SCALE_BYTES + LONGEST + 1]), None);
    assert!(Decimal::from_value(&[0; SCALE_BYTES + LONGEST]).is_some());
}
