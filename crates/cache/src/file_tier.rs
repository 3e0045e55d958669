//! The file tier: blocks on an SSD that were read from slower storage, as they stand in their files.

mod health;
mod index;
mod record;
mod writer;

use std::fmt;
use std::fs::OpenOptions;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use finback_hfile::{BlockRef, FileId, FileIdentity};

use health::Health;
use index::Index;
use writer::{Offered, Writer};

/// Bytes written at once: large enough for an SSD to write and erase well.
pub const SEGMENT_BYTES: usize = 8 << 20;
/// Blocks waiting to be written, at most; more are not kept.
const MAX_QUEUED_BLOCKS: usize = 1024;
/// Their bytes, at most; and with little memory.
const MAX_QUEUED_BYTES: usize = 32 << 20;
const MIN_QUEUED_BYTES: usize = 2 << 20;
/// Parts of the cache in memory that may be of blocks on their way to the file, and of knowing what is there; and at least.
const QUEUED_PART: u64 = 16;
const KNOWN_PART: u64 = 4;
const MIN_KNOWN_BYTES: usize = 1 << 20;

/// Memory of a block that the tier has: in the index, which has room to grow, and in the list of its segment.
const ENTRY_MEMORY: usize = 176;

/// Where the tier keeps its bytes.
pub trait TierDevice: Send + Sync {
    /// Fills `bytes` from `offset` on.
    ///
    /// # Errors
    /// The device's, or it ends before.
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;

    /// Writes all of `bytes`. Need not be durable.
    ///
    /// # Errors
    /// The device's.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
}

/// How a file tier is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileTierOptions {
    /// The file (`hbase.bucketcache.ioengine`, `file:PATH`).
    pub path: PathBuf,
    /// Its size (`hbase.bucketcache.size`).
    pub size_bytes: u64,
    /// Whether what an earlier server left in it is used (`hbase.bucketcache.persistent.path` is set).
    pub persistent: bool,
}

/// What the tier did and has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileTierStatistics {
    /// Blocks found.
    pub hits: u64,
    /// Blocks not found.
    pub misses: u64,
    /// Blocks written, those written again included.
    pub written: u64,
    /// Blocks not written because the device was too slow for them.
    pub dropped: u64,
    /// Reads and writes that failed.
    pub failures: u64,
    /// Records that were not what they should have been: overwritten while they were read, or damaged.
    pub mismatches: u64,
    /// Blocks that it has.
    pub blocks: u64,
}

struct Shared {
    device: Box<dyn TierDevice>,
    segments: usize,
    segment_bytes: usize,
    index: Index,
    /// A device may be one that can be read, and not written to.
    reading: Health,
    writing: Health,
    is_full: AtomicBool,
    queued_bytes: AtomicUsize,
    most_queued_bytes: AtomicUsize,
    most_entries: AtomicUsize,
    /// Blocks of all segments, forgotten ones included.
    entries: AtomicUsize,
    hits: AtomicU64,
    misses: AtomicU64,
    written: AtomicU64,
    dropped: AtomicU64,
    mismatches: AtomicU64,
}

impl Shared {
    fn knows_too_much(&self) -> bool {
        self.entries.load(Relaxed) > self.most_entries.load(Relaxed)
    }

    /// Whether there is memory to know of so many blocks more.
    fn may_know(&self, entries: usize) -> bool {
        self.entries.load(Relaxed) + entries <= self.most_entries.load(Relaxed)
    }

    fn segment_offset(&self, number: usize) -> u64 {
        number as u64 * self.segment_bytes as u64
    }
}

/// A log of blocks in a file of fixed size: new ones overwrite the oldest, and those that were read meanwhile are written
/// again.
///
/// What it gives back is what was put in, or nothing: each record has a checksum, the identity of the block's file, and
/// the generation of its segment. Failures of the device cost hits and nothing else. After a `kill -9` at most one
/// segment of the newest blocks is missing.
pub struct FileTier {
    shared: Arc<Shared>,
    queue: Option<SyncSender<Offered>>,
    writer: Option<JoinHandle<()>>,
}

