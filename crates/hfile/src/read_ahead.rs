//! How far a scanner that goes from block to block has the device read ahead.

use crate::block::BlockRef;
use std::cell::Cell;
use std::ops::Range;

/// Blocks that a scanner has gone through one after the other before it reads ahead: short scans do not pay for long ones.
const READ_AHEAD_AFTER: u32 = 2;
/// How far it then reads ahead, in bytes; again when half of them are left.
const READ_AHEAD_BYTES: u64 = 1 << 20;
/// Between two data blocks that follow each other there may be so much of the index and of Bloom filters.
const GAP_BYTES: u64 = 512 << 10;

/// What a scanner has asked for ahead of its position.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    blocks_in_a_row: u32,
    until: Cell<u64>,
}

impl ReadAhead {
    /// The scanner went from one block to another.
    pub(crate) fn moved(&mut self, from: BlockRef, to: BlockRef) {
        if from == to {
            return;
        }
        let gap = to.offset.checked_sub(from.offset.saturating_add(u64::from(from.size)));
        let is_next = gap.is_some_and(|gap| gap <= GAP_BYTES);
        self.blocks_in_a_row = if is_next { self.blocks_in_a_row.saturating_add(1) } else { 0 };
    }

    /// What to read ahead of a block that is about to be read.
    pub(crate) fn after(&self, place: BlockRef, file_size: u64) -> Range<u64> {
        if self.blocks_in_a_row < READ_AHEAD_AFTER {
            return 0..0;
        }
        let end = place.offset.saturating_add(u64::from(place.size)).min(file_size);
        let far = end.saturating_add(READ_AHEAD_BYTES).min(file_size);
        // What was asked for further back or further ahead is of another pass through the file.
        let until = Some(self.until.get()).filter(|until| (end..=far).contains(until)).unwrap_or(end);
        if until - end > READ_AHEAD_BYTES / 2 {
            return 0..0;
        }
        self.until.set(far);
        until..far
    }
}

#[cfg(test)]
mod tests;
