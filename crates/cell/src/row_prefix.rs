//! The first bytes of a row as numbers that decide most comparisons.

use crate::order::CellOrder;

/// A number that orders as rows do, as far as eight bytes can: rows whose prefixes differ compare as the prefixes do,
/// rows whose prefixes are equal must be compared in full.
#[inline]
pub fn row_prefix(order: CellOrder, row: &[u8]) -> u64 {
    match order {
        CellOrder::User => first_eight(row),
        // The rows of hbase:meta do not compare as bytes; see `CellOrder`.
        CellOrder::Meta => 0,
    }
}

/// What rows are expected to begin with. Prefixes of those that do are of what is behind it; those of others order as well.
/// It ends so early that prefixes reach to the ends of rows: the more rows have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beginning {
    length: u8,
    bytes: [u8; Self::LONGEST],
}

impl Beginning {
    /// What is longer is cut.
    const LONGEST: usize = 47;

    /// Of rows that are like these two: the first and the last of many, or twice the only one.
    pub fn expected(one: &[u8], other: &[u8]) -> Self {
        let behind = one.len().max(other.len()).saturating_sub(LongRowPrefix::WHOLE_BYTES);
        Self::new(&one[..common_length(one, other).min(behind)])
    }

    /// Of rows that begin with this.
    pub fn new(beginning: &[u8]) -> Self {
        let length = beginning.len().min(Self::LONGEST);
        let mut bytes = [0; Self::LONGEST];
        bytes[..length].copy_from_slice(&beginning[..length]);
        Self { length: length as u8, bytes }
    }

    #[inline]
    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length as usize]
    }
}

/// As [`row_prefix`], of 112 bits: two say whether the row is before all that have the beginning, among them, or behind them;
/// the others are the first bits of what comes behind the beginning, or of the row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LongRowPrefix {
    /// The first 64.
    pub first: u64,
    /// The last 48.
    pub second: u64,
}

impl LongRowPrefix {
    /// Bytes that there is room for.
    const WHOLE_BYTES: usize = 110 / 8;

    /// Of `row`; the default, which tells no two rows apart, where rows do not compare as bytes.
    #[inline]
    pub fn new(order: CellOrder, beginning: &Beginning, row: &[u8]) -> Self {
        if order == CellOrder::Meta {
            return Self::default();
        }
        let beginning = beginning.as_bytes();
        let (place, rest) = match row.strip_prefix(beginning) {
            Some(rest) => (1, rest),
            None if row < beginning => (0, row),
            None => (2, row),
        };
        let first = first_eight(rest);
        let second = rest.get(8..).map_or(0, |rest| first_eight(rest) >> 16);
        Self { first: place << 62 | first >> 2, second: (first & 3) << 46 | second >> 2 }
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
pub fn common_length(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    #[test]
    fn long_prefixes_order_as_rows_do_whatever_rows_were_expected_to_begin_with() {
        let mut rows: Vec<Vec<u8>> = Vec::new();
        for start in [&b""[..], b"a", b"ab", b"abcdefghijklmn", b"abd", b"b", b"\xff\xff"] {
            for end in [
                &b""[..],
                b"\0",
                b"\0\0",
                b"a",
                b"0000001",
                b"00000000000001",
                b"00000000000002",
                b"\xff",
                b"\xff\xff",
            ] {
                rows.push([start, end].concat());
            }
        }
        let long = [b'x'; 2 * Beginning::LONGEST];
        rows.extend([long.to_vec(), long[..Beginning::LONGEST].to_vec(), [&long[..], b"y"].concat()]);
        for beginning in &rows {
            let prefix = |row| LongRowPrefix::new(CellOrder::User, &Beginning::new(beginning), row);
            for (one, other) in rows.iter().flat_map(|one| rows.iter().map(move |other| (one, other))) {
                let (of_prefixes, of_rows) = (prefix(one).cmp(&prefix(other)), one.cmp(other));
                assert!(
                    of_prefixes == Ordering::Equal || of_prefixes == of_rows,
                    "{beginning:?}: {one:?} {other:?}"
                );
            }
        }
    }

    #[test]
    fn of_rows_as_long_as_the_first_whatever_follows_is_told_apart() {
        let first = b"00000000000000000000000000";
        let prefix =
            |row: &[u8]| LongRowPrefix::new(CellOrder::User, &Beginning::expected(first, first), row);
        assert!(prefix(b"00000000000000000000000009") < prefix(b"00000000000000000000000010"));
        assert!(prefix(b"00000000000000000000000010") < prefix(b"00000000000000000000099999"));
        assert!(prefix(b"00000000000000000000099998") < prefix(b"00000000000000000000099999"));
        // The first is shorter, or like no other.
        let prefix = |row: &[u8]| LongRowPrefix::new(CellOrder::User, &Beginning::expected(b"0", b"0"), row);
        assert!(prefix(b"user1") < prefix(b"user2"));
        let prefix = |row: &[u8]| LongRowPrefix::new(CellOrder::User, &Beginning::expected(first, b"1"), row);
        assert!(prefix(b"user1") < prefix(b"user2"));
    }

    #[test]
    fn rows_that_begin_as_expected_are_told_apart_behind_that() {
        let beginning = Beginning::new(b"00000000000000000000");
        let prefix = |row: &[u8]| LongRowPrefix::new(CellOrder::User, &beginning, row);
        assert!(prefix(b"00000000000000000000012345") < prefix(b"00000000000000000000012346"));
        assert!(prefix(b"0000000000000000000") < prefix(b"00000000000000000000"));
        assert!(prefix(b"00000000000000000000\xff\xff") < prefix(b"00000000000000000001"));
    }
}
