//! The row keys of PerformanceEvaluation: a number in 26 decimal digits.

/// Digits of a row key: PerformanceEvaluation's `ROW_LENGTH`.
pub(crate) const ROW_LENGTH: usize = 26;

/// A row key.
pub(crate) type RowKey = [u8; ROW_LENGTH];

/// The key of a row: zeros, then its number.
#[inline]
pub(crate) fn row_key(mut number: u64) -> RowKey {
    let mut key = [b'0'; ROW_LENGTH];
    for digit in key.iter_mut().rev() {
        if number == 0 {
            break;
        }
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_its_number_in_26_digits() {
        assert_eq!(&row_key(0), b"00000000000000000000000000");
        assert_eq!(&row_key(1_048_575), b"00000000000000000001048575");
        assert_eq!(&row_key(u64::MAX), b"00000018446744073709551615");
    }
}
