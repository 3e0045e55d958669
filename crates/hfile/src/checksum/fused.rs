//! CRC-32C by two units of an x86-64 at once, where it has AVX2 and VPCLMULQDQ.
//!
//! A part of each piece goes through carry-less multiplication, 32 bytes at a time; the rest, in three streams, through the
//! `crc32` instruction, which takes three cycles and can be begun in each. What the four have found is put together at the end:
//! the remainder of each is moved by the bytes that follow it, which is one multiplication by a power of x that is known when
//! this is compiled. After Gopal, Ozturk, Guilford and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
//! Instruction" and "Fast CRC Computation for iSCSI Polynomial Using CRC32 Instruction", Intel, 2009 and 2011.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i, _mm_clmulepi64_si128, _mm_crc32_u8, _mm_crc32_u64, _mm_cvtsi64_si128, _mm_cvtsi128_si64,
    _mm_extract_epi64, _mm_xor_si128, _mm256_castsi256_si128, _mm256_clmulepi64_epi128,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_set_epi64x, _mm256_setzero_si256, _mm256_xor_si256,
};

/// Castagnoli's, with its lowest power in the highest bit.
const POLYNOMIAL: u32 = 0x82f6_3b78;
const VECTOR: usize = 32;
const WORD: usize = 8;
/// What one step takes: by multiplication, and from each of three streams.
const MULTIPLIED: usize = 3 * VECTOR;
const STREAMED: usize = 4 * WORD;
const STEP: usize = MULTIPLIED + 3 * STREAMED;
/// Steps of a piece. The longest is all but 64 bytes of a chunk of 16 KiB, HBase's default.
const LONG: usize = 85;
const MIDDLE: usize = 17;
const SHORT: usize = 3;

/// That the processor has what is needed here.
#[derive(Clone, Copy)]
pub(super) struct Fused(());

impl Fused {
    /// Where it is the fastest that there is: AVX-512 multiplies 64 bytes at a time, which is as much as both units here.
    pub(super) fn where_best() -> Option<Self> {
        if is_x86_feature_detected!("avx512vl") { None } else { Self::where_possible() }
    }

    fn where_possible() -> Option<Self> {
        let possible = is_x86_feature_detected!("sse4.2")
            && is_x86_feature_detected!("pclmulqdq")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("vpclmulqdq");
        possible.then_some(Self(()))
    }

    /// The CRC-32C of `bytes`.
    pub(super) fn crc32c(self, bytes: &[u8]) -> u32 {
        // SAFETY: where there is a `Fused`, the processor has all that is enabled there.
        !unsafe { update(!0, bytes) }
    }
}

#[target_feature(enable = "sse4.2,pclmulqdq,avx2,vpclmulqdq")]
fn update(crc: u32, bytes: &[u8]) -> u32 {
    let (crc, bytes) = pieces::<LONG>(crc, bytes);
    let (crc, bytes) = pieces::<MIDDLE>(crc, bytes);
    let (crc, bytes) = pieces::<SHORT>(crc, bytes);
    let (words, rest) = bytes.as_chunks();
    let mut crc = u64::from(crc);
    for word in words {
        crc = _mm_crc32_u64(crc, u64::from_le_bytes(*word));
    }
    let mut crc = crc as u32;
    for byte in rest {
        crc = _mm_crc32_u8(crc, *byte);
    }
    crc
}

/// Takes as many pieces of so many steps as there are; the rest of the bytes comes back.
#[target_feature(enable = "sse4.2,pclmulqdq,avx2,vpclmulqdq")]
fn pieces<const STEPS: usize>(mut crc: u32, mut bytes: &[u8]) -> (u32, &[u8]) {
    while let Some((piece, rest)) = bytes.split_at_checked(STEPS * STEP) {
        crc = one_piece::<STEPS>(crc, piece);
        bytes = rest;
    }
    (crc, bytes)
}

/// Three streams, and behind them what is multiplied.
#[target_feature(enable = "sse4.2,pclmulqdq,avx2,vpclmulqdq")]
fn one_piece<const STEPS: usize>(crc: u32, piece: &[u8]) -> u32 {
    let (first, others) = piece.split_at(STEPS * STREAMED);
    let (second, others) = others.split_at(STEPS * STREAMED);
    let (third, multiplied) = others.split_at(STEPS * STREAMED);
    let mut folded = [_mm256_setzero_si256(); MULTIPLIED / VECTOR];
    let mut streams = [u64::from(crc), 0, 0];
    let steps = first.as_chunks::<STREAMED>().0.iter().zip(second.as_chunks::<STREAMED>().0);
    let steps = steps.zip(third.as_chunks::<STREAMED>().0).zip(multiplied.as_chunks::<MULTIPLIED>().0);
    for (((first, second), third), multiplied) in steps {
        for (folded, bytes) in folded.iter_mut().zip(multiplied.as_chunks().0) {
            *folded = _mm256_xor_si256(moved::<MULTIPLIED>(*folded), vector(bytes));
        }
        for word in 0..STREAMED / WORD {
            for (crc, stream) in streams.iter_mut().zip([first, second, third]) {
                *crc = _mm_crc32_u64(*crc, u64::from_le_bytes(stream.as_chunks().0[word]));
            }
        }
    }
    let mut all = folded[0];
    for next in &folded[1..] {
        all = _mm256_xor_si256(moved::<VECTOR>(all), *next);
    }
    let low = _mm256_castsi256_si128(moved::<{ VECTOR / 2 }>(all));
    let all = _mm_xor_si128(low, _mm256_extracti128_si256(all, 1));
    // The remainders of the streams, at the last of the words, which reduces their products with itself.
    let after = const {
        let (stream, multiplied) = (STEPS * STREAMED, STEPS * MULTIPLIED);
        [power(2 * stream + multiplied), power(stream + multiplied), power(multiplied)]
    };
    let mut last = _mm_extract_epi64(all, 1) as u64;
    for (crc, power) in streams.into_iter().zip(after) {
        let product = _mm_clmulepi64_si128(_mm_cvtsi64_si128(crc as i64), _mm_cvtsi64_si128(power), 0x00);
        last ^= _mm_cvtsi128_si64(product) as u64;
    }
    let crc = _mm_crc32_u64(0, _mm_cvtsi128_si64(all) as u64);
    _mm_crc32_u64(crc, last) as u32
}

#[target_feature(enable = "avx2")]
fn vector(bytes: &[u8; VECTOR]) -> __m256i {
    // SAFETY: so many bytes are there, and they need not be aligned.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// What stands for the same remainder, so many bytes further on, of each half.
#[target_feature(enable = "avx2,vpclmulqdq")]
fn moved<const BYTES: usize>(halves: __m256i) -> __m256i {
    let (low, high) = const { (power(BYTES + WORD), power(BYTES)) };
    let powers = _mm256_set_epi64x(high, low, high, low);
    _mm256_xor_si256(
        _mm256_clmulepi64_epi128(halves, powers, 0x00),
        _mm256_clmulepi64_epi128(halves, powers, 0x11),
    )
}

/// The power of x by which what stands `bytes` before the end is multiplied: 32 are in what reduces the product, and one is
/// in the product itself, whose highest bit is empty.
const fn power(bytes: usize) -> i64 {
    let mut power = 1 << 31;
    let mut left = 8 * bytes - 33;
    while left > 0 {
        power = if power & 1 == 0 { power >> 1 } else { power >> 1 ^ POLYNOMIAL };
        left -= 1;
    }
    power as i64
}

#[cfg(test)]
mod tests;
