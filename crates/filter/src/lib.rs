//! HBase's filters and comparators: pure logic over borrowed cells.
//!
//! What is here: the [`Filter`] trait with its contract, [`decode`], which turns a Java class name and a serialized
//! message into a filter, and [`decode_comparator`], the same for comparators. One module per filter below
//! [`filters`], one per comparator below [`comparators`].
//!
//! Guarantees: hostile messages and values give a [`FilterError`], never a panic, an endless loop, or memory beyond
//! what the bytes received justify. A filter that changes nothing allocates nothing per cell.
//!
//! It does not know about regions, stores, scanners, files or the wire: whoever drives a filter seeks, collects and
//! drops the cells as the filter says.

pub mod comparator;
pub mod comparators;
mod decode;
mod error;
mod filter;
pub mod filters;
mod key;
mod row_cells;
mod wire;

#[cfg(test)]
mod testing;

pub use comparator::{Comparator, CompareOperator};
pub use decode::{
    MAX_FILTERS, MAX_NESTING_DEPTH, MAX_REGEX_BYTES, MAX_REGEXES, MAX_SERIALIZED_BYTES, decode,
    decode_comparator,
};
pub use error::FilterError;
pub use filter::{Filter, FilterCode};
pub use key::OwnedKey;
pub use row_cells::{BlockTail, RowCells};
