use super::*;

#[test]
fn our_header_is_the_one_hbase_writes_and_says_that_entries_have_checksums() {
    let golden = include_bytes!("../../../../fixtures/hbase-2.5.11/wals/plain.wal");
    assert_eq!(around(&message_of_hbase(None)), golden[..0x55]);
    let read = |is_guarded, end| Header::Readable { end, compression: None, is_guarded };
    assert_eq!(Header::parse(golden), read(false, 0x55));
    assert_eq!(encoded(None), [b"PWAL\x59", &golden[5..0x55], b"\x7a\x07finback"].concat());
    // With something behind it: of a header alone nothing tells whether it is whole.
    assert_eq!(Header::parse(&[&encoded(None)[..], b"entry"].concat()), read(true, 0x55 + 9));
}

#[test]
fn the_headers_of_compressed_logs_are_those_that_hbase_writes() {
    let golden: [(&[u8], _, _); 4] = [
        (include_bytes!("../../../../fixtures/hbase-2.5.11/wals/dict.wal"), true, None),
        (include_bytes!("../../../../fixtures/hbase-2.5.11/wals/dict-notags.wal"), false, None),
        (
            include_bytes!("../../../../fixtures/hbase-2.5.11/wals/dict-value-gz.wal"),
            true,
            Some(Compression::Gz),
        ),
        (
            include_bytes!("../../../../fixtures/hbase-2.5.11/wals/dict-value-snappy.wal"),
            true,
            Some(Compression::Snappy),
        ),
    ];
    for (file, tags, values) in golden {
        let compression = Some(WalCompression { tags, values });
        let theirs = around(&message_of_hbase(compression));
        assert_eq!(theirs, file[..theirs.len()]);
        let (end, is_guarded) = (theirs.len() as u64, false);
        assert_eq!(Header::parse(file), Header::Readable { end, compression, is_guarded });
        let ours = encoded(compression);
        let (end, is_guarded) = (ours.len() as u64, true);
        assert_eq!(
            Header::parse(&[&ours[..], b"entry"].concat()),
            Header::Readable { end, compression, is_guarded }
        );
    }
}

#[test]
fn every_prefix_is_unfinished_with_or_without_zeros() {
    for compression in all_compressions() {
        let whole = encoded(compression);
        for len in 0..whole.len() {
            let mut bytes = whole[..len].to_vec();
            assert_eq!(Header::parse(&bytes), Header::Unfinished, "{compression:?} cut at {len}");
            bytes.resize(4096, 0);
            if len == whole.len() - 1 && whole[len] == 0 {
                continue; // its last byte is a zero: this header is whole
            }
            assert_eq!(Header::parse(&bytes), Header::Unfinished, "{compression:?}, zeros from {len}");
        }
    }
}

#[test]
fn encrypted_logs_and_unknown_codecs_are_refused_by_name() {
    let mut message = Vec::new();
    put_uint(&mut message, HAS_COMPRESSION, 1);
    put_uint(&mut message, HAS_VALUE_COMPRESSION, 1);
    put_uint(&mut message, VALUE_COMPRESSION_ALGORITHM, 5);
    let feature = "value compression BZIP2".to_owned();
    assert_eq!(Header::of_message(&message, 0), Header::Unsupported { feature });
    let mut message = Vec::new();
    put_bytes(&mut message, ENCRYPTION_KEY, b"wrapped");
    assert_eq!(Header::of_message(&message, 0), Header::Unsupported { feature: "encryption".to_owned() });
    let mut message = Vec::new();
    put_bytes(&mut message, WRITER_CLASS, b"SecureProtobufLogWriter");
    assert!(matches!(Header::of_message(&message, 0), Header::Unsupported { .. }));
}

#[test]
fn only_dictionaries_turn_the_other_compressions_on() {
    let mut message = Vec::new();
    put_uint(&mut message, HAS_TAG_COMPRESSION, 1);
    put_uint(&mut message, HAS_VALUE_COMPRESSION, 1);
    assert_eq!(
        Header::of_message(&message, 9),
        Header::Readable { end: 9, compression: None, is_guarded: false }
    );
}

#[test]
fn garbage_is_not_a_log() {
    assert!(matches!(Header::parse(b"HBase"), Header::Invalid { .. }));
    assert!(matches!(Header::parse(b"PWAL\xff\xff\xff\xff\x0fxxxxxxxxxxxxx"), Header::Invalid { .. }));
    assert!(matches!(Header::parse(&[b"PWAL", &[0xff; 20][..]].concat()), Header::Invalid { .. }));
    assert!(matches!(Header::parse(b"PWAL\x02\xff\xff"), Header::Invalid { .. }));
}

#[test]
fn holes_are_zeros_in_a_file_that_has_nothing_else() {
    let whole = encoded(None);
    for hole in [0..1, 0..4, 2..20, 30..31, 5..whole.len() - 3] {
        let mut holed = whole.clone();
        holed[hole.clone()].fill(0);
        assert_eq!(Header::parse(&holed), Header::Unfinished, "{hole:?}");
        holed.truncate(hole.end + 1);
        assert_eq!(Header::parse(&holed), Header::Unfinished, "{hole:?}, and cut");
    }
    let mut holed = whole.clone();
    holed[0] = 0;
    holed.extend_from_slice(b"an entry");
    assert!(
        matches!(Header::parse(&holed), Header::Invalid { .. }),
        "the header was durable before the first entry"
    );
    let mut wrong = whole;
    wrong[0] = b'X';
    assert!(matches!(Header::parse(&wrong), Header::Invalid { .. }));
}

#[test]
fn a_length_that_lies_does_not_make_entries_a_part_of_the_header() {
    let longest = all_compressions().map(|compression| encoded(compression).len()).max().unwrap();
    // HBase's other writer has a longer name.
    assert!(longest + ASYNC_WRITER.len() - WRITER.len() < LONGEST_MESSAGE_BYTES);
    let mut bytes = encoded(None);
    bytes[MAGIC.len()] |= 0x80;
    assert_eq!(Header::parse(&bytes), Header::Unfinished);
    bytes.resize(LONGEST_MESSAGE_BYTES + MAGIC.len() + 3, 1);
    assert!(matches!(Header::parse(&bytes), Header::Invalid { .. }));
}
