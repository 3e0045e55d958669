//! What is written goes to the device while the file grows, and not all at its end: the log's syncs wait for what the device
//! has before them, and writers with them.

use super::HFileWriter;
use crate::error::HFileError;

/// So much at a time: the device has it within milliseconds, and a large file is still few syncs.
const SYNC_BYTES: u64 = 4 << 20;

impl HFileWriter {
    /// Makes durable what was written, when it is enough.
    pub(super) fn write_behind(&mut self) -> Result<(), HFileError> {
        if self.file.len() - self.synced_bytes < SYNC_BYTES {
            return Ok(());
        }
        self.sync()
    }

    pub(super) fn sync(&mut self) -> Result<(), HFileError> {
        let end = self.file.len();
        self.file.sync_data().map_err(|source| self.io("sync", end, source))?;
        self.synced_bytes = end;
        Ok(())
    }
}
