//! Threads that look for a block that comes and goes, in many orders of their steps.

use super::tests::file;
use crate::MemoryBlockCache;
use finback_hfile::{Block, BlockCache, BlockPriority, BloomProbe, FileId, ScanInterrupt};
use finback_sync::atomic::{AtomicUsize, Ordering};
use finback_sync::{thread, try_schedules};
use std::sync::Arc;

/// Schedules tried of each program.
const SCHEDULES: usize = 500;
/// Room for all blocks.
const CAPACITY: u64 = 1 << 20;
const FILE: FileId = FileId(1);

/// Blocks of one key, of which the cache has one at a time, and how far their writer is.
struct Program {
    cache: MemoryBlockCache,
    blocks: Vec<Arc<Block>>,
    /// Three steps for each block: it is there, it is about to leave, it has left.
    steps: AtomicUsize,
    at_work: AtomicUsize,
}

impl Program {
    /// Puts the blocks in, each when the one before has left.
    fn put_in_turn(&self, leave: fn(&MemoryBlockCache)) {
        for block in &self.blocks {
            self.cache.insert(FILE, block, BlockPriority::Index);
            self.steps.fetch_add(1, Ordering::SeqCst);
            self.check_look();
            self.steps.fetch_add(1, Ordering::SeqCst);
            leave(&self.cache);
            self.steps.fetch_add(1, Ordering::SeqCst);
            self.check_look();
        }
    }

    /// Which of the blocks is found.
    fn find(&self) -> Option<usize> {
        let found = self.cache.get(FILE, self.blocks[0].place().offset, BlockPriority::Index)?;
        self.blocks.iter().position(|block| Arc::ptr_eq(block, &found))
    }

    fn check_look(&self) {
        let before = self.steps.load(Ordering::SeqCst);
        let found = self.find();
        let after = self.steps.load(Ordering::SeqCst);
        let left = before / 3;
        assert!(found.is_none_or(|at| at >= left), "block {found:?} is found, {left} had left before");
        if before % 3 == 1 && before == after {
            assert_eq!(found, Some(left), "it was there all the time");
        }
    }

    /// Finds a block, or puts it in, more than once. Then waits for the others, and says what is found.
    fn find_or_put_in(&self, block: &Arc<Block>) -> Option<usize> {
        for _ in 0..2 {
            if self.find().is_none() {
                self.cache.insert(FILE, block, BlockPriority::Index);
            }
        }
        self.at_work.fetch_sub(1, Ordering::SeqCst);
        while self.at_work.load(Ordering::SeqCst) > 0 {
            thread::yield_now();
        }
        self.find()
    }
}

/// A block that leads to others: the chunk of a Bloom filter, at the same place each time.
fn chunk() -> Arc<Block> {
    let mut probe = BloomProbe::row(file(FILE.0), None, b"row");
    let Err(ScanInterrupt::NeedBlock(request)) = probe.may_contain() else { panic!("it is nowhere yet") };
    request.read().unwrap()
}

/// Runs it with so many blocks on many schedules.
fn try_with(blocks: usize, at_work: usize, run: fn(&Arc<Program>)) {
    let blocks: Vec<_> = (0..blocks).map(|_| chunk()).collect();
    try_schedules(SCHEDULES, move || {
        run(&Arc::new(Program {
            cache: MemoryBlockCache::new(CAPACITY),
            blocks: blocks.clone(),
            steps: AtomicUsize::new(0),
            at_work: AtomicUsize::new(at_work),
        }));
    });
}

/// Two threads look for the blocks, as their writer does, while these come and leave.
fn look_while_they_leave(program: &Arc<Program>, leave: fn(&MemoryBlockCache)) {
    let looking = [(); 2].map(|()| {
        let program = Arc::clone(program);
        thread::spawn(move || (0..8).for_each(|_| program.check_look()))
    });
    program.put_in_turn(leave);
    for thread in looking {
        thread.join().unwrap();
    }
    assert_eq!(program.find(), None);
}

#[test]
fn what_has_left_with_its_file_is_found_by_no_thread() {
    try_with(3, 0, |program| look_while_they_leave(program, |cache| _ = cache.evict_file(FILE)));
}

#[test]
fn what_has_made_room_is_found_by_no_thread() {
    try_with(3, 0, |program| {
        look_while_they_leave(program, |cache| {
            cache.outside_changed(CAPACITY as isize);
            cache.outside_changed(-(CAPACITY as isize));
        });
    });
}

#[test]
fn threads_that_put_in_what_they_miss_find_in_the_end_what_is_there() {
    try_with(2, 3, |program| {
        let readers = [0, 1].map(|own: usize| {
            let program = Arc::clone(program);
            thread::spawn(move || program.find_or_put_in(&program.blocks[own]))
        });
        program.cache.evict_file(FILE);
        program.at_work.fetch_sub(1, Ordering::SeqCst);
        let found = readers.map(|reader| reader.join().unwrap());
        // This thread remembers nothing.
        let there = program.find();
        assert_eq!(found, [there; 2]);
        assert_eq!(program.cache.statistics().blocks, u64::from(there.is_some()));
    });
}
