//! The memory of one chunk. That of the largest, of which a busy memstore wants more all the time, is kept when it is free: a page
//! that the system gives anew costs more than all that a small put has to do in memory.

use finback_sync::process::{Mutex, MutexGuard};
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

/// So many pieces at most go back at once: while the system takes much memory away, whoever touches some for the first time waits.
const GIVEN_AT_ONCE: usize = 16;

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
        let (kept, too_much) = Kept::of_process().take(size);
        too_much.into_iter().for_each(Block::give_back);
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
        let freed = Kept::of_process().put(Block { ..self.0 }, Instant::now());
        freed.into_iter().for_each(Block::give_back);
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

    fn is_kept(size: usize) -> bool {
        // Whoever looks for uses of memory that was freed wants it freed.
        size == KEPT_BYTES && !cfg!(miri)
    }
}

/// Memory that is kept. With that of all chunks it is never more than chunks alone had at some time, nor, unless these have more by
/// themselves, than it may be: chunks that readers hold after a flush are beyond the limit of memstores for a moment.
struct Kept {
    /// Since when, the latest at the back.
    free: VecDeque<(Instant, Block)>,
    /// Bytes of all chunks.
    used: usize,
    /// The most that was ever used.
    most_used: usize,
    /// What chunks and what is kept may be together.
    limit: usize,
}

impl Kept {
    const fn new() -> Self {
        Self { free: VecDeque::new(), used: 0, most_used: 0, limit: usize::MAX }
    }

    fn of_process() -> MutexGuard<'static, Self> {
        static KEPT: Mutex<Kept> = Mutex::new(Kept::new());
        KEPT.lock()
    }

    /// Counts a chunk of `size` bytes; gives memory for it, if there is some, and what must not be kept any more.
    fn take(&mut self, size: usize) -> (Option<Block>, Vec<Block>) {
        self.used += size;
        self.most_used = self.most_used.max(self.used);
        let block = if Block::is_kept(size) { self.free.pop_back() } else { None };
        (block.map(|(_, block)| block), self.take_oldest(self.free.len().saturating_sub(self.room())))
    }

    /// So many may be kept.
    fn room(&self) -> usize {
        self.most_used.min(self.limit).saturating_sub(self.used) / KEPT_BYTES
    }

    /// Counts a chunk that is free; gives its memory back if it is not kept.
    fn put(&mut self, block: Block, now: Instant) -> Option<Block> {
        self.used -= block.layout.size();
        if !Block::is_kept(block.layout.size()) || self.free.len() >= self.room() {
            return Some(block);
        }
        self.free.push_back((now, block));
        None
    }

    /// Some of what nobody has wanted for long.
    fn take_unwanted(&mut self, now: Instant) -> Vec<Block> {
        let is_unwanted = |(since, _): &(Instant, Block)| now.saturating_duration_since(*since) >= KEPT_FOR;
        self.take_oldest(self.free.iter().take(GIVEN_AT_ONCE).take_while(|free| is_unwanted(free)).count())
    }

    fn take_oldest(&mut self, count: usize) -> Vec<Block> {
        self.free.drain(..count).map(|(_, block)| block).collect()
    }
}

/// From now on memory of memstores is kept for the next ones only as far as all of it is no more than so many bytes.
pub fn keep_memory_within(bytes: usize) {
    let mut kept = Kept::of_process();
    kept.limit = bytes;
    let too_many = kept.free.len().saturating_sub(kept.room());
    let too_much = kept.take_oldest(too_many);
    drop(kept);
    too_much.into_iter().for_each(Block::give_back);
}

