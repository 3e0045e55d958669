//! Scans.

use super::selection::{self, MAX_SCAN_ROW_LENGTH, SerializedFilter};
use crate::{ProtoError, pb};
use finback_cell::Scan;

/// A Scan and what travels beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedScan {
    /// The read.
    pub scan: Scan,
    /// Its filter.
    pub filter: Option<SerializedFilter>,
    /// At most this many cells in one result.
    pub batch: Option<u32>,
    /// Bytes of cells after which a reply ends, if the client says so.
    pub max_result_size: Option<u64>,
    /// Rows that the client expects in one reply.
    pub caching: Option<u32>,
    /// Whether the client takes parts of rows as results of their own.
    pub allow_partial_results: bool,
    /// Whether replies without rows should say how far the scan has come.
    pub need_cursor_result: bool,
    /// Whether the client asks for a one-shot scan.
    pub small: bool,
    /// Whether an answer from a secondary replica would do.
    pub timeline: bool,
}

/// Decodes a Scan.
///
/// # Errors
/// [`ProtoError::Invalid`] for a row or time range that cannot be.
pub fn decode_scan(scan: pb::Scan) -> Result<DecodedScan, ProtoError> {
    let start_row = scan.start_row.clone().unwrap_or_default();
    let stop_row = scan.stop_row.clone().unwrap_or_default();
    selection::check_row("Scan", "start_row", &start_row, MAX_SCAN_ROW_LENGTH)?;
    selection::check_row("Scan", "stop_row", &stop_row, MAX_SCAN_ROW_LENGTH)?;
    // Clients from before the flag mean a Get by equal rows.
    let include_stop_row = scan.include_stop_row.unwrap_or(!start_row.is_empty() && start_row == stop_row);
    let read = Scan {
        start_row,
        include_start_row: scan.include_start_row(),
        stop_row,
        include_stop_row,
        reversed: scan.reversed(),
        families: Vec::new(),
        time_range: selection::time_range_or_all(scan.time_range.as_ref())?,
        family_time_ranges: selection::family_time_ranges(&scan.cf_time_range)?,
        max_versions: scan.max_versions(),
        store_limit: scan.store_limit,
        store_offset: scan.store_offset(),
        raw: selection::flag(&scan.attribute, "_raw_").unwrap_or(false),
        read_uncommitted: selection::reads_uncommitted(&scan.attribute),
        cache_blocks: scan.cache_blocks(),
        load_column_families_on_demand: scan.load_column_families_on_demand,
        mob: selection::mob_read(&scan.attribute),
        read_point: scan.mvcc_read_point.filter(|&point| point > 0),
    };
    Ok(DecodedScan {
        batch: scan.batch_size.filter(|&batch| batch > 0),
        max_result_size: scan.max_result_size.filter(|&size| size > 0),
        caching: scan.caching.filter(|&rows| rows > 0),
        allow_partial_results: scan.allow_partial_results(),
        need_cursor_result: scan.need_cursor_result(),
        small: scan.small(),
        timeline: scan.consistency() == pb::Consistency::Timeline,
        scan: Scan { families: selection::families(scan.column), ..read },
        filter: scan.filter.map(Into::into),
    })
}

#[cfg(test)]
mod tests;
