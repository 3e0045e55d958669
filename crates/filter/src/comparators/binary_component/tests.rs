use super::*;

#[test]
fn values_may_end_before_or_within_the_component() {
    let given = BinaryComponentComparator::new(Bytes::from_static(b"cd"), 2);
    for (value, expected) in [
        ("abcdef", Ordering::Equal),
        ("abce", Ordering::Less),
        ("abc", Ordering::Greater),
        ("a", Ordering::Greater),
        ("", Ordering::Greater),
    ] {
        assert_eq!(given.compare_to(value.as_bytes()), Ok(expected), "{value}");
    }
    let far = BinaryComponentComparator::new(Bytes::from_static(b"x"), u32::MAX);
    assert_eq!(far.compare_to(b"x"), Ok(Ordering::Greater));
}
