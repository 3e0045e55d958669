//! Filters that go by one column, and need no other family: as they are, and what they should do.

use crate::model::{Read, Wanted};
use crate::world::Plain;
use finback_cell::{Bytes, Cell};
use finback_filter::comparators::BinaryPrefixComparator;
use finback_filter::filters::{
    ColumnValueFilter, Comparison, SingleColumnValueExcludeFilter, SingleColumnValueFilter,
};
use finback_filter::{CompareOperator, Filter, FilterCode, FilterError};

/// What is done by the test of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Rows pass by the newest version of the column.
    Single,
    /// The same, without the column.
    Exclude,
    /// Only cells of the column pass, by their values.
    Cells,
    /// Of all columns cells pass by their values. When loaded on demand, rows need one in the family.
    Needed,
}

/// A column's values pass if they begin with this byte.
#[derive(Clone, Debug)]
pub(crate) struct ColumnTest {
    pub(crate) family: Vec<u8>,
    pub(crate) qualifier: Vec<u8>,
    pub(crate) byte: u8,
    pub(crate) kind: Kind,
}

/// A filter that needs one family, and lets rows be cut in any.
struct Needs(ColumnTest);

impl Filter for Needs {
    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        let passes = cell.value().first() == Some(&self.0.byte);
        Ok(if passes { FilterCode::Include } else { FilterCode::Skip })
    }
    fn is_family_essential(&self, family: &[u8]) -> bool {
        family == self.0.family
    }
}

impl ColumnTest {
    pub(crate) fn filter(&self) -> Box<dyn Filter> {
        let comparator = BinaryPrefixComparator::new(Bytes::copy_from_slice(&[self.byte]));
        let comparison = Comparison::new(CompareOperator::Equal, Box::new(comparator));
        let (family, qualifier): (Bytes, Bytes) = (self.family.clone().into(), self.qualifier.clone().into());
        match self.kind {
            Kind::Cells => Box::new(ColumnValueFilter::new(family, qualifier, comparison)),
            Kind::Needed => Box::new(Needs(self.clone())),
            Kind::Single => Box::new(SingleColumnValueFilter::new(family, qualifier, comparison, true, true)),
            Kind::Exclude => {
                let inner = SingleColumnValueFilter::new(family, qualifier, comparison, true, true);
                Box::new(SingleColumnValueExcludeFilter::new(inner))
            }
        }
    }

    pub(crate) fn is_of(&self, cell: &Plain) -> bool {
        cell.family == self.family && cell.qualifier == self.qualifier
    }

    fn has_value(&self, cell: &Plain) -> bool {
        cell.value.first() == Some(&self.byte)
    }

    /// Whether the filter keeps a cell.
    pub(crate) fn passes_cell(&self, cell: &Plain) -> bool {
        match self.kind {
            Kind::Single | Kind::Exclude => true,
            Kind::Cells => self.is_of(cell) && self.has_value(cell),
            Kind::Needed => self.has_value(cell),
        }
    }

    /// Whether the filter keeps a row of these cells, which it keeps, of each family.
    pub(crate) fn passes_row(&self, families: &[(&Wanted, Vec<Plain>)], read: &Read) -> bool {
        let of_family = families.iter().find(|((name, _), _)| *name == self.family);
        let cells = of_family.map_or(&[][..], |(_, cells)| cells);
        match self.kind {
            Kind::Cells => true,
            Kind::Needed => read.on_demand == Some(false) || !cells.is_empty(),
            Kind::Single | Kind::Exclude => {
                // What is beyond the limit is not shown to the filter.
                let shown = read.store_limit.map_or(usize::MAX, |limit| limit + read.store_offset);
                cells
                    .iter()
                    .take(shown)
                    .find(|cell| self.is_of(cell))
                    .is_some_and(|cell| self.has_value(cell))
            }
        }
    }
}
