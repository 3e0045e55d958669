//! Messages to and from the types of [`finback_cell`].
//!
//! Plain values convert by `From` and `TryFrom`. Reads and mutations come with more than their type holds (filters,
//! paging, cells of a cell block) and have functions of their own.

mod counted_cells;
mod get;
mod mutation;
mod names;
mod region;
mod result;
mod scan;
mod schema;
mod selection;
mod time_range;

pub use get::{DecodedGet, decode_get};
pub use mutation::{decode_mutation, skip_cells};
pub use names::{decode_namespace, namespace_descriptor};
pub use region::{encoded_name, primary_of_replica, specifier_by_encoded_name, specifier_by_name};
pub use result::{decode_result, inline_cell, inline_result, result_in_block};
pub use scan::{DecodedScan, decode_scan};
pub use selection::SerializedFilter;
