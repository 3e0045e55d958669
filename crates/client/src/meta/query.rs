//! What is asked of `hbase:meta`: the rows between which the regions of a table are.

use finback_cell::TableName;

/// Fourteen nines: after every region id.
const AFTER_IDS: &[u8] = b"99999999999999";
/// Before every region id.
const BEFORE_IDS: &[u8] = b"00000000000000";

/// Rows of hbase:meta from which, and to which, a look-up goes backwards.
pub(crate) struct Backwards {
    pub(crate) start: Vec<u8>,
    pub(crate) stop: Vec<u8>,
}

/// For the region that contains `row`.
pub(crate) fn containing(table: &TableName, row: &[u8]) -> Backwards {
    Backwards { start: region_name(table, row, AFTER_IDS), stop: region_name(table, b"", b"") }
}

/// For the region before `row`: that which ends there, or contains what is just before it. An empty row is the end of the
/// table.
pub(crate) fn before(table: &TableName, row: &[u8]) -> Backwards {
    let start = match row {
        // Behind all regions of the table: a row without a comma sorts by itself.
        [] => [&table.to_bytes()[..], &[0]].concat(),
        _ => region_name(table, row, BEFORE_IDS),
    };
    Backwards { start, stop: region_name(table, b"", b"") }
}

/// The rows of all regions of a table: from the first, to the second, which is not one of them.
pub(crate) fn all_regions(table: &TableName) -> (Vec<u8>, Vec<u8>) {
    let end = [&table.to_bytes()[..], b" ,,"].concat();
    (region_name(table, b"", b""), end)
}

fn region_name(table: &TableName, start_key: &[u8], id: &[u8]) -> Vec<u8> {
    [&table.to_bytes()[..], b",", start_key, b",", id].concat()
}
