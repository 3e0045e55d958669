//! Scanners that wait for their clients keep the segments of memstores that they read, which may have been flushed or
//! compacted since. When these take too much, scanners go on without them, those that have waited longest first.

use crate::scanners::{OpenScanner, Scanners};
use finback_region::SupersededSegment;
use std::collections::HashMap;
use std::time::Instant;

/// What scanners keep that no memstore has any more.
#[derive(Debug, Default)]
struct Kept {
    /// By address: bytes, and how many scanners keep it.
    segments: HashMap<usize, (usize, u32)>,
    bytes: usize,
}

impl Kept {
    fn add(&mut self, segments: &[SupersededSegment]) {
        for segment in segments {
            let (bytes, scanners) = self.segments.entry(segment.address).or_insert((segment.bytes, 0));
            if *scanners == 0 {
                self.bytes += *bytes;
            }
            *scanners += 1;
        }
    }

    fn remove(&mut self, segments: &[SupersededSegment]) {
        for segment in segments {
            if let Some((bytes, scanners)) = self.segments.get_mut(&segment.address) {
                *scanners -= 1;
                if *scanners == 0 {
                    self.bytes -= *bytes;
                    self.segments.remove(&segment.address);
                }
            }
        }
    }
}

fn segments_of(open: &OpenScanner) -> Vec<SupersededSegment> {
    let mut segments = Vec::new();
    open.region.superseded_segments(&open.scanner, &mut |segment| segments.push(segment));
    segments
}

impl Scanners {
    /// Has scanners that wait for their clients go on without segments that no memstore has any more, until what the
    /// others keep of such is no more than `most_bytes`. One that stands within a row is closed: its client opens another
    /// behind the last cell that it got, at the same read point, which is kept for that.
    pub(crate) fn let_go_of_segments(&self, most_bytes: usize) {
        let mut slots = self.slots.lock();
        let mut kept = Kept::default();
        let mut waiting: Vec<(Instant, u64, Vec<SupersededSegment>)> = Vec::new();
        for (id, slot) in &slots.by_id {
            let segments = slot.scanner.as_deref().map(segments_of).unwrap_or_default();
            if !segments.is_empty() {
                kept.add(&segments);
                waiting.push((slot.expires, *id, segments));
            }
        }
        waiting.sort_unstable_by_key(|(expires, id, _)| (*expires, *id));
        let (mut renewed, mut closed) = (0u32, Vec::new());
        for (_, id, segments) in waiting {
            if kept.bytes <= most_bytes {
                break;
            }
            kept.remove(&segments);
            let open = slots.by_id.get_mut(&id).and_then(|slot| slot.scanner.as_deref_mut());
            // One whose region is closing has nothing to go on with.
            match open.map(|open| open.region.renew_scanner(&open.scan, &mut open.scanner)) {
                Some(Ok(true)) => renewed += 1,
                _ => closed.extend(slots.remove(id)),
            }
        }
        if renewed > 0 || !closed.is_empty() {
            tracing::info!(renewed, closed = closed.len(), "scanners that kept flushed memory");
            slots.keep_read_points(&closed, Instant::now() + self.lease());
        }
        // Those are dropped outside the lock: they may free much memory.
        drop(slots);
    }
}
