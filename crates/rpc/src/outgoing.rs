//! Replies on their way to the client.

use crate::reply_memory::ReplyShare;
use std::collections::VecDeque;
use std::io::IoSlice;
use std::time::Instant;

/// Bytes from which on a part of a reply is handed to the socket as it is, instead of being copied behind others.
const COPY_LIMIT: usize = 8 << 10;
/// A segment that is appended to is closed at this size.
const SEGMENT_BYTES: usize = 64 << 10;
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
    /// An empty segment to begin with next time.
    spare: Vec<u8>,
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
            self.segments.push_back(Segment { bytes: std::mem::take(&mut self.spare), counted: None });
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

    /// Removes the first segment, keeping its memory for the next one if that is worth it.
    fn recycle(&mut self) {
        if let Some(Segment { bytes: mut segment, .. }) = self.segments.pop_front()
            && segment.capacity() <= 2 * SEGMENT_BYTES
            && segment.capacity() > self.spare.capacity()
        {
            segment.clear();
            self.spare = segment;
        }
    }
}

#[cfg(test)]
mod tests;
