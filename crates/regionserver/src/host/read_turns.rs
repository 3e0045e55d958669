//! How many blocks are read from devices at a time.

use crate::multi::MAX_OPEN_GETS;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Blocks at a time, on as many threads: all that one multi-get asks for together, and few enough for the threads that flushes and
/// compactions need besides.
const MAX_READS_AT_ONCE: usize = MAX_OPEN_GETS;

/// What is being read is in no cache yet, and counted nowhere else: one part in so many of what memstores may have.
const PART_OF_MEMSTORES: u64 = 8;

/// Bytes, at least and at most.
const ROOM_BYTES: (u64, u64) = (1 << 20, 1 << 30);

/// Turns to read a block. Who asked first has the next one.
#[derive(Debug)]
pub(super) struct ReadTurns {
    reads: Arc<Semaphore>,
    kib: Arc<Semaphore>,
    room_kib: u32,
}

/// Until it is dropped.
pub(super) struct Turn(#[allow(dead_code)] [Option<OwnedSemaphorePermit>; 2]);

impl ReadTurns {
    /// Where memstores may have so many bytes.
    pub(super) fn within(memstore_limit: u64) -> Self {
        let room_kib = ((memstore_limit / PART_OF_MEMSTORES).clamp(ROOM_BYTES.0, ROOM_BYTES.1) >> 10) as u32;
        let semaphore = |permits: usize| Arc::new(Semaphore::new(permits));
        Self { reads: semaphore(MAX_READS_AT_ONCE), kib: semaphore(room_kib as usize), room_kib }
    }

    /// A turn to read so many bytes. One block may always be read, however large it is.
    pub(super) async fn turn(&self, bytes: u32) -> Turn {
        let kib = bytes.div_ceil(1 << 10).min(self.room_kib);
        // The semaphores are never closed: an error cannot come.
        let read = Arc::clone(&self.reads).acquire_owned().await.ok();
        Turn([read, Arc::clone(&self.kib).acquire_many_owned(kib).await.ok()])
    }
}

#[cfg(test)]
mod tests;
