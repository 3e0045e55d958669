//! HBase's filters, one a module.

pub mod column_count_get;
mod column_count_on_row;
pub mod column_pagination;
pub mod column_prefix;
pub mod column_range;
pub mod column_value;
pub mod dependent_column;
pub mod family;
pub mod filter_all;
pub mod filter_list;
pub mod first_key_only;
pub mod first_key_value_matching_qualifiers;
pub mod fuzzy_row;
pub mod inclusive_stop;
pub mod key_only;
pub mod multi_row_range;
pub mod multiple_column_prefix;
pub mod page;
pub mod prefix;
pub mod qualifier;
pub mod random_row;
pub mod row;
pub mod single_column_value;
pub mod single_column_value_exclude;
pub mod skip;
pub mod timestamps;
pub mod value;
pub mod while_match;

pub use column_count_get::ColumnCountGetFilter;
pub use column_count_on_row::ColumnCountOnRowFilter;
pub use column_pagination::{ColumnPaginationFilter, PageStart};
pub use column_prefix::ColumnPrefixFilter;
pub use column_range::ColumnRangeFilter;
pub use column_value::ColumnValueFilter;
pub use dependent_column::DependentColumnFilter;
pub use family::FamilyFilter;
pub use filter_all::FilterAllFilter;
pub use filter_list::{FilterListWithAnd, FilterListWithOr};
pub use first_key_only::FirstKeyOnlyFilter;
pub use first_key_value_matching_qualifiers::FirstKeyValueMatchingQualifiersFilter;
pub use fuzzy_row::FuzzyRowFilter;
pub use inclusive_stop::InclusiveStopFilter;
pub use key_only::KeyOnlyFilter;
pub use multi_row_range::{MultiRowRangeFilter, RowRange};
pub use multiple_column_prefix::MultipleColumnPrefixFilter;
pub use page::PageFilter;
pub use prefix::PrefixFilter;
pub use qualifier::QualifierFilter;
pub use random_row::RandomRowFilter;
pub use row::RowFilter;
pub use single_column_value::SingleColumnValueFilter;
pub use single_column_value_exclude::SingleColumnValueExcludeFilter;
pub use skip::SkipFilter;
pub use timestamps::TimestampsFilter;
pub use value::ValueFilter;
pub use while_match::WhileMatchFilter;

use crate::{Comparator, CompareOperator, FilterError};

/// An operator and what it compares with: HBase's `CompareFilter`.
pub struct Comparison {
    operator: CompareOperator,
    comparator: Box<dyn Comparator>,
}

impl Comparison {
    /// Lets values pass for which `value operator comparator` holds.
    pub fn new(operator: CompareOperator, comparator: Box<dyn Comparator>) -> Self {
        Self { operator, comparator }
    }

    /// Of the comparator.
    fn memory_bytes(&self) -> usize {
        self.comparator.memory_bytes()
    }

    #[inline]
    fn passes(&self, value: &[u8]) -> Result<bool, FilterError> {
        if self.operator == CompareOperator::NoOp {
            return Ok(false); // HBase does not ask the comparator either.
        }
        Ok(self.operator.passes(self.comparator.compare_to(value)?))
    }
}
