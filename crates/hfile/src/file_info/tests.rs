use super::{FileInfo, keys};

fn time_range(value: &[u8]) -> Option<(i64, i64)> {
    let mut info = FileInfo::default();
    info.set(keys::TIMERANGE, value);
    info.time_range()
}

#[test]
fn a_time_range_is_two_numbers() {
    let numbers = [5i64.to_be_bytes(), 7i64.to_be_bytes()].concat();
    assert_eq!(time_range(&numbers), Some((5, 7)));
    for length in [0, 8, 15] {
        assert_eq!(time_range(&numbers[..length]), None);
    }
    assert_eq!(time_range(&[numbers, vec![0]].concat()), None);
}

/// HBase 2.0.0, 2.0.1 and 2.1.0 wrote messages (HBASE-21012).
#[test]
fn a_time_range_is_a_message_in_files_of_the_first_hbase_2() {
    // Of this one the length is that of two numbers.
    let short = b"PBUF\x08\x81\x80\x80\x80\x04\x10\x86\x80\x80\x80\x04";
    assert_eq!((short.len(), time_range(short)), (16, Some(((1 << 30) + 1, (1 << 30) + 6))));
    let today = b"PBUF\x08\xcc\xc5\xc8\xeb\x9f\x34\x10\xcd\xc5\xc8\xeb\x9f\x34";
    assert_eq!(time_range(today), Some((1_795_253_478_092, 1_795_253_478_093)));
    // Without cells: from the latest to -1.
    let mut empty = b"PBUF\x08".to_vec();
    empty.extend_from_slice(
        b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    );
    assert_eq!(time_range(&empty), Some((i64::MAX, -1)));
    for nothing in [&b"PBUF"[..], b"PBUF\x08\x05", b"PBUF\x08", b"PBUF............"] {
        assert_eq!(time_range(nothing), None, "{nothing:?}");
    }
}
