//! What Get and Scan have in common: columns, time ranges of families, filters, attributes.

use super::time_range;
use crate::{ProtoError, pb};
use bytes::Bytes;
use finback_cell::{FamilySelection, MAX_ROW_LENGTH, MobRead, TimeRange};

/// A filter as it came: for whoever knows filters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerializedFilter {
    /// Java class name of the filter.
    pub name: String,
    /// Its message.
    pub bytes: Bytes,
}

impl From<pb::Filter> for SerializedFilter {
    fn from(filter: pb::Filter) -> Self {
        Self { name: filter.name, bytes: filter.serialized_filter.unwrap_or_default() }
    }
}

/// Families sorted by name, with their qualifiers sorted and distinct. A family named without qualifiers is wanted whole,
/// whatever came before, but only what comes behind, as by `addFamily` and `addColumn` in HBase.
pub(super) fn families(columns: Vec<pb::Column>) -> Vec<FamilySelection> {
    let mut families: Vec<FamilySelection> = columns
        .into_iter()
        .map(|column| FamilySelection {
            family: column.family,
            qualifiers: (!column.qualifier.is_empty()).then_some(column.qualifier),
        })
        .collect();
    families.sort_by(|a, b| a.family.cmp(&b.family));
    families.dedup_by(|next, kept| {
        let same = next.family == kept.family;
        if same {
            kept.qualifiers = match (kept.qualifiers.take(), next.qualifiers.take()) {
                (Some(mut all), Some(more)) => {
                    all.extend(more);
                    Some(all)
                }
                (_, last) => last,
            };
        }
        same
    });
    for qualifiers in families.iter_mut().filter_map(|selection| selection.qualifiers.as_mut()) {
        qualifiers.sort();
        qualifiers.dedup();
    }
    families
}

/// Sorted by the families' names. Of several of a family the last one counts, as in HBase's map.
pub(super) fn family_time_ranges(
    ranges: &[pb::ColumnFamilyTimeRange],
) -> Result<Vec<(Bytes, TimeRange)>, ProtoError> {
    let range_of = |range: &pb::ColumnFamilyTimeRange| -> Result<_, ProtoError> {
        Ok((range.column_family.clone(), (&range.time_range).try_into()?))
    };
    let mut ranges: Vec<(Bytes, TimeRange)> = ranges.iter().map(range_of).collect::<Result<_, _>>()?;
    ranges.sort_by(|a, b| a.0.cmp(&b.0));
    ranges.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 = next.1;
        }
        same
    });
    Ok(ranges)
}

pub(super) fn time_range_or_all(range: Option<&pb::TimeRange>) -> Result<TimeRange, ProtoError> {
    time_range::time_range(range)
}

/// A row of a Get or Scan, which may be longer than the row of a cell (to begin behind it), but not without limit.
pub(super) fn check_row(
    message: &'static str,
    field: &'static str,
    row: &Bytes,
    limit: usize,
) -> Result<(), ProtoError> {
    if row.len() > limit {
        return Err(ProtoError::invalid(
            message,
            field,
            format!("{} bytes, the limit is {limit}", row.len()),
        ));
    }
    Ok(())
}

/// Longest start or stop row of a scan: a row key and a few bytes to stand just behind or before it (HBase's clients
/// put up to nine 0xFF bytes behind the row before which a reversed scan begins).
pub(super) const MAX_SCAN_ROW_LENGTH: usize = MAX_ROW_LENGTH + 16;

/// The value of an attribute; the last one if it is there twice.
pub(super) fn attribute<'a>(attributes: &'a [pb::NameBytesPair], name: &str) -> Option<&'a [u8]> {
    attributes.iter().rev().find(|pair| pair.name == name)?.value.as_deref()
}

/// A Java boolean: one byte, true is anything but zero.
pub(super) fn flag(attributes: &[pb::NameBytesPair], name: &str) -> Option<bool> {
    match attribute(attributes, name) {
        Some([byte]) => Some(*byte != 0),
        _ => None,
    }
}

/// How values in MOB files are read.
pub(super) fn mob_read(attributes: &[pb::NameBytesPair]) -> MobRead {
    let is_set = |name| flag(attributes, name).unwrap_or(false);
    MobRead {
        raw: is_set("hbase.mob.scan.raw"),
        references_only: is_set("hbase.mob.scan.ref.only"),
        cache_blocks: is_set("hbase.mob.cache.blocks"),
        empty_if_missing: is_set("empty.value.on.mobcell.miss"),
    }
}

/// `_isolationlevel_`: 0 is READ_COMMITTED, 1 READ_UNCOMMITTED.
pub(super) fn reads_uncommitted(attributes: &[pb::NameBytesPair]) -> bool {
    attribute(attributes, "_isolationlevel_") == Some(&[1])
}
