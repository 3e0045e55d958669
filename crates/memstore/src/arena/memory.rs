//! The memory of one chunk. That of the largest, of which a busy memstore wants more all the time, is kept when it is free: a page
//! that the system gives anew costs more than all that a small put has to do in memory.

use parking_lot::{Mutex, MutexGuard};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::collections::VecDeque;
use std::ptr::NonNull;
use std::time::{Duration, Instant};

/// Alignment of all memory.
pub(super) const ALIGN: usize = 8;
/// Size of the chunks whose memory is kept.
const KEPT_BYTES: usize = super::MAX_CHUNK_BYTES;
/// Time after which memory that nobody has wanted goes back to the allocator: some times that between two flushes of a memstore
/// that is not idle.
const KEPT_FOR: Duration = Duration::from_secs(300);

/// Memory, uninitialised.
pub(super) struct Memory(Block);

/// Memory from the allocator, which somebody has to give back.
struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a block is memory and nothing else.
unsafe impl Send for Block {}

impl Memory {
    /// `size` bytes, of which there must be some.
    pub(super) fn new(size: usize) -> Self {
        let kept = if size == KEPT_BYTES { Free::of_process().take() } else { None };
        Self(kept.unwrap_or_else(|| Block::new(size)))
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.0.start
    }

    pub(super) fn size(&self) -> usize {
        self.0.layout.size()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let block = Block { ..self.0 };
        if self.size() == KEPT_BYTES {
            Free::of_process().keep(block, Instant::now());
        } else {
            block.give_back();
        }
    }
}

impl Block {
    fn new(size: usize) -> Self {
        assert!(size > 0, "a chunk of nothing");
        let layout = Layout::from_size_align(size, ALIGN).expect("a chunk is smaller than the address space");
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout));
        Self { start, layout }
    }

    fn give_back(self) {
        // SAFETY: allocated by `Block::new` with this layout; whoever calls this had it alone.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// Memory that is free, and since when: the latest at the back. No more than chunks had at one time, for they are given no other
/// while there is some.
struct Free(VecDeque<(Instant, Block)>);

impl Free {
    fn of_process() -> MutexGuard<'static, Self> {
        static FREE: Mutex<Free> = Mutex::new(Free(VecDeque::new()));
        FREE.lock()
    }

    fn take(&mut self) -> Option<Block> {
        self.0.pop_back().map(|(_, block)| block)
    }

    fn keep(&mut self, block: Block, now: Instant) {
        self.0.push_back((now, block));
    }

    fn take_unwanted(&mut self, now: Instant) -> Vec<Block> {
        let unwanted = |(since, _): &(Instant, Block)| now.saturating_duration_since(*since) >= KEPT_FOR;
        let count = self.0.iter().take_while(|free| unwanted(free)).count();
        self.0.drain(..count).map(|(_, block)| block).collect()
    }
}

/// Gives memory of memstores back to the allocator that none of them has wanted for five minutes. To be called now and then.
/// Returns how many bytes it was.
pub fn give_back_unwanted_memory(now: Instant) -> usize {
    let unwanted = Free::of_process().take_unwanted(now);
    let bytes = unwanted.len() * KEPT_BYTES;
    unwanted.into_iter().for_each(Block::give_back);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_that_was_free_last_is_taken_first_and_what_nobody_wants_goes() {
        let mut free = Free(VecDeque::new());
        assert!(free.take().is_none());
        let begin = Instant::now();
        let blocks: Vec<Block> = (0..4).map(|_| Block::new(16)).collect();
        let places: Vec<_> = blocks.iter().map(|block| block.start).collect();
        for (seconds, block) in (0..).map(|number| 100 * number).zip(blocks) {
            free.keep(block, begin + Duration::from_secs(seconds));
        }
        let taken = free.take().unwrap();
        assert_eq!(taken.start, places[3]);
        let at = |seconds| begin + Duration::from_secs(seconds);
        assert!(free.take_unwanted(at(299)).is_empty());
        let unwanted = free.take_unwanted(at(400));
        assert_eq!(unwanted.iter().map(|block| block.start).collect::<Vec<_>>(), places[..2]);
        free.keep(taken, at(500));
        assert!(free.take_unwanted(begin).is_empty());
        let rest = free.take_unwanted(at(800));
        assert_eq!(rest.iter().map(|block| block.start).collect::<Vec<_>>(), places[2..]);
        unwanted.into_iter().chain(rest).for_each(Block::give_back);
    }

    #[test]
    fn memory_of_the_largest_chunks_is_kept_until_nobody_has_wanted_it_for_long() {
        let begin = Instant::now();
        drop((Memory::new(KEPT_BYTES), Memory::new(KEPT_BYTES), Memory::new(KEPT_BYTES - ALIGN)));
        // Other tests may have some of it by now, and give it back later.
        assert!(give_back_unwanted_memory(begin) == 0);
        let all = give_back_unwanted_memory(Instant::now() + KEPT_FOR);
        assert!(all.is_multiple_of(KEPT_BYTES));
        assert!(Free::of_process().0.iter().all(|(_, block)| block.layout.size() == KEPT_BYTES));
    }
}
