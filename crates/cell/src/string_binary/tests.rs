use super::StringBinary;

#[test]
fn bytes_look_as_in_hbase() {
    assert_eq!(StringBinary(b"row-1 'a\"~").to_string(), "row-1 'a\"~");
    assert_eq!(StringBinary(b"a\\b\n\0\x7f\xff").to_string(), "a\\x5Cb\\x0A\\x00\\x7F\\xFF");
    assert_eq!(StringBinary(b"").to_string(), "");
}
