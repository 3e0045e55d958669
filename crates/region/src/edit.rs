//! The cells of a write, with their final timestamps and tags, as they go into the log and the memstore.

use crate::error::RegionError;
use crate::region::Region;
use finback_cell::cell::{CellParts, LENGTHS_SIZE};
use finback_cell::tag::{TTL_TAG, are_whole, tags, write_tag};
use finback_cell::{
    Cell, CellBlock, CellType, Durability, LATEST_TIMESTAMP, Mutation, MutationKind, Shortened,
};

/// Cells to be applied under one sequence id, as cell blocks.
#[derive(Debug, Default)]
pub(crate) struct Edit {
    /// Cells that go into the log.
    pub(crate) logged: Vec<u8>,
    pub(crate) logged_cells: u32,
    /// Cells written with SKIP_WAL.
    pub(crate) unlogged: Vec<u8>,
    /// All cells in their order, where there are of both kinds: of two of the same key the later one counts.
    pub(crate) mixed: Vec<u8>,
    /// The strongest durability asked for.
    pub(crate) durability: Durability,
    pub(crate) nonce: (u64, u64),
    /// Bytes of cells that increments and appends have made.
    pub(crate) built: usize,
    /// Whether every cell is the outcome of an increment or append: newer than all there is of its column, with the row
    /// locked for nobody else.
    pub(crate) replaces_older: bool,
}

impl Edit {
    /// Bytes of cells.
    pub(crate) fn len(&self) -> usize {
        self.logged.len() + self.unlogged.len()
    }

    /// Appends one KeyValue.
    pub(crate) fn push(&mut self, durability: Durability, write: impl FnOnce(&mut Vec<u8>)) {
        let (out, others) = match durability {
            Durability::SkipWal => (&mut self.unlogged, &self.logged),
            _ => (&mut self.logged, &self.unlogged),
        };
        let at = out.len();
        out.extend_from_slice(&[0; 4]);
        write(out);
        let length = (out.len() - at - 4) as u32;
        out[at..at + 4].copy_from_slice(&length.to_be_bytes());
        if !others.is_empty() {
            if self.mixed.is_empty() {
                self.mixed.extend_from_slice(others);
            }
            self.mixed.extend_from_slice(&out[at..]);
        }
        if durability != Durability::SkipWal {
            self.logged_cells += 1;
        }
        self.durability = self.durability.max(durability);
    }

    /// Appends the cells of a put, an increment or an append as [`Edit::push_stamped`] does.
    pub(crate) fn push_all(
        &mut self,
        cells: &CellBlock,
        now: i64,
        ttl_ms: Option<i64>,
        durability: Durability,
    ) {
        if ttl_ms.is_some() || !self.others(durability).is_empty() {
            cells.iter().for_each(|cell| self.push_stamped(&cell, now, ttl_ms, durability));
            return;
        }
        if cells.is_empty() {
            return;
        }
        let is_logged = durability != Durability::SkipWal;
        let out = if is_logged { &mut self.logged } else { &mut self.unlogged };
        // As they stand in the block.
        let mut at = out.len();
        out.extend_from_slice(cells.bytes());
        for cell in cells {
            if cell.timestamp() == LATEST_TIMESTAMP {
                stamp(&mut out[at + 4..], &cell, now);
            }
            at += 4 + cell.bytes().len();
            self.logged_cells += u32::from(is_logged);
        }
        self.durability = self.durability.max(durability);
    }

    /// Cells that go another way than those of this durability.
    fn others(&self, durability: Durability) -> &[u8] {
        if durability == Durability::SkipWal { &self.logged } else { &self.unlogged }
    }

    /// Appends `cell` with LATEST replaced by `now`, and with the mutation's time to live.
    pub(crate) fn push_stamped(
        &mut self,
        cell: &Cell<'_>,
        now: i64,
        ttl_ms: Option<i64>,
        durability: Durability,
    ) {
        let latest = cell.timestamp() == LATEST_TIMESTAMP;
        self.push(durability, |out| {
            if let Some(ttl) = ttl_ms {
                let timestamp = if latest { now } else { cell.timestamp() };
                let tags = tags_with_ttl(cell.tags(), ttl);
                CellParts { timestamp, tags: &tags, ..(*cell).into() }.write(out);
                return;
            }
            let at = out.len();
            out.extend_from_slice(cell.bytes());
            if latest {
                stamp(&mut out[at..], cell, now);
            }
        });
    }
}

