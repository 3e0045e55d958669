//! Which files are open right now: at most so many, those that were not read lately are closed first.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::RandomAccessFile;

/// Locks, at most: each guards a part of the open files.
const MAX_SHARDS: usize = 16;
/// Files of a shard, at least: with fewer, chance would close files that are in use.
const MIN_SHARD_FILES: usize = 32;

/// The file of a handle, while it is open.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    state: Mutex<SlotState>,
    /// Read since the clock's hand came by.
    referenced: AtomicBool,
}

#[derive(Debug, Default)]
struct SlotState {
    file: Option<Arc<dyn RandomAccessFile>>,
    /// The file has no name any more, or none that is known: closed, it could not be opened again.
    pinned: bool,
}

impl Slot {
    /// The file, if it is open.
    pub(crate) fn get(&self) -> Option<Arc<dyn RandomAccessFile>> {
        let file = self.state.lock().file.clone()?;
        if !self.referenced.load(Relaxed) {
            self.referenced.store(true, Relaxed);
        }
        Some(file)
    }

    /// Puts in a file that was opened; gives back the one to use, and whether it is this one.
    fn set(&self, opened: Arc<dyn RandomAccessFile>) -> (Arc<dyn RandomAccessFile>, bool) {
        let mut state = self.state.lock();
        match &state.file {
            // Another thread was faster.
            Some(file) => (Arc::clone(file), false),
            None => {
                state.file = Some(Arc::clone(&opened));
                (opened, true)
            }
        }
    }

    /// Keeps the file open until the handle is dropped.
    pub(crate) fn pin(&self, file: Arc<dyn RandomAccessFile>) {
        let mut state = self.state.lock();
        state.file = Some(file);
        state.pinned = true;
    }

    /// The file has a name after all.
    pub(crate) fn unpin(&self) {
        self.state.lock().pinned = false;
    }

    fn take(&self) -> Option<Arc<dyn RandomAccessFile>> {
        let mut state = self.state.lock();
        if state.pinned { None } else { state.file.take() }
    }
}

/// Slots of open files, in a ring that a clock's hand goes round.
#[derive(Debug, Default)]
struct Ring {
    slots: Vec<Weak<Slot>>,
    hand: usize,
}

/// What a ring lets go: closed when no lock is held.
type Closed = Option<Arc<dyn RandomAccessFile>>;

/// Files that are closed for one that is opened, at most: more than one when the ring has more than it should, after
/// files that had to stay open.
const CLOSED_AT_ONCE: usize = 2;

impl Ring {
    /// Takes a slot in; another one's file is closed for it if the ring is full.
    fn admit(&mut self, slot: &Arc<Slot>, most: usize) -> [Closed; CLOSED_AT_ONCE] {
        let mut closed = [const { None }; CLOSED_AT_ONCE];
        for closed in &mut closed {
            if self.slots.len() >= most {
                *closed = self.shed();
            }
        }
        self.slots.push(Arc::downgrade(slot));
        closed
    }

    /// A place whose file is closed, or is to be closed by the caller. Twice round: the first time clears what was read.
    fn free_place(&mut self) -> Option<(usize, Closed)> {
        for _ in 0..2 * self.slots.len() {
            let place = self.hand % self.slots.len();
            self.hand = place + 1;
            let Some(slot) = self.slots[place].upgrade() else { return Some((place, None)) };
            if slot.referenced.swap(false, Relaxed) {
                continue;
            }
            if let Some(file) = slot.take() {
                return Some((place, Some(file)));
            }
        }
        None
    }

    /// Closes a file, and gives up its place.
    fn shed(&mut self) -> Closed {
        let (place, closed) = self.free_place()?;
        self.slots.swap_remove(place);
        closed
    }
}

/// What a descriptor cache did and has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescriptorStatistics {
    /// Files that may be open.
    pub limit: usize,
    /// Files opened so far, those opened again included.
    pub opened: u64,
    /// Files closed for others.
    pub closed: u64,
}

/// Bounds the number of open files.
#[derive(Debug)]
pub(crate) struct DescriptorCache {
    shards: Box<[Mutex<Ring>]>,
    limit: usize,
    opened: AtomicU64,
    closed: AtomicU64,
}

impl DescriptorCache {
    pub(crate) fn new(limit: usize) -> Self {
        let limit = limit.max(1);
        let shards = (limit / MIN_SHARD_FILES).clamp(1, MAX_SHARDS);
        Self {
            shards: (0..shards).map(|_| Mutex::default()).collect(),
            limit,
            opened: AtomicU64::new(0),
            closed: AtomicU64::new(0),
        }
    }

    /// Puts an opened file into its slot, and closes another if there are too many. Gives back the file to use.
    pub(crate) fn admit(
        &self,
        slot: &Arc<Slot>,
        opened: Arc<dyn RandomAccessFile>,
    ) -> Arc<dyn RandomAccessFile> {
        let number = self.opened.fetch_add(1, Relaxed) as usize % self.shards.len();
        let (file, is_ours) = slot.set(opened);
        if is_ours {
            // Shards fill in turn, so that none is full while others have room.
            let most = self.limit / self.shards.len() + usize::from(number < self.limit % self.shards.len());
            let closed = self.shards[number].lock().admit(slot, most);
            self.closed.fetch_add(closed.iter().flatten().count() as u64, Relaxed);
        }
        file
    }

    /// Closes a file of each shard: somebody else used up the descriptors.
    pub(crate) fn shed(&self) {
        for shard in &self.shards {
            let closed = shard.lock().shed();
            self.closed.fetch_add(closed.is_some().into(), Relaxed);
        }
    }

    pub(crate) fn statistics(&self) -> DescriptorStatistics {
        DescriptorStatistics {
            limit: self.limit,
            opened: self.opened.load(Relaxed),
            closed: self.closed.load(Relaxed),
        }
    }
}

/// Raises the process's soft limit of open files to the hard one, and says how many of them store files may be: half,
/// the rest being for sockets, logs and files being written.
///
/// # Errors
/// The system's.
pub fn descriptors_for_files() -> io::Result<usize> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    /// More than any server has regions' files at a time; keeps the tables small where there is no limit.
    const MOST: u64 = 1 << 17;
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.unwrap_or(MOST * 2);
    let soft = limit.current.unwrap_or(wanted);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: limit.maximum });
    let usable = if raised.is_ok() { wanted.max(soft) } else { soft };
    Ok((usable / 2).clamp(16, MOST) as usize)
}
