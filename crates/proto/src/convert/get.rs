//! Gets.

use super::selection::{self, SerializedFilter};
use crate::{ProtoError, pb};
use finback_cell::{Get, MAX_ROW_LENGTH, Scan};

/// A Get and what travels beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedGet {
    /// The read.
    pub get: Get,
    /// Its filter.
    pub filter: Option<SerializedFilter>,
    /// Whether the client asks for the row or the last one before it: from before HBase 1.0, not supported.
    pub closest_row_before: bool,
    /// Whether an answer from a secondary replica would do.
    pub timeline: bool,
}

/// Decodes a Get.
///
/// # Errors
/// [`ProtoError::Missing`] without a row, [`ProtoError::Invalid`] for a row, time range or number of versions
/// that cannot be.
pub fn decode_get(get: pb::Get) -> Result<DecodedGet, ProtoError> {
    if get.row.is_empty() {
        return Err(ProtoError::missing("Get", "row"));
    }
    selection::check_row("Get", "row", &get.row, MAX_ROW_LENGTH)?;
    let max_versions = get.max_versions();
    // Java reads the field as signed.
    if max_versions == 0 || max_versions > i32::MAX as u32 {
        return Err(ProtoError::invalid("Get", "max_versions", "must be positive"));
    }
    let scan = Scan {
        start_row: get.row.clone(),
        stop_row: get.row.clone(),
        include_stop_row: true,
        time_range: selection::time_range_or_all(get.time_range.as_deref())?,
        family_time_ranges: selection::family_time_ranges(&get.cf_time_range)?,
        max_versions,
        store_limit: get.store_limit,
        store_offset: get.store_offset(),
        read_uncommitted: selection::reads_uncommitted(&get.attribute),
        cache_blocks: get.cache_blocks(),
        mob: selection::mob_read(&get.attribute),
        load_column_families_on_demand: get.load_column_families_on_demand,
        ..Scan::default()
    };
    Ok(DecodedGet {
        closest_row_before: get.closest_row_before(),
        timeline: get.consistency() == pb::Consistency::Timeline,
        get: Get {
            existence_only: get.existence_only(),
            scan: Scan { families: selection::families(get.column), ..scan },
        },
        filter: get.filter.map(|filter| (*filter).into()),
    })
}

#[cfg(test)]
mod tests;
