//! What is printed of an entry, as text.

use crate::cell_text::type_name;
use finback_cell::tag::tags;
use finback_cell::{Cell, StringBinary};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The memory of an empty list of cells in a JVM of 64 bits with compressed references.
pub(super) const HEAP_SIZE_OF_LIST: u64 = 40;

/// An entry of which something is printed.
pub(super) struct PrintedEntry {
    pub(super) table: String,
    pub(super) region: String,
    pub(super) sequence_id: u64,
    pub(super) write_time_ms: u64,
    /// Of the key, in its order.
    pub(super) attributes: Vec<(String, String)>,
    pub(super) actions: Vec<Action>,
    /// Of all cells, printed or not.
    pub(super) heap_size: u64,
    /// Where it begins.
    pub(super) offset: u64,
}

/// A cell of it.
pub(super) struct Action {
    pub(super) row: String,
    /// None where rows alone are printed.
    pub(super) rest: Option<ActionRest>,
}

/// What is printed beside the row.
pub(super) struct ActionRest {
    pub(super) family: String,
    pub(super) qualifier: String,
    pub(super) timestamp: i64,
    pub(super) cell_type: String,
    pub(super) value_length: usize,
    pub(super) heap_size: u64,
    pub(super) tags: Vec<String>,
    pub(super) value: Option<String>,
}

impl Action {
    pub(super) fn of(cell: &Cell<'_>, row: String, only_row: bool, with_value: bool) -> Self {
        let text = |bytes| StringBinary(bytes).to_string();
        let rest = || ActionRest {
            family: text(cell.family()),
            qualifier: text(cell.qualifier()),
            timestamp: cell.timestamp(),
            cell_type: type_name(cell.type_code())
                .map_or_else(|| format!("type {}", cell.type_code()), str::to_owned),
            value_length: cell.value_length(),
            heap_size: heap_size(cell),
            // Java's bytes are signed.
            tags: tags(cell.tags())
                .map(|tag| format!("{}:{}", tag.tag_type as i8, StringBinary(tag.value)))
                .collect(),
            value: with_value.then(|| text(cell.value())),
        };
        Self { row, rest: (!only_row).then(rest) }
    }
}

/// The memory that a cell takes in HBase: the object, and the array with its bytes.
pub(super) fn heap_size(cell: &Cell<'_>) -> u64 {
    const OBJECT: u64 = 32;
    const ARRAY: u64 = 16;
    OBJECT + (ARRAY + cell.bytes().len() as u64).div_ceil(8) * 8
}

/// A time as Java prints a `Date`.
pub(super) fn java_date(time_ms: u64, zone: &TimeZone) -> String {
    let time = i64::try_from(time_ms).ok().and_then(|time| Timestamp::from_millisecond(time).ok());
    match time {
        Some(time) => time.to_zoned(zone.clone()).strftime("%a %b %d %H:%M:%S %Z %Y").to_string(),
        None => format!("{time_ms} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_java() {
        assert_eq!(java_date(1_700_000_000_123, &TimeZone::UTC), "Tue Nov 14 22:13:20 UTC 2023");
        assert_eq!(java_date(0, &TimeZone::UTC), "Thu Jan 01 00:00:00 UTC 1970");
        assert_eq!(java_date(u64::MAX, &TimeZone::UTC), "18446744073709551615 ms");
    }
}
