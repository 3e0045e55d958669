//! From a Java class name and a serialized message to a filter or comparator.

use crate::comparators::{
    BigDecimalComparator, BinaryComparator, BinaryComponentComparator, BinaryPrefixComparator, BitComparator,
    BitwiseOp, LongComparator, NullComparator, RegexStringComparator, SubstringComparator,
};
use crate::filters::*;
use crate::wire::{decode as decode_message, require};
use crate::{Comparator, CompareOperator, Filter, FilterError};
use bytes::Bytes;
use finback_proto::pb;

/// Deepest nesting of filters in filters. HBase has no limit but its stack; queries made by machines nest a few tens.
pub const MAX_NESTING_DEPTH: usize = 100;
/// Most filters in one tree. Each costs some hundred bytes, many times its size on the wire.
pub const MAX_FILTERS: usize = 100_000;
/// Most regular expressions in one tree. Each may take half a MB more while it matches.
pub const MAX_REGEXES: usize = 256;
/// Most bytes of all regular expressions in one tree, compiled: of the largest one, some MiB.
pub const MAX_REGEX_BYTES: usize = 32 << 20;
/// Largest serialized filter, in bytes: what a request itself may hold is more, but is held once, not in parts.
pub const MAX_SERIALIZED_BYTES: usize = 64 << 20;

const PACKAGE: &str = "org.apache.hadoop.hbase.filter.";

/// The filter of Java class `name` (with its package) and message `serialized`.
pub fn decode(name: &str, serialized: &[u8]) -> Result<Box<dyn Filter>, FilterError> {
    Decoder::new(serialized)?.filter(name, Bytes::copy_from_slice(serialized))
}

/// The comparator of Java class `name` (with its package) and message `serialized`.
pub fn decode_comparator(name: &str, serialized: &[u8]) -> Result<Box<dyn Comparator>, FilterError> {
    Decoder::new(serialized)?.comparator(name, Bytes::copy_from_slice(serialized))
}

/// What is left of the limits while a tree is decoded.
struct Decoder {
    depth: usize,
    filters: usize,
    regexes: usize,
    regex_bytes: usize,
}

fn shortened(name: &str) -> Box<str> {
    name.chars().take(200).collect::<String>().into()
}

fn invalid(class: &'static str, reason: impl Into<Box<str>>) -> FilterError {
    FilterError::Invalid { class, reason: reason.into() }
}

fn non_negative(class: &'static str, field: &str, number: i32) -> Result<u32, FilterError> {
    u32::try_from(number).map_err(|_| invalid(class, format!("{field} must be positive {number}")))
}

impl Decoder {
    fn new(serialized: &[u8]) -> Result<Self, FilterError> {
        if serialized.len() > MAX_SERIALIZED_BYTES {
            return Err(FilterError::TooMany { what: "bytes", limit: MAX_SERIALIZED_BYTES });
        }
        Ok(Self { depth: 0, filters: 0, regexes: 0, regex_bytes: 0 })
    }

    fn filter(&mut self, name: &str, bytes: Bytes) -> Result<Box<dyn Filter>, FilterError> {
        if self.depth == MAX_NESTING_DEPTH {
            return Err(FilterError::TooDeep { limit: MAX_NESTING_DEPTH });
        }
        if self.filters == MAX_FILTERS {
            return Err(FilterError::TooMany { what: "filters", limit: MAX_FILTERS });
        }
        self.filters += 1;
        self.depth += 1;
        let simple = name.strip_prefix(PACKAGE).unwrap_or_default();
        let filter = self.filter_of_class(name, simple, &bytes)?;
        self.depth -= 1;
        Ok(filter)
    }

