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

#[test]
fn a_long_text_is_not_compared_at_each_place_of_a_long_value() {
    // Compared at each place, these would be 10^11 bytes.
    let value = vec![b'A'; 1 << 20];
    let longer = |end: &str| SubstringComparator::new(&("a".repeat(1 << 19) + end));
    assert!(longer("b").compare_to(&value).unwrap().is_gt());
    assert!(longer("A").compare_to(&value).unwrap().is_eq());
    let text = "Seventeen letters";
    assert!(SubstringComparator::new(text).compare_to(b"has SEVENTEEN LETTERS.").unwrap().is_eq());
    assert!(SubstringComparator::new(text).compare_to(b"seventeen").unwrap().is_gt());
}
