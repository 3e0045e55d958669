//! Regions that were closed here. Their blocks stay in the cache for the next opening; those of dropped tables, which nobody will open
//! again, make room.

use finback_region::LeftBlocks;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A region that has been closed for so long is not looked at any more: its blocks go when others want their room.
const LOOKED_AT: Duration = Duration::from_secs(3600);

/// What was closed, and when it is to be looked at, by directory.
#[derive(Debug, Default)]
pub(crate) struct ClosedRegions(Mutex<HashMap<PathBuf, Closed>>);

#[derive(Debug)]
struct Closed {
    blocks: LeftBlocks,
    since: Instant,
    next_look: Instant,
}

impl ClosedRegions {
    /// Notes a region that was closed.
    pub(crate) fn add(&self, blocks: LeftBlocks, now: Instant) {
        let directory = blocks.directory().to_owned();
        self.0.lock().insert(directory, Closed { blocks, since: now, next_look: now });
    }

    /// Frees the cache of regions of which the files are gone. Does I/O, for each region the more rarely the longer it has been
    /// closed.
    pub(crate) fn look(&self, now: Instant) {
        let due: Vec<_> = self.0.lock().extract_if(|_, closed| closed.next_look <= now).collect();
        for (directory, mut closed) in due {
            let age = now.saturating_duration_since(closed.since);
            let is_gone = closed.blocks.free_if_gone().unwrap_or_else(|error| {
                tracing::debug!(%error, region = %directory.display(), "cannot look for a closed region");
                false
            });
            if !is_gone && age < LOOKED_AT {
                closed.next_look = now + age;
                // It may have been opened and closed again meanwhile.
                self.0.lock().entry(directory).or_insert(closed);
            }
        }
    }
}
