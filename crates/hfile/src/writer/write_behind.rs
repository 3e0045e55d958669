//! What is written goes to the device while the file grows, and not all at its end: the log's syncs wait for what the device
//! has before them, and writers with them.

use super::HFileWriter;
use crate::error::HFileError;

/// So much at a time: the device has it within milliseconds.
const WRITE_BYTES: u64 = 4 << 20;
/// So much is on its way at most. A sync waits for it, and is worth as many calls.
const SYNC_BYTES: u64 = 16 << 20;

impl HFileWriter {
    /// Has what was written go to the device, when it is enough; waits for it, when it is much.
    pub(super) fn write_behind(&mut self) -> Result<(), HFileError> {
        let end = self.file.len();
        if end - self.synced_bytes >= SYNC_BYTES {
            return self.sync();
        }
        if end - self.written_out_bytes >= WRITE_BYTES {
            self.file.write_out(self.written_out_bytes);
            self.written_out_bytes = end;
        }
        Ok(())
    }

    pub(super) fn sync(&mut self) -> Result<(), HFileError> {
        let end = self.file.len();
        self.file.sync_data().map_err(|source| self.io("sync", end, source))?;
        (self.synced_bytes, self.written_out_bytes) = (end, end);
        Ok(())
    }
}
