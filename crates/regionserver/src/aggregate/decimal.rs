//! Java's `BigDecimal`, as far as sums of money need it: what HBase's `BigDecimalColumnInterpreter` does with values.

use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;

/// Digits behind the point of all values: HBase rounds to cents.
const CENTS: i32 = 2;
/// Bytes of the scale, with which a value begins.
const SCALE_BYTES: usize = 4;
/// Longer values have no number here: a square would take seconds. 4 KiB are 9,800 digits.
const LONGEST: usize = 4 << 10;
/// Nor have values with a point farther away.
const FARTHEST_POINT: u32 = 10_000;

/// `unscaled` · 10^-`scale`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    unscaled: BigInt,
    scale: i32,
}

impl Decimal {
    /// The number of a value, as HBase's `Bytes.toBytes(BigDecimal)` writes it, in cents.
    pub(super) fn from_value(value: &[u8]) -> Option<Self> {
        let (scale, unscaled) = value.split_first_chunk::<SCALE_BYTES>()?;
        let scale = i32::from_be_bytes(*scale);
        if unscaled.is_empty() || unscaled.len() > LONGEST || scale.unsigned_abs() > FARTHEST_POINT {
            return None;
        }
        Some(Self { unscaled: BigInt::from_signed_bytes_be(unscaled), scale }.in_cents())
    }

    pub(super) fn zero() -> Self {
        Self { unscaled: BigInt::ZERO, scale: CENTS }
    }

    /// Java's `BigDecimal.valueOf(Double.MIN_VALUE)`: 4.9E-324.
    pub(super) fn least() -> Self {
        Self { unscaled: 49.into(), scale: 325 }
    }

    pub(super) fn plus(self, other: &Self) -> Self {
        debug_assert_eq!(self.scale, other.scale, "all values are in cents");
        Self { unscaled: self.unscaled + &other.unscaled, scale: self.scale }
    }

    pub(super) fn squared(&self) -> Self {
        Self { unscaled: &self.unscaled * &self.unscaled, scale: 2 * self.scale }.in_cents()
    }

    pub(super) fn order(&self, other: &Self) -> Ordering {
        debug_assert_eq!(self.scale, other.scale, "all values are in cents");
        self.unscaled.cmp(&other.unscaled)
    }

    /// As `Bytes.toBytes(BigDecimal)`.
    pub(super) fn to_value(&self) -> Vec<u8> {
        [&self.scale.to_be_bytes()[..], &self.unscaled.to_signed_bytes_be()].concat()
    }

    /// Rounded to cents; what is in the middle, to the even neighbour.
    fn in_cents(self) -> Self {
        let power = BigInt::from(10).pow(self.scale.abs_diff(CENTS));
        let unscaled =
            if self.scale <= CENTS { self.unscaled * power } else { rounded(&self.unscaled, &power) };
        Self { unscaled, scale: CENTS }
    }
}

/// The quotient, `HALF_EVEN`.
fn rounded(number: &BigInt, by: &BigInt) -> BigInt {
    let (quotient, rest) = (number / by, number % by);
    let middle = BigInt::from(rest.magnitude() * 2u32).cmp(by);
    if middle == Ordering::Greater || (middle == Ordering::Equal && quotient.bit(0)) {
        quotient + if number.sign() == Sign::Minus { -1 } else { 1 }
    } else {
        quotient
    }
}

#[cfg(test)]
mod tests;
