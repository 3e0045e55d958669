use super::*;

#[test]
fn no_value_is_null() {
    assert_eq!(NullComparator.compare_to(b""), Ok(Ordering::Greater));
    assert_eq!(NullComparator.compare_to(b"x"), Ok(Ordering::Greater));
}
