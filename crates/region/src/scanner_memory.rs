//! What a scanner that waits for its client keeps in memory, and how it comes to keep less.
//!
//! Its blocks it can let go of at any time ([`RegionScanner::park`]). Segments of the memstore that it reads, and that
//! were flushed or compacted since, stay until it goes on without them: with the files that have their cells now.

use crate::error::RegionError;
use crate::mvcc::ReadPoint;
use crate::region::Region;
use crate::region_scanner::RegionScanner;
use crate::unsettled::{Sight, UnsettledWrites};
use finback_cell::Scan;

/// A segment that no memstore has any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SupersededSegment {
    /// Tells it from others, as long as somebody keeps it: several scanners may keep the same.
    pub address: usize,
    /// Its size in memory.
    pub bytes: usize,
}

/// Has flushes and compactions keep what is seen at a read point, until it is dropped: for a scan that has lost its scanner, and
/// may go on.
#[derive(Debug)]
pub struct KeptReadPoint {
    _registration: ReadPoint,
}

impl RegionScanner {
    /// Keeps the scanner's read point beyond its end.
    pub fn keep_read_point(&self) -> KeptReadPoint {
        KeptReadPoint { _registration: self.registration().again() }
    }
}

impl Region {
    /// Names the segments that `scanner`, one of this region's, keeps in memory although no memstore has them any more.
    pub fn superseded_segments(&self, scanner: &RegionScanner, note: &mut dyn FnMut(SupersededSegment)) {
        for part in scanner.stores() {
            let Ok(store) = self.store(part.family()) else { continue };
            let live = store.memstore.look_at_segments();
            for segment in part.segments() {
                let address = segment.address();
                if !live.iter().any(|live| live.address() == address) {
                    note(SupersededSegment { address, bytes: segment.kept_bytes() });
                }
            }
        }
    }

    /// Has `scanner`, which was opened on this region for `scan`, go on with the segments and files of now, so that it
    /// keeps nothing that only it needs. It sees what it saw before: its read point stays, and flushes and compactions
    /// keep what that needs. False, and nothing done, if it stands within a row or has nothing left to read; or if delete
    /// markers that it goes by were dropped: what was put behind them, with older timestamps, would come to be seen.
    ///
    /// # Errors
    /// The region is closed.
    pub fn renew_scanner(&self, scan: &Scan, scanner: &mut RegionScanner) -> Result<bool, RegionError> {
        self.check_readable()?;
        let Some((rest, read_point)) = scanner.rest() else { return Ok(false) };
        let sight = Sight { read_point, lowest: 0, unsettled: UnsettledWrites::none() };
        let (stores, seen) = self.store_scanners(scan, &rest.borrowed(), sight, scanner.drops_cells());
        if seen != scanner.files_seen() {
            return Ok(false);
        }
        scanner.go_on_with(rest, stores);
        Ok(true)
    }
}
