use super::*;
use crate::varint::get_varint;

const CODECS: [Compression; 5] =
    [Compression::None, Compression::Gz, Compression::Snappy, Compression::Lz4, Compression::Zstd];

fn compressed(compressor: &mut ValueCompressor, value: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    compressor.put(value, &mut out).unwrap();
    let (length, n) = get_varint(&out).unwrap();
    assert_eq!(length as usize, out.len() - n);
    out.split_off(n)
}

#[test]
fn every_codec_gives_back_every_value() {
    let long = (0..300_000u32).map(|n| (n % 251) as u8).collect::<Vec<_>>();
    for codec in CODECS {
        let (mut compressor, mut decompressor) =
            (ValueCompressor::new(codec).unwrap(), ValueDecompressor::new(codec));
        for value in [&b""[..], b"a", b"", b"hello hello hello", &long, &[0; 70_000], b"a"] {
            let stream = compressed(&mut compressor, value);
            let mut out = b"before".to_vec();
            decompressor.take(&stream, value.len(), &mut out).unwrap();
            assert_eq!(out, [b"before", value].concat(), "{codec:?}");
        }
    }
}

#[test]
fn each_value_of_zstd_may_have_either_form() {
    let mut compressor = ValueCompressor::new(Compression::Zstd).unwrap();
    let mut decompressor = ValueDecompressor::new(Compression::Zstd);
    for zstd_form in [ZstdForm::Chunks, ZstdForm::Frame, ZstdForm::Chunks] {
        compressor.set_zstd_form(zstd_form);
        for value in [&b"a"[..], &[0; 70_000], &[1; 600_000], b""] {
            let stream = compressed(&mut compressor, value);
            assert_eq!(stream.is_empty(), value.is_empty());
            let mut out = Vec::new();
            decompressor.take(&stream, value.len(), &mut out).unwrap();
            assert!(out == value && decompressor.zstd_form() == zstd_form, "{zstd_form:?}");
        }
    }
}

#[test]
fn the_header_of_a_gzip_member_may_stand_at_the_end_of_the_value_before() {
    let mut compressor = ValueCompressor::new(Compression::Gz).unwrap();
    let (first, second) = (compressed(&mut compressor, b"first"), compressed(&mut compressor, b"second"));
    let joined = [&first[..], &second[..GZIP_HEADER_BYTES]].concat();
    let mut decompressor = ValueDecompressor::new(Compression::Gz);
    let mut out = Vec::new();
    decompressor.take(&joined, 5, &mut out).unwrap();
    decompressor.take(&second[GZIP_HEADER_BYTES..], 6, &mut out).unwrap();
    decompressor.take(&first, 5, &mut out).unwrap();
    assert_eq!(out, b"firstsecondfirst");
}

#[test]
fn the_header_of_a_gzip_member_may_stand_in_what_is_made_of_an_empty_value() {
    let mut compressor = ValueCompressor::new(Compression::Gz).unwrap();
    let (first, second) = (compressed(&mut compressor, b"first"), compressed(&mut compressor, b"second"));
    let header = &first[..GZIP_HEADER_BYTES];
    let empty_member = [header, &[3, 0][..], &[0; 8][..]].concat();
    let with_next = [&empty_member[..], header].concat();
    let mut decompressor = ValueDecompressor::new(Compression::Gz);
    let mut out = Vec::new();
    for empty in [header, &with_next[..]] {
        decompressor.take(empty, 0, &mut out).unwrap();
        decompressor.take(b"", 0, &mut out).unwrap();
        decompressor.take(&first[GZIP_HEADER_BYTES..], 5, &mut out).unwrap();
    }
    // The rest of a member whose header has been there, and a whole one: the next has its own.
    decompressor.take(header, 0, &mut out).unwrap();
    decompressor.take(&empty_member[GZIP_HEADER_BYTES..], 0, &mut out).unwrap();
    decompressor.take(&second, 6, &mut out).unwrap();
    decompressor.take(&empty_member, 0, &mut out).unwrap();
    decompressor.take(&second, 6, &mut out).unwrap();
    assert_eq!(out, b"firstfirstsecondsecond");
}

#[test]
fn lying_lengths_and_damage_are_refused() {
    let value = vec![7; 5000];
    for codec in CODECS {
        let stream = compressed(&mut ValueCompressor::new(codec).unwrap(), &value);
        let take = |stream: &[u8], length| {
            let mut out = Vec::new();
            ValueDecompressor::new(codec).take(stream, length, &mut out).map(|()| out)
        };
        assert_eq!(take(&stream, value.len()).unwrap(), value);
        for length in [1, 4999, 5001, 70_000, i32::MAX as usize, u32::MAX as usize] {
            // Block framing ends when the value is full: what follows is ignored, as HBase does.
            assert!(take(&stream, length).is_err(), "{codec:?} {length}");
        }
        for end in 0..stream.len() {
            assert!(take(&stream[..end], value.len()).is_err(), "{codec:?} cut at {end}");
        }
        for at in 0..stream.len() {
            let mut damaged = stream.clone();
            damaged[at] ^= 0x55;
            let _ = take(&damaged, value.len());
        }
    }
}
