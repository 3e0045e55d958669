//! Increments and appends to large cells, and what else reads much of a row before it writes, are carried out one after the
//! other.
//!
//! Their requests may be small, and are counted as that; what they read, and what they write in its place, is in memory
//! several times until the log has it.

use crate::error::RegionError;
use crate::host::Host;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Bytes of cells from which on an update is large.
pub(crate) const LARGE_UPDATE_BYTES: usize = 1 << 20;

/// The turns of large updates, of all regions of a server.
#[derive(Debug)]
pub struct LargeUpdates(Semaphore);

/// The right to a large update, until it is dropped.
#[derive(Debug)]
pub struct LargeUpdate<'a> {
    _permit: SemaphorePermit<'a>,
}

impl Default for LargeUpdates {
    fn default() -> Self {
        Self(Semaphore::new(1))
    }
}

impl LargeUpdates {
    /// Waits until it is an update's turn, but no longer than `wait`. It should have no cells meanwhile.
    ///
    /// # Errors
    /// [`RegionError::TooBusy`].
    pub async fn turn(&self, host: &dyn Host, wait: Duration) -> Result<LargeUpdate<'_>, RegionError> {
        let busy = || RegionError::TooBusy("too many increments and appends to large cells".to_owned());
        tokio::select! {
            biased;
            turn = self.0.acquire() => turn.map(|permit| LargeUpdate { _permit: permit }).map_err(|_| busy()),
            () = host.sleep(wait) => Err(busy()),
        }
    }
}
