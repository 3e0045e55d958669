use super::*;

#[test]
fn integers_are_signed_and_have_eight_bytes() {
    let given = LongComparator::new(Bytes::copy_from_slice(&(-2i64).to_be_bytes())).unwrap();
    assert_eq!(given.compare_to(&(-3i64).to_be_bytes()), Ok(Ordering::Greater));
    assert_eq!(given.compare_to(&(-2i64).to_be_bytes()), Ok(Ordering::Equal));
    assert_eq!(given.compare_to(&1i64.to_be_bytes()), Ok(Ordering::Less));
    let error = given.compare_to(b"1234567").unwrap_err();
    assert_eq!(error, FilterError::ValueLength { class: "LongComparator", found: 7, expected: 8 });
    assert!(LongComparator::new(Bytes::from_static(b"123456789")).is_err());
}
