//! Which cells of a compaction go into a file of history (`hbase.enable.historical.compaction.files`): those that no read of the
//! present needs, as newer versions, or markers, stand before them.
//!
//! Reads of the present, which are not raw and end at no time, leave such files out. There is history where a compaction leaves
//! more than the present: deleted cells that are kept, and markers behind markers.
//!
//! Source: HBase's `StoreFileWriter`, but for cells that some open scanner does not see yet, and markers whose own time ends: here
//! these do not count, and are of the present.

use finback_cell::{Cell, CellType, tag};

/// What was written of the current row, and column.
#[derive(Debug, Default)]
pub(crate) struct History {
    max_versions: u32,
    row: Vec<u8>,
    qualifier: Vec<u8>,
    has_begun: bool,
    /// Timestamps of markers that are of the present: the newest of those that hide all that is older, and all of single versions,
    /// in descending order.
    family: Option<i64>,
    family_versions: Vec<i64>,
    column: Option<i64>,
    column_versions: Vec<i64>,
    /// Versions of the column that are of the present, and the timestamp of the last of them.
    versions: u32,
    last_version: Option<i64>,
}

impl History {
    /// For a family that keeps so many versions.
    pub(crate) fn new(max_versions: u32) -> Self {
        Self { max_versions, ..Self::default() }
    }

    /// Whether the next cell, which all scanners see, is history.
    pub(crate) fn has(&mut self, cell: &Cell<'_>) -> bool {
        self.enter(cell);
        if cell.is_delete() && tag::ttl_ms(cell.tags()).is_some() {
            return false;
        }
        let timestamp = cell.timestamp();
        match CellType::from_code(cell.type_code()) {
            Some(CellType::DeleteFamily) => !begins(&mut self.family, timestamp),
            Some(CellType::DeleteFamilyVersion) => {
                let is_hidden = hides(self.family, timestamp);
                if !is_hidden {
                    self.family_versions.push(timestamp);
                }
                is_hidden
            }
            Some(CellType::DeleteColumn) => {
                hides(self.family, timestamp) || !begins(&mut self.column, timestamp)
            }
            Some(CellType::Delete) => {
                let is_hidden = hides(self.family, timestamp) || hides(self.column, timestamp);
                if !is_hidden {
                    self.column_versions.push(timestamp);
                }
                is_hidden
            }
            Some(CellType::Put) => self.has_put(timestamp),
            _ => false,
        }
    }

    fn has_put(&mut self, timestamp: i64) -> bool {
        if self.last_version == Some(timestamp) {
            return false;
        }
        let is_hidden = hides(self.family, timestamp)
            || hides(self.column, timestamp)
            || is_among(&self.family_versions, timestamp)
            || is_among(&self.column_versions, timestamp);
        if is_hidden || self.versions >= self.max_versions {
            return true;
        }
        self.versions += 1;
        self.last_version = Some(timestamp);
        false
    }

    fn enter(&mut self, cell: &Cell<'_>) {
        let is_same_row = self.has_begun && self.row == cell.row();
        if is_same_row && self.qualifier == cell.qualifier() {
            return;
        }
        if !is_same_row {
            self.has_begun = true;
            self.row.clear();
            self.row.extend_from_slice(cell.row());
            self.family = None;
            self.family_versions.clear();
        }
        self.qualifier.clear();
        self.qualifier.extend_from_slice(cell.qualifier());
        self.column = None;
        self.column_versions.clear();
        self.versions = 0;
        self.last_version = None;
    }
}

/// Whether this marker is the first of its kind, which is remembered.
fn begins(newest: &mut Option<i64>, timestamp: i64) -> bool {
    let is_first = newest.is_none();
    if is_first {
        *newest = Some(timestamp);
    }
    is_first
}

fn hides(marker: Option<i64>, timestamp: i64) -> bool {
    marker.is_some_and(|marker| timestamp <= marker)
}

fn is_among(descending: &[i64], timestamp: i64) -> bool {
    descending.binary_search_by(|marker| timestamp.cmp(marker)).is_ok()
}

#[cfg(test)]
mod tests;
