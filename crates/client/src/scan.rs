//! Reads of many rows.

use crate::error::{Error, Result};
use crate::selection::{Selection, selection_methods};
use bytes::Bytes;
use finback_proto::pb;

/// How a server is to read: a hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadType {
    /// As the server likes: block by block at first, streaming when a scan turns out to be long.
    #[default]
    Default,
    /// Large parts of files at once.
    Stream,
    /// Single blocks, without disturbing others.
    Pread,
}

/// A read of the rows of a range, in their order: all of a table, unless it is told otherwise.
///
/// ```
/// # use finback_client::{Filter, Scan};
/// let scan = Scan::new().starting_at("a").before("n").family("f").limit(1000);
/// let newest_users = Scan::prefix("user-").reversed().limit(10);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    pub(crate) start: Bytes,
    pub(crate) include_start: bool,
    pub(crate) stop: Bytes,
    pub(crate) include_stop: bool,
    pub(crate) reversed: bool,
    selection: Selection,
    pub(crate) limit: Option<u64>,
    pub(crate) caching: Option<u32>,
    pub(crate) max_result_size: Option<u64>,
    pub(crate) batch: Option<u32>,
    pub(crate) allow_partial: bool,
    pub(crate) cursors: bool,
    pub(crate) metrics: bool,
    read_type: ReadType,
}

impl Default for Scan {
    fn default() -> Self {
        Self {
            start: Bytes::new(),
            include_start: true,
            stop: Bytes::new(),
            include_stop: false,
            reversed: false,
            selection: Selection::default(),
            limit: None,
            caching: None,
            max_result_size: None,
            batch: None,
            allow_partial: false,
            cursors: false,
            metrics: false,
            read_type: ReadType::Default,
        }
    }
}

impl Scan {
    /// All rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// The rows whose keys begin so.
    pub fn prefix(prefix: impl AsRef<[u8]>) -> Self {
        let prefix = prefix.as_ref();
        Self::new().starting_at(prefix).before(first_behind_prefix(prefix))
    }

    /// Begins at this row.
    #[must_use]
    pub fn starting_at(mut self, row: impl AsRef<[u8]>) -> Self {
        (self.start, self.include_start) = (Bytes::copy_from_slice(row.as_ref()), true);
        self
    }

    /// Begins behind this row (before it, if the scan is reversed).
    #[must_use]
    pub fn after(mut self, row: impl AsRef<[u8]>) -> Self {
        (self.start, self.include_start) = (Bytes::copy_from_slice(row.as_ref()), false);
        self
    }

    /// Ends before this row (behind it, if the scan is reversed).
    #[must_use]
    pub fn before(mut self, row: impl AsRef<[u8]>) -> Self {
        (self.stop, self.include_stop) = (Bytes::copy_from_slice(row.as_ref()), false);
        self
    }

    /// Ends with this row.
    #[must_use]
    pub fn ending_with(mut self, row: impl AsRef<[u8]>) -> Self {
        (self.stop, self.include_stop) = (Bytes::copy_from_slice(row.as_ref()), true);
        self
    }

    /// Turns the scan around: from what was its end to what was its beginning, in descending order.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.reversed = !self.reversed;
        std::mem::swap(&mut self.start, &mut self.stop);
        std::mem::swap(&mut self.include_start, &mut self.include_stop);
        // An open end has no row that could be left out.
        self.include_start |= self.start.is_empty();
        self
    }

    selection_methods!();

    /// Ends after as many rows.
    #[must_use]
    pub fn limit(mut self, rows: u64) -> Self {
        self.limit = Some(rows);
        self
    }

    /// Asks for as many rows at a time. Default: as many as the bytes allow that are asked for at a time.
    #[must_use]
    pub fn caching(mut self, rows: u32) -> Self {
        self.caching = Some(rows.clamp(1, i32::MAX as u32));
        self
    }

    /// Asks for as many bytes at a time.
    #[must_use]
    pub fn max_result_size(mut self, bytes: u64) -> Self {
        self.max_result_size = Some(bytes);
        self
    }

    /// Gives back rows in parts of as many cells.
    #[must_use]
    pub fn batch(mut self, cells: u32) -> Self {
        self.batch = Some(cells.clamp(1, i32::MAX as u32));
        self
    }

    /// Gives back rows in the parts in which they come: none of them has to fit into memory.
    #[must_use]
    pub fn allow_partial_rows(mut self) -> Self {
        self.allow_partial = true;
        self
    }

    /// Tells how far the scan has come when there is nothing else to tell: see [`crate::Scanner::next_event`].
    #[must_use]
    pub fn cursors(mut self) -> Self {
        self.cursors = true;
        self
    }

    /// Has the server count rows that it reads and filters: see [`crate::Scanner::metrics`].
    #[must_use]
    pub fn track_metrics(mut self) -> Self {
        self.metrics = true;
        self
    }

    /// Gives back delete markers and what they hide, too.
    #[must_use]
    pub fn raw(self) -> Self {
        self.attribute("_raw_", &b"\xff"[..])
    }

    /// How the server is to read.
    #[must_use]
    pub fn read_type(mut self, read_type: ReadType) -> Self {
        self.read_type = read_type;
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        let raw = self.selection.attributes.iter().any(|(name, _)| name == "_raw_");
        if raw
            && self.selection.has_columns()
            && self.selection.columns().iter().any(|c| !c.qualifier.is_empty())
        {
            return Err(Error::Argument("a raw scan cannot name columns".to_owned()));
        }
        self.selection.check().map_err(Error::Argument)
    }

    /// The scan, from where it has come to.
    pub(crate) fn to_message(&self, caching: u32, max_result_size: u64) -> pb::Scan {
        let selection = &self.selection;
        pb::Scan {
            column: selection.columns(),
            attribute: selection.attribute_messages(),
            start_row: Some(self.start.clone()),
            stop_row: Some(self.stop.clone()),
            filter: selection.filter.as_ref().map(Into::into),
            time_range: selection.time_range_message(),
            max_versions: Some(selection.max_versions),
            cache_blocks: Some(selection.cache_blocks),
            batch_size: self.batch,
            max_result_size: (max_result_size > 0).then_some(max_result_size),
            store_limit: selection.store_limit,
            store_offset: selection.store_offset,
            load_column_families_on_demand: selection.load_on_demand,
            reversed: self.reversed.then_some(true),
            consistency: selection.consistency_message(),
            caching: Some(caching),
            allow_partial_results: self.allow_partial.then_some(true),
            cf_time_range: selection.family_time_range_messages(),
            include_start_row: Some(self.include_start),
            include_stop_row: Some(self.include_stop),
            read_type: Some(match self.read_type {
                ReadType::Default => pb::scan::ReadType::Default.into(),
                ReadType::Stream => pb::scan::ReadType::Stream.into(),
                ReadType::Pread => pb::scan::ReadType::Pread.into(),
            }),
            need_cursor_result: self.cursors.then_some(true),
            ..Default::default()
        }
    }
}

/// The first row behind all that begin with `prefix`; empty, the end of the table, if nothing is.
pub(crate) fn first_behind_prefix(prefix: &[u8]) -> Vec<u8> {
    let Some(last) = prefix.iter().rposition(|&byte| byte != 0xff) else { return Vec::new() };
    let mut behind = prefix[..=last].to_vec();
    behind[last] += 1;
    behind
}

#[cfg(test)]
mod tests;