    fn filter_of_class(
        &mut self,
        name: &str,
        simple: &str,
        bytes: &Bytes,
    ) -> Result<Box<dyn Filter>, FilterError> {
        if name == ColumnCountOnRowFilter::CLASS {
            return Ok(Box::new(ColumnCountOnRowFilter::decode(bytes)?));
        }
        Ok(match simple {
            "ColumnCountGetFilter" => Box::new(column_count_get(bytes)?),
            "ColumnPaginationFilter" => Box::new(column_pagination(bytes)?),
            "ColumnPrefixFilter" => {
                require("ColumnPrefixFilter", bytes, 1, "prefix")?;
                let message: pb::ColumnPrefixFilter = decode_message("ColumnPrefixFilter", bytes)?;
                Box::new(ColumnPrefixFilter::new(message.prefix))
            }
            "ColumnRangeFilter" => Box::new(column_range(bytes)?),
            "ColumnValueFilter" => Box::new(self.column_value(bytes)?),
            "DependentColumnFilter" => Box::new(self.dependent_column(bytes)?),
            "FamilyFilter" => Box::new(FamilyFilter::new(self.compare_filter("FamilyFilter", bytes)?)),
            "FilterAllFilter" => {
                decode_message::<pb::FilterAllFilter>("FilterAllFilter", bytes)?;
                Box::new(FilterAllFilter)
            }
            "FilterList" => return self.filter_list(bytes),
            "FilterWrapper" => return self.inner("FilterWrapper", bytes),
            "FirstKeyOnlyFilter" => {
                decode_message::<pb::FirstKeyOnlyFilter>("FirstKeyOnlyFilter", bytes)?;
                Box::new(FirstKeyOnlyFilter::new())
            }
            "FirstKeyValueMatchingQualifiersFilter" => {
                let message: pb::FirstKeyValueMatchingQualifiersFilter =
                    decode_message("FirstKeyValueMatchingQualifiersFilter", bytes)?;
                Box::new(FirstKeyValueMatchingQualifiersFilter::new(message.qualifiers))
            }
            "FuzzyRowFilter" => Box::new(fuzzy_row(bytes)?),
            "InclusiveStopFilter" => {
                require("InclusiveStopFilter", bytes, 1, "stop_row_key")?;
                let message: pb::InclusiveStopFilter = decode_message("InclusiveStopFilter", bytes)?;
                Box::new(InclusiveStopFilter::new(message.stop_row_key.unwrap_or_default()))
            }
            "KeyOnlyFilter" => {
                let message: pb::KeyOnlyFilter = decode_message("KeyOnlyFilter", bytes)?;
                require("KeyOnlyFilter", bytes, 1, "len_as_val")?;
                Box::new(KeyOnlyFilter::new(message.len_as_val))
            }
            "MultipleColumnPrefixFilter" => {
                let message: pb::MultipleColumnPrefixFilter =
                    decode_message("MultipleColumnPrefixFilter", bytes)?;
                Box::new(MultipleColumnPrefixFilter::new(message.sorted_prefixes)?)
            }
            "MultiRowRangeFilter" => Box::new(multi_row_range(bytes)?),
            "PageFilter" => Box::new(page(bytes)?),
            "PrefixFilter" => {
                let message: pb::PrefixFilter = decode_message("PrefixFilter", bytes)?;
                Box::new(PrefixFilter::new(message.prefix))
            }
            "QualifierFilter" => {
                Box::new(QualifierFilter::new(self.compare_filter("QualifierFilter", bytes)?))
            }
            "RandomRowFilter" => {
                let message: pb::RandomRowFilter = decode_message("RandomRowFilter", bytes)?;
                require("RandomRowFilter", bytes, 1, "chance")?;
                Box::new(RandomRowFilter::new(message.chance))
            }
            "RowFilter" => Box::new(RowFilter::new(self.compare_filter("RowFilter", bytes)?)),
            "SingleColumnValueExcludeFilter" => {
                const NAME: &str = "SingleColumnValueExcludeFilter";
                decode_message::<pb::SingleColumnValueExcludeFilter>(NAME, bytes)?;
                let inner = require(NAME, bytes, 1, "single_column_value_filter")?;
                Box::new(SingleColumnValueExcludeFilter::new(self.single_column_value(&inner)?))
            }
            "SingleColumnValueFilter" => Box::new(self.single_column_value(bytes)?),
            "SkipFilter" => Box::new(SkipFilter::new(self.inner("SkipFilter", bytes)?)),
            "TimestampsFilter" => {
                let message: pb::TimestampsFilter = decode_message("TimestampsFilter", bytes)?;
                Box::new(TimestampsFilter::new(message.timestamps, message.can_hint.unwrap_or(false))?)
            }
            "ValueFilter" => Box::new(ValueFilter::new(self.compare_filter("ValueFilter", bytes)?)),
            "WhileMatchFilter" => Box::new(WhileMatchFilter::new(self.inner("WhileMatchFilter", bytes)?)),
            _ => return Err(FilterError::UnknownFilter(shortened(name))),
        })
    }

