//! The row locks of a write, and how long they are waited for.

use crate::error::RegionError;
use crate::region::Region;
use crate::row_lock::{LockMode, RowKey, RowLock};
use bytes::Bytes;
use finback_cell::StringBinary;
use smallvec::SmallVec;
use std::time::{Duration, Instant};

/// Rows with what is locked of them; most writes are of one.
pub(crate) type RowKeys<'a> = SmallVec<[(RowKey, &'a Bytes); 1]>;

impl Region {
    /// What to lock for `rows`: each once, in an order that all keep to.
    pub(crate) fn row_keys<'a>(&self, rows: impl Iterator<Item = &'a Bytes>) -> RowKeys<'a> {
        let mut keys: RowKeys<'_> = rows.map(|row| (self.row_locks.key(row), row)).collect();
        keys.sort_unstable();
        keys.dedup_by_key(|(key, _)| *key);
        keys
    }

    /// Takes the locks of [`Region::row_keys`], within the configured time and before `deadline`.
    pub(crate) async fn lock_rows(
        &self,
        rows: RowKeys<'_>,
        mode: LockMode,
        deadline: Option<Instant>,
    ) -> Result<SmallVec<[RowLock<'_>; 1]>, RegionError> {
        let mut locks = SmallVec::with_capacity(rows.len());
        for (key, row) in rows {
            locks.push(match self.row_locks.try_lock(key, mode) {
                Some(lock) => lock,
                None => self.wait_for_row_lock(key, row, mode, deadline).await?,
            });
        }
        Ok(locks)
    }

    async fn wait_for_row_lock(
        &self,
        key: RowKey,
        row: &[u8],
        mode: LockMode,
        deadline: Option<Instant>,
    ) -> Result<RowLock<'_>, RegionError> {
        let (wait, is_of_client) = self.row_lock_wait(mode, deadline);
        tokio::select! {
            biased;
            lock = self.row_locks.lock(key, mode) => Ok(lock),
            () = self.environment.host.sleep(wait) => Err(RegionError::RowLockTimeout {
                row: StringBinary(row).to_string(),
                region: self.encoded_name.to_string(),
                is_of_client,
            }),
        }
    }

    /// How long to wait for a row lock, and whether that is as long as the client waits: whoever has given up should not
    /// find the write done later. HBase tries plain puts and deletes again for as long as their client waits,
    /// whatever the configured time.
    fn row_lock_wait(&self, mode: LockMode, deadline: Option<Instant>) -> (Duration, bool) {
        let longest = self.environment.config.row_lock_wait;
        match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
            Some(left) if left <= longest || mode == LockMode::Shared => (left, true),
            _ => (longest, false),
        }
    }
}
