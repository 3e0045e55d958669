//! Changes under a condition.

use crate::comparator::{Comparator, CompareOperator};
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::get::check_row;
use crate::mutation::Mutation;
use crate::row::Row;
use crate::row_mutations::RowMutations;
use bytes::Bytes;
use finback_cell::{StringBinary, TimeRange};
use finback_proto::pb;

/// A change of a row that is made only if a condition holds there, with nothing in between.
///
/// ```
/// # use finback_client::{CheckAndMutate, Put};
/// let sell = CheckAndMutate::if_equals("item", "f", "state", "in stock")
///     .then(Put::new("item").column("f", "state", "sold"));
/// ```
#[derive(Debug, Clone)]
pub struct CheckAndMutate {
    condition: Condition,
    change: Change,
}

/// A condition, before it is said what is to happen.
#[derive(Debug, Clone)]
pub struct Condition {
    row: Bytes,
    test: Test,
    time_range: TimeRange,
}

#[derive(Debug, Clone)]
enum Test {
    Column { family: Bytes, qualifier: Bytes, operator: CompareOperator, value: Bytes },
    Filter(Filter),
}

#[derive(Debug, Clone)]
enum Change {
    One(Box<Mutation>),
    Several(RowMutations),
}

/// What became of a [`CheckAndMutate`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckAndMutateResult {
    /// Whether the condition held, and so the change was made.
    pub success: bool,
    /// The new cells of increments and appends.
    pub row: Option<Row>,
}

impl CheckAndMutate {
    /// If a column has this value.
    pub fn if_equals(
        row: impl AsRef<[u8]>,
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
    ) -> Condition {
        Self::if_matches(row, family, qualifier, CompareOperator::Equal, value)
    }

    /// If there is no such column, or its value is empty.
    pub fn if_not_exists(
        row: impl AsRef<[u8]>,
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
    ) -> Condition {
        Self::if_matches(row, family, qualifier, CompareOperator::Equal, [])
    }

    /// If `value operator` what the column has: HBase has the given value on the left, so that `Greater` holds for columns
    /// with smaller values.
    pub fn if_matches(
        row: impl AsRef<[u8]>,
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        operator: CompareOperator,
        value: impl AsRef<[u8]>,
    ) -> Condition {
        let test = Test::Column {
            family: Bytes::copy_from_slice(family.as_ref()),
            qualifier: Bytes::copy_from_slice(qualifier.as_ref()),
            operator,
            value: Bytes::copy_from_slice(value.as_ref()),
        };
        Condition { row: Bytes::copy_from_slice(row.as_ref()), test, time_range: TimeRange::ALL }
    }

    /// If the filter keeps any cell of the row.
    pub fn if_filter(row: impl AsRef<[u8]>, filter: Filter) -> Condition {
        let row = Bytes::copy_from_slice(row.as_ref());
        Condition { row, test: Test::Filter(filter), time_range: TimeRange::ALL }
    }

    /// The row.
    pub fn row(&self) -> &[u8] {
        &self.condition.row
    }

    pub(crate) fn mutations(&self) -> &[Mutation] {
        match &self.change {
            Change::One(mutation) => std::slice::from_ref(mutation),
            Change::Several(mutations) => mutations.mutations(),
        }
    }

    /// Whether the change consists of several, which go as one.
    pub(crate) fn is_several(&self) -> bool {
        matches!(self.change, Change::Several(_))
    }

    pub(crate) fn size(&self) -> usize {
        self.condition.size() + self.mutations().iter().map(Mutation::size).sum::<usize>()
    }

    pub(crate) fn check(&self, max_cell_size: usize) -> Result<()> {
        check_row(self.row())?;
        if let Some(other) = self.mutations().iter().find(|mutation| mutation.row() != self.row()) {
            return Err(Error::Argument(format!(
                "a condition on row {} for a change of row {}",
                StringBinary(self.row()),
                StringBinary(other.row())
            )));
        }
        self.mutations().iter().try_for_each(|mutation| mutation.check(max_cell_size))
    }

    pub(crate) fn condition_message(&self) -> pb::Condition {
        let condition = &self.condition;
        let time_range = (!condition.time_range.is_all()).then(|| condition.time_range.into());
        let base = pb::Condition { row: condition.row.clone(), time_range, ..Default::default() };
        match &condition.test {
            Test::Filter(filter) => pb::Condition { filter: Some(filter.into()), ..base },
            Test::Column { family, qualifier, operator, value } => pb::Condition {
                family: Some(family.clone()),
                qualifier: Some(qualifier.clone()),
                compare_type: Some((*operator).into()),
                comparator: Some((&Comparator::binary(value)).into()),
                ..base
            },
        }
    }
}

impl Condition {
    /// Bytes of the condition, about.
    fn size(&self) -> usize {
        let test = match &self.test {
            Test::Column { family, qualifier, value, .. } => family.len() + qualifier.len() + value.len(),
            Test::Filter(filter) => filter.size(),
        };
        self.row.len() + test
    }

    /// Looks only at versions with `min <= timestamp < max`, in milliseconds.
    #[must_use]
    pub fn time_range(mut self, min: i64, max: i64) -> Self {
        self.time_range = TimeRange { min, max };
        self
    }

    /// What to do if the condition holds.
    pub fn then(self, mutation: impl Into<Mutation>) -> CheckAndMutate {
        CheckAndMutate { condition: self, change: Change::One(Box::new(mutation.into().sealed())) }
    }

    /// What to do if the condition holds: all of it or nothing.
    pub fn then_all(self, mutations: RowMutations) -> CheckAndMutate {
        CheckAndMutate { condition: self, change: Change::Several(mutations) }
    }
}
