//! Filters: what the server leaves out of what is read.

mod arguments;
mod language;

use crate::comparator::{Comparator, CompareOperator};
use crate::error::Result;
use bytes::Bytes;
use finback_proto::{Message, pb};

const PACKAGE: &str = "org.apache.hadoop.hbase.filter.";

/// A filter of HBase's, with what it was given.
///
/// ```
/// # use finback_client::{Comparator, CompareOperator, Filter};
/// let red = Filter::single_column_value("f", "color", CompareOperator::Equal, Comparator::binary("red"));
/// let filter = Filter::all([Filter::prefix("user-"), red]);
/// // The same in HBase's filter language:
/// let parsed = Filter::parse("PrefixFilter('user-') AND SingleColumnValueFilter('f', 'color', =, 'binary:red')")?;
/// assert_eq!(parsed, filter);
/// # Ok::<(), finback_client::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    class: String,
    message: Bytes,
}

/// Rows from one to another, for [`Filter::row_ranges`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowRange {
    /// First row; empty is the beginning of the table.
    pub start: Bytes,
    /// Whether it belongs to the range.
    pub include_start: bool,
    /// Last row; empty is the end of the table.
    pub stop: Bytes,
    /// Whether it belongs to the range.
    pub include_stop: bool,
}

fn of<M: Message>(simple: &str, message: &M) -> Filter {
    Filter { class: format!("{PACKAGE}{simple}"), message: message.encode_to_vec().into() }
}

fn bytes(value: impl AsRef<[u8]>) -> Bytes {
    Bytes::copy_from_slice(value.as_ref())
}

fn comparison(operator: CompareOperator, comparator: &Comparator) -> pb::CompareFilter {
    pb::CompareFilter { compare_op: operator.into(), comparator: Some(comparator.into()) }
}

impl Filter {
    /// A filter in HBase's filter language, such as `PrefixFilter('a') AND (PageFilter(10) OR KeyOnlyFilter())`.
    ///
    /// # Errors
    /// [`crate::Error::Argument`], with what is wrong and where.
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Self> {
        language::parse(text.as_ref())
    }

