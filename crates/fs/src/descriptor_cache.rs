//! Which files are open right now: at most so many, those that were not read lately are closed first.

use std::io;
use std::sync::{Arc, Weak};

use finback_sync::Mutex;
use finback_sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

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
    /// Reasons to keep the file open: it has no name any more, or none that is known, so that closed it could not be
    /// opened again; or an operation is under way after which that may be so.
    pins: u32,
    /// Whether a ring has the slot, or is about to: otherwise nothing would close the file.
    in_ring: bool,
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
                state.in_ring = true;
                (opened, true)
            }
        }
    }

    /// Keeps the file open until the handle is dropped, or it is unpinned as often as it was pinned. `file` is the one to
    /// keep if it was closed since somebody looked.
    pub(crate) fn pin(&self, file: Arc<dyn RandomAccessFile>) {
        let mut state = self.state.lock();
        state.file.get_or_insert(file);
        state.pins += 1;
    }

    /// One reason less to keep the file open. Says whether none is left and no ring has the slot: the caller puts it in one.
    fn unpin(&self) -> bool {
        let mut state = self.state.lock();
        state.pins = state.pins.saturating_sub(1);
        let needs_ring = state.pins == 0 && !state.in_ring && state.file.is_some();
        state.in_ring |= needs_ring;
        needs_ring
    }

    /// Closes the file, for a ring that lets the slot go.
    fn take(&self) -> Option<Arc<dyn RandomAccessFile>> {
        let mut state = self.state.lock();
        if state.pins > 0 {
            return None;
        }
        state.in_ring = false;
        state.file.take()
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
    /// Slots that were put into a ring so far.
    admitted: AtomicUsize,
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
            admitted: AtomicUsize::new(0),
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
        self.opened.fetch_add(1, Relaxed);
        let (file, is_ours) = slot.set(opened);
        if is_ours {
            self.put_into_ring(slot);
        }
        file
    }

    /// A slot for an opened file, which is kept open until it is unpinned.
    pub(crate) fn pinned(&self, opened: Arc<dyn RandomAccessFile>) -> Arc<Slot> {
        self.opened.fetch_add(1, Relaxed);
        let slot = Arc::<Slot>::default();
        slot.pin(opened);
        slot
    }

    /// Takes back a pin: the file has a name, or has one after all.
    pub(crate) fn unpin(&self, slot: &Arc<Slot>) {
        if slot.unpin() {
            self.put_into_ring(slot);
        }
    }

    fn put_into_ring(&self, slot: &Arc<Slot>) {
        // Shards fill in turn, so that none is full while others have room.
        let number = self.admitted.fetch_add(1, Relaxed) % self.shards.len();
        let most = self.limit / self.shards.len() + usize::from(number < self.limit % self.shards.len());
        let closed = self.shards[number].lock().admit(slot, most);
        self.closed.fetch_add(closed.iter().flatten().count() as u64, Relaxed);
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

#[cfg(all(test, feature = "shuttle"))]
mod schedules;
#[cfg(test)]
mod tests;
