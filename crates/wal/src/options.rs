use std::time::Duration;

use finback_compression::ZstdForm;

use crate::WalCompression;

/// What is written without a sync is worth no more: its buffers stay in the processor's cache.
const UNSYNCED_GROUP_BYTES: usize = 2 << 20;

/// What "durable" means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SyncMode {
    /// On disk: survives a power cut (`fdatasync`).
    #[default]
    Disk,
    /// Handed to the operating system: survives the process, not the machine (HBase's hflush on one machine).
    Os,
}

/// How a [`crate::Wal`] behaves. The default serves.
#[derive(Debug, Clone)]
pub struct WalOptions {
    /// What a confirmed write survives.
    pub sync_mode: SyncMode,
    /// How files are compressed (`hbase.regionserver.wal.enablecompression`). Default: not.
    pub compression: Option<WalCompression>,
    /// The form in which ZSTD compresses values (`hbase.io.compress.zstd.codec`). Default: bare frames.
    pub zstd_form: ZstdForm,
    /// A file this long is closed and the next begun (`hbase.regionserver.hlog.blocksize` times
    /// `hbase.regionserver.logroll.multiplier`). Default 128 MiB.
    pub roll_size_bytes: u64,
    /// A file with entries is closed after this time (`hbase.regionserver.logroll.period`). Default 1 h.
    pub roll_period: Duration,
    /// Entries that nobody waits for are durable after at most this time
    /// (`hbase.regionserver.optionallogflushinterval`). Default 1 s.
    pub async_sync_interval: Duration,
    /// Bytes of entries waiting to be written; at the limit [`crate::Wal::reserve`] waits. Default 32 MiB.
    pub queue_bytes: u32,
    /// With more files than this, regions should be flushed (`hbase.regionserver.maxlogs`). Default 32.
    pub max_logs: usize,
    /// How long a log that could not be opened is left alone before another try. Default 100 ms.
    pub reopen_interval: Duration,
}

impl Default for WalOptions {
    fn default() -> Self {
        Self {
            sync_mode: SyncMode::Disk,
            compression: None,
            zstd_form: ZstdForm::default(),
            roll_size_bytes: 128 << 20,
            roll_period: Duration::from_secs(3600),
            async_sync_interval: Duration::from_secs(1),
            queue_bytes: 32 << 20,
            max_logs: 32,
            reopen_interval: Duration::from_millis(100),
        }
    }
}

impl WalOptions {
    /// With more bytes of entries that nobody waits for, these are written.
    pub(crate) fn group_bytes(&self) -> usize {
        let half = self.queue_bytes as usize / 2;
        match self.sync_mode {
            SyncMode::Disk => half,
            SyncMode::Os => half.min(UNSYNCED_GROUP_BYTES),
        }
    }
}
