use super::{take, write};

#[test]
fn lengths_come_back() {
    for value in [0, 1, 127, 128, 300, 16_383, 16_384, 1 << 28, i32::MAX as u32] {
        let mut out = Vec::new();
        write(&mut out, value);
        out.push(9);
        let mut rest = &out[..];
        assert_eq!((take(&mut rest), rest), (Some(value as usize), &[9][..]));
        assert_eq!(take(&mut &out[..out.len() - 2]), None, "cut");
    }
    assert_eq!(
        {
            let mut out = Vec::new();
            write(&mut out, 300);
            out
        },
        [0xac, 2]
    );
}

#[test]
fn what_is_no_length_is_refused() {
    for bytes in [&[0xff, 0xff, 0xff, 0xff, 0x08][..], &[0xff; 5], &[0x80, 0x80, 0x80, 0x80, 0x80, 1], &[]] {
        assert_eq!(take(&mut &bytes[..]), None, "{bytes:02x?}");
    }
}