    /// A message whose only field is a filter.
    fn inner(&mut self, message: &'static str, bytes: &Bytes) -> Result<Box<dyn Filter>, FilterError> {
        decode_message::<pb::SkipFilter>(message, bytes)?;
        let filter = require(message, bytes, 1, "filter")?;
        self.nested(filter)
    }

    /// A `Filter` message.
    fn nested(&mut self, bytes: Bytes) -> Result<Box<dyn Filter>, FilterError> {
        let message: pb::Filter = decode_message("Filter", &bytes)?;
        require("Filter", &bytes, 1, "name")?;
        self.filter(&message.name, message.serialized_filter.unwrap_or_default())
    }

    fn filter_list(&mut self, bytes: &Bytes) -> Result<Box<dyn Filter>, FilterError> {
        let message: pb::FilterList = decode_message("FilterList", bytes)?;
        require("FilterList", bytes, 1, "operator")?;
        let operator = pb::filter_list::Operator::try_from(message.operator)
            .map_err(|_| FilterError::Missing { message: "FilterList", field: "operator" })?;
        let mut filters = Vec::new();
        for nested in message.filters {
            filters.push(self.filter(&nested.name, nested.serialized_filter.unwrap_or_default())?);
        }
        Ok(match operator {
            pb::filter_list::Operator::MustPassAll => Box::new(FilterListWithAnd::new(filters)),
            pb::filter_list::Operator::MustPassOne => Box::new(FilterListWithOr::new(filters)),
        })
    }

    /// A message whose first field is a `CompareFilter` with a comparator.
    fn compare_filter(&mut self, message: &'static str, bytes: &Bytes) -> Result<Comparison, FilterError> {
        decode_message::<pb::ValueFilter>(message, bytes)?;
        let compare = require(message, bytes, 1, "compare_filter")?;
        let (operator, comparator) = self.optional_compare_filter(&compare)?;
        // HBase takes a comparison without a comparator, and fails at the first cell.
        let comparator = comparator.ok_or(FilterError::Missing { message, field: "comparator" })?;
        Ok(Comparison::new(operator, comparator))
    }

    fn optional_compare_filter(
        &mut self,
        bytes: &Bytes,
    ) -> Result<(CompareOperator, Option<Box<dyn Comparator>>), FilterError> {
        let message: pb::CompareFilter = decode_message("CompareFilter", bytes)?;
        require("CompareFilter", bytes, 1, "compare_op")?;
        let operator = operator("CompareFilter", message.compare_op)?;
        let comparator = match message.comparator {
            Some(_) => Some(self.nested_comparator(require("CompareFilter", bytes, 2, "comparator")?)?),
            None => None,
        };
        Ok((operator, comparator))
    }

    fn column_value(&mut self, bytes: &Bytes) -> Result<ColumnValueFilter, FilterError> {
        const NAME: &str = "ColumnValueFilter";
        let message: pb::ColumnValueFilter = decode_message(NAME, bytes)?;
        for (number, field) in [(1, "family"), (2, "qualifier"), (3, "compare_op")] {
            require(NAME, bytes, number, field)?;
        }
        let comparator = self.nested_comparator(require(NAME, bytes, 4, "comparator")?)?;
        let comparison = Comparison::new(operator(NAME, message.compare_op)?, comparator);
        Ok(ColumnValueFilter::new(message.family, message.qualifier, comparison))
    }

    fn dependent_column(&mut self, bytes: &Bytes) -> Result<DependentColumnFilter, FilterError> {
        const NAME: &str = "DependentColumnFilter";
        let message: pb::DependentColumnFilter = decode_message(NAME, bytes)?;
        let compare = require(NAME, bytes, 1, "compare_filter")?;
        let (operator, comparator) = self.optional_compare_filter(&compare)?;
        Ok(DependentColumnFilter::new(
            message.column_family.unwrap_or_default(),
            message.column_qualifier.unwrap_or_default(),
            message.drop_dependent_column.unwrap_or(false),
            comparator.map(|comparator| Comparison::new(operator, comparator)),
        ))
    }

