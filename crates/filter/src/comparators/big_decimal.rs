//! `BigDecimalComparator`: decimal numbers.
//!
//! ```text
//! ┌───────────────┬───────────────────────────────────────────┐
//! │ scale i32 BE  │ unscaled value, two's complement, BE, ≥ 1 │
//! └───────────────┴───────────────────────────────────────────┘
//! ```
//! The number is `unscaled × 10^-scale`.

use crate::{Comparator, FilterError};
use bytes::Bytes;
use std::cmp::Ordering;

const CLASS: &str = "BigDecimalComparator";
/// Longest unscaled value that is compared, in bytes. Making decimal digits of a number takes time quadratic in its
/// length; this is 2400 digits, and under a millisecond.
const MAX_UNSCALED_BYTES: usize = 1024;

/// Compares `BigDecimal`s by numeric value: 1.0 equals 1.00.
#[derive(Debug, Clone)]
pub struct BigDecimalComparator {
    bytes: Bytes,
    number: Decimal,
}

impl BigDecimalComparator {
    /// Compares with the number in `bytes`.
    pub fn new(bytes: Bytes) -> Result<Self, FilterError> {
        let number = Decimal::read(&bytes)?;
        Ok(Self { bytes, number })
    }
}

impl Comparator for BigDecimalComparator {
    fn compare_to(&self, value: &[u8]) -> Result<Ordering, FilterError> {
        Ok(self.number.compare(&Decimal::read(value)?))
    }

    fn given(&self) -> &[u8] {
        &self.bytes
    }
}

/// A decimal number in scientific form: `0.DIGITS × 10^exponent`, the first digit not zero, no zeros at the end.
/// Two numbers then compare by sign, exponent and digits, without ever being brought to one scale: scales come from
/// the wire, and 10 to their power must not be computed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    exponent: i64,
    digits: Vec<u8>,
}

impl Decimal {
    fn read(bytes: &[u8]) -> Result<Self, FilterError> {
        let wrong = || FilterError::ValueLength { class: CLASS, found: bytes.len(), expected: 5 };
        let (scale, unscaled) = bytes.split_first_chunk::<4>().ok_or_else(wrong)?;
        let sign_byte = *unscaled.first().ok_or_else(wrong)?;
        if unscaled.len() > MAX_UNSCALED_BYTES {
            let reason = format!("a number of {} bytes, more than {MAX_UNSCALED_BYTES}", unscaled.len());
            return Err(FilterError::Invalid { class: CLASS, reason: reason.into() });
        }
        let negative = sign_byte & 0x80 != 0;
        let mut digits = decimal_digits(magnitude(unscaled, negative));
        let exponent = digits.len() as i64 - i64::from(i32::from_be_bytes(*scale));
        while digits.last() == Some(&0) {
            digits.pop();
        }
        let exponent = if digits.is_empty() { 0 } else { exponent };
        Ok(Self { negative, exponent, digits })
    }

    fn compare(&self, other: &Self) -> Ordering {
        match self.signum().cmp(&other.signum()) {
            Ordering::Equal if self.negative => other.compare_magnitude(self),
            Ordering::Equal => self.compare_magnitude(other),
            unequal => unequal,
        }
    }

    fn signum(&self) -> i8 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    fn compare_magnitude(&self, other: &Self) -> Ordering {
        self.exponent.cmp(&other.exponent).then_with(|| self.digits.cmp(&other.digits))
    }
}

/// The absolute value of a two's complement number as 32-bit limbs, the highest first.
fn magnitude(bytes: &[u8], negative: bool) -> Vec<u32> {
    let fill = if negative { 0xff } else { 0 };
    let padding = (4 - bytes.len() % 4) % 4;
    let padded: Vec<u8> = std::iter::repeat_n(fill, padding).chain(bytes.iter().copied()).collect();
    let mut limbs: Vec<u32> =
        padded.chunks_exact(4).map(|limb| u32::from_be_bytes([limb[0], limb[1], limb[2], limb[3]])).collect();
    if negative {
        let mut carry = true;
        for limb in limbs.iter_mut().rev() {
            (*limb, carry) = (!*limb).overflowing_add(u32::from(carry));
        }
    }
    limbs
}

/// Decimal digits of a number in limbs, the highest first; none for zero.
fn decimal_digits(mut limbs: Vec<u32>) -> Vec<u8> {
    const CHUNK: u64 = 1_000_000_000;
    let mut reversed = Vec::with_capacity(limbs.len() * 10);
    while limbs.iter().any(|limb| *limb != 0) {
        let mut remainder = 0;
        for limb in &mut limbs {
            let dividend = remainder << 32 | u64::from(*limb);
            *limb = (dividend / CHUNK) as u32;
            remainder = dividend % CHUNK;
        }
        for _ in 0..9 {
            reversed.push((remainder % 10) as u8);
            remainder /= 10;
        }
    }
    while reversed.last() == Some(&0) {
        reversed.pop();
    }
    reversed.reverse();
    reversed
}

#[cfg(test)]
mod tests;
