use super::*;

fn parts() -> CellParts<'static> {
    CellParts {
        row: b"r1",
        family: b"cf",
        qualifier: b"q",
        timestamp: 1_700_000_000_123,
        type_code: CellType::Put.code(),
        value: b"v1",
        tags: b"\x00\x09\x08\x00\x00\x00\x00\x05\x26\x5c\x00",
    }
}

/// The example of HBase's `KeyValueCodecWithTags`: a TTL tag of 86,400,000 ms.
#[test]
fn writes_the_bytes_that_hbase_writes() {
    let expected = [
        0, 0, 0, 0x11, 0, 0, 0, 2, 0, 2, b'r', b'1', 2, b'c', b'f', b'q', 0, 0, 0x01, 0x8b, 0xcf, 0xe5, 0x68,
        0x7b, 4, b'v', b'1', 0, 0x0b, 0, 9, 8, 0, 0, 0, 0, 5, 0x26, 0x5c, 0,
    ];
    assert_eq!(parts().to_vec(), expected);
}

#[test]
fn reads_back_what_it_wrote() {
    let bytes = parts().to_vec();
    let cell = Cell::parse(&bytes).unwrap();
    assert_eq!((cell.row(), cell.family(), cell.qualifier()), (&b"r1"[..], &b"cf"[..], &b"q"[..]));
    assert_eq!((cell.timestamp(), cell.type_code(), cell.value()), (1_700_000_000_123, 4, &b"v1"[..]));
    assert_eq!(cell.tags().len(), 11);
    assert_eq!(cell.bytes_without_tags().len(), bytes.len() - 13);
}

#[test]
fn every_truncation_and_every_lying_length_is_an_error_or_a_cell() {
    let bytes = parts().to_vec();
    for end in 0..bytes.len() {
        let whole_without_tags = end == bytes.len() - 13;
        assert_eq!(Cell::parse(&bytes[..end]).is_ok(), whole_without_tags, "{end}");
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut bent = bytes.clone();
            bent[at] ^= 1 << bit;
            if let Ok(cell) = Cell::parse(&bent) {
                let _ = (
                    cell.row(),
                    cell.family(),
                    cell.qualifier(),
                    cell.timestamp(),
                    cell.value(),
                    cell.tags(),
                );
            }
        }
    }
}