    /// The names that [`Filter::parse`] knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        arguments::NAMES.iter().copied()
    }

    /// What all of these keep.
    pub fn all(filters: impl IntoIterator<Item = Self>) -> Self {
        Self::list(pb::filter_list::Operator::MustPassAll, filters)
    }

    /// What any of these keeps.
    pub fn any(filters: impl IntoIterator<Item = Self>) -> Self {
        Self::list(pb::filter_list::Operator::MustPassOne, filters)
    }

    fn list(operator: pb::filter_list::Operator, filters: impl IntoIterator<Item = Self>) -> Self {
        let filters = filters.into_iter().map(|filter| (&filter).into()).collect();
        of("FilterList", &pb::FilterList { operator: operator.into(), filters })
    }

    /// Leaves out rows of which `inner` leaves out a cell.
    pub fn skip(inner: Self) -> Self {
        of("SkipFilter", &pb::SkipFilter { filter: (&inner).into() })
    }

    /// Ends the scan where `inner` leaves something out.
    pub fn while_match(inner: Self) -> Self {
        of("WhileMatchFilter", &pb::WhileMatchFilter { filter: (&inner).into() })
    }

    /// Rows that compare so.
    pub fn row(operator: CompareOperator, comparator: Comparator) -> Self {
        of("RowFilter", &pb::RowFilter { compare_filter: comparison(operator, &comparator) })
    }

    /// Families that compare so.
    pub fn family(operator: CompareOperator, comparator: Comparator) -> Self {
        of("FamilyFilter", &pb::FamilyFilter { compare_filter: comparison(operator, &comparator) })
    }

    /// Qualifiers that compare so.
    pub fn qualifier(operator: CompareOperator, comparator: Comparator) -> Self {
        of("QualifierFilter", &pb::QualifierFilter { compare_filter: comparison(operator, &comparator) })
    }

    /// Values that compare so.
    pub fn value(operator: CompareOperator, comparator: Comparator) -> Self {
        of("ValueFilter", &pb::ValueFilter { compare_filter: comparison(operator, &comparator) })
    }

    /// Rows of which the newest value of a column compares so, or that have no such column.
    pub fn single_column_value(
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        operator: CompareOperator,
        comparator: Comparator,
    ) -> Self {
        Self::single_column_value_with(family, qualifier, operator, comparator, false, true)
    }

    /// The same; rows without the column are left out `if_missing`, and only the newest version counts if
    /// `latest_version_only`.
    pub fn single_column_value_with(
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        operator: CompareOperator,
        comparator: Comparator,
        if_missing: bool,
        latest_version_only: bool,
    ) -> Self {
        of(
            "SingleColumnValueFilter",
            &pb::SingleColumnValueFilter {
                column_family: Some(bytes(family)),
                column_qualifier: Some(bytes(qualifier)),
                compare_op: operator.into(),
                comparator: (&comparator).into(),
                filter_if_missing: Some(if_missing),
                latest_version_only: Some(latest_version_only),
            },
        )
    }

    /// As [`Filter::single_column_value_with`], and leaves out the column itself.
    pub fn single_column_value_exclude(
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        operator: CompareOperator,
        comparator: Comparator,
        if_missing: bool,
        latest_version_only: bool,
    ) -> Self {
        of(
            "SingleColumnValueExcludeFilter",
            &pb::SingleColumnValueExcludeFilter {
                single_column_value_filter: pb::SingleColumnValueFilter {
                    column_family: Some(bytes(family)),
                    column_qualifier: Some(bytes(qualifier)),
                    compare_op: operator.into(),
                    comparator: (&comparator).into(),
                    filter_if_missing: Some(if_missing),
                    latest_version_only: Some(latest_version_only),
                },
            },
        )
    }

    /// Cells of one column whose values compare so, and nothing else.
    pub fn column_value(
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        operator: CompareOperator,
        comparator: Comparator,
    ) -> Self {
        of(
            "ColumnValueFilter",
            &pb::ColumnValueFilter {
                family: bytes(family),
                qualifier: bytes(qualifier),
                compare_op: operator.into(),
                comparator: (&comparator).into(),
            },
        )
    }

    /// Cells that have the timestamp of a cell of this column, of which the value may have to compare.
    pub fn dependent_column(
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        drop_column: bool,
        compared: Option<(CompareOperator, Comparator)>,
    ) -> Self {
        let compare_filter = match &compared {
            Some((operator, comparator)) => comparison(*operator, comparator),
            None => pb::CompareFilter { compare_op: CompareOperator::NoOp.into(), comparator: None },
        };
        of(
            "DependentColumnFilter",
            &pb::DependentColumnFilter {
                compare_filter,
                column_family: Some(bytes(family)),
                column_qualifier: Some(bytes(qualifier)),
                drop_dependent_column: Some(drop_column),
            },
        )
    }

    /// Rows that begin so.
    pub fn prefix(prefix: impl AsRef<[u8]>) -> Self {
        of("PrefixFilter", &pb::PrefixFilter { prefix: Some(bytes(prefix)) })
    }

    /// Columns whose qualifiers begin so.
    pub fn column_prefix(prefix: impl AsRef<[u8]>) -> Self {
        of("ColumnPrefixFilter", &pb::ColumnPrefixFilter { prefix: bytes(prefix) })
    }

    /// Columns whose qualifiers begin with one of these.
    pub fn column_prefixes<P: AsRef<[u8]>>(prefixes: impl IntoIterator<Item = P>) -> Self {
        let mut sorted_prefixes: Vec<Bytes> = prefixes.into_iter().map(bytes).collect();
        sorted_prefixes.sort();
        sorted_prefixes.dedup();
        of("MultipleColumnPrefixFilter", &pb::MultipleColumnPrefixFilter { sorted_prefixes })
    }

    /// Columns whose qualifiers are in a range; no bound is none.
    pub fn column_range(min: Option<(&[u8], bool)>, max: Option<(&[u8], bool)>) -> Self {
        of(
            "ColumnRangeFilter",
            &pb::ColumnRangeFilter {
                min_column: min.map(|(column, _)| bytes(column)),
                min_column_inclusive: Some(min.is_none_or(|(_, inclusive)| inclusive)),
                max_column: max.map(|(column, _)| bytes(column)),
                max_column_inclusive: Some(max.is_some_and(|(_, inclusive)| inclusive)),
            },
        )
    }

    /// As many columns of each row, from the `offset`th on.
    pub fn column_pagination(limit: i32, offset: i32) -> Self {
        let message = pb::ColumnPaginationFilter { limit, offset: Some(offset), column_offset: None };
        of("ColumnPaginationFilter", &message)
    }

    /// As many columns of each row, from this one on.
    pub fn column_pagination_from(limit: i32, column: impl AsRef<[u8]>) -> Self {
        let message = pb::ColumnPaginationFilter { limit, offset: None, column_offset: Some(bytes(column)) };
        of("ColumnPaginationFilter", &message)
    }

    /// As many columns of a row: for gets.
    pub fn column_count(limit: i32) -> Self {
        of("ColumnCountGetFilter", &pb::ColumnCountGetFilter { limit })
    }

    /// The first cell of each row.
    pub fn first_key_only() -> Self {
        of("FirstKeyOnlyFilter", &pb::FirstKeyOnlyFilter {})
    }

    /// The cells of each row up to the first of one of these columns.
    pub fn first_key_value_matching_qualifiers<Q: AsRef<[u8]>>(
        qualifiers: impl IntoIterator<Item = Q>,
    ) -> Self {
        let mut qualifiers: Vec<Bytes> = qualifiers.into_iter().map(bytes).collect();
        qualifiers.sort();
        let message = pb::FirstKeyValueMatchingQualifiersFilter { qualifiers };
        of("FirstKeyValueMatchingQualifiersFilter", &message)
    }

    /// Cells without their values; with the lengths of these instead, in four bytes, if so wanted.
    pub fn key_only(lengths: bool) -> Self {
        of("KeyOnlyFilter", &pb::KeyOnlyFilter { len_as_val: lengths })
    }

    /// Ends the scan with this row.
    pub fn inclusive_stop(row: impl AsRef<[u8]>) -> Self {
        of("InclusiveStopFilter", &pb::InclusiveStopFilter { stop_row_key: Some(bytes(row)) })
    }

    /// As many rows of each region. [`crate::Scan::limit`] counts all.
    pub fn page(rows: i64) -> Self {
        of("PageFilter", &pb::PageFilter { page_size: rows })
    }

    /// Each row with this probability.
    pub fn random_row(chance: f32) -> Self {
        of("RandomRowFilter", &pb::RandomRowFilter { chance })
    }

    /// Cells with one of these timestamps.
    pub fn timestamps(timestamps: impl IntoIterator<Item = i64>) -> Self {
        let mut timestamps: Vec<i64> = timestamps.into_iter().collect();
        timestamps.sort_unstable();
        timestamps.dedup();
        of("TimestampsFilter", &pb::TimestampsFilter { timestamps, can_hint: Some(false) })
    }

    /// Rows that are like one of these keys where its mask has a 0; where it has a 1, any byte will do.
    ///
    /// Servers without HBASE-15676, such as HBase 3.0.0-beta-1, take a mask of nothing but 0 for one of nothing but 1.
    pub fn fuzzy_row<K: AsRef<[u8]>, M: AsRef<[u8]>>(keys: impl IntoIterator<Item = (K, M)>) -> Self {
        let pair = |(key, mask): (K, M)| pb::BytesBytesPair { first: bytes(key), second: bytes(mask) };
        let fuzzy_keys_data = keys.into_iter().map(pair).collect();
        // Without it a mask of nothing but 0 means any bytes.
        of("FuzzyRowFilter", &pb::FuzzyRowFilter { fuzzy_keys_data, is_mask_v2: Some(true) })
    }

    /// Rows of these ranges, which must be in order and not overlap.
    pub fn row_ranges(ranges: impl IntoIterator<Item = RowRange>) -> Self {
        let range = |range: RowRange| pb::RowRange {
            start_row: Some(range.start),
            start_row_inclusive: Some(range.include_start),
            stop_row: Some(range.stop),
            stop_row_inclusive: Some(range.include_stop),
        };
        let row_range_list = ranges.into_iter().map(range).collect();
        of("MultiRowRangeFilter", &pb::MultiRowRangeFilter { row_range_list })
    }

    /// A filter of that class, with that message: one that the server has and this crate does not know.
    pub fn custom(class: impl Into<String>, message: impl Into<Bytes>) -> Self {
        Self { class: class.into(), message: message.into() }
    }

    /// The Java class.
    pub fn class(&self) -> &str {
        &self.class
    }

    /// The message.
    pub fn message(&self) -> &Bytes {
        &self.message
    }

    /// Bytes of both.
    pub(crate) fn size(&self) -> usize {
        self.class.len() + self.message.len()
    }
}

impl From<&Filter> for pb::Filter {
    fn from(filter: &Filter) -> Self {
        Self { name: filter.class.clone(), serialized_filter: Some(filter.message.clone()) }
    }
}

#[cfg(test)]
mod tests;
