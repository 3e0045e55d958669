//! What goes by itself: snapshots that have outlived their time, and files in the archive that nothing needs.

use std::{sync::Arc, time::SystemTime};

use finback_layout::Cleaned;
use finback_rpc::RpcException;

use super::exception;
use crate::driver::Driver;

impl Driver {
    /// Takes out of the archive what nothing needs. Meanwhile nobody takes a snapshot, or makes a table of one.
    ///
    /// # Errors
    /// The storage's; a snapshot that cannot be read.
    pub(crate) async fn clean_archive(&self) -> Result<Cleaned, RpcException> {
        let alone = Arc::clone(&self.archive).write_owned().await;
        let ttl = self.chores.hfile_ttl;
        let cleaned = self.look_at_disk(move |root| {
            let _alone = alone;
            root.clean_archive(SystemTime::now(), ttl)
        });
        let cleaned = cleaned.await?.map_err(|error| exception(&error))?;
        if cleaned.files > 0 {
            tracing::info!(files = cleaned.files, bytes = cleaned.bytes, "archive cleaned");
        }
        Ok(cleaned)
    }

    /// Removes snapshots that have outlived their time; gives back how many. Meanwhile nobody takes one.
    ///
    /// # Errors
    /// The storage's.
    pub(crate) async fn remove_expired_snapshots(&self) -> Result<usize, RpcException> {
        let (alone, now) = (Arc::clone(&self.archive).write_owned().await, self.now());
        let removed = self.look_at_disk(move |root| {
            let _alone = alone;
            root.remove_expired_snapshots(now)
        });
        removed.await?.map_err(|error| exception(&error))
    }

    /// Does both now and then, until the master stops.
    pub(crate) fn clean_forever(self: &Arc<Self>) {
        let driver = Arc::clone(self);
        self.every(self.chores.cleaner_interval, move || {
            let driver = Arc::clone(&driver);
            async move {
                if driver.read(|core| core.state.initialized && core.state.switches.cleaner)
                    && let Err(error) = driver.clean_archive().await
                {
                    tracing::warn!("the archive is not cleaned: {error}");
                }
            }
        });
        let driver = Arc::clone(self);
        self.every(self.chores.snapshot_cleaner_interval, move || {
            let driver = Arc::clone(&driver);
            async move {
                if driver.read(|core| core.state.initialized && core.state.switches.kept.snapshot_cleanup)
                    && let Err(error) = driver.remove_expired_snapshots().await
                {
                    tracing::warn!("snapshots that have outlived their time stay: {error}");
                }
            }
        });
    }
}