/// Gives memory of memstores back to the allocator that none of them has wanted for five minutes, 32 MiB of it at most. To be called
/// every second or so. Returns how many bytes it was.
pub fn give_back_unwanted_memory(now: Instant) -> usize {
    let unwanted = Kept::of_process().take_unwanted(now);
    let bytes = unwanted.len() * KEPT_BYTES;
    unwanted.into_iter().for_each(Block::give_back);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(blocks: &[Block]) -> Vec<NonNull<u8>> {
        blocks.iter().map(|block| block.start).collect()
    }

    /// Blocks in use.
    fn used(kept: &mut Kept, count: usize) -> Vec<Block> {
        (0..count).map(|_| kept.take(KEPT_BYTES).0.unwrap_or_else(|| Block::new(KEPT_BYTES))).collect()
    }

    #[cfg_attr(miri, ignore = "nothing is kept")]
    #[test]
    fn the_memory_that_was_free_last_is_taken_first_and_what_nobody_wants_goes() {
        let mut kept = Kept::new();
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let blocks = used(&mut kept, 4);
        let place = places(&blocks);
        for (seconds, block) in (0..).step_by(100).zip(blocks) {
            assert!(kept.put(block, at(seconds)).is_none());
        }
        let (taken, too_much) = kept.take(KEPT_BYTES);
        assert!(taken.as_ref().is_some_and(|taken| taken.start == place[3]) && too_much.is_empty());
        assert!(kept.take_unwanted(at(299)).is_empty());
        let unwanted = kept.take_unwanted(at(400));
        assert_eq!(places(&unwanted), place[..2]);
        assert!(kept.put(taken.unwrap(), at(500)).is_none());
        assert!(kept.take_unwanted(begin).is_empty());
        let rest = kept.take_unwanted(at(800));
        assert_eq!(places(&rest), place[2..]);
        unwanted.into_iter().chain(rest).for_each(Block::give_back);
    }

    #[cfg_attr(miri, ignore = "nothing is kept")]
    #[test]
    fn what_is_kept_and_what_is_used_are_together_no_more_than_was_used() {
        let mut kept = Kept::new();
        let now = Instant::now();
        let blocks = used(&mut kept, 3);
        let place = places(&blocks);
        blocks.into_iter().for_each(|block| assert!(kept.put(block, now).is_none()));
        // Of another size: nothing kept is of use, and one has to go for it, then another.
        for (size, gone) in [(KEPT_BYTES / 2, 0..1), (KEPT_BYTES / 2, 0..0), (KEPT_BYTES - 8, 1..2)] {
            let (block, too_much) = kept.take(size);
            assert!(block.is_none());
            assert_eq!(places(&too_much), place[gone]);
            too_much.into_iter().for_each(Block::give_back);
        }
        // More than ever before.
        let (block, too_much) = kept.take(4 * KEPT_BYTES);
        assert!(block.is_none() && places(&too_much) == place[2..]);
        too_much.into_iter().for_each(Block::give_back);
        assert!(kept.free.is_empty());

        // More than there may be, and no more than that is kept of it.
        kept.used = 0;
        kept.limit = 2 * KEPT_BYTES;
        let blocks = used(&mut kept, 3);
        let place = places(&blocks);
        let gone: Vec<Block> = blocks.into_iter().filter_map(|block| kept.put(block, now)).collect();
        assert_eq!(places(&gone), place[..1]);
        let rest = kept.take_oldest(2);
        gone.into_iter().chain(rest).for_each(Block::give_back);

        kept.used = KEPT_BYTES / 2;
        kept.most_used = KEPT_BYTES;
        let small = Block::new(KEPT_BYTES / 2);
        kept.put(small, now).unwrap().give_back();
        assert_eq!(kept.used, 0);
    }

    #[test]
    fn memory_of_the_largest_chunks_is_kept_until_nobody_has_wanted_it_for_long() {
        let begin = Instant::now();
        drop((Memory::new(KEPT_BYTES), Memory::new(KEPT_BYTES), Memory::new(KEPT_BYTES - ALIGN)));
        // Other tests may have some of it by now, and give it back later.
        assert_eq!(give_back_unwanted_memory(begin), 0);
        assert!(give_back_unwanted_memory(Instant::now() + KEPT_FOR).is_multiple_of(KEPT_BYTES));
        let kept = Kept::of_process();
        assert!(kept.free.iter().all(|(_, block)| block.layout.size() == KEPT_BYTES));
    }
}