impl FileTier {
    /// Opens the file, or makes it. What is in it is learnt in the background, the newest first, as far as there is memory to
    /// know of it.
    ///
    /// # Errors
    /// The file cannot be opened, is in use by another server, or is to be smaller than two segments.
    pub fn open(options: &FileTierOptions) -> io::Result<Self> {
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&options.path)?;
        file.try_lock()?;
        file.set_len(options.size_bytes)?;
        Self::on(Box::new(file), options.size_bytes, SEGMENT_BYTES, options.persistent)
    }

    /// A tier on any device of `size_bytes`.
    ///
    /// # Errors
    /// The device is smaller than two segments, or these are too small or too large for the format.
    pub fn on(
        device: Box<dyn TierDevice>,
        size_bytes: u64,
        segment_bytes: usize,
        persistent: bool,
    ) -> io::Result<Self> {
        let segments = usize::try_from(size_bytes / segment_bytes.max(1) as u64).unwrap_or(0);
        let fits =
            (2 * record::TABLE_BYTES..=1 << 30).contains(&segment_bytes) && u32::try_from(segments).is_ok();
        if segments < 2 || !fits {
            let problem =
                format!("{size_bytes} bytes are too few: at least {} are needed", 2 * segment_bytes);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        let shared = Arc::new(Shared {
            device,
            segments,
            segment_bytes,
            index: Index::default(),
            reading: Health::default(),
            writing: Health::default(),
            is_full: AtomicBool::new(false),
            queued_bytes: AtomicUsize::new(0),
            most_queued_bytes: AtomicUsize::new(MAX_QUEUED_BYTES),
            most_entries: AtomicUsize::new(usize::MAX),
            entries: AtomicUsize::new(0),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            written: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            mismatches: AtomicU64::new(0),
        });
        let (queue, offered) = sync_channel(MAX_QUEUED_BLOCKS);
        let mut writer = Writer::new(Arc::clone(&shared));
        let work = move || {
            if persistent {
                writer.load();
            }
            writer.run(&offered);
        };
        let writer = std::thread::Builder::new().name("file tier".to_owned()).spawn(work)?;
        Ok(Self { shared, queue: Some(queue), writer: Some(writer) })
    }

    /// Fills `bytes` with the block at `place` of `file` as it stands there, if the tier has it. Waits for the device.
    pub fn read(&self, file: FileIdentity, place: BlockRef, bytes: &mut [u8]) -> bool {
        let shared = &self.shared;
        let location = if shared.reading.may_be_asked() { shared.index.find(file, place) } else { None };
        let found = location.and_then(|location| {
            let block = shared.read_entry(location.segment as usize, location.generation, &location.entry);
            if block.is_none() {
                shared.mismatches.fetch_add(1, Relaxed);
                shared.index.remove(location.generation, &location.entry);
            }
            block.filter(|block| block.len() == bytes.len())
        });
        match found {
            Some(block) => {
                bytes.copy_from_slice(&block);
                shared.hits.fetch_add(1, Relaxed);
                true
            }
            None => {
                shared.misses.fetch_add(1, Relaxed);
                false
            }
        }
    }

    /// Whether it takes a block of so many bytes: none is larger than what is written at once.
    pub fn takes(&self, bytes: usize) -> bool {
        record::TABLE_BYTES + record::RECORD_HEAD + bytes <= self.shared.segment_bytes
    }

    /// Offers a block as it stands in its file. Never waits: what the device is too slow for is not kept, nor what it does not
    /// [take](Self::takes).
    pub fn offer(&self, file: FileIdentity, place: BlockRef, bytes: Vec<u8>) {
        let length = bytes.len();
        if !self.takes(length) {
            return;
        }
        let Some(queue) = &self.queue else { return };
        let queued = self.shared.queued_bytes.fetch_add(length, Relaxed);
        let has_room = queued == 0 || queued + length <= self.shared.most_queued_bytes.load(Relaxed);
        let is_taken = has_room && queue.try_send(Offered { file, offset: place.offset, bytes }).is_ok();
        if !is_taken {
            self.shared.queued_bytes.fetch_sub(length, Relaxed);
            self.shared.dropped.fetch_add(1, Relaxed);
        }
    }

    /// Forgets the blocks of a file that nobody will open again; gives back how many there were. Their places are
    /// overwritten when their turn comes. Looks at all that the tier has.
    pub fn forget(&self, file: FileId) -> usize {
        self.shared.index.remove_file(file)
    }

    /// Whether older blocks make room for new ones.
    pub fn is_full(&self) -> bool {
        self.shared.is_full.load(Relaxed)
    }

    /// Bounds its memory, for a cache of so many bytes: what waits to be written, and what it knows of, for which it forgets the oldest.
    pub(crate) fn suit(&self, cache_bytes: u64) {
        let part = |part: u64| usize::try_from(cache_bytes / part).unwrap_or(usize::MAX);
        let queued = part(QUEUED_PART).clamp(MIN_QUEUED_BYTES, MAX_QUEUED_BYTES);
        self.shared.most_queued_bytes.store(queued, Relaxed);
        let known = part(KNOWN_PART).max(MIN_KNOWN_BYTES) / ENTRY_MEMORY;
        self.shared.most_entries.store(known, Relaxed);
    }

    /// Bytes of memory, of which most are for knowing where each block is.
    pub fn memory_bytes(&self) -> usize {
        let shared = &self.shared;
        let known = shared.entries.load(Relaxed) * ENTRY_MEMORY;
        // And a segment that is being filled.
        known + shared.queued_bytes.load(Relaxed) + shared.segment_bytes
    }

    /// What it did and has.
    pub fn statistics(&self) -> FileTierStatistics {
        let shared = &self.shared;
        FileTierStatistics {
            hits: shared.hits.load(Relaxed),
            misses: shared.misses.load(Relaxed),
            written: shared.written.load(Relaxed),
            dropped: shared.dropped.load(Relaxed),
            failures: shared.reading.failures() + shared.writing.failures(),
            mismatches: shared.mismatches.load(Relaxed),
            blocks: shared.index.len() as u64,
        }
    }
}

impl Drop for FileTier {
    /// Writes what waits to be written.
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

impl fmt::Debug for FileTier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileTier").field("statistics", &self.statistics()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
