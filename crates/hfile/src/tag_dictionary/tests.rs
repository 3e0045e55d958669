use super::{CAPACITY, TagDecoder, TagEncoder};
use proptest::prelude::*;

fn area(tags: &[Vec<u8>]) -> Vec<u8> {
    tags.iter().flat_map(|tag| [&(tag.len() as u16).to_be_bytes()[..], tag].concat()).collect()
}

#[test]
fn the_second_time_a_tag_is_its_number() {
    let mut out = Vec::new();
    let mut encoder = TagEncoder::new();
    encoder.write(&area(&[vec![1, 7], vec![2], vec![1, 7]]), &mut out).unwrap();
    assert_eq!(out, [0xff, 2, 1, 7, 0xff, 1, 2, 0, 0]);
    encoder.clear();
    out.clear();
    encoder.write(&area(&[vec![1, 7]]), &mut out).unwrap();
    assert_eq!(out, [0xff, 2, 1, 7]);
}

/// As in HBase's LRUDictionary, which enters nothing without bytes: numbers would not be the same.
#[test]
fn a_tag_of_no_bytes_gets_no_number() {
    let tags = area(&[vec![], vec![1, 7], vec![], vec![1, 7]]);
    let encoded = [0xff, 0, 0xff, 2, 1, 7, 0xff, 0, 0, 0];
    let mut out = Vec::new();
    TagEncoder::new().write(&tags, &mut out).unwrap();
    assert_eq!(out, encoded);
    let (mut rest, mut decoded) = (&encoded[..], Vec::new());
    TagDecoder::new().take(&mut rest, tags.len(), &mut decoded).unwrap();
    assert_eq!((rest, decoded), (&[][..], tags));
}

#[test]
fn a_full_dictionary_gives_the_oldest_number_again() {
    let tag = |number: usize| vec![1, number as u8];
    let mut encoder = TagEncoder::new();
    let mut out = Vec::new();
    let all: Vec<_> = (0..CAPACITY).map(tag).collect();
    encoder.write(&area(&all), &mut out).unwrap();
    // 0 is used, so that 1 is the oldest, whose number the next one gets.
    encoder.write(&area(&[tag(0), tag(CAPACITY)]), &mut out).unwrap();
    out.clear();
    encoder.write(&area(&[tag(CAPACITY), tag(0), tag(2)]), &mut out).unwrap();
    assert_eq!(out, [0, 1, 0, 0, 0, 2]);
    out.clear();
    encoder.write(&area(&[tag(1)]), &mut out).unwrap();
    assert_eq!(out, [0xff, 2, 1, 1]);
}

#[test]
fn what_cannot_be_is_refused() {
    let take = |bytes: &[u8], length| TagDecoder::new().take(&mut &bytes[..], length, &mut Vec::new());
    assert_eq!(take(&[0xff, 2, 1, 7], 4), Some(()));
    for (bytes, length) in [
        (&[0xff, 2, 1, 7][..], 3), // ends elsewhere
        (&[0xff, 2, 1, 7], 5),
        (&[0xff, 2, 1], 4), // cut
        (&[0, 0], 4),       // no such number
        (&[0, 0xff], 4),
        (&[0xfe, 0], 4),
        (&[0xff, 0xff, 0xff, 0xff, 0x07], 4),
        (&[], 1),
    ] {
        assert_eq!(take(bytes, length), None, "{bytes:02x?}");
    }
    for tags in [&[0][..], &[0, 2, 1]] {
        assert_eq!(TagEncoder::new().write(tags, &mut Vec::new()), None);
    }
}

proptest! {
    #[test]
    fn tags_come_back(cells in prop::collection::vec(prop::collection::vec(prop::collection::vec(0u8..16, 0..3), 0..6), 0..200)) {
        let (mut encoder, mut encoded) = (TagEncoder::new(), Vec::new());
        for cell in &cells {
            encoder.write(&area(cell), &mut encoded).unwrap();
        }
        let (mut decoder, mut rest) = (TagDecoder::new(), &encoded[..]);
        for cell in &cells {
            let (expected, mut found) = (area(cell), Vec::new());
            decoder.take(&mut rest, expected.len(), &mut found).unwrap();
            prop_assert_eq!(found, expected);
        }
        prop_assert!(rest.is_empty());
    }
}
