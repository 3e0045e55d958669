use super::{BadTrailer, MAGIC, TRAILER_SIZE, Trailer};
use finback_cell::CellOrder;
use finback_compression::Compression;
use finback_proto::{Message, delimited};

/// Lengths of one byte, with the mark and without it; of two with it; of two without it, too.
const NUMBERS: [u64; 3] = [7, 1 << 62, u64::MAX];

/// Most of its numbers are this one.
fn trailer(number: u64) -> Trailer {
    let mut trailer = Trailer::new(CellOrder::User, Compression::Snappy);
    let fields = &mut trailer.fields;
    for field in [
        &mut fields.file_info_offset,
        &mut fields.load_on_open_data_offset,
        &mut fields.uncompressed_data_index_size,
        &mut fields.total_uncompressed_bytes,
        &mut fields.entry_count,
        &mut fields.first_data_block_offset,
        &mut fields.last_data_block_offset,
    ] {
        *field = Some(number);
    }
    fields.num_data_index_levels = Some(1);
    trailer
}

fn flip(bytes: &mut [u8], bit: usize) {
    bytes[bit / 8] ^= 1 << (bit % 8);
}

fn is_refused(bytes: &[u8]) -> bool {
    matches!(Trailer::decode(bytes), Err(BadTrailer::Corrupt(..)))
}

#[test]
fn the_checksum_is_in_the_first_field() {
    let bytes = trailer(7).encode();
    assert_eq!(bytes.len(), TRAILER_SIZE);
    assert_eq!(&bytes[..19], b"TRABLK\"$\x4f\xf2\x3e\x0bfinback");
    let others = [&bytes[..19], &bytes[23..]].concat();
    let crc = crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32Iscsi, &others) as u32;
    assert_eq!(bytes[19..23], crc.to_be_bytes());
    let unmarked = trailer(7).encode_unmarked();
    assert_eq!(bytes[23..TRAILER_SIZE - 4], unmarked[9..TRAILER_SIZE - 18]);
}

#[test]
fn with_and_without_a_checksum_it_is_read() {
    let lengths = NUMBERS.map(|number| trailer(number).fields.encoded_len());
    assert_eq!(lengths, [65, 121, 128]);
    for number in NUMBERS {
        let trailer = trailer(number);
        assert_eq!(Trailer::decode(&trailer.encode()).ok(), Some(trailer.clone()));
        assert_eq!(Trailer::decode(&trailer.encode_unmarked()).ok(), Some(trailer));
    }
}

/// Fields 14 and 16, of a later HBase.
#[test]
fn fields_that_are_not_known_are_passed_over() {
    for number in NUMBERS {
        let trailer = trailer(number);
        let fields = [&trailer.fields.encode_to_vec()[..], b"\x72\x02ns\x80\x01\x07"].concat();
        let mut bytes = MAGIC.to_vec();
        delimited::write_length(fields.len(), &mut bytes);
        bytes.extend_from_slice(&fields);
        bytes.resize(TRAILER_SIZE - 4, 0);
        bytes.extend_from_slice(&[3, 0, 0, 3]);
        assert_eq!(Trailer::decode(&bytes).ok(), Some(trailer));
    }
}

#[test]
fn every_flipped_bit_is_found() {
    for number in NUMBERS {
        let mut bytes = trailer(number).encode();
        for bit in 0..8 * TRAILER_SIZE {
            flip(&mut bytes, bit);
            assert!(is_refused(&bytes), "bit {} of byte {}", bit % 8, bit / 8);
            flip(&mut bytes, bit);
        }
        assert!(!is_refused(&bytes));
    }
}

/// Magic, length, mark and checksum.
#[test]
fn every_two_flipped_bits_around_the_checksum_are_found() {
    for number in NUMBERS {
        let mut bytes = trailer(number).encode();
        for second in 0..8 * 25 {
            flip(&mut bytes, second);
            for first in 0..second {
                flip(&mut bytes, first);
                assert!(is_refused(&bytes), "bits {first} and {second}");
                flip(&mut bytes, first);
            }
            flip(&mut bytes, second);
        }
    }
}
