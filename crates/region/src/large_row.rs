//! Whether most of what is written to a region belongs to one row, and is much.
//!
//! Memstores keep rows together, so that files are few and what is overwritten soon never gets into one. A row of a GiB gets
//! nothing of that from memory, only takes it: a region that is filled by one row is flushed early. Which row that might be
//! is found by Boyer and Moore's majority vote, in which each byte that is written has a voice: one row is known, and the
//! bytes that it is ahead of all others.

use std::sync::atomic::{AtomicU64, Ordering};

/// Memstore size at which a region that is filled by one row is flushed, in bytes.
pub(crate) const FLUSH_BYTES: u64 = 8 << 20;
/// Memstore size at which writes to it are refused: what a flush may take, and what is written meanwhile.
pub(crate) const LIMIT_BYTES: u64 = 16 << 20;

/// Bytes that one row must be ahead of all others.
const AHEAD_BYTES: u64 = FLUSH_BYTES;
/// A row is ahead by no more than this, so that it is forgotten after as much of others.
const MOST_AHEAD_BYTES: u64 = 2 * AHEAD_BYTES;

/// The vote. Writers that are there at the same time may take voices from each other: it need not be exact.
#[derive(Debug, Default)]
pub(crate) struct LargeRow {
    /// The hash of the row.
    row: AtomicU64,
    ahead_bytes: AtomicU64,
}

impl LargeRow {
    /// So many bytes were written to a row, known by its hash.
    #[inline]
    pub(crate) fn wrote(&self, row: u64, bytes: usize) {
        let (bytes, ahead) = (bytes as u64, self.ahead_bytes.load(Ordering::Relaxed));
        let ahead = if self.row.load(Ordering::Relaxed) == row {
            ahead.saturating_add(bytes).min(MOST_AHEAD_BYTES)
        } else if ahead >= bytes {
            ahead - bytes
        } else {
            self.row.store(row, Ordering::Relaxed);
            (bytes - ahead).min(MOST_AHEAD_BYTES)
        };
        self.ahead_bytes.store(ahead, Ordering::Relaxed);
    }

    /// Whether one row has most of what was written lately, and much.
    #[inline]
    pub(crate) fn is_there(&self) -> bool {
        self.ahead_bytes.load(Ordering::Relaxed) >= AHEAD_BYTES
    }

    /// Whether that is half of what the memstores hold, too: what other rows have there, from before, is no reason to refuse writes.
    #[inline]
    pub(crate) fn fills(&self, memstore_bytes: u64) -> bool {
        self.is_there() && self.ahead_bytes.load(Ordering::Relaxed) >= memstore_bytes / 2
    }
}

#[cfg(test)]
mod tests;
