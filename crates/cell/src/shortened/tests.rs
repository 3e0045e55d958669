use super::*;

#[test]
fn what_is_long_is_cut() {
    assert_eq!(Shortened(b"a\0b").to_string(), r"a\x00b");
    let whole = vec![b'a'; SHOWN_BYTES];
    assert_eq!(Shortened(&whole).to_string(), "a".repeat(SHOWN_BYTES));
    assert_eq!(Shortened(&[b'a'; 2 * SHOWN_BYTES]).to_string(), "a".repeat(SHOWN_BYTES) + "…");
}
