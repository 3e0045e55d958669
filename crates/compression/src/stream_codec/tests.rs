use super::StreamCodec;
use proptest::prelude::*;

const CODECS: [StreamCodec; 6] = [
    StreamCodec::Gzip,
    StreamCodec::Zlib,
    StreamCodec::Snappy,
    StreamCodec::Lz4,
    StreamCodec::Zstd,
    StreamCodec::ZstdChunks,
];

fn there_and_back(codec: StreamCodec, payload: &[u8]) {
    let stream = codec.compress(payload).unwrap();
    let back = codec.decompress(&stream, payload.len());
    assert_eq!(back.as_deref(), Ok(payload), "{codec:?}");
}

#[test]
fn classes_have_codecs() {
    let of = StreamCodec::of_class;
    assert_eq!(of("org.apache.hadoop.io.compress.DefaultCodec"), Some(StreamCodec::Zlib));
    assert_eq!(of("org.apache.hadoop.io.compress.ZStandardCodec"), Some(StreamCodec::Zstd));
    assert_eq!(of("org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec"), Some(StreamCodec::ZstdChunks));
    assert_eq!(of("org.apache.hadoop.io.compress.BZip2Codec"), None);
    assert_eq!(of("GzipCodec"), None);
}

#[test]
fn payloads_of_many_chunks_come_back() {
    let payload: Vec<u8> = (0..1_000_000u32).flat_map(|i| (i / 7).to_le_bytes()).collect();
    for codec in CODECS {
        there_and_back(codec, &payload);
        there_and_back(codec, b"");
    }
}

/// Hadoop's streams begin a segment whenever their writer flushes, and end with one of nothing.
#[test]
fn streams_of_several_segments_are_one_payload() {
    for codec in [StreamCodec::Snappy, StreamCodec::Lz4, StreamCodec::ZstdChunks] {
        let mut stream = [codec.compress(b"one ").unwrap(), codec.compress(b"two").unwrap()].concat();
        assert_eq!(codec.decompress(&stream, 7).unwrap(), b"one two");
        stream.extend_from_slice(&[0; 4]);
        assert_eq!(codec.decompress(&stream, 7).unwrap(), b"one two");
    }
    for codec in [StreamCodec::Gzip, StreamCodec::Zstd] {
        let stream = [codec.compress(b"one ").unwrap(), codec.compress(b"two").unwrap()].concat();
        assert_eq!(codec.decompress(&stream, 7).unwrap(), b"one two");
    }
}

#[test]
fn a_stream_of_more_than_the_limit_is_refused() {
    for codec in CODECS {
        let stream = codec.compress(&[0; 1 << 20]).unwrap();
        assert_eq!(codec.decompress(&stream, (1 << 20) - 1), Err("a longer payload"), "{codec:?}");
    }
    // A length that nothing bears out takes no memory.
    assert!(StreamCodec::Snappy.decompress(&[0x40, 0, 0, 0, 0, 0, 0, 1, 0], usize::MAX).is_err());
}

fn random(bytes: usize) -> Vec<u8> {
    let mut number = 1u32;
    let random = std::iter::repeat_with(|| {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (number >> 24) as u8
    });
    random.take(bytes).collect()
}

/// Whether so many more fit into what is left.
fn takes(left: &mut usize, more: usize) -> bool {
    let rest = left.checked_sub(more);
    *left = rest.unwrap_or(*left);
    rest.is_some()
}

#[test]
fn memory_is_asked_for_before_it_is_taken() {
    let payload = vec![0; 1 << 20];
    for codec in CODECS {
        let stream = codec.compress(&payload).unwrap();
        let mut asked = 0;
        let out = codec.decompress_within(&stream, usize::MAX, &mut |more| {
            asked += more;
            true
        });
        let out = out.unwrap();
        assert_eq!(out, payload);
        assert!(out.capacity() <= asked && asked <= 2 * payload.len(), "{codec:?}: {asked}");
        let mut left = payload.len() / 2;
        let refused = codec.decompress_within(&stream, usize::MAX, &mut |more| takes(&mut left, more));
        assert!(refused.is_err_and(|error| error.contains("no room")), "{codec:?}");
    }
}

#[test]
fn where_there_is_no_room_for_what_is_expected_there_may_be_for_what_comes() {
    // Its streams are as long.
    let payload = random(1 << 20);
    for codec in CODECS {
        let stream = codec.compress(&payload).unwrap();
        let mut left = payload.len() + payload.len() / 4;
        let out = codec.decompress_within(&stream, usize::MAX, &mut |more| takes(&mut left, more));
        assert!(out.as_deref() == Ok(&payload[..]), "{codec:?}");
    }
}

#[test]
fn the_last_of_the_room_is_not_asked_for_byte_by_byte() {
    let payload = random(4 << 20);
    for codec in CODECS {
        let stream = codec.compress(&payload).unwrap();
        let (mut left, mut asked) = ((3 << 20) + (300 << 10), 0);
        let refused = codec.decompress_within(&stream, usize::MAX, &mut |more| {
            asked += 1;
            takes(&mut left, more)
        });
        assert!(refused.is_err_and(|error| error.contains("no room")), "{codec:?}");
        assert!(asked < 1000, "{codec:?}: {asked}");
    }
}

proptest! {
    #[test]
    fn torn_and_flipped_streams_are_refused_or_give_at_most_the_limit(
        payload in prop::collection::vec(0u8..4, 1..2000), at in any::<prop::sample::Index>(), bit in 0..8u8, cut in any::<bool>()
    ) {
        for codec in CODECS {
            there_and_back(codec, &payload);
            let mut stream = codec.compress(&payload).unwrap();
            let at = at.index(stream.len());
            if cut { stream.truncate(at) } else { stream[at] ^= 1 << bit }
            if let Ok(out) = codec.decompress(&stream, 2000) {
                prop_assert!(out.len() <= 2000);
            }
        }
    }
}