    fn single_column_value(&mut self, bytes: &Bytes) -> Result<SingleColumnValueFilter, FilterError> {
        const NAME: &str = "SingleColumnValueFilter";
        let message: pb::SingleColumnValueFilter = decode_message(NAME, bytes)?;
        require(NAME, bytes, 3, "compare_op")?;
        let comparator = self.nested_comparator(require(NAME, bytes, 4, "comparator")?)?;
        Ok(SingleColumnValueFilter::new(
            message.column_family.unwrap_or_default(),
            message.column_qualifier.unwrap_or_default(),
            Comparison::new(operator(NAME, message.compare_op)?, comparator),
            message.filter_if_missing.unwrap_or(false),
            message.latest_version_only.unwrap_or(false),
        ))
    }

    /// A `Comparator` message.
    fn nested_comparator(&mut self, bytes: Bytes) -> Result<Box<dyn Comparator>, FilterError> {
        let message: pb::Comparator = decode_message("Comparator", &bytes)?;
        require("Comparator", &bytes, 1, "name")?;
        self.comparator(&message.name, message.serialized_comparator.unwrap_or_default())
    }

    fn comparator(&mut self, name: &str, bytes: Bytes) -> Result<Box<dyn Comparator>, FilterError> {
        Ok(match name.strip_prefix(PACKAGE).unwrap_or_default() {
            "BigDecimalComparator" => {
                Box::new(BigDecimalComparator::new(comparable("BigDecimalComparator", &bytes)?)?)
            }
            "BinaryComparator" => Box::new(BinaryComparator::new(comparable("BinaryComparator", &bytes)?)),
            "BinaryComponentComparator" => {
                const NAME: &str = "BinaryComponentComparator";
                let message: pb::BinaryComponentComparator = decode_message(NAME, &bytes)?;
                require(NAME, &bytes, 1, "value")?;
                require(NAME, &bytes, 2, "offset")?;
                Box::new(BinaryComponentComparator::new(message.value, message.offset))
            }
            "BinaryPrefixComparator" => {
                Box::new(BinaryPrefixComparator::new(comparable("BinaryPrefixComparator", &bytes)?))
            }
            "BitComparator" => Box::new(bit(&bytes)?),
            "LongComparator" => Box::new(LongComparator::new(comparable("LongComparator", &bytes)?)?),
            "NullComparator" => {
                decode_message::<pb::NullComparator>("NullComparator", &bytes)?;
                Box::new(NullComparator)
            }
            "RegexStringComparator" => Box::new(self.regex_string(&bytes)?),
            "SubstringComparator" => {
                let message: pb::SubstringComparator = decode_message("SubstringComparator", &bytes)?;
                require("SubstringComparator", &bytes, 1, "substr")?;
                Box::new(SubstringComparator::new(&message.substr))
            }
            _ => return Err(FilterError::UnknownComparator(shortened(name))),
        })
    }

    fn regex_string(&mut self, bytes: &Bytes) -> Result<RegexStringComparator, FilterError> {
        const NAME: &str = "RegexStringComparator";
        if self.regexes == MAX_REGEXES {
            return Err(FilterError::TooMany { what: "regular expressions", limit: MAX_REGEXES });
        }
        self.regexes += 1;
        let message: pb::RegexStringComparator = decode_message(NAME, bytes)?;
        for (number, field) in [(1, "pattern"), (2, "pattern_flags"), (3, "charset")] {
            require(NAME, bytes, number, field)?;
        }
        match message.engine.as_deref() {
            None | Some("JAVA" | "JONI") => {}
            Some(other) => {
                return Err(invalid(NAME, format!("No enum constant EngineType.{}", shortened(other))));
            }
        }
        let regex = RegexStringComparator::new(&message.pattern, message.pattern_flags, &message.charset)?;
        self.regex_bytes += regex.program_bytes();
        if self.regex_bytes > MAX_REGEX_BYTES {
            return Err(FilterError::TooMany {
                what: "bytes of compiled regular expressions",
                limit: MAX_REGEX_BYTES,
            });
        }
        Ok(regex)
    }
}

fn operator(message: &'static str, code: i32) -> Result<CompareOperator, FilterError> {
    CompareOperator::from_wire(code).ok_or(FilterError::Missing { message, field: "compare_op" })
}

