//! The sources a read merges: memstore segments and store files, behind one face.

use crate::file_source::FileSource;
use crate::unsettled::UnsettledCells;
use finback_cell::Cell;
use finback_cell::key::Key;
use finback_hfile::{Block, ScanInterrupt};
use finback_memstore::SegmentScanner;
use std::sync::Arc;

/// A sorted source of cells. Operations on files may stop for a block that is not in memory: [`ScanInterrupt`].
#[derive(Debug)]
pub(crate) enum Source {
    Segment(SegmentScanner),
    File(Box<FileSource>),
    Unsettled(Box<UnsettledCells>),
}

impl Source {
    /// The current cell and its sequence id.
    #[inline]
    pub(crate) fn peek(&self) -> Option<(Cell<'_>, u64)> {
        match self {
            Self::Segment(scanner) => scanner.peek(),
            Self::File(file) => file.peek(),
            Self::Unsettled(cells) => cells.peek(),
        }
    }

    /// Key and sequence id of the current cell, also while the source rests.
    pub(crate) fn key(&self) -> Option<(Key<'_>, u64)> {
        match self {
            Self::Segment(scanner) => scanner.peek().map(|(cell, sequence_id)| (Key::of(&cell), sequence_id)),
            Self::File(file) => file.key(),
            Self::Unsettled(cells) => cells.peek().map(|(cell, sequence_id)| (Key::of(&cell), sequence_id)),
        }
    }

    /// The row of the current cell, also while the source rests.
    #[inline]
    pub(crate) fn row(&self) -> Option<&[u8]> {
        match self.peek() {
            Some((cell, _)) => Some(cell.row()),
            None => self.key().map(|(key, _)| key.row),
        }
    }

    /// Whether there is a current cell of which only the key is in memory.
    #[inline]
    pub(crate) fn is_resting(&self) -> bool {
        match self {
            Self::Segment(_) | Self::Unsettled(_) => false,
            Self::File(file) => file.is_resting(),
        }
    }

    /// Whether there is a current cell.
    #[inline]
    pub(crate) fn has_cell(&self) -> bool {
        self.peek().is_some() || self.is_resting()
    }

    /// Keeps of the current cell only the key until [`Source::wake`], if it is in a block of more than `most` bytes.
    pub(crate) fn rest(&mut self, most: usize) {
        if let Self::File(file) = self {
            file.rest(most);
        }
    }

    /// Has the current cell again.
    pub(crate) fn wake(&mut self) -> Result<(), ScanInterrupt> {
        match self {
            Self::Segment(_) | Self::Unsettled(_) => Ok(()),
            Self::File(file) => file.wake(),
        }
    }

    /// Moves to the next cell.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<(), ScanInterrupt> {
        match self {
            Self::Segment(scanner) => {
                scanner.next();
                Ok(())
            }
            Self::File(file) => file.next(),
            Self::Unsettled(cells) => {
                cells.next();
                Ok(())
            }
        }
    }

    /// Moves to the first cell at or after `key`.
    pub(crate) fn seek(&mut self, key: &Key<'_>) -> Result<(), ScanInterrupt> {
        match self {
            Self::Segment(scanner) => {
                scanner.seek(key);
                Ok(())
            }
            Self::File(file) => file.seek(key),
            Self::Unsettled(cells) => {
                cells.seek(key);
                Ok(())
            }
        }
    }

    /// Moves forward to the first cell at or after `key`.
    pub(crate) fn reseek(&mut self, key: &Key<'_>) -> Result<(), ScanInterrupt> {
        match self {
            Self::Segment(scanner) => {
                scanner.reseek(key);
                Ok(())
            }
            Self::File(file) => file.reseek(key),
            Self::Unsettled(cells) => {
                cells.reseek(key);
                Ok(())
            }
        }
    }

    /// The greatest row before `row` (`None`: the last row).
    pub(crate) fn previous_row(&mut self, row: Option<&[u8]>) -> Result<Option<Vec<u8>>, ScanInterrupt> {
        match self {
            Self::Segment(scanner) => Ok(scanner.previous_row(row).map(<[u8]>::to_vec)),
            Self::File(file) => file.previous_row(row),
            Self::Unsettled(cells) => Ok(cells.previous_row(row).map(<[u8]>::to_vec)),
        }
    }

    /// The newest timestamp of any cell, of a source that costs something to seek; `None` when it is not known.
    pub(crate) fn newest_timestamp(&self) -> Option<i64> {
        match self {
            Self::Segment(_) | Self::Unsettled(_) => None,
            Self::File(file) => file.newest_timestamp(),
        }
    }

    /// Bytes of the blocks that this source keeps in memory. Segments are counted with their memstore.
    pub(crate) fn held_bytes(&self) -> usize {
        match self {
            Self::Segment(_) | Self::Unsettled(_) => 0,
            Self::File(file) => file.held_bytes(),
        }
    }

    /// Bytes of the block of the current cell.
    #[inline]
    pub(crate) fn block_bytes(&self) -> usize {
        match self {
            Self::Segment(_) | Self::Unsettled(_) => 0,
            Self::File(file) => file.block_bytes(),
        }
    }

    /// Lets go of all blocks, until [`Source::unpark`].
    pub(crate) fn park(&mut self) {
        if let Self::File(file) = self {
            file.park();
        }
    }

    /// Goes back to where it was parked.
    pub(crate) fn unpark(&mut self) -> Result<(), ScanInterrupt> {
        match self {
            Self::Segment(_) | Self::Unsettled(_) => Ok(()),
            Self::File(file) => file.unpark(),
        }
    }

    /// Hands over the block that an operation asked for.
    pub(crate) fn provide(&mut self, block: Arc<Block>) {
        if let Self::File(file) = self {
            file.provide(block);
        }
    }
}
