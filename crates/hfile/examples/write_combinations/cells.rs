//! The cells of the files.

use std::error::Error;

use finback_cell::cell::CellParts;
use finback_cell::tag::{TTL_TAG, write_tag};
use finback_cell::{Cell, CellOrder};
use finback_hfile::OWN_BLOCK_BYTES;

pub(crate) const ROWS: u32 = 120;

/// A KeyValue and its sequence id.
pub(crate) type Stored = (Vec<u8>, u64);

/// Bytes of the value of a cell of [`long`].
const LONG_VALUE: usize = 8_000;
/// So many cells of [`long`], and half of the large one of [`one_large`], are more than two chunks of any codec, and cannot be
/// compressed.
const NOISY: u32 = 70;
const HALF_OF_LARGE: usize = 1 << 19;
/// The fraction of the golden ratio: its multiples are far apart.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Rows of 40 columns of a byte each.
pub(crate) fn columns() -> Vec<Stored> {
    rows_of_columns(ROWS, |number| vec![(number.wrapping_mul(0x9e37_79b1) >> 31) as u8])
}

/// More rows, of columns of 16 digits: small cells when they are encoded, all the same more than a chunk of Snappy's.
pub(crate) fn digits() -> Vec<Stored> {
    let value = |number: u32| format!("{:016x}", u64::from(number).wrapping_mul(GOLDEN)).into_bytes();
    rows_of_columns(300, value)
}

fn rows_of_columns(rows: u32, value: impl Fn(u32) -> Vec<u8>) -> Vec<Stored> {
    let cell = |number: u32| {
        let (row, qualifier) = (format!("row{:03}", number / 40), format!("column{:02}", number % 40));
        put(&row, &qualifier, number / 40, &value(number))
    };
    (0..40 * rows).map(cell).collect()
}

/// Rows of a cell each, for blocks of several chunks. No value is that of the cell before, for an encoding would leave it out.
pub(crate) fn long() -> Vec<Stored> {
    let cell = |number: u32| {
        let value = match number < NOISY {
            true => noise(LONG_VALUE, number),
            false => letters(LONG_VALUE, number as usize),
        };
        put(&format!("row{number:03}"), "column", number, &value)
    };
    (0..ROWS + 10).map(cell).collect()
}

/// Small cells, and among those of the first block one of a megabyte, half of it noise.
pub(crate) fn one_large() -> Vec<Stored> {
    let cell = |number: u32| {
        let value = match number == 7 {
            true => [noise(HALF_OF_LARGE, number), letters(HALF_OF_LARGE, 0)].concat(),
            false => letters(20, number as usize),
        };
        put(&format!("row{number:03}"), "column", number, &value)
    };
    (0..20).map(cell).collect()
}

fn put(row: &str, qualifier: &str, number: u32, value: &[u8]) -> Stored {
    let parts = CellParts {
        row: row.as_bytes(),
        family: b"cf",
        qualifier: qualifier.as_bytes(),
        timestamp: 1_700_000_000_000 + i64::from(number),
        type_code: 4,
        value,
        tags: &[],
    };
    (parts.to_vec(), u64::from(number))
}

/// Bytes that cannot be compressed (xorshift64), the same ones for each seed.
fn noise(length: usize, seed: u32) -> Vec<u8> {
    let mut state = GOLDEN.wrapping_mul(u64::from(seed) + 1);
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Bytes that repeat, from one of them on.
fn letters(length: usize, from: usize) -> Vec<u8> {
    (from..from + length).map(|byte| b'a' + (byte % 23) as u8).collect()
}

/// Puts and markers of all kinds, in most rows a column without a name, versions, values of many sizes; every other row has tags.
pub(crate) fn mixed(has_tags: bool) -> Result<Vec<Stored>, Box<dyn Error>> {
    let mut cells = Vec::new();
    for number in 0..ROWS {
        let row = format!("row{:03}-{}", number, "x".repeat(number as usize % 40));
        let columns: [(&[u8], i64, u8); 8] = [
            (b"", 50, 14),
            (b"", 40, 10),
            (b"", 30, 4),
            (b"a", 60, 12),
            (b"a", 60, 4),
            (b"a", 20, 4),
            (b"b\x00\xff", 70, 8),
            (b"b\x00\xff", 10, 4),
        ];
        for (at, (qualifier, timestamp, type_code)) in columns.into_iter().enumerate() {
            let is_marker = type_code != 4;
            if (is_marker && number % 3 == 0) || (qualifier.is_empty() && number % 4 == 3) {
                continue;
            }
            let mut tags = Vec::new();
            if has_tags && number % 2 == 0 {
                write_tag(&mut tags, TTL_TAG, &(86_400_000 + i64::from(number % 5)).to_be_bytes());
                write_tag(&mut tags, 70, row.as_bytes());
            }
            let value = vec![b'a' + (number % 26) as u8; (number as usize * 7 + at) % 150];
            let parts = CellParts {
                row: row.as_bytes(),
                family: b"cf",
                qualifier,
                timestamp: 1_700_000_000_000 + timestamp,
                type_code,
                value: if type_code == 4 { &value } else { b"" },
                tags: &tags,
            };
            cells.push((parts.to_vec(), u64::from(number) + at as u64));
        }
    }
    let parse = |stored: &Stored| Cell::parse(&stored.0).map(|cell| cell.key().to_vec());
    for pair in cells.windows(2) {
        let (before, after) = (Cell::parse(&pair[0].0)?, Cell::parse(&pair[1].0)?);
        let order = CellOrder::User.compare_with_sequence(&before, pair[0].1, &after, pair[1].1);
        assert!(order.is_lt(), "{:?} before {:?}", parse(&pair[0]), parse(&pair[1]));
    }
    Ok(cells)
}

/// The cells of [`mixed`] with tags, some of them large: the first put, and two in a row of which one has tags.
pub(crate) fn with_large() -> Result<Vec<Stored>, Box<dyn Error>> {
    let mut cells = mixed(true)?;
    let is_put = |at: &usize| Cell::parse(&cells[*at].0).is_ok_and(|cell| cell.type_code() == 4);
    let puts: Vec<usize> = (0..cells.len()).filter(is_put).collect();
    for (at, more) in [(puts[0], 0), (puts[puts.len() / 2], 17_000), (puts[puts.len() / 2 + 1], 1)] {
        let cell = Cell::parse(&cells[at].0)?;
        let value = letters(OWN_BLOCK_BYTES + more, 0);
        let parts = CellParts {
            row: cell.row(),
            family: cell.family(),
            qualifier: cell.qualifier(),
            timestamp: cell.timestamp(),
            type_code: cell.type_code(),
            value: &value,
            tags: cell.tags(),
        };
        cells[at].0 = parts.to_vec();
    }
    Ok(cells)
}

/// The same with the sequence ids that are left when nobody can tell them apart.
pub(crate) fn forgotten(cells: Vec<Stored>) -> Vec<Stored> {
    cells.into_iter().map(|(bytes, _)| (bytes, 0)).collect()
}
