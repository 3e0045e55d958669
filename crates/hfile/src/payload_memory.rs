//! Memory of blocks that are gone, for those that come.

use std::cell::Cell;
use std::ops::Deref;

/// More is not kept: blocks are of 64 KiB where nobody has asked for others, and a little longer than that.
const MOST_SPARE: usize = 80 << 10;

thread_local! {
    /// Of the block that a thread has dropped last: a cache that is full lets one go for each that comes.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// What a block holds. A thread keeps the memory of the last one that it drops, up to 80 KiB, for the next that it makes: it is likely
/// in the processor's cache, and does not have to be found, nor filled with zeros.
#[derive(Debug)]
pub(crate) struct PayloadMemory(Vec<u8>);

impl PayloadMemory {
    /// So many bytes of whatever.
    pub(crate) fn of_length(length: usize) -> Self {
        let mut spare = SPARE.take();
        if (length..=length + length / 8).contains(&spare.capacity()) {
            spare.resize(length, 0);
            return Self(spare);
        }
        SPARE.set(spare);
        // Zeroed by the system page by page, as it is written to: a length that lies costs addresses, not memory.
        Self(vec![0; length])
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }

    /// Forgets what is behind so many bytes.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }

    /// Bytes of memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.0.capacity()
    }
}

impl From<Vec<u8>> for PayloadMemory {
    fn from(mut bytes: Vec<u8>) -> Self {
        bytes.shrink_to_fit();
        Self(bytes)
    }
}

impl Clone for PayloadMemory {
    fn clone(&self) -> Self {
        let mut copy = Self::of_length(self.0.len());
        copy.0.copy_from_slice(&self.0);
        copy
    }
}

impl Deref for PayloadMemory {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for PayloadMemory {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.0);
        if (1..=MOST_SPARE).contains(&bytes.capacity()) {
            // At the end of a thread nothing is kept any more.
            let _ = SPARE.try_with(|spare| spare.set(bytes));
        }
    }
}

#[cfg(test)]
mod tests;
