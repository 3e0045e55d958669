//! What becomes of the values of a family with MOB files when its cells are written: in a flush, or in a compaction.

use super::MobConfig;
use super::reads::{MobReads, is_missing};
use super::reference::{is_reference, reference_of};
use super::writer::{MobWriter, PublishedMobFiles};
use crate::error::RegionError;
use crate::region::Region;
use crate::store::Store;
use finback_cell::{Cell, MobRead, TableName};
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Cells on their way to store files.
pub(crate) struct MobPass<'a> {
    placing: Placing<'a>,
    reads: MobReads,
    config: MobConfig,
    /// Whether values that are in MOB files are written anew.
    rewrites: bool,
}

/// What cells are written by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A flush.
    Flush,
    /// A compaction; one that somebody asked for (`true`) writes the values of MOB files anew.
    Compaction(bool),
}

/// Puts cells that have their values where they belong.
struct Placing<'a> {
    store: &'a Store,
    writer: MobWriter<'a>,
    kind: Kind,
}

impl<'a> MobPass<'a> {
    /// Begins. `newest_ms` is the newest timestamp of what is written, `max_sequence_id` the highest sequence id.
    pub(crate) fn new(
        region: &'a Region,
        store: &'a Store,
        kind: Kind,
        (compression, now): (&str, i64),
        (newest_ms, max_sequence_id): (i64, u64),
    ) -> Self {
        let config = region.environment.config.mob;
        let most_bytes = config.leaves_alone_from_bytes().filter(|_| kind == Kind::Compaction(true));
        let writer =
            MobWriter::new(region, store, (compression, now), newest_ms, max_sequence_id, most_bytes);
        Self {
            placing: Placing { store, writer, kind },
            reads: MobReads::new(Arc::clone(&store.mob_places), MobRead::default()),
            config,
            // A family that has MOB files no more gets its values back.
            rewrites: kind == Kind::Compaction(true) || store.mob_threshold.is_none(),
        }
    }

    /// Has `append` write what a cell becomes in the store file; whether it becomes anything.
    pub(crate) fn written(
        &mut self,
        cell: &Cell<'_>,
        sequence_id: u64,
        append: impl FnOnce(&Cell<'_>) -> Result<(), RegionError>,
    ) -> Result<bool, RegionError> {
        if !cell.is_put() {
            return append(cell).map(|()| true);
        }
        if !is_reference(cell) {
            return self.placing.place(cell, sequence_id, append).map(|()| true);
        }
        if !self.rewrites || !self.is_rewritten(cell)? {
            return append(cell).map(|()| true);
        }
        let found = match self.reads.find_waiting(cell, sequence_id) {
            Err(error) if self.config.discards_missing && is_missing(&error) => {
                tracing::error!(%error, "a cell is left out whose MOB file is nowhere");
                return Ok(false);
            }
            found => found?,
        };
        self.placing.store.mob_places.files.counters.compacted_from_mob.add(found.value_length());
        self.placing.place(&found, sequence_id, append).map(|()| true)
    }

    /// Whether the value of a reference is written anew: one that leads nowhere stays, and so does the value in a large file, if that is
    /// wanted.
    fn is_rewritten(&self, cell: &Cell<'_>) -> Result<bool, RegionError> {
        let store = self.placing.store;
        let Some(reference) = reference_of(cell) else { return Ok(false) };
        let Some(most_bytes) =
            self.config.leaves_alone_from_bytes().filter(|_| store.mob_threshold.is_some())
        else {
            return Ok(true);
        };
        let Ok(table) = TableName::parse(reference.table) else { return Ok(false) };
        let root = &store.mob_places.root;
        for place in root.mob_file_places(&table, &store.family.name, reference.file) {
            match root.fs().metadata(&place) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                found => {
                    let len = found.map_err(|error| RegionError::io(&place, &error))?.len;
                    return Ok(len < most_bytes);
                }
            }
        }
        // What is nowhere is told when it is read.
        Ok(true)
    }

    /// Bytes of MOB files that were written.
    pub(crate) fn written_bytes(&self) -> u64 {
        self.placing.writer.written_bytes()
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.placing.writer.memory_bytes() + self.reads.held_bytes()
    }

    /// Ends the MOB files, which have their places then.
    pub(crate) fn finish(self) -> Result<PublishedMobFiles, RegionError> {
        let Placing { store, writer, kind } = self.placing;
        if kind == Kind::Flush && writer.has_written() {
            store.mob_places.files.counters.flushes.fetch_add(1, Ordering::Relaxed);
        }
        writer.finish()
    }
}

impl Placing<'_> {
    /// Puts a cell into its place: with a large value into a MOB file, and a reference to it into the store file.
    fn place(
        &mut self,
        cell: &Cell<'_>,
        sequence_id: u64,
        append: impl FnOnce(&Cell<'_>) -> Result<(), RegionError>,
    ) -> Result<(), RegionError> {
        let is_large = |threshold| cell.value_length() as u64 > threshold;
        let reference = match self.store.mob_threshold.is_some_and(is_large) {
            true => self.writer.write(cell, sequence_id)?,
            false => None,
        };
        let Some(reference) = reference else { return append(cell) };
        let counters = &self.store.mob_places.files.counters;
        match self.kind {
            Kind::Flush => counters.flushed.add(cell.value_length()),
            Kind::Compaction(_) => counters.compacted_to_mob.add(cell.value_length()),
        }
        append(&reference)
    }
}
