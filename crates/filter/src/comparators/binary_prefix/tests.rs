use super::*;

#[test]
fn only_the_beginning_of_a_value_counts() {
    let given = BinaryPrefixComparator::new(Bytes::from_static(b"mm"));
    for (value, expected) in
        [("mmz", Ordering::Equal), ("m", Ordering::Greater), ("", Ordering::Greater), ("mn", Ordering::Less)]
    {
        assert_eq!(given.compare_to(value.as_bytes()), Ok(expected), "{value}");
    }
}
