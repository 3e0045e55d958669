use super::*;

/// As HBase wrote it: the bottom half below row r0075.
const OF_HBASE: &[u8] = b"PBUF\x0a\x11\x00\x05r0075\x00\x7f\xff\xff\xff\xff\xff\xff\xff\xff\x10\x01";

#[test]
fn hbase_writes_the_same_bytes() {
    let reference = Reference { split_row: b"r0075".to_vec(), half: Half::Bottom };
    assert_eq!(Reference::decode(OF_HBASE), Ok(reference.clone()));
    assert_eq!(reference.encode(), OF_HBASE);
    let top = Reference { half: Half::Top, ..reference };
    assert_eq!(Reference::decode(&top.encode()), Ok(top));
}

#[test]
fn what_is_no_reference_is_refused() {
    for length in 0..OF_HBASE.len() {
        assert!(Reference::decode(&OF_HBASE[..length]).is_err(), "cut after {length} bytes");
    }
    let mut within_a_row = OF_HBASE.to_vec();
    within_a_row[20] = 0;
    assert!(Reference::decode(&within_a_row).unwrap_err().contains("within a row"));
    let mut lying = OF_HBASE.to_vec();
    lying[7] = 200;
    assert!(Reference::decode(&lying).unwrap_err().contains("split key"));
}
