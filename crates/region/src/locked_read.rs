//! Reads of rows that are locked, which writes are built upon.
//!
//! The row may be large, and its filter slow: such a read finds no more than a row may have, lets others have their turns, and
//! keeps more than a little in memory only while it is its turn among large updates ([`crate::large_updates`]).

use crate::error::{Interrupt, RegionError};
use crate::large_updates::{LARGE_UPDATE_BYTES, LargeUpdate};
use crate::region::Region;
use crate::region_scanner::RegionScanner;
use crate::scan_limits::{ScanLimits, ScanStop};
use crate::scan_output::ScanOutput;
use crate::unsettled::UnsettledWrites;
use finback_cell::Scan;
use finback_filter::Filter;
use std::pin::pin;
use std::time::{Duration, Instant};

/// Cells looked at, and bytes found, before the next look at the clock and at what was found.
pub(crate) const CELLS_PER_LOOK: usize = 256;
const BYTES_PER_LOOK: usize = 256 << 10;

/// After so long other work gets its turn.
const TURN_TIME: Duration = Duration::from_millis(5);

/// How long the closing of a region may go unseen by who waits for a turn.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// The turn of one write among large updates: taken when it is needed, and then kept until the write is done.
pub(crate) struct LargeTurn<'a> {
    region: &'a Region,
    /// How long the client waits.
    deadline: Option<Instant>,
    taken: Option<LargeUpdate<'a>>,
}

impl<'a> LargeTurn<'a> {
    pub(crate) fn new(region: &'a Region, deadline: Option<Instant>) -> Self {
        Self { region, deadline, taken: None }
    }

    pub(crate) fn is_taken(&self) -> bool {
        self.taken.is_some()
    }

    /// Waits for it, as long as for a row lock, unless it is taken; not in a region that closes, in which nothing is written any more.
    pub(crate) async fn take(&mut self) -> Result<(), RegionError> {
        if self.is_taken() {
            return Ok(());
        }
        let region = self.region;
        let (config, host) = (&region.environment.config, &*region.environment.host);
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let wait = left.map_or(config.row_lock_wait, |left| left.min(config.row_lock_wait));
        let mut turn = pin!(config.large_updates.turn(host, wait));
        loop {
            tokio::select! {
                biased;
                taken = &mut turn => {
                    self.taken = Some(taken?);
                    return region.check_open();
                }
                () = host.sleep(BETWEEN_LOOKS) => region.check_open()?,
            }
        }
    }

    /// Lets other work have its turn if this one, which began then, has taken long enough. A read goes on neither when the
    /// client waits no longer nor when the region closes.
    pub(crate) async fn end_turn(&self, turn_began: &mut Instant) -> Result<(), RegionError> {
        if turn_began.elapsed() < TURN_TIME {
            return Ok(());
        }
        tokio::task::yield_now().await;
        self.region.check_open()?;
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            return Err(RegionError::ReadTimeout(self.region.encoded_name.to_string()));
        }
        *turn_began = now;
        Ok(())
    }
}

impl Region {
    /// What a scan of a row that is locked finds at once, if it can, and that is not large.
    pub(crate) fn find_locked_at_once(&self, scan: &Scan, unsettled: &UnsettledWrites) -> Option<ScanOutput> {
        // What is not settled is not seen by others.
        if !unsettled.is_empty() {
            return None;
        }
        let most = self.environment.config.max_row_bytes.min(LARGE_UPDATE_BYTES - 1);
        let mut out = ScanOutput::default();
        self.find_at_once(scan, &mut out, most).then_some(out)
    }

    /// Reads a whole scan of a row that is locked, fetching blocks as needed, with what is not settled of it.
    ///
    /// # Errors
    /// [`RegionError::RowTooBig`]; [`RegionError::ReadTimeout`]; that the region closes; those of the scan.
    pub(crate) async fn read_locked(
        &self,
        scan: &Scan,
        filter: Option<Box<dyn Filter>>,
        limits: &ScanLimits,
        unsettled: &UnsettledWrites,
        large: &mut LargeTurn<'_>,
    ) -> Result<ScanOutput, RegionError> {
        if filter.is_none()
            && let Some(found) = self.find_locked_at_once(scan, unsettled)
        {
            return Ok(found);
        }
        let limits = ScanLimits { budget: CELLS_PER_LOOK, turn_bytes: BYTES_PER_LOOK, ..*limits };
        let mut scanner = self.scanner_over(scan, filter, unsettled)?;
        let mut out = ScanOutput::default();
        let mut turn_began = Instant::now();
        loop {
            match scanner.next(&mut out, &limits) {
                Ok(stop) => {
                    self.check_row_size(&out, &scanner)?;
                    if stop != ScanStop::Budget {
                        out.close_result(false);
                        return Ok(out);
                    }
                    if is_large(&out, scanner.next_cell_bytes()) {
                        large.take().await?;
                    }
                }
                Err(Interrupt::NeedBlock(request)) => {
                    if is_large(&out, request.block.size as usize) {
                        large.take().await?;
                    }
                    scanner.provide(self.environment.host.fetch(request).await?);
                }
                Err(Interrupt::NeedFile(request)) => self.environment.host.open_file(request).await,
                Err(Interrupt::Failed(error)) => return Err(error),
            }
            large.end_turn(&mut turn_began).await?;
        }
    }

    fn check_row_size(&self, out: &ScanOutput, scanner: &RegionScanner) -> Result<(), RegionError> {
        let limit = self.environment.config.max_row_bytes;
        let bytes = out.cells.len() + scanner.next_cell_bytes();
        if bytes > limit { Err(RegionError::RowTooBig { limit }) } else { Ok(()) }
    }
}

/// Whether what a read has found, with its next cell or a block of so many bytes, is large. Blocks of ordinary size do not count: a row that is
/// in several files has some of each, however short it is.
fn is_large(out: &ScanOutput, next_bytes: usize) -> bool {
    out.cells.len() + next_bytes >= LARGE_UPDATE_BYTES
}
