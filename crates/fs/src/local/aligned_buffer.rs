/// What is written past the page cache has offsets, lengths and memory in multiples of this: the most that devices ask for.
pub(super) const BLOCK: usize = 4096;

/// Memory that begins at a multiple of [`BLOCK`].
#[derive(Debug)]
pub(super) struct AlignedBuffer {
    memory: Vec<u8>,
    /// Where in it the buffer begins.
    at: usize,
    len: usize,
}

impl AlignedBuffer {
    /// So many zeros.
    pub(super) fn zeroed(len: usize) -> Self {
        let memory = vec![0; len + BLOCK];
        let at = memory.as_ptr().align_offset(BLOCK);
        Self { memory, at, len }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.memory[self.at..self.at + self.len]
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.at..self.at + self.len]
    }

    /// Becomes at least so large; of what it has, the first `kept` bytes stay.
    pub(super) fn grow(&mut self, len: usize, kept: usize) {
        if len > self.len {
            let mut larger = Self::zeroed(len.next_power_of_two());
            larger.bytes_mut()[..kept].copy_from_slice(&self.bytes()[..kept]);
            *self = larger;
        }
    }
}