/// The bytes of a comparator whose only field is a `ByteArrayComparable`.
fn comparable(message: &'static str, bytes: &Bytes) -> Result<Bytes, FilterError> {
    let decoded: pb::BinaryComparator = decode_message(message, bytes)?;
    require(message, bytes, 1, "comparable")?;
    Ok(decoded.comparable.value.unwrap_or_default())
}

fn bit(bytes: &Bytes) -> Result<BitComparator, FilterError> {
    const NAME: &str = "BitComparator";
    let message: pb::BitComparator = decode_message(NAME, bytes)?;
    require(NAME, bytes, 1, "comparable")?;
    require(NAME, bytes, 2, "bitwise_op")?;
    let op = match pb::bit_comparator::BitwiseOp::try_from(message.bitwise_op) {
        Ok(pb::bit_comparator::BitwiseOp::And) => BitwiseOp::And,
        Ok(pb::bit_comparator::BitwiseOp::Or) => BitwiseOp::Or,
        Ok(pb::bit_comparator::BitwiseOp::Xor) => BitwiseOp::Xor,
        Err(_) => return Err(FilterError::Missing { message: NAME, field: "bitwise_op" }),
    };
    Ok(BitComparator::new(message.comparable.value.unwrap_or_default(), op))
}

fn column_count_get(bytes: &Bytes) -> Result<ColumnCountGetFilter, FilterError> {
    const NAME: &str = "ColumnCountGetFilter";
    let message: pb::ColumnCountGetFilter = decode_message(NAME, bytes)?;
    require(NAME, bytes, 1, "limit")?;
    Ok(ColumnCountGetFilter::new(non_negative(NAME, "limit", message.limit)?))
}

fn column_pagination(bytes: &Bytes) -> Result<ColumnPaginationFilter, FilterError> {
    const NAME: &str = "ColumnPaginationFilter";
    let message: pb::ColumnPaginationFilter = decode_message(NAME, bytes)?;
    require(NAME, bytes, 1, "limit")?;
    let limit = non_negative(NAME, "limit", message.limit)?;
    let start = match message.column_offset {
        Some(column) => PageStart::Column(column),
        None => PageStart::Offset(non_negative(NAME, "offset", message.offset.unwrap_or(0))?),
    };
    Ok(ColumnPaginationFilter::new(limit, start))
}

fn column_range(bytes: &Bytes) -> Result<ColumnRangeFilter, FilterError> {
    let message: pb::ColumnRangeFilter = decode_message("ColumnRangeFilter", bytes)?;
    let min_inclusive = message.min_column_inclusive.unwrap_or(false);
    let max_inclusive = message.max_column_inclusive.unwrap_or(false);
    Ok(ColumnRangeFilter::new(message.min_column, min_inclusive, message.max_column, max_inclusive))
}

fn fuzzy_row(bytes: &Bytes) -> Result<FuzzyRowFilter, FilterError> {
    let message: pb::FuzzyRowFilter = decode_message("FuzzyRowFilter", bytes)?;
    let pairs: Vec<_> = message.fuzzy_keys_data.into_iter().map(|pair| (pair.first, pair.second)).collect();
    FuzzyRowFilter::new(&pairs, message.is_mask_v2.unwrap_or(false))
}

fn multi_row_range(bytes: &Bytes) -> Result<MultiRowRangeFilter, FilterError> {
    let message: pb::MultiRowRangeFilter = decode_message("MultiRowRangeFilter", bytes)?;
    let range = |range: pb::RowRange| RowRange {
        start_row: range.start_row.unwrap_or_default(),
        start_inclusive: range.start_row_inclusive.unwrap_or(false),
        stop_row: range.stop_row.unwrap_or_default(),
        stop_inclusive: range.stop_row_inclusive.unwrap_or(false),
    };
    MultiRowRangeFilter::new(message.row_range_list.into_iter().map(range).collect())
}

fn page(bytes: &Bytes) -> Result<PageFilter, FilterError> {
    const NAME: &str = "PageFilter";
    let message: pb::PageFilter = decode_message(NAME, bytes)?;
    require(NAME, bytes, 1, "page_size")?;
    let size = u64::try_from(message.page_size)
        .map_err(|_| invalid(NAME, format!("must be positive {}", message.page_size)))?;
    Ok(PageFilter::new(size))
}

#[cfg(test)]
mod tests;
