/// What is written past the page cache has offsets, lengths and memory in multiples of this: the most that devices ask for.
pub(super) const BLOCK: usize = 4096;

/// Above it, memory grows by so much and no longer to twice what it was.
const STEP: usize = 256 << 10;

/// Bytes that begin at a multiple of [`BLOCK`] in memory.
#[derive(Debug)]
pub(super) struct AlignedBuffer {
    memory: Vec<u8>,
    /// Where in it the bytes begin.
    at: usize,
}

impl AlignedBuffer {
    /// Nothing yet, with room for so many bytes.
    pub(super) fn with_room(bytes: usize) -> Self {
        let mut memory = Vec::<u8>::with_capacity(bytes + BLOCK);
        let at = memory.as_ptr().align_offset(BLOCK);
        memory.resize(at, 0);
        Self { memory, at }
    }

    pub(super) fn len(&self) -> usize {
        self.memory.len() - self.at
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.memory[self.at..]
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.at..]
    }

    /// Bytes of memory.
    pub(super) fn capacity(&self) -> usize {
        self.memory.capacity()
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.make_room(bytes.len());
        self.memory.extend_from_slice(bytes);
    }

    /// Makes room for so many bytes more.
    pub(super) fn make_room(&mut self, more: usize) {
        if self.memory.capacity() - self.memory.len() < more {
            let room = self.len() + more;
            self.move_to(room.next_power_of_two().min(room.next_multiple_of(STEP)));
        }
    }

    fn move_to(&mut self, room: usize) {
        let mut other = Self::with_room(room);
        other.memory.extend_from_slice(self.bytes());
        *self = other;
    }

    /// Becomes `len` bytes long: without its last ones, or with zeros behind them.
    pub(super) fn resize(&mut self, len: usize) {
        self.make_room(len.saturating_sub(self.len()));
        self.memory.resize(self.at + len, 0);
    }

    /// Without the first bytes.
    pub(super) fn remove_first(&mut self, bytes: usize) {
        self.memory.copy_within(self.at + bytes.., self.at);
        self.memory.truncate(self.memory.len() - bytes);
    }

    /// Gives the memory away, for bytes to be pushed to it.
    pub(super) fn lend(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.memory)
    }

    /// Takes it back; whether it still has so many bytes.
    pub(super) fn take_back(&mut self, memory: Vec<u8>, len: usize) -> bool {
        if memory.len() < self.at + len {
            return false;
        }
        self.memory = memory;
        // It moved when it grew.
        if !self.bytes().as_ptr().addr().is_multiple_of(BLOCK) {
            self.move_to(self.len());
        }
        true
    }

    /// One that begins elsewhere, of which no device takes or gives anything.
    #[cfg(test)]
    pub(super) fn misaligned(bytes: usize) -> Self {
        let Self { mut memory, at } = Self::with_room(bytes + BLOCK);
        memory.resize(at + 1, 0);
        Self { memory, at: at + 1 }
    }
}
