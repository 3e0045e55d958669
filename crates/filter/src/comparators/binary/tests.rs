use super::*;

#[test]
fn the_given_bytes_are_on_the_left() {
    let given = BinaryComparator::new(Bytes::from_static(b"m\x80"));
    for (value, expected) in [
        (&b"m\x7f"[..], Ordering::Greater),
        (b"m\x80", Ordering::Equal),
        (b"m\x80\0", Ordering::Less),
        (b"", Ordering::Greater),
    ] {
        assert_eq!(given.compare_to(value), Ok(expected));
    }
}
