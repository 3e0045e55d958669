//! Memory of one skip list: taken in chunks, given out from the front, freed all at once.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Size of the first chunk: thousands of regions are idle or nearly so.
const FIRST_CHUNK_BYTES: usize = 4 << 10;
/// Size that chunks grow to, HBase's `hbase.hregion.memstore.mslab.chunksize`.
const MAX_CHUNK_BYTES: usize = 2 << 20;
/// Larger pieces get a chunk of their own, as with HBase's `hbase.hregion.memstore.mslab.max.allocation`.
const MAX_SHARED_BYTES: usize = 256 << 10;
/// Alignment of all pieces.
const ALIGN: usize = 8;

/// A growing arena.
pub(super) struct Arena {
    chunks: Vec<Chunk>,
    /// Free part of the current chunk.
    free: NonNull<u8>,
    free_bytes: usize,
    /// Size of the next shared chunk.
    next_chunk_bytes: usize,
    /// Sum of the chunks' sizes.
    chunk_bytes: usize,
}

struct Chunk {
    start: NonNull<u8>,
    layout: Layout,
}

impl Arena {
    /// An arena without memory.
    pub(super) const fn new() -> Self {
        Self {
            chunks: Vec::new(),
            free: NonNull::dangling(),
            free_bytes: 0,
            next_chunk_bytes: FIRST_CHUNK_BYTES,
            chunk_bytes: 0,
        }
    }

    /// Bytes taken from the allocator and not given back.
    pub(super) fn allocated_bytes(&self) -> usize {
        self.chunk_bytes + self.chunks.capacity() * size_of::<Chunk>()
    }

    /// `size` uninitialised bytes, aligned to 8, which live as long as the arena. `size` is a multiple of 8, not zero.
    pub(super) fn allocate(&mut self, size: usize) -> NonNull<u8> {
        assert!(size > 0 && size.is_multiple_of(ALIGN), "{size} is no size of a piece");
        if size > MAX_SHARED_BYTES {
            return self.add_chunk(size);
        }
        if size > self.free_bytes {
            let chunk_bytes = self.next_chunk_bytes.max(size.next_power_of_two());
            self.free = self.add_chunk(chunk_bytes);
            self.free_bytes = chunk_bytes;
            self.next_chunk_bytes = (chunk_bytes * 2).min(MAX_CHUNK_BYTES);
        }
        let piece = self.free;
        // SAFETY: `size ≤ free_bytes`, so the sum is inside the chunk or just behind it.
        self.free = unsafe { piece.add(size) };
        self.free_bytes -= size;
        piece
    }

    fn add_chunk(&mut self, size: usize) -> NonNull<u8> {
        let layout = Layout::from_size_align(size, ALIGN).expect("a chunk is smaller than the address space");
        self.chunks.reserve(1);
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout));
        self.chunks.push(Chunk { start, layout });
        self.chunk_bytes += size;
        start
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for chunk in &self.chunks {
            // SAFETY: allocated by `add_chunk` with this layout, and freed only here.
            unsafe { dealloc(chunk.start.as_ptr(), chunk.layout) };
        }
    }
}
