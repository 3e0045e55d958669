use super::{Compression, Compressor, ZstdForm};
use proptest::prelude::*;

const CODECS: [Compression; 5] =
    [Compression::None, Compression::Gz, Compression::Snappy, Compression::Lz4, Compression::Zstd];

fn compress(codec: Compression, payload: &[u8]) -> Vec<u8> {
    let mut out = b"before".to_vec();
    Compressor::new(codec).unwrap().compress(payload, &mut out).unwrap();
    out.split_off(6)
}

fn decompress(codec: Compression, stream: &[u8], length: usize) -> Result<Vec<u8>, super::BadStream> {
    codec.check_length(stream, length)?;
    // Whatever was there before is not to be seen.
    let mut out = vec![0x5a; length];
    codec.decompress_into(stream, &mut out)?;
    Ok(out)
}

/// Hadoop's block framing of one segment.
fn framed(length: usize, chunks: &[&[u8]]) -> Vec<u8> {
    let mut out = (length as u32).to_be_bytes().to_vec();
    for chunk in chunks {
        out.extend_from_slice(&(chunk.len() as u32).to_be_bytes());
        out.extend_from_slice(chunk);
    }
    out
}

#[test]
fn the_bytes_around_a_payload_are_hadoops() {
    assert_eq!(compress(Compression::Gz, b"x")[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(compress(Compression::Zstd, b"x")[..4], [0x28, 0xb5, 0x2f, 0xfd]);
    assert_eq!(compress(Compression::Zstd, b""), b"");
    for (codec, chunk) in [(Compression::Snappy, 218_422), (Compression::Lz4, 261_100)] {
        assert_eq!(compress(codec, b""), [0; 4]);
        let stream = compress(codec, &vec![7; chunk + 1]);
        assert_eq!(stream[..4], ((chunk + 1) as u32).to_be_bytes());
        let first = u32::from_be_bytes(stream[4..8].try_into().unwrap()) as usize;
        assert_eq!(
            decompress(codec, &framed(chunk, &[&stream[8..8 + first]]), chunk).unwrap(),
            vec![7; chunk]
        );
    }
}

#[test]
fn zstd_frames_in_block_framing_and_what_follows_a_payload() {
    let frame = compress(Compression::Zstd, b"hello hello hello");
    let mut stream = framed(17, &[&frame]);
    assert_eq!(decompress(Compression::Zstd, &stream, 17).unwrap(), b"hello hello hello");
    stream.extend_from_slice(&[0; 4]);
    assert_eq!(decompress(Compression::Zstd, &stream, 17).unwrap(), b"hello hello hello");
    let two_segments = [framed(17, &[&frame]), framed(17, &[&frame])].concat();
    assert_eq!(decompress(Compression::Zstd, &two_segments, 34).unwrap().len(), 34);
    let two_chunks = framed(34, &[&frame, &frame]);
    assert_eq!(decompress(Compression::Zstd, &two_chunks, 34).unwrap().len(), 34);
}

fn compress_in_chunks(payload: &[u8]) -> Vec<u8> {
    let mut compressor = Compressor::new(Compression::Zstd).unwrap();
    compressor.set_zstd_form(ZstdForm::Chunks);
    let mut out = b"before".to_vec();
    compressor.compress(payload, &mut out).unwrap();
    out.split_off(6)
}

#[test]
fn zstd_is_written_in_the_form_that_is_set() {
    assert_eq!(compress_in_chunks(b""), [0; 4]);
    let short = b"hello hello hello";
    assert_eq!(compress_in_chunks(short), framed(17, &[&compress(Compression::Zstd, short)]));
    // Hadoop's BlockCompressorStream has a buffer of 256 KiB, of which HBase's codec leaves 1 KiB free.
    let long = vec![7; 261_121];
    let (chunk, rest) = long.split_at(261_120);
    let chunks = [chunk, rest].map(|chunk| compress(Compression::Zstd, chunk));
    assert_eq!(compress_in_chunks(&long), framed(long.len(), &[&chunks[0], &chunks[1]]));
    let longer: Vec<u8> = (0..200_000u32).flat_map(|i| (i / 7).to_le_bytes()).collect();
    for payload in [&b""[..], short, chunk, &long, &longer] {
        let stream = compress_in_chunks(payload);
        assert!(decompress(Compression::Zstd, &stream, payload.len()).unwrap() == payload);
    }
}

#[test]
fn the_form_of_zstd_is_that_of_a_class_and_seen_in_a_stream() {
    let forms = [
        ("org.apache.hadoop.io.compress.ZStandardCodec", Some(ZstdForm::Frame)),
        ("org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec", Some(ZstdForm::Chunks)),
        ("org.apache.hadoop.hbase.io.compress.aircompressor.ZstdCodec", Some(ZstdForm::Chunks)),
        ("org.apache.hadoop.hbase.io.compress.lz4.Lz4Codec", None),
        ("ZstdCodec", None),
    ];
    for (class, expected) in forms {
        assert_eq!(ZstdForm::of_class(class), expected, "{class}");
    }
    for payload in [&b""[..], b"x", &[7; 300_000]] {
        let streams = [compress(Compression::Zstd, payload), compress_in_chunks(payload)];
        assert_eq!(streams.each_ref().map(|s| ZstdForm::of_stream(s)), [ZstdForm::Frame, ZstdForm::Chunks]);
        for (stream, form) in streams.iter().zip([ZstdForm::Frame, ZstdForm::Chunks]) {
            let is_written = [ZstdForm::Frame, ZstdForm::Chunks].map(|as_set| {
                assert!(Compression::Snappy.is_written_so(stream, as_set));
                Compression::Zstd.is_written_so(stream, as_set)
            });
            assert_eq!(is_written, [form == ZstdForm::Frame, form == ZstdForm::Chunks]);
        }
    }
}

#[test]
fn a_length_that_the_stream_cannot_reach_is_refused_before_it_is_allocated() {
    for codec in CODECS {
        let stream = compress(codec, b"abc");
        assert!(codec.check_length(&stream, i32::MAX as usize).is_err(), "{codec:?}");
        assert!(codec.check_length(&[], 1).is_err(), "{codec:?}");
    }
}

#[test]
fn zeros_shrink_no_further_than_the_ratio_allows() {
    let zeros = vec![0; 4 << 20];
    for codec in CODECS {
        assert!(decompress(codec, &compress(codec, &zeros), zeros.len()).unwrap() == zeros, "{codec:?}");
    }
}

#[test]
fn lying_segments_and_chunks_are_refused() {
    let chunk = snap::raw::Encoder::new().compress_vec(b"0123456789").unwrap();
    let nothing = snap::raw::Encoder::new().compress_vec(b"").unwrap();
    let refused = [
        framed(0, &[]),
        framed(11, &[&chunk]),
        framed(9, &[&chunk]),
        framed(10, &[&nothing, &chunk]),
        framed(10, &[&chunk[..chunk.len() - 1]]),
        framed(10, &[&chunk])[..12].to_vec(),
        framed(u32::MAX as usize, &[&chunk]),
    ];
    for stream in refused {
        assert!(decompress(Compression::Snappy, &stream, 10).is_err(), "{stream:02x?}");
    }
    assert_eq!(decompress(Compression::Snappy, &framed(10, &[&chunk]), 10).unwrap(), b"0123456789");
}

#[test]
fn numbers_and_names() {
    for codec in CODECS {
        assert_eq!(Compression::from_code(codec.code()), Ok(codec));
        assert_eq!(Compression::from_name(&codec.name().to_lowercase()), Some(codec));
    }
    assert_eq!(Compression::from_code(0), Err("LZO".to_owned()));
    assert_eq!(Compression::from_code(9), Err("number 9".to_owned()));
    assert_eq!(Compression::from_name("LZO"), None);
}

proptest! {
    #[test]
    fn what_is_compressed_is_decompressed(
        codec in prop::sample::select(CODECS.to_vec()),
        payload in prop::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 0..2000),
        times in 1usize..300,
    ) {
        let payload = payload.repeat(times);
        let stream = compress(codec, &payload);
        prop_assert!(decompress(codec, &stream, payload.len()).unwrap() == payload);
        prop_assert!(payload.is_empty() || decompress(codec, &stream, payload.len() + 1).is_err());
        prop_assert!(payload.len() < 2 || decompress(codec, &stream, payload.len() - 1).is_err());
    }

    #[test]
    fn any_bytes_do_no_harm(
        codec in prop::sample::select(CODECS.to_vec()),
        good in prop::collection::vec(0u8..4, 0..400),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        length in 0usize..5000,
    ) {
        let mut stream = compress(codec, &good);
        for (index, value) in changes {
            if !stream.is_empty() {
                let at = index.index(stream.len());
                stream[at] = value;
            }
        }
        let _ = decompress(codec, &stream, good.len());
        let _ = decompress(codec, &stream, length);
        let _ = decompress(codec, &good, length);
    }
}
