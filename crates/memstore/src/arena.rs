//! Memory of one segment: taken in chunks, given out from the front by any number of writers at once, and freed chunk by
//! chunk when nobody holds them any more.
#![allow(unsafe_code)]

mod memory;

use finback_sync::Mutex;
use finback_sync::atomic::Ordering::{Acquire, Relaxed, Release};
use finback_sync::atomic::{AtomicPtr, AtomicUsize};
use memory::{ALIGN, Memory};
pub use memory::{give_back_unwanted_memory, keep_memory_within};
use std::ptr::NonNull;
use std::sync::Arc;

/// Size of the first chunk unless more is expected: thousands of regions are idle or nearly so.
const FIRST_CHUNK_BYTES: usize = 4 << 10;
/// Size that chunks grow to, HBase's `hbase.hregion.memstore.mslab.chunksize`.
pub(crate) const MAX_CHUNK_BYTES: usize = 2 << 20;
/// Larger pieces get a chunk of their own. HBase draws the line at 256 KiB
/// (`hbase.hregion.memstore.mslab.max.allocation`); here large cells are never copied when a segment becomes flat, which
/// wants them apart, and the allocator is good at such sizes.
pub(crate) const MAX_SHARED_BYTES: usize = 32 << 10;

/// A growing arena.
pub(crate) struct Arena {
    /// The chunk that pieces are taken from: null, or one of `chunks`.
    current: AtomicPtr<Chunk>,
    chunks: Mutex<Chunks>,
}

struct Chunks {
    all: Vec<Arc<Chunk>>,
    /// Sizes of all chunks but those of single large pieces.
    shared_bytes: usize,
    /// Size of the next shared chunk: a quarter of what there is, so that not much of it is in vain.
    next_bytes: usize,
}

/// A piece of memory from an arena, uninitialised.
pub(crate) struct Piece {
    /// Where it is. Lives as long as its chunk.
    pub(crate) place: NonNull<u8>,
    /// Bytes that the arena took from the allocator for it, most often none.
    pub(crate) grown: usize,
}

/// Memory of several pieces.
pub(crate) struct Chunk {
    memory: Memory,
    /// Bytes given out; beyond the length when the chunk was too small for somebody.
    used: AtomicUsize,
}

// SAFETY: a chunk owns its memory, and what happens in it is the business of those who were given pieces.
unsafe impl Send for Chunk {}
// SAFETY: as above; the only thing that changes is atomic.
unsafe impl Sync for Chunk {}

impl Arena {
    /// Bytes taken from the allocator.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.chunks.lock().all.iter().map(|chunk| chunk.heap_bytes()).sum()
    }

    /// An arena without memory, of which about `expected_bytes` will be used.
    pub(crate) fn new(expected_bytes: usize) -> Self {
        let next_bytes =
            (expected_bytes / 4).clamp(FIRST_CHUNK_BYTES, MAX_CHUNK_BYTES).next_multiple_of(ALIGN);
        Self {
            current: AtomicPtr::new(std::ptr::null_mut()),
            chunks: Mutex::new(Chunks { all: Vec::new(), shared_bytes: 0, next_bytes }),
        }
    }

    /// `size` bytes for the caller alone, which live as long as the arena and [`Arena::chunks`]. Aligned to 8 if the
    /// sizes of all pieces of the arena are multiples of 8.
    pub(crate) fn allocate(&self, size: usize) -> Piece {
        assert!(size > 0, "a piece of nothing");
        if size > MAX_SHARED_BYTES {
            let chunk = Chunk::new(size);
            let place = chunk.start();
            chunk.used.store(size, Relaxed);
            return Piece { place, grown: self.chunks.lock().push(chunk) };
        }
        let mut grown = 0;
        loop {
            let current = self.current.load(Acquire);
            // SAFETY: null, or points into an `Arc` in `chunks`, which only grows while the arena lives.
            if let Some(place) = unsafe { current.as_ref() }.and_then(|chunk| chunk.take(size)) {
                return Piece { place, grown };
            }
            grown += self.replace(current, size);
        }
    }

    /// Puts a new chunk in the place of `full`, unless somebody else did already. Gives back its cost in bytes.
    fn replace(&self, full: *mut Chunk, at_least: usize) -> usize {
        let mut chunks = self.chunks.lock();
        if self.current.load(Relaxed) != full {
            return 0;
        }
        let bytes = chunks.next_bytes.max(at_least.next_power_of_two());
        chunks.shared_bytes += bytes;
        let quarter = (chunks.shared_bytes / 4).next_multiple_of(ALIGN);
        chunks.next_bytes = chunks.next_bytes.max(quarter).min(MAX_CHUNK_BYTES);
        let chunk = Chunk::new(bytes);
        self.current.store(Arc::as_ptr(&chunk).cast_mut(), Release);
        chunks.push(chunk)
    }

    /// The chunks so far.
    pub(crate) fn chunks(&self) -> Vec<Arc<Chunk>> {
        self.chunks.lock().all.clone()
    }
}

impl Chunks {
    /// Gives back by how many bytes the arena grew.
    fn push(&mut self, chunk: Arc<Chunk>) -> usize {
        let list_before = self.all.capacity();
        let bytes = chunk.heap_bytes();
        self.all.push(chunk);
        bytes + (self.all.capacity() - list_before) * size_of::<Arc<Chunk>>()
    }
}

impl Chunk {
    /// A chunk of `size` bytes, which must not be 0.
    pub(crate) fn new(size: usize) -> Arc<Self> {
        Arc::new(Self { memory: Memory::new(size), used: AtomicUsize::new(0) })
    }

    /// `size` bytes for the caller alone, which live as long as the chunk; `None` when there is no room.
    pub(crate) fn take(&self, size: usize) -> Option<NonNull<u8>> {
        let before = self.used.fetch_add(size, Relaxed);
        let fits = before.checked_add(size).is_some_and(|end| end <= self.memory.size());
        // SAFETY: `before + size` is inside the chunk or just behind it.
        fits.then(|| unsafe { self.memory.start().add(before) })
    }

    /// Where the chunk begins.
    pub(crate) fn start(&self) -> NonNull<u8> {
        self.memory.start()
    }

    /// Bytes that it takes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.memory.size() + size_of::<Self>() + 2 * size_of::<usize>()
    }
}

#[cfg(test)]
mod tests;
