//! Column and version counting of a read: which version of which column is wanted.

use finback_cell::{Bytes, Cell};
use std::cmp::Ordering;

/// What the column tracker says of a cell that is neither deleted nor outside the time range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnCode {
    /// Wanted.
    Include,
    /// Wanted, and the last of its column.
    IncludeLastOfColumn,
    /// Not wanted; the next may be.
    Skip,
    /// Nothing more of this column is wanted.
    NextColumn,
    /// Nothing more of this row is wanted.
    NextRow,
}

/// Limits that come from the family and the request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VersionLimits {
    /// Versions of a column returned or kept.
    pub(crate) limit: u32,
    /// Versions that survive their expiry.
    pub(crate) min_versions: u32,
    /// Cells older than this have expired, in milliseconds.
    pub(crate) oldest: i64,
    /// NEW_VERSION_BEHAVIOR: the [`NewVersionTracker`](crate::new_version_tracker::NewVersionTracker) has left out
    /// surplus versions already.
    pub(crate) new_version_behavior: bool,
}

/// Tracks columns within one row of one family.
#[derive(Debug)]
pub(crate) struct ColumnTracker {
    limits: VersionLimits,
    /// Qualifiers asked for, sorted; `None` means all.
    wanted: Option<Vec<Bytes>>,
    /// Index into `wanted` of the column we are at or before.
    position: usize,
    qualifier: Vec<u8>,
    in_column: bool,
    count: u32,
    last_timestamp: i64,
    last_type: u8,
}

impl ColumnTracker {
    pub(crate) fn new(limits: VersionLimits, wanted: Option<Vec<Bytes>>) -> Self {
        Self {
            limits,
            wanted,
            position: 0,
            qualifier: Vec::new(),
            in_column: false,
            count: 0,
            last_timestamp: 0,
            last_type: 0,
        }
    }

    /// A new row.
    pub(crate) fn reset(&mut self) {
        self.position = 0;
        self.in_column = false;
    }

    /// The next column asked for, to seek to; `None` when all columns are wanted or none is left.
    pub(crate) fn hint(&self) -> Option<&Bytes> {
        self.wanted.as_ref()?.get(self.position)
    }

    /// Whether columns were named and all of them are done.
    pub(crate) fn is_done(&self) -> bool {
        self.wanted.as_ref().is_some_and(|wanted| self.position >= wanted.len())
    }

    /// Whether the column of `qualifier` is wanted at all.
    pub(crate) fn check_column(&mut self, qualifier: &[u8]) -> ColumnCode {
        let Some(wanted) = &self.wanted else { return ColumnCode::Include };
        while let Some(column) = wanted.get(self.position) {
            match qualifier.cmp(column) {
                Ordering::Equal => return ColumnCode::Include,
                Ordering::Less => return ColumnCode::NextColumn,
                Ordering::Greater => {
                    self.position += 1;
                    self.in_column = false;
                }
            }
        }
        ColumnCode::NextRow
    }

    /// Notes that nothing more of this column is wanted, nor of those before it. The column need not be one of those
    /// asked for: were the position left behind it, the next seek would go backwards, and nowhere.
    pub(crate) fn done_with(&mut self, qualifier: &[u8]) {
        let Some(wanted) = &self.wanted else { return };
        while wanted.get(self.position).is_some_and(|column| &column[..] <= qualifier) {
            self.position += 1;
            self.in_column = false;
        }
    }

    /// Whether all columns are wanted, and of each the newest version that has not expired.
    pub(crate) fn takes_newest_of_each(&self) -> bool {
        self.wanted.is_none() && self.limits.limit > 0
    }

    /// Whether of each column no more than one version is wanted.
    pub(crate) fn takes_one_of_each(&self) -> bool {
        self.limits.limit == 1
    }

    /// Begins a column with a put.
    pub(crate) fn begin_column(&mut self, put: &Cell<'_>) {
        self.qualifier.clear();
        self.qualifier.extend_from_slice(put.qualifier());
        (self.in_column, self.count) = (true, 1);
        (self.last_timestamp, self.last_type) = (put.timestamp(), put.type_code());
    }

    /// Counts a cell of a wanted column. Delete markers (raw reads) do not use up a version.
    pub(crate) fn check_version(&mut self, cell: &Cell<'_>) -> ColumnCode {
        let same_column = self.in_column && self.qualifier == cell.qualifier();
        if !same_column {
            self.qualifier.clear();
            self.qualifier.extend_from_slice(cell.qualifier());
            self.in_column = true;
            self.count = 0;
        }
        let explicit = self.wanted.is_some();
        let same_version = same_column
            && self.last_timestamp == cell.timestamp()
            && (explicit || self.last_type == cell.type_code());
        if same_version {
            return ColumnCode::Skip;
        }
        self.last_timestamp = cell.timestamp();
        self.last_type = cell.type_code();
        if cell.is_put() || explicit {
            self.count += 1;
        }
        let expired = cell.timestamp() < self.limits.oldest;
        if self.limits.new_version_behavior {
            self.new_version(expired)
        } else if explicit {
            self.explicit_version(expired)
        } else {
            self.wildcard_version(expired)
        }
    }

    fn new_version(&self, expired: bool) -> ColumnCode {
        let limit = if expired { self.limits.limit.min(self.limits.min_versions) } else { self.limits.limit };
        match self.count.cmp(&limit) {
            Ordering::Less => ColumnCode::Include,
            Ordering::Equal => ColumnCode::IncludeLastOfColumn,
            Ordering::Greater => ColumnCode::NextColumn,
        }
    }

    fn explicit_version(&mut self, expired: bool) -> ColumnCode {
        let last = self.count >= self.limits.limit || (self.count >= self.limits.min_versions && expired);
        if last { ColumnCode::IncludeLastOfColumn } else { ColumnCode::Include }
    }

    fn wildcard_version(&self, expired: bool) -> ColumnCode {
        if self.count > self.limits.limit {
            ColumnCode::NextColumn
        } else if self.count <= self.limits.min_versions || !expired {
            ColumnCode::Include
        } else {
            ColumnCode::NextColumn
        }
    }
}
