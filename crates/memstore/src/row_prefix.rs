//! The first bytes of a row as numbers that decide most comparisons.

use finback_cell::CellOrder;

/// A number that orders as rows do, as far as eight bytes can: rows whose prefixes differ compare as the prefixes do,
/// rows whose prefixes are equal must be compared in full.
#[inline]
pub(crate) fn row_prefix(order: CellOrder, row: &[u8]) -> u64 {
    match order {
        CellOrder::User => first_eight(row),
        // The rows of hbase:meta do not compare as bytes; see `CellOrder`.
        CellOrder::Meta => 0,
    }
}

/// As [`row_prefix`], of fourteen bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LongRowPrefix {
    /// Bytes 0 to 7.
    pub(crate) first: u64,
    /// Bytes 8 to 13.
    pub(crate) second: u64,
}

impl LongRowPrefix {
    #[inline]
    pub(crate) fn new(order: CellOrder, row: &[u8]) -> Self {
        match order {
            CellOrder::User => {
                let second = row.get(8..).map_or(0, |rest| first_eight(rest) >> 16);
                Self { first: first_eight(row), second }
            }
            CellOrder::Meta => Self { first: 0, second: 0 },
        }
    }
}

/// Pads with zeros: a row and the same row with zeros behind it have equal prefixes, and are compared in full.
#[inline]
fn first_eight(row: &[u8]) -> u64 {
    match row.first_chunk::<8>() {
        Some(first) => u64::from_be_bytes(*first),
        None => {
            let mut padded = [0; 8];
            padded[..row.len()].copy_from_slice(row);
            u64::from_be_bytes(padded)
        }
    }
}

/// How many bytes two rows have in common at their beginnings.
pub(crate) fn common_length(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}
