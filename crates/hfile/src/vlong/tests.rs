use super::*;

/// Values and bytes observed in HBase.
#[test]
fn numbers_have_the_bytes_that_hadoop_gives_them() {
    let known: [(i64, &[u8]); 8] = [
        (0, &[0]),
        (127, &[0x7f]),
        (128, &[0x8f, 0x80]),
        (255, &[0x8f, 0xff]),
        (256, &[0x8e, 1, 0]),
        (65536, &[0x8d, 1, 0, 0]),
        (-1, &[0xff]),
        (-113, &[0x87, 0x70]),
    ];
    for (value, bytes) in known {
        let mut out = Vec::new();
        write(&mut out, value);
        assert_eq!(out, bytes, "{value}");
        assert_eq!(read(bytes), Some((value, bytes.len())));
    }
}

#[test]
fn extremes_come_back_and_short_input_is_refused() {
    for value in [i64::MIN, i64::MIN + 1, -112, -120, i64::MAX, 1 << 56] {
        let mut out = Vec::new();
        write(&mut out, value);
        assert_eq!(read(&out), Some((value, out.len())));
        assert_eq!(read(&out[..out.len() - 1]), None);
    }
}
