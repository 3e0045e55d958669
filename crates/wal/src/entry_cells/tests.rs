use super::*;

fn key_value(row: &[u8], family: &[u8], qualifier: &[u8], value: &[u8], tags: &[u8]) -> Vec<u8> {
    let key_len = KEY_OVERHEAD + row.len() + family.len() + qualifier.len();
    let mut out = Vec::new();
    out.extend((key_len as u32).to_be_bytes());
    out.extend((value.len() as u32).to_be_bytes());
    out.extend((row.len() as u16).to_be_bytes());
    out.extend(row);
    out.push(family.len() as u8);
    out.extend(family);
    out.extend(qualifier);
    out.extend(7u64.to_be_bytes());
    out.push(4);
    out.extend(value);
    if !tags.is_empty() {
        out.extend((tags.len() as u16).to_be_bytes());
        out.extend(tags);
    }
    out
}

#[test]
fn parts_are_found() {
    for tags in [&b""[..], b"\x00\x02ab"] {
        let bytes = key_value(b"row", b"f", b"", b"value", tags);
        let parts = CellParts::parse(&bytes).unwrap();
        assert_eq!(parts, CellParts { row: b"row", family: b"f", qualifier: b"", value: b"value" });
    }
}

#[test]
fn no_damage_of_a_length_panics() {
    let good = key_value(b"row", b"fam", b"qualifier", b"value", b"\x00\x02ab");
    let tags_at = good.len() - 6;
    for len in (0..good.len()).filter(|&len| len != tags_at) {
        assert_eq!(CellParts::parse(&good[..len]), None, "cut at {len}");
    }
    for at in 0..good.len() {
        for value in 0..=255 {
            let mut bad = good.clone();
            bad[at] = value;
            let _ = CellParts::parse(&bad);
        }
    }
}

#[test]
fn a_block_with_a_lying_length_ends() {
    let mut block = Vec::new();
    let kv = key_value(b"r", b"f", b"q", b"v", b"");
    block.extend((kv.len() as u32).to_be_bytes());
    block.extend(&kv);
    assert_eq!(EntryCells::new(&block).count(), 1);
    block.extend([0x7f, 0xff, 0xff, 0xff, 1]);
    assert_eq!(EntryCells::new(&block).count(), 1);
    assert_eq!(EntryCells::new(&[0xff; 16]).count(), 0);
}
