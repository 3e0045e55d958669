use super::*;

#[test]
fn case_does_not_count() {
    let contains = |text, value: &[u8]| SubstringComparator::new(text).compare_to(value).unwrap().is_eq();
    assert!(contains("OoB", b"foObar"));
    assert!(!contains("oob", b"foOar"));
    assert!(contains("", b""));
    assert!(contains("", b"x"));
    assert!(!contains("abc", b"ab"));
    assert!(contains("\u{c9}T", "x\u{e9}t\u{e9}".as_bytes()));
    assert!(contains("t\u{fffd}", b"T\xff"));
    assert!(!contains("k", "\u{e9}".as_bytes()));
}
