//! Replies on their way to the client.

use crate::reply_memory::ReplyShare;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::IoSlice;
use std::time::Instant;

/// Bytes from which on a part of a reply is handed to the socket as it is, instead of being copied behind others.
const COPY_LIMIT: usize = 8 << 10;
/// A segment that is appended to is closed at this size.
const SEGMENT_BYTES: usize = 64 << 10;
/// A larger one is not kept for the next reply.
const SPARE_BYTES: usize = 2 * SEGMENT_BYTES;
/// Empty segments that a thread keeps.
const SPARE_SEGMENTS: usize = 4;

thread_local! {
    /// Empty segments to begin with, of all connections of the thread: one that does nothing has none, and what the last one wrote to
    /// is still in the processor's cache.
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Segments given to one system call.
pub(crate) const MAX_SLICES: usize = 32;

/// A queue of bytes: small replies side by side in one segment, large parts as segments of their own.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    segments: VecDeque<Segment>,
    /// Bytes of the first segment that have been written.
    written: usize,
    /// Bytes not yet written.
    bytes: usize,
    /// Whether the last segment may be appended to.
    open: bool,
}

/// Bytes, and what is counted for them since when.
#[derive(Debug, Default)]
struct Segment {
    bytes: Vec<u8>,
    counted: Option<(ReplyShare, Instant)>,
}

impl Outgoing {
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Appends what `write` writes.
    pub(crate) fn append(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        if !self.open {
            let bytes = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
            self.segments.push_back(Segment { bytes, counted: None });
            self.open = true;
        }
        if let Some(Segment { bytes: segment, .. }) = self.segments.back_mut() {
            let before = segment.len();
            write(segment);
            self.bytes += segment.len() - before;
            self.open = segment.len() < SEGMENT_BYTES;
        }
    }

    /// Appends `part`, without copying it if it is large. What is counted for it is, until it is written.
    pub(crate) fn push(&mut self, part: Vec<u8>, share: Option<ReplyShare>) {
        if part.len() < COPY_LIMIT {
            self.append(|segment| segment.extend_from_slice(&part));
        } else {
            self.bytes += part.len();
            self.segments
                .push_back(Segment { bytes: part, counted: share.map(|share| (share, Instant::now())) });
            self.open = false;
        }
    }

    /// Since when there is a reply that is counted.
    pub(crate) fn counted_since(&self) -> Option<Instant> {
        Some(self.segments.iter().find_map(|segment| segment.counted.as_ref())?.1)
    }

    /// Since when other clients wait for the memory that replies have here.
    pub(crate) fn wanted_since(&self) -> Option<Instant> {
        // All are of the same client, and of the same memory.
        let (share, _) = self.segments.iter().find_map(|segment| segment.counted.as_ref())?;
        share.wanted_since()
    }

    /// What to write next: fills `slices` and says how many there are.
    pub(crate) fn slices<'a>(&'a self, slices: &mut [IoSlice<'a>; MAX_SLICES]) -> usize {
        let mut count = 0;
        for (slot, segment) in slices.iter_mut().zip(&self.segments) {
            let from = if count == 0 { self.written } else { 0 };
            *slot = IoSlice::new(&segment.bytes[from..]);
            count += 1;
        }
        count
    }

    /// Drops `count` bytes, which have been written.
    pub(crate) fn advance(&mut self, count: usize) {
        debug_assert!(count <= self.bytes);
        self.bytes -= count;
        self.written += count;
        while let Some(first) = self.segments.front().map(|segment| segment.bytes.len())
            && first <= self.written
        {
            self.written -= first;
            self.recycle();
        }
        self.open &= !self.segments.is_empty();
    }

    /// Removes the first segment, keeping its memory for another one if that is worth it.
    fn recycle(&mut self) {
        if let Some(Segment { bytes: mut segment, .. }) = self.segments.pop_front()
            && segment.capacity() <= SPARE_BYTES
        {
            segment.clear();
            SPARE.with_borrow_mut(|spare| {
                spare.push(segment);
                if spare.len() > SPARE_SEGMENTS
                    && let Some(least) = (0..spare.len()).min_by_key(|&at| spare[at].capacity())
                {
                    spare.swap_remove(least);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests;
