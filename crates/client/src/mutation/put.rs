//! `Put`: stores cells.

use super::{Draft, mutation_methods};
use finback_cell::CellType;

/// Stores cells of one row, all of them or none.
///
/// ```
/// # use finback_client::Put;
/// let put = Put::new("row").column("f", "color", "red").column_at("f", "size", 1_700_000_000_000, "7");
/// ```
#[derive(Debug, Clone)]
pub struct Put {
    pub(super) draft: Draft,
}

impl Put {
    /// Stores nothing yet.
    pub fn new(row: impl AsRef<[u8]>) -> Self {
        Self { draft: Draft::new(row.as_ref()) }
    }

    /// The timestamp of columns that are added from here on, in milliseconds. Default: the server's time.
    #[must_use]
    pub fn timestamp(mut self, timestamp: i64) -> Self {
        self.draft.timestamp = timestamp;
        self
    }

    /// Stores a value.
    #[must_use]
    pub fn column(
        self,
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
    ) -> Self {
        let timestamp = self.draft.timestamp;
        self.column_at(family, qualifier, timestamp, value)
    }

    /// Stores a value with a timestamp, in milliseconds.
    #[must_use]
    pub fn column_at(
        mut self,
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        timestamp: i64,
        value: impl AsRef<[u8]>,
    ) -> Self {
        self.draft.push(CellType::Put, family.as_ref(), qualifier.as_ref(), timestamp, value.as_ref());
        self
    }

    /// Stores a value with tags, as [`finback_cell::tag::write_tag`] writes them. The client must be one with
    /// [`cell_tags`](crate::ClientConfig::cell_tags): servers take the cells of others for having no tags.
    #[must_use]
    pub fn tagged_column(
        mut self,
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
        tags: &[u8],
    ) -> Self {
        let (timestamp, family, qualifier) = (self.draft.timestamp, family.as_ref(), qualifier.as_ref());
        self.draft.push_tagged(CellType::Put, family, qualifier, timestamp, value.as_ref(), tags);
        self
    }

    mutation_methods!(stores);
}
