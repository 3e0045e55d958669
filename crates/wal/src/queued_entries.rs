//! The entries that wait in a log's queue.
//!
//! Small cells are copied to one place: what a writer allocated, the same thread gives back, and the thread of the log
//! takes a whole group over by exchanging a few pointers. For the same reason names are kept once for a run of entries
//! of one region, and the room that entries take is counted and given back by groups.

use std::sync::Arc;

use bytes::Bytes;
use finback_cell::Durability;
use tokio::sync::Semaphore;

use crate::{KeyFields, WalAppend, file_writer::COPIED_CELLS_BYTES};

/// Buffers that one burst made larger than this are given back.
const KEPT_BYTES: usize = 1 << 20;

#[derive(Debug, Default)]
pub(crate) struct QueuedEntries {
    entries: Vec<Entry>,
    /// Region and table of the entries from this one on.
    names: Vec<Names>,
    cells: Vec<u8>,
    /// Permits of the queue's room that these entries have.
    permits: usize,
}

#[derive(Debug)]
struct Names {
    first_entry: usize,
    region: Arc<[u8]>,
    table: Arc<[u8]>,
}

#[derive(Debug)]
struct Entry {
    sequence_id: u64,
    write_time_ms: u64,
    nonce_group: u64,
    nonce: u64,
    cell_count: u32,
    durability: Durability,
    after: u64,
    cells: Cells,
}

#[derive(Debug)]
enum Cells {
    /// A part of the common place.
    Copied {
        start: usize,
        end: usize,
    },
    Shared(Bytes),
}

/// An entry to be written.
pub(crate) struct QueuedEntry<'a> {
    pub(crate) region: &'a Arc<[u8]>,
    pub(crate) table: &'a Arc<[u8]>,
    pub(crate) key: KeyFields<'a>,
    pub(crate) cells: QueuedCells<'a>,
    /// As [`WalAppend::durability`].
    pub(crate) durability: Durability,
    /// As [`WalAppend::after`]; 0 for none.
    pub(crate) after: u64,
}

impl<'a> From<&'a WalAppend> for QueuedEntry<'a> {
    fn from(entry: &'a WalAppend) -> Self {
        let is_small = entry.cells.len() <= COPIED_CELLS_BYTES;
        let cells =
            if is_small { QueuedCells::Copied(&entry.cells) } else { QueuedCells::Shared(&entry.cells) };
        let after = entry.after.map_or(0, |position| position.0);
        let durability = entry.durability;
        Self { region: &entry.region, table: &entry.table, key: entry.key(), cells, durability, after }
    }
}

/// Its cells.
#[derive(Clone, Copy)]
pub(crate) enum QueuedCells<'a> {
    Copied(&'a [u8]),
    Shared(&'a Bytes),
}

impl<'a> QueuedCells<'a> {
    pub(crate) fn bytes(self) -> &'a [u8] {
        match self {
            Self::Copied(cells) => cells,
            Self::Shared(cells) => cells,
        }
    }
}

impl QueuedEntries {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds an entry that has so many permits of the room.
    pub(crate) fn push(&mut self, entry: QueuedEntry<'_>, permits: usize) {
        let is_known = |names: &Names| {
            Arc::ptr_eq(&names.region, entry.region) && Arc::ptr_eq(&names.table, entry.table)
        };
        if !self.names.last().is_some_and(is_known) {
            self.names.push(Names {
                first_entry: self.entries.len(),
                region: Arc::clone(entry.region),
                table: Arc::clone(entry.table),
            });
        }
        let cells = match entry.cells {
            QueuedCells::Copied(cells) => {
                let start = self.cells.len();
                self.cells.extend_from_slice(cells);
                Cells::Copied { start, end: self.cells.len() }
            }
            QueuedCells::Shared(cells) => Cells::Shared(cells.clone()),
        };
        self.permits += permits;
        self.entries.push(Entry {
            sequence_id: entry.key.sequence_id,
            write_time_ms: entry.key.write_time_ms,
            nonce_group: entry.key.nonce_group,
            nonce: entry.key.nonce,
            cell_count: entry.key.cell_count,
            durability: entry.durability,
            after: entry.after,
            cells,
        });
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = QueuedEntry<'_>> {
        let ends = self.names.iter().skip(1).map(|names| names.first_entry).chain([self.entries.len()]);
        self.names.iter().zip(ends).flat_map(|(names, end)| {
            self.entries[names.first_entry..end].iter().map(|entry| QueuedEntry {
                region: &names.region,
                table: &names.table,
                key: KeyFields {
                    region: &names.region,
                    table: &names.table,
                    sequence_id: entry.sequence_id,
                    write_time_ms: entry.write_time_ms,
                    cell_count: entry.cell_count,
                    nonce_group: entry.nonce_group,
                    nonce: entry.nonce,
                },
                cells: match &entry.cells {
                    Cells::Copied { start, end } => QueuedCells::Copied(&self.cells[*start..*end]),
                    Cells::Shared(cells) => QueuedCells::Shared(cells),
                },
                durability: entry.durability,
                after: entry.after,
            })
        })
    }

    /// Whether there is one that is to be on the device, whatever is enough for others.
    pub(crate) fn has_forced(&self) -> bool {
        self.entries.iter().any(|entry| entry.durability == Durability::FsyncWal)
    }

    /// Keeps those entries that `keeps` lets stay.
    pub(crate) fn retain(&mut self, mut keeps: impl FnMut(&QueuedEntry<'_>) -> bool) {
        let mut kept = Self::default();
        for entry in self.iter() {
            if keeps(&entry) {
                kept.push(entry, 0);
            }
        }
        kept.permits = std::mem::take(&mut self.permits);
        *self = kept;
    }

    /// Forgets all entries and gives their room back.
    pub(crate) fn clear(&mut self, room: &Semaphore) {
        self.entries.clear();
        self.names.clear();
        self.cells.clear();
        self.cells.shrink_to(KEPT_BYTES);
        self.give_room_back(room);
    }

    /// Gives the room of all entries back; they stay.
    pub(crate) fn give_room_back(&mut self, room: &Semaphore) {
        room.add_permits(std::mem::take(&mut self.permits));
    }
}

#[cfg(test)]
mod tests;
