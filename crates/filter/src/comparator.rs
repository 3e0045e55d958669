//! How values, rows, families and qualifiers are compared with what a filter was given.

use crate::FilterError;
use finback_proto::pb::CompareType;
use std::cmp::Ordering;

/// Compares bytes of a cell with what the comparator was given.
pub trait Comparator: Send + Sync {
    /// The order of what was *given*, on the left, and `value`, on the right. Comparators that only know match or
    /// mismatch say `Equal` and `Greater`.
    fn compare_to(&self, value: &[u8]) -> Result<Ordering, FilterError>;

    /// The bytes given, as HBase's `ByteArrayComparable.getValue()` (a regular expression has its pattern there).
    fn given(&self) -> &[u8];

    /// About the bytes that it takes, without what was given.
    fn memory_bytes(&self) -> usize {
        size_of_val(self)
    }
}

/// HBase's `CompareOperator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOperator {
    /// Less.
    Less,
    /// Less or equal.
    LessOrEqual,
    /// Equal.
    Equal,
    /// Not equal.
    NotEqual,
    /// Greater or equal.
    GreaterOrEqual,
    /// Greater.
    Greater,
    /// Nothing passes.
    NoOp,
}

impl CompareOperator {
    /// The operator of a wire value, or `None` for an unknown one.
    pub fn from_wire(code: i32) -> Option<Self> {
        Some(match CompareType::try_from(code).ok()? {
            CompareType::Less => Self::Less,
            CompareType::LessOrEqual => Self::LessOrEqual,
            CompareType::Equal => Self::Equal,
            CompareType::NotEqual => Self::NotEqual,
            CompareType::GreaterOrEqual => Self::GreaterOrEqual,
            CompareType::Greater => Self::Greater,
            CompareType::NoOp => Self::NoOp,
        })
    }

    /// Whether a *filter* lets a value pass of which the comparator said `given_to_value`. Reads as
    /// "value OPERATOR given": `Less` passes values below the given one. (checkAndMutate has it the other way round.)
    #[inline]
    pub fn passes(self, given_to_value: Ordering) -> bool {
        match self {
            Self::Less => given_to_value.is_gt(),
            Self::LessOrEqual => given_to_value.is_ge(),
            Self::Equal => given_to_value.is_eq(),
            Self::NotEqual => given_to_value.is_ne(),
            Self::GreaterOrEqual => given_to_value.is_le(),
            Self::Greater => given_to_value.is_lt(),
            Self::NoOp => false,
        }
    }
}

#[cfg(test)]
mod tests;
