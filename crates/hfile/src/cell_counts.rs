//! What the file info says about the cells of a file, counted as they are written.

use crate::file_info::keys;
use finback_cell::{Cell, CellType};

/// What the file info says about the cells.
#[derive(Debug)]
pub(crate) struct CellCounts {
    pub(crate) entries: u64,
    pub(crate) key_bytes: u64,
    pub(crate) value_bytes: u64,
    pub(crate) max_tags: usize,
    pub(crate) max_sequence_id: u64,
    pub(crate) min_timestamp: i64,
    pub(crate) max_timestamp: i64,
    pub(crate) earliest_put: i64,
    pub(crate) delete_families: i64,
}

/// Whether a cell is a marker that deletes its family in its row.
pub(crate) fn deletes_family(cell: &Cell<'_>) -> bool {
    let cell_type = CellType::from_code(cell.type_code());
    matches!(cell_type, Some(CellType::DeleteFamily | CellType::DeleteFamilyVersion))
}

impl CellCounts {
    pub(crate) fn new() -> Self {
        Self {
            entries: 0,
            key_bytes: 0,
            value_bytes: 0,
            max_tags: 0,
            max_sequence_id: 0,
            min_timestamp: i64::MAX,
            max_timestamp: -1,
            earliest_put: i64::MAX,
            delete_families: 0,
        }
    }

    pub(crate) fn add(&mut self, cell: &Cell<'_>, sequence_id: u64) {
        let timestamp = cell.timestamp();
        self.entries += 1;
        self.key_bytes += cell.key_length() as u64;
        self.value_bytes += cell.value_length() as u64;
        self.max_tags = self.max_tags.max(cell.tags().len());
        self.max_sequence_id = self.max_sequence_id.max(sequence_id);
        self.min_timestamp = self.min_timestamp.min(timestamp);
        self.max_timestamp = self.max_timestamp.max(timestamp);
        let cell_type = CellType::from_code(cell.type_code());
        if matches!(cell_type, Some(CellType::DeleteColumn | CellType::DeleteFamily)) {
            // They hide all that is older: a read of any earlier time must not leave the file out.
            self.min_timestamp = self.min_timestamp.min(0);
            self.max_timestamp = self.max_timestamp.max(0);
        }
        match cell_type {
            Some(CellType::Put) => self.earliest_put = self.earliest_put.min(timestamp),
            _ => self.delete_families += i64::from(deletes_family(cell)),
        }
    }

    /// So many bytes by the number of cells.
    pub(crate) fn average(&self, bytes: u64) -> i32 {
        bytes.checked_div(self.entries).unwrap_or(0) as i32
    }

    /// Counts all cells that `other` has counted.
    pub(crate) fn join(&mut self, other: &Self) {
        self.entries += other.entries;
        self.key_bytes += other.key_bytes;
        self.value_bytes += other.value_bytes;
        self.max_tags = self.max_tags.max(other.max_tags);
        self.max_sequence_id = self.max_sequence_id.max(other.max_sequence_id);
        self.min_timestamp = self.min_timestamp.min(other.min_timestamp);
        self.max_timestamp = self.max_timestamp.max(other.max_timestamp);
        self.earliest_put = self.earliest_put.min(other.earliest_put);
        self.delete_families += other.delete_families;
    }

    /// What a store's file says about times and markers: keys and values of the file info.
    pub(crate) fn entries_of_info(&self) -> [(&'static [u8], Vec<u8>); 3] {
        let (from, to) = match self.entries {
            0 => (i64::MAX, -1),
            _ => (self.min_timestamp, self.max_timestamp),
        };
        [
            (keys::TIMERANGE, [from.to_be_bytes(), to.to_be_bytes()].concat()),
            (keys::EARLIEST_PUT_TS, self.earliest_put.to_be_bytes().to_vec()),
            (keys::DELETE_FAMILY_COUNT, self.delete_families.to_be_bytes().to_vec()),
        ]
    }
}
