use super::*;

#[test]
fn primitives_are_big_endian_and_read_in_order() {
    let mut reader = JuteReader::new(&[0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 2, b'/', b'a']);
    assert_eq!(reader.int("a").unwrap(), 7);
    assert_eq!(reader.long("b").unwrap(), 256);
    assert!(reader.boolean("c").unwrap());
    assert!(!reader.is_at_end());
    assert_eq!(reader.ustring("d").unwrap(), "/a");
    assert!(reader.is_at_end());
}

#[test]
fn a_null_buffer_is_none_and_a_null_string_an_error() {
    let null = (-1i32).to_be_bytes();
    assert!(JuteReader::new(&null).buffer("passwd").unwrap().is_none());
    assert!(matches!(
        JuteReader::new(&null).ustring("path"),
        Err(Error::NotAString { field: "path", offset: 0 })
    ));
}

#[test]
fn lengths_that_lie_are_errors_with_evidence() {
    for length in [3, i32::MAX, i32::MIN, -2] {
        let mut frame = length.to_be_bytes().to_vec();
        frame.extend_from_slice(b"/a");
        match JuteReader::new(&frame).ustring("path") {
            Err(Error::Truncated { field: "path", offset: 4, wanted, available: 2 }) => {
                assert_eq!(wanted, i64::from(length));
            }
            other => panic!("{length}: {other:?}"),
        }
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_not_a_string() {
    assert!(matches!(
        JuteReader::new(&[0, 0, 0, 1, 0xff]).ustring("path"),
        Err(Error::NotAString { field: "path", offset: 0 })
    ));
}

#[test]
fn buffers_carry_their_length() {
    let mut out = BytesMut::new();
    put_buffer(&mut out, b"xyz");
    assert_eq!(&out[..], b"\0\0\0\x03xyz");
}
