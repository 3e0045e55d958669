//! The cells of the files.

use std::error::Error;

use finback_cell::cell::CellParts;
use finback_cell::tag::{TTL_TAG, write_tag};
use finback_cell::{Cell, CellOrder};
use finback_hfile::OWN_BLOCK_BYTES;

pub(crate) const ROWS: u32 = 120;

/// A KeyValue and its sequence id.
pub(crate) type Stored = (Vec<u8>, u64);

/// Rows of 40 columns of a byte each.
pub(crate) fn columns() -> Vec<Stored> {
    let cell = |number: u32| {
        let (row, qualifier) = (format!("row{:03}", number / 40), format!("column{:02}", number % 40));
        let parts = CellParts {
            row: row.as_bytes(),
            family: b"cf",
            qualifier: qualifier.as_bytes(),
            timestamp: 1_700_000_000_000 + i64::from(number / 40),
            type_code: 4,
            value: &[(number.wrapping_mul(0x9e37_79b1) >> 31) as u8],
            tags: &[],
        };
        (parts.to_vec(), u64::from(number / 40))
    };
    (0..40 * ROWS).map(cell).collect()
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
        let value: Vec<u8> = (0..OWN_BLOCK_BYTES + more).map(|byte| b'a' + (byte % 23) as u8).collect();
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
