use super::*;
use finback_cell::cell::CellParts;
use finback_cell::{CellBlock, CellBlockBuilder};

const LIMIT: usize = 1 << 20;
const CODECS: [(&str, Codec); 5] = [
    ("org.apache.hadoop.hbase.codec.KeyValueCodec", Codec::KeyValue),
    ("org.apache.hadoop.hbase.codec.KeyValueCodecWithTags", Codec::KeyValueWithTags),
    ("org.apache.hadoop.hbase.codec.CellCodec", Codec::Cell),
    ("org.apache.hadoop.hbase.codec.CellCodecWithTags", Codec::CellWithTags),
    ("org.apache.hadoop.hbase.codec.MessageCodec", Codec::Message),
];

fn decode(codec: Codec, block: impl Into<Bytes>, limit: usize) -> Result<Bytes, CodecError> {
    codec.decode(block.into(), &mut Room { limit, take: &mut |_| true })
}

fn cells(tags: &[u8]) -> Vec<u8> {
    let mut block = CellBlockBuilder::default();
    for (value, tags) in [("v1", tags), ("", &[])] {
        block.push_parts(&CellParts {
            row: b"r1",
            family: b"cf",
            qualifier: b"q",
            timestamp: 1_700_000_000_123,
            type_code: 4,
            value: value.as_bytes(),
            tags,
        });
    }
    block.finish().bytes().to_vec()
}

#[test]
fn classes_have_codecs() {
    for (class, codec) in CODECS {
        assert_eq!(Codec::of_class(class), Some(codec));
    }
    assert_eq!(Codec::of_class(""), Some(Codec::None));
    assert_eq!(Codec::of_class("KeyValueCodec"), None);
    assert_eq!(Codec::of_class("org.apache.hadoop.hbase.codec.Nope"), None);
}

#[test]
fn cells_go_both_ways() {
    let tags = b"\0\x09\x08\0\0\0\0\x05\x26\x5c\0";
    for (_, codec) in CODECS {
        let with_tags = matches!(codec, Codec::KeyValueWithTags | Codec::CellWithTags);
        let wire = codec.encode(cells(tags), false).unwrap();
        let expected = cells(if with_tags { tags } else { b"" });
        assert_eq!(decode(codec, wire, LIMIT).unwrap(), expected, "{codec:?}");
    }
}

#[test]
fn cells_without_tags_are_not_copied() {
    let block = cells(b"");
    let address = block.as_ptr();
    let encoded = Codec::KeyValue.encode(block, false).unwrap();
    assert_eq!(encoded.as_ptr(), address);
}

#[test]
fn the_cell_codec_is_laid_out_as_hbase_does_it() {
    let mut block = CellBlockBuilder::default();
    let cell = CellBlock::parse(cells(b"\0\x02\x41x").into()).unwrap();
    block.push(&cell.iter().next().unwrap());
    let wire = Codec::CellWithTags.encode(block.finish().bytes().to_vec(), false).unwrap();
    let expected = b"\0\0\0\x02r1\0\0\0\x02cf\0\0\0\x01q\0\0\x01\x8b\xcf\xe5\x68\x7b\x04\0\0\0\x02v1\
        \0\0\0\x04\0\x02\x41x\0\0\0\0\0\0\0\0";
    assert_eq!(wire, expected);
}

#[test]
fn a_block_that_swells_is_refused() {
    // A cell of which every field is missing takes one byte.
    let swelling = Bytes::from(vec![0; 1000]);
    assert!(decode(Codec::Message, swelling.clone(), 100_000).is_ok());
    assert_eq!(decode(Codec::Message, swelling, 10_000), Err(CodecError::TooLarge { limit: 10_000 }));
}

#[test]
fn memory_is_asked_for_before_cells_are_made() {
    let swelling = Bytes::from(vec![0; 1000]);
    let mut asked = 0;
    let mut room = Room {
        limit: LIMIT,
        take: &mut |more| {
            asked += more;
            asked < 10_000
        },
    };
    assert_eq!(Codec::Message.decode(swelling.clone(), &mut room), Err(CodecError::NoRoom));
    let mut asked = 0;
    let take = &mut |more| {
        asked += more;
        true
    };
    let block = Codec::Message.decode(swelling, &mut Room { limit: LIMIT, take }).unwrap();
    assert!((block.len()..=2 * block.len()).contains(&asked), "{asked} for {}", block.len());
}

proptest::proptest! {
    #[test]
    fn garbage_is_an_error_or_cells(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        for (_, codec) in CODECS {
            let _ = codec.encode(bytes.clone(), false);
            if let (Codec::Cell | Codec::CellWithTags | Codec::Message, Ok(block)) =
                (codec, decode(codec, bytes.clone(), LIMIT))
            {
                assert!(CellBlock::parse(block).is_ok());
            }
        }
    }
}

#[test]
fn torn_blocks_are_errors() {
    for (_, codec) in CODECS {
        let wire = codec.encode(cells(b"\0\x02\x41x"), false).unwrap();
        let torn = Bytes::copy_from_slice(&wire[..wire.len() - 1]);
        match codec {
            // In our layout already: whoever reads the cells checks them.
            Codec::KeyValue | Codec::KeyValueWithTags => assert!(CellBlock::parse(torn).is_err()),
            _ => assert!(decode(codec, torn, LIMIT).is_err(), "{codec:?}"),
        }
    }
    let mut block = cells(b"");
    block.pop();
    for codec in [Codec::KeyValue, Codec::Cell, Codec::Message] {
        assert!(codec.encode(block.clone(), false).is_err(), "{codec:?}");
    }
    assert_eq!(Codec::None.encode(cells(b""), false), Err(CodecError::NoCodec));
    assert_eq!(decode(Codec::Cell, &b"\xff\xff\xff\xff"[..], LIMIT), Err(CodecError::Malformed { index: 0 }));
}
