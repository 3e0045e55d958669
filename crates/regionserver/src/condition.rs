//! The condition of checkAndMutate.

use finback_cell::{Bytes, TimeRange};
use finback_filter::Comparator;
use finback_filter::comparators::BinaryComparator;
use finback_proto::pb;
use finback_region::{CompareOperator, Condition, ConditionTest};
use finback_rpc::{RpcException, exceptions};

/// Decodes a condition.
pub(crate) fn decode(condition: pb::Condition) -> Result<Condition, RpcException> {
    let time_range = match &condition.time_range {
        Some(range) => TimeRange::try_from(range)?,
        None => TimeRange::ALL,
    };
    let row = condition.row.clone();
    if let Some(filter) = condition.filter {
        let bytes = filter.serialized_filter.unwrap_or_default();
        let filter = finback_filter::decode(&filter.name, &bytes)
            .map_err(|error| exceptions::do_not_retry(error.to_string()))?;
        return Ok(Condition { row, time_range, test: ConditionTest::Filter(filter) });
    }
    let operator = match condition.compare_type() {
        pb::CompareType::Less => CompareOperator::Less,
        pb::CompareType::LessOrEqual => CompareOperator::LessOrEqual,
        pb::CompareType::Equal => CompareOperator::Equal,
        pb::CompareType::NotEqual => CompareOperator::NotEqual,
        pb::CompareType::GreaterOrEqual => CompareOperator::GreaterOrEqual,
        pb::CompareType::Greater => CompareOperator::Greater,
        pb::CompareType::NoOp => CompareOperator::NoOp,
    };
    let comparator: Box<dyn Comparator> = match condition.comparator {
        Some(comparator) => {
            let bytes = comparator.serialized_comparator.unwrap_or_default();
            finback_filter::decode_comparator(&comparator.name, &bytes)
                .map_err(|error| exceptions::do_not_retry(error.to_string()))?
        }
        None => Box::new(BinaryComparator::new(Bytes::new())),
    };
    let test = ConditionTest::Value {
        family: condition.family.unwrap_or_default(),
        qualifier: condition.qualifier.unwrap_or_default(),
        operator,
        comparator,
    };
    Ok(Condition { row, time_range, test })
}
