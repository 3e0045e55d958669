use super::{StringBinary, from_string_binary};

#[test]
fn bytes_look_as_in_hbase() {
    assert_eq!(StringBinary(b"row-1 'a\"~").to_string(), "row-1 'a\"~");
    assert_eq!(StringBinary(b"a\\b\n\0\x7f\xff").to_string(), "a\\x5Cb\\x0A\\x00\\x7F\\xFF");
    assert_eq!(StringBinary(b"").to_string(), "");
}

#[test]
fn what_is_shown_is_read_back() {
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(from_string_binary(StringBinary(&all).to_string().as_bytes()), all);
    assert_eq!(from_string_binary(b"a\\x0fb"), b"a\x0fb");
    for text in [&b"a\\"[..], b"\\x", b"\\x1", b"\\xzz", b"C:\\n", b"\xff"] {
        assert_eq!(from_string_binary(text), text);
    }
}
