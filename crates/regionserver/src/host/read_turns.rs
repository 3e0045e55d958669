//! How many blocks are read from devices at a time.

use crate::multi::MAX_OPEN_GETS;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Blocks at a time, on as many threads: all that one multi-get asks for together, and few enough for the threads that flushes and
/// compactions need besides.
const MAX_READS_AT_ONCE: usize = MAX_OPEN_GETS;

/// Turns to read a block. Who asked first has the next one.
#[derive(Debug)]
pub(super) struct ReadTurns {
    reads: Arc<Semaphore>,
    /// Memory of what is being read, and in no cache yet. Neither of the two is ever closed.
    kib: Arc<Semaphore>,
    room_kib: u32,
}

/// Until it is dropped.
pub(super) struct Turn {
    _read: OwnedSemaphorePermit,
    _kib: OwnedSemaphorePermit,
}

impl ReadTurns {
    /// For blocks that have so many bytes of memory together.
    pub(super) fn within(read_bytes: u64) -> Self {
        let room_kib = u32::try_from(read_bytes >> 10).unwrap_or(u32::MAX).max(1);
        let semaphore = |permits: usize| Arc::new(Semaphore::new(permits));
        Self { reads: semaphore(MAX_READS_AT_ONCE), kib: semaphore(room_kib as usize), room_kib }
    }

    /// A turn to read a block that has so many bytes in memory. One may always be read, however large it is.
    pub(super) async fn turn(&self, bytes: u64) -> Turn {
        let kib = bytes.div_ceil(1 << 10).min(u64::from(self.room_kib)) as u32;
        Turn {
            _read: Arc::clone(&self.reads).acquire_owned().await.expect("never closed"),
            _kib: Arc::clone(&self.kib).acquire_many_owned(kib).await.expect("never closed"),
        }
    }
}

#[cfg(test)]
mod tests;