/// Bytes that a cell takes in a block of cells: what HBase compares with `hbase.server.keyvalue.maxsize`.
pub(crate) fn size_in_block(cell: &[u8]) -> usize {
    size_of::<u32>() + cell.len()
}

/// Gives the copy of `cell` that `out` begins with its time.
fn stamp(out: &mut [u8], cell: &Cell<'_>, now: i64) {
    let timestamp_at = LENGTHS_SIZE + cell.key_length() - 9;
    out[timestamp_at..timestamp_at + 8].copy_from_slice(&now.to_be_bytes());
}

/// Bytes of a TTL tag: length, type, and milliseconds.
const TTL_TAG_SIZE: usize = 2 + 1 + 8;

/// A tags area with the TTL tag replaced.
pub(crate) fn tags_with_ttl(area: &[u8], ttl_ms: i64) -> Vec<u8> {
    let mut out = Vec::with_capacity(area.len() + TTL_TAG_SIZE);
    for tag in tags(area).filter(|tag| tag.tag_type != TTL_TAG) {
        write_tag(&mut out, tag.tag_type, tag.value);
    }
    // Behind the others, where HBase has it.
    write_tag(&mut out, TTL_TAG, &ttl_ms.to_be_bytes());
    out
}

/// Refuses what is no row: one without bytes would mean all rows to a read.
pub(crate) fn check_row_length(row: &[u8]) -> Result<(), RegionError> {
    if row.is_empty() || row.len() > finback_cell::MAX_ROW_LENGTH {
        return Err(RegionError::Invalid(format!("Row length {} is not in 1..32767", row.len())));
    }
    Ok(())
}

impl Region {
    /// The durability of a mutation, with the table's where it leaves it open.
    pub(crate) fn effective_durability(&self, mutation: &Mutation) -> Durability {
        match mutation.durability {
            Durability::UseDefault => self.rules.durability,
            durability => durability,
        }
    }

    /// Checks a mutation against the region and the schema.
    pub(crate) fn check_mutation(&self, mutation: &Mutation) -> Result<(), RegionError> {
        let row = &mutation.row;
        check_row_length(row)?;
        let limit = self.environment.config.max_cell_size_bytes;
        self.check_timestamps(mutation)?;
        for cell in &mutation.cells {
            if cell.row() != row {
                return Err(RegionError::Invalid(format!(
                    "The row in {:?} doesn't match the original one {}",
                    cell,
                    Shortened(row)
                )));
            }
            self.store(cell.family())?;
            let known = CellType::from_code(cell.type_code())
                .is_some_and(|cell_type| !matches!(cell_type, CellType::Minimum | CellType::Maximum));
            if !known {
                return Err(RegionError::Invalid(format!(
                    "unknown type code {} in {cell:?}",
                    cell.type_code()
                )));
            }
            if !are_whole(cell.tags()) {
                return Err(RegionError::Invalid(format!("tags whose lengths disagree in {cell:?}")));
            }
            let ttl_size = if mutation.ttl_ms.is_some() { TTL_TAG_SIZE } else { 0 };
            if cell.tags().len() + ttl_size > finback_cell::MAX_TAGS_LENGTH {
                return Err(RegionError::Invalid(format!(
                    "no room for a time to live in the tags of {cell:?}"
                )));
            }
            let size = size_in_block(cell.bytes());
            if limit > 0 && size > limit && mutation.kind != MutationKind::Delete {
                return Err(RegionError::CellTooLarge { cell: format!("{cell:?}"), size, limit });
            }
        }
        Ok(())
    }

    /// Refuses puts that are too far in the future.
    fn check_timestamps(&self, mutation: &Mutation) -> Result<(), RegionError> {
        let Some(slop_ms) = self.environment.config.timestamp_slop_ms else { return Ok(()) };
        let newest = self.environment.host.now_ms().saturating_add(slop_ms);
        let is_too_new = |cell: &Cell<'_>| cell.timestamp() != LATEST_TIMESTAMP && cell.timestamp() > newest;
        match mutation.cells.iter().find(is_too_new) {
            Some(cell) if mutation.kind == MutationKind::Put => {
                Err(RegionError::TooNew { cell: format!("{cell:?}"), slop_ms })
            }
            _ => Ok(()),
        }
    }
}
