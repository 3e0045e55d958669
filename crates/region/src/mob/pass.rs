//! What becomes of the values of a family with MOB files when its cells are written: in a flush, or in a compaction.

use super::MobConfig;
use super::reads::{MobReads, is_missing};
use super::reference::{is_reference, length_of_value, reference_of};
use super::writer::{MobWriter, MobWritten, PublishedMobFiles};
use crate::error::RegionError;
use crate::region::Region;
use crate::store::Store;
use finback_cell::{Cell, MobRead};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Cells on their way to store files.
pub(crate) struct MobPass<'a> {
    placing: Placing<'a>,
    reads: MobReads,
    config: MobConfig,
    /// Whether values that are in MOB files are written anew.
    rewrites: bool,
    /// Where that depends on their size: of which MOB files, by table and name.
    rewritten_files: HashMap<(Vec<u8>, String), bool>,
    /// The most that blocks of MOB files took since somebody asked.
    most_read_bytes: Option<usize>,
}

/// What cells are written by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A flush.
    Flush,
    /// A compaction; one that somebody asked for (`true`) writes the values of MOB files anew.
    Compaction(bool),
}

/// Where a value was that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Was {
    /// Or in memory.
    InStoreFile,
    InMobFile,
}

/// Puts cells that have their values where they belong.
struct Placing<'a> {
    store: &'a Store,
    writer: MobWriter<'a>,
    kind: Kind,
}

impl<'a> MobPass<'a> {
    /// Begins.
    pub(crate) fn new(region: &'a Region, store: &'a Store, kind: Kind, written: &MobWritten<'_>) -> Self {
        let config = region.environment.config.mob;
        let most_bytes = config.leaves_alone_from_bytes().filter(|_| kind == Kind::Compaction(true));
        let writer = MobWriter::new(region, store, written, most_bytes);
        Self {
            placing: Placing { store, writer, kind },
            reads: MobReads::new(Arc::clone(&store.mob_places), MobRead::default()),
            config,
            // A family that has MOB files no more gets its values back.
            rewrites: kind == Kind::Compaction(true) || store.mob_threshold.is_none(),
            rewritten_files: HashMap::new(),
            most_read_bytes: None,
        }
    }

    /// Has `append` write what a cell becomes in the store file; whether it becomes anything. `is_alone`: asked for a large one, whether
    /// the next one is known to have another key.
    pub(crate) fn written(
        &mut self,
        cell: &Cell<'_>,
        sequence_id: u64,
        is_alone: impl Fn() -> bool,
        append: impl FnOnce(&Cell<'_>) -> Result<(), RegionError>,
    ) -> Result<bool, RegionError> {
        if !cell.is_put() {
            return append(cell).map(|()| true);
        }
        let placing = &mut self.placing;
        if !is_reference(cell) {
            return placing.place((cell, sequence_id), Was::InStoreFile, is_alone, append).map(|()| true);
        }
        let store = placing.store;
        if !self.rewrites || !is_rewritten(store, self.config, &mut self.rewritten_files, cell)? {
            return append(cell).map(|()| true);
        }
        let most = &mut self.most_read_bytes;
        let found = self.reads.find_waiting(cell, sequence_id, |bytes| *most = (*most).max(Some(bytes)));
        let found = match found {
            Err(error) if self.config.discards_missing && is_missing(&error) => {
                tracing::error!(%error, "a cell is left out whose value is nowhere");
                return Ok(false);
            }
            found => found?,
        };
        placing.place((&found, sequence_id), Was::InMobFile, is_alone, append).map(|()| true)
    }

    /// The most that blocks of MOB files took since this was asked last, with what is written; `None` if none was read.
    pub(crate) fn take_most_bytes(&mut self) -> Option<usize> {
        Some(self.most_read_bytes.take()? + self.placing.writer.memory_bytes())
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
        (cell, sequence_id): (&Cell<'_>, u64),
        was: Was,
        is_alone: impl Fn() -> bool,
        append: impl FnOnce(&Cell<'_>) -> Result<(), RegionError>,
    ) -> Result<(), RegionError> {
        let bytes = cell.value_length();
        let is_large = |threshold| bytes as u64 > threshold;
        let reference = match self.store.mob_threshold.is_some_and(is_large) {
            true => self.writer.write(cell, sequence_id, is_alone)?,
            false => None,
        };
        let counters = &self.store.mob_places.files.counters;
        match (self.kind, was, &reference) {
            (Kind::Flush, _, Some(_)) => counters.flushed.add(bytes),
            (Kind::Compaction(_), Was::InStoreFile, Some(_)) => counters.compacted_to_mob.add(bytes),
            (Kind::Compaction(_), Was::InMobFile, None) => counters.compacted_from_mob.add(bytes),
            _ => {}
        }
        append(reference.as_ref().unwrap_or(cell))
    }
}

/// Whether the value of a reference is written anew: one that leads nowhere stays, and so does the value in a large file, if that is
/// wanted and it is not small by now.
fn is_rewritten(
    store: &Store,
    config: MobConfig,
    rewritten_files: &mut HashMap<(Vec<u8>, String), bool>,
    cell: &Cell<'_>,
) -> Result<bool, RegionError> {
    let Some(reference) = reference_of(cell) else { return Ok(false) };
    let (Some(most_bytes), Some(threshold)) = (config.leaves_alone_from_bytes(), store.mob_threshold) else {
        return Ok(true);
    };
    if length_of_value(cell).is_some_and(|bytes| bytes <= threshold) {
        return Ok(true);
    }
    let key = (reference.table.to_vec(), reference.file.to_owned());
    if let Some(&is_rewritten) = rewritten_files.get(&key) {
        return Ok(is_rewritten);
    }
    let is_rewritten = store.mob_places.len_of(&reference)?.is_none_or(|len| len < most_bytes);
    rewritten_files.insert(key, is_rewritten);
    Ok(is_rewritten)
}
