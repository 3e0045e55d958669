use super::*;

#[test]
fn what_is_written_is_read_again() {
    let counts = vec![("get".to_owned(), 12_345), ("scan of 1,000 rows".to_owned(), 6)];
    let kept = Kept { made_with: "a valgrind, a rustc".to_owned(), counts };
    assert_eq!(Kept::parse(&kept.to_text()), Some(kept));
}

#[test]
fn a_line_without_a_count_is_no_count() {
    assert_eq!(Kept::parse("# made with\nget\t12\n").map(|kept| kept.count("get")), Some(Some(12)));
    assert_eq!(Kept::parse("# made with\nget\tmany\n"), None);
    assert_eq!(Kept::parse("get\t12\n"), None);
}
