//! Reads of one row.

use crate::error::{Error, Result};
use crate::selection::{Selection, selection_methods};
use bytes::Bytes;
use finback_cell::MAX_ROW_LENGTH;
use finback_proto::pb;

/// Bytes of a get besides its row and what it wants, roughly: for bounds, not for the wire.
const OVERHEAD: usize = 64;

/// A read of one row: the newest versions of all its columns, unless it is told otherwise.
///
/// ```
/// # use finback_client::{Filter, Get};
/// let get = Get::new("row").family("f").column("g", "q").max_versions(3).filter(Filter::column_prefix("a"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Get {
    row: Bytes,
    selection: Selection,
    existence_only: bool,
}

impl Get {
    /// All columns of a row.
    pub fn new(row: impl AsRef<[u8]>) -> Self {
        let row = Bytes::copy_from_slice(row.as_ref());
        Self { row, selection: Selection::default(), existence_only: false }
    }

    selection_methods!();

    /// The row.
    pub fn row(&self) -> &[u8] {
        &self.row
    }

    /// Whether only the existence of such cells is asked for.
    pub(crate) fn existence_only(mut self, only: bool) -> Self {
        self.existence_only = only;
        self
    }

    /// Bytes of the read, about.
    pub(crate) fn size(&self) -> usize {
        OVERHEAD + self.row.len() + self.selection.size()
    }

    pub(crate) fn check(&self) -> Result<()> {
        check_row(&self.row)?;
        self.selection.check().map_err(Error::Argument)
    }

    pub(crate) fn to_message(&self) -> pb::Get {
        let selection = &self.selection;
        pb::Get {
            row: self.row.clone(),
            column: selection.columns(),
            attribute: selection.attribute_messages(),
            filter: selection.filter.as_ref().map(|filter| Box::new(filter.into())),
            time_range: selection.time_range_message().map(Box::new),
            max_versions: Some(selection.max_versions),
            cache_blocks: Some(selection.cache_blocks),
            store_limit: selection.store_limit,
            store_offset: selection.store_offset,
            existence_only: self.existence_only.then_some(true),
            consistency: selection.consistency_message(),
            cf_time_range: selection.family_time_range_messages(),
            load_column_families_on_demand: selection.load_on_demand,
            ..Default::default()
        }
    }
}

/// Checks the row of a get or a mutation.
pub(crate) fn check_row(row: &[u8]) -> Result<()> {
    match row.len() {
        0 => Err(Error::Argument("a row key must not be empty".to_owned())),
        length if length > MAX_ROW_LENGTH => {
            Err(Error::Argument(format!("a row key of {length} bytes; the limit is {MAX_ROW_LENGTH}")))
        }
        _ => Ok(()),
    }
}
