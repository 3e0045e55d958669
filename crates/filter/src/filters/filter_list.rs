//! `FilterList`: several filters as one.

mod and;
mod last_cell;
mod or;

pub use and::FilterListWithAnd;
pub use or::FilterListWithOr;

use crate::{Filter, FilterCode, OwnedKey, RowCells};
use finback_cell::{Cell, CellOrder};
use std::cmp::Ordering;

/// How far a code moves a scan, and so which of two codes prevails, apart from keeping or dropping the cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Cell,
    Column,
    Row,
}

fn step(code: FilterCode) -> Step {
    match code {
        FilterCode::Include | FilterCode::Skip | FilterCode::SeekNextUsingHint => Step::Cell,
        FilterCode::IncludeAndNextColumn | FilterCode::NextColumn => Step::Column,
        FilterCode::IncludeAndSeekNextRow | FilterCode::NextRow => Step::Row,
    }
}

fn code_of(include: bool, step: Step) -> FilterCode {
    match (include, step) {
        (true, Step::Cell) => FilterCode::Include,
        (true, Step::Column) => FilterCode::IncludeAndNextColumn,
        (true, Step::Row) => FilterCode::IncludeAndSeekNextRow,
        (false, Step::Cell) => FilterCode::Skip,
        (false, Step::Column) => FilterCode::NextColumn,
        (false, Step::Row) => FilterCode::NextRow,
    }
}

/// Compares keys in the direction of the scan. Like HBase, reverses the order of columns too in a reversed scan, in
/// which a hint inside a row then counts for nothing.
fn compare_in_scan_order(
    a: &finback_cell::key::Key<'_>,
    b: &finback_cell::key::Key<'_>,
    reversed: bool,
) -> Ordering {
    let order = CellOrder::User.compare_keys(a, b);
    if reversed { order.reverse() } else { order }
}

/// The hint that lies further in the direction `further`.
fn choose_hint(
    kept: Option<OwnedKey>,
    other: OwnedKey,
    reversed: bool,
    further: Ordering,
) -> Option<OwnedKey> {
    match kept {
        Some(kept) if compare_in_scan_order(&other.as_key(), &kept.as_key(), reversed) != further => {
            Some(kept)
        }
        _ => Some(other),
    }
}

fn any_has_filter_row(filters: &[Box<dyn Filter>]) -> bool {
    filters.iter().any(super::super::filter::Filter::has_filter_row)
}

fn filter_row_cells_of_all(filters: &mut [Box<dyn Filter>], cells: &mut dyn RowCells) {
    for filter in filters {
        filter.filter_row_cells(cells);
    }
}

fn memory_bytes_of_all(filters: &[Box<dyn Filter>]) -> usize {
    size_of_val(filters) + filters.iter().map(super::super::filter::Filter::memory_bytes).sum::<usize>()
}

fn any_family_essential(filters: &[Box<dyn Filter>], family: &[u8]) -> bool {
    filters.is_empty() || filters.iter().any(|filter| filter.is_family_essential(family))
}

/// Lets each of `filters` transform what the one before made of the cell.
fn transform_in_turn<'f>(
    filters: impl Iterator<Item = &'f mut Box<dyn Filter>>,
    cell: &Cell<'_>,
    out: &mut Vec<u8>,
) -> bool {
    let start = out.len();
    let mut transformed = false;
    for filter in filters {
        if !transformed {
            transformed = filter.transform_cell(cell, out);
        } else {
            // Two filters that both transform: rare, and the only case that copies.
            let previous = out.split_off(start);
            if !filter.transform_cell(&Cell::from_checked(&previous), out) {
                out.extend_from_slice(&previous);
            }
        }
    }
    transformed
}

#[cfg(test)]
mod tests;
