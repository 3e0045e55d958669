//! Files that are opened, kept and closed for others, in many orders of these steps.

use std::path::Path;

use finback_sync::{thread, try_schedules};

use super::*;
use crate::{FileSystem, MemFileSystem};

/// Schedules tried of each program.
const SCHEDULES: usize = 1000;
const FILES: usize = 3;

struct Program {
    cache: DescriptorCache,
    file: Arc<dyn RandomAccessFile>,
    slots: [Arc<Slot>; FILES],
}

impl Program {
    /// Of all files so many may be open.
    fn new(limit: usize) -> Arc<Self> {
        let fs = MemFileSystem::new();
        fs.create_new(Path::new("/file")).unwrap();
        let file = fs.open(Path::new("/file")).unwrap();
        Arc::new(Self { cache: DescriptorCache::new(limit), file, slots: Default::default() })
    }

    fn read(&self, number: usize) -> Arc<dyn RandomAccessFile> {
        let slot = &self.slots[number];
        slot.get().unwrap_or_else(|| self.cache.admit(slot, Arc::clone(&self.file)))
    }

    /// Keeps a file open for a while, or for ever.
    fn pin(&self, number: usize) {
        let file = self.read(number);
        self.slots[number].pin(file);
    }

    fn pin_for_a_while(&self, number: usize) {
        self.pin(number);
        self.check_is_open(number);
        self.cache.unpin(&self.slots[number]);
    }

    fn check_is_open(&self, number: usize) {
        assert!(self.slots[number].state.lock().file.is_some(), "a file was closed that has to stay open");
    }

    /// What is open can be closed by the ring that has it, and is no more than may be. Files that may have been closed late are
    /// closed when the next one is opened.
    fn check_at_rest(&self) {
        let last = Arc::<Slot>::default();
        self.cache.admit(&last, Arc::clone(&self.file));
        for slot in &self.slots {
            let rings = self.cache.shards.iter().map(|ring| ring.lock());
            let places =
                |ring: &Ring| ring.slots.iter().filter(|place| place.as_ptr() == Arc::as_ptr(slot)).count();
            let places: usize = rings.map(|ring| places(&ring)).sum();
            assert!(places <= 1, "a slot has {places} places in rings");
        }
        let states = self.slots.iter().chain([&last]).map(|slot| slot.state.lock());
        let unpinned = states.filter(|state| state.file.is_some() && state.pins == 0);
        let in_ring: Vec<bool> = unpinned.map(|state| state.in_ring).collect();
        assert!(in_ring.iter().all(|&is| is), "a file is open that nothing closes");
        assert!(in_ring.len() <= self.cache.limit, "{} files are open", in_ring.len());
    }
}

/// Runs these threads, and looks at what is left.
fn try_with(threads: &'static [fn(&Program)]) {
    try_schedules(SCHEDULES, move || {
        let program = Program::new(1);
        let running: Vec<_> = threads
            .iter()
            .map(|work| {
                let program = Arc::clone(&program);
                thread::spawn(move || work(&program))
            })
            .collect();
        for thread in running {
            thread.join().unwrap();
        }
        program.check_at_rest();
    });
}

#[test]
fn threads_that_open_the_same_files_leave_as_many_open_as_may_be() {
    try_with(&[
        |program| drop((program.read(0), program.read(1))),
        |program| drop((program.read(1), program.read(0))),
        |program| drop((program.read(2), program.read(0))),
    ]);
}

#[test]
fn a_pinned_file_stays_open_while_others_ask_for_its_place() {
    try_with(&[
        |program| {
            program.pin(0);
            drop(program.read(1));
            program.check_is_open(0);
        },
        |program| drop((program.read(2), program.read(0))),
    ]);
}

#[test]
fn a_file_that_was_pinned_from_its_opening_comes_into_one_ring() {
    try_schedules(SCHEDULES, || {
        let mut program = Program::new(2);
        let opened = program.cache.pinned(Arc::clone(&program.file));
        Arc::get_mut(&mut program).unwrap().slots[0] = opened;
        let other = Arc::clone(&program);
        let pinning = thread::spawn(move || other.pin_for_a_while(0));
        program.cache.unpin(&program.slots[0]);
        pinning.join().unwrap();
        program.check_at_rest();
    });
}

#[test]
fn a_file_that_is_unpinned_can_be_closed_again() {
    try_with(&[
        |program| program.pin_for_a_while(0),
        |program| program.pin_for_a_while(0),
        |program| drop((program.read(1), program.read(2))),
        |program| program.cache.shed(),
    ]);
}
