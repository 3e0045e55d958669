use super::*;

/// Miri takes its time: of many only each of so many.
const EACH: usize = if cfg!(miri) { 499 } else { 1 };

fn fused() -> Option<Fused> {
    let fused = Fused::where_possible();
    if fused.is_none() {
        eprintln!("left out: this processor has not what it takes");
    }
    fused
}

/// Bytes without a pattern that a wrong power of x could pass over.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(|_| byte()).collect()
}

fn by_the_library(bytes: &[u8]) -> u32 {
    crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32Iscsi, bytes) as u32
}

#[test]
fn the_check_value_of_the_polynomial() {
    let Some(fused) = fused() else { return };
    assert_eq!(fused.crc32c(b"123456789"), 0xe306_9283);
    // RFC 3720, B.4
    assert_eq!(fused.crc32c(&[0; 32]), 0x8a91_36aa);
    assert_eq!(fused.crc32c(&[0xff; 32]), 0x62a8_ab43);
}

#[test]
fn every_length_gives_what_the_library_gives() {
    let Some(fused) = fused() else { return };
    let bytes = noise(2 * LONG * STEP + MIDDLE * STEP);
    let every = |lengths: std::ops::Range<usize>| {
        for length in lengths.step_by(EACH) {
            // A beginning at every distance from what is aligned.
            let bytes = &bytes[length % 64..][..length];
            assert_eq!(fused.crc32c(bytes), by_the_library(bytes), "{length} bytes");
        }
    };
    // Pieces of each length, none and many, and all that can be left behind them.
    every(0..2 * MIDDLE * STEP);
    every(LONG * STEP - 100..LONG * STEP + 2 * SHORT * STEP);
    every(2 * LONG * STEP - 10..2 * LONG * STEP + SHORT * STEP);
}

#[test]
fn every_byte_counts() {
    let Some(fused) = fused() else { return };
    let mut bytes = noise(LONG * STEP + MIDDLE * STEP + SHORT * STEP + 21);
    // The long piece is the same code as the others; an odd distance meets every place of its steps.
    for at in (0..LONG * STEP).step_by(11).chain(LONG * STEP..bytes.len()).step_by(EACH) {
        bytes[at] ^= 0x40;
        assert_eq!(fused.crc32c(&bytes), by_the_library(&bytes), "byte {at}");
        bytes[at] ^= 0x40;
    }
}
