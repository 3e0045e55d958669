use super::match_tree::{MAX_DEPTH, MatchTree};
use super::{MIN_MATCH, Matches, SnappyEncoder};
use proptest::prelude::*;

fn compress(payload: &[u8]) -> Vec<u8> {
    let mut out = b"before".to_vec();
    SnappyEncoder::default().compress(payload, &mut out);
    out.split_off(6)
}

fn decompress(stream: &[u8]) -> Vec<u8> {
    snap::raw::Decoder::new().decompress_vec(stream).unwrap()
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(payload: Vec<u8>) {
        prop_assert_eq!(decompress(&compress(&payload)), payload);
    }

    #[test]
    fn the_longest_match_is_found(payload in prop::collection::vec(0..3u8, MIN_MATCH..MAX_DEPTH)) {
        let mut tree = MatchTree::default();
        tree.begin(payload.len());
        for at in 0..=payload.len() - MIN_MATCH {
            let mut found = Matches::default();
            tree.insert(&payload, at, &mut found);
            let common = |place: usize| {
                payload[place..].iter().zip(&payload[at..]).take_while(|(left, right)| left == right).count()
            };
            let longest = (0..at).map(common).max().filter(|&length| length >= MIN_MATCH).unwrap_or(0);
            prop_assert_eq!(usize::from(found.far_length), longest);
            if longest > 0 {
                prop_assert_eq!(common(at - usize::from(found.far_offset)), longest);
            }
        }
    }

    #[test]
    fn no_stream_is_longer_than_one_literal(payload in prop::collection::vec(0..4u8, 0..60)) {
        prop_assert!(compress(&payload).len() <= 2 + payload.len());
    }
}

proptest! {
    // Payloads are longer than a copy can reach.
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn so_is_what_repeats(
        words in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..70), 1..8),
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..3000),
    ) {
        let payload: Vec<u8> = order.iter().flat_map(|index| index.get(&words).clone()).collect();
        prop_assert_eq!(decompress(&compress(&payload)), payload);
    }
}

#[test]
fn an_encoder_forgets_the_payload_before() {
    let mut encoder = SnappyEncoder::default();
    for payload in [&b"one payload, one payload"[..], b"", b"abc", b"another payload, another payload"] {
        let mut out = Vec::new();
        encoder.compress(payload, &mut out);
        assert_eq!(decompress(&out), payload);
    }
}

#[test]
fn lengths_and_offsets_at_their_limits() {
    let random: Vec<u8> =
        (0..70_000u32).map(|number| (number.wrapping_mul(0x9e37_79b1) >> 13) as u8).collect();
    for length in [59, 60, 61, 62, 255, 256, 257, 65_535, 65_536, 65_537, 70_000] {
        assert_eq!(decompress(&compress(&random[..length])), &random[..length], "a literal of {length}");
    }
    for between in [2_047 - 12, 2_048 - 12, 2_049 - 12, 65_535 - 12, 65_536 - 12, 65_537 - 12] {
        for copied in [4, 11, 12] {
            let mut payload = b"mississippi!".to_vec();
            payload.extend_from_slice(&random[..between]);
            payload.extend_from_slice(&b"mississippi!"[..copied]);
            assert_eq!(decompress(&compress(&payload)), payload, "{copied} bytes again after {between}");
        }
    }
    for run in [63, 64, 65, 66, 67, 68, 128, 129, 1000] {
        let payload = vec![7; run];
        assert_eq!(decompress(&compress(&payload)), payload, "a run of {run}");
    }
}

#[test]
fn the_cheapest_of_several_ways_is_taken() {
    // A copy of four bytes that are far takes as many as the literal around it would grow by.
    let words = [&b"abcdefghijkl"[..], b"mnopqrstuvwx", b"abcdefgh", b"mnopqrstuvwx", b"ijkl"];
    let stream = compress(&words.concat());
    // Its length, a literal of 24, copies of 8, 11, 1 with 4 that no copy can have, and at last those as a literal.
    assert_eq!(decompress(&stream), words.concat());
    assert_eq!(stream.len(), 1 + 1 + 24 + 2 + 3 + 2);
}

#[test]
fn rows_of_columns_shrink_more_than_with_the_first_match() {
    // 64 columns of FAST_DIFF, of which each is one bit.
    let mut payload = Vec::new();
    let mut state = 1u32;
    for column in (0..200).flat_map(|_| 0..64u8) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        payload.extend_from_slice(&[0x18, 20, column, (state >> 31) as u8]);
    }
    let stream = compress(&payload);
    assert_eq!(decompress(&stream), payload);
    let first_match = snap::raw::Encoder::new().compress_vec(&payload).unwrap();
    assert!(stream.len() * 5 < first_match.len() * 2, "{} and {}", stream.len(), first_match.len());
}
