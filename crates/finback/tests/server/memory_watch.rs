//! The most memory that a process had.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Between two looks.
const INTERVAL: Duration = Duration::from_millis(1);

/// Looks again and again, until it is dropped, at what a process has in memory. The pages of its own program do not count: they are
/// the page cache's, and of a build for tests they are many.
pub(crate) struct MemoryWatch {
    pid: u32,
    most_kib: Arc<AtomicU64>,
}

impl MemoryWatch {
    pub(crate) fn begin(pid: u32) -> Self {
        let most_kib = Arc::new(AtomicU64::new(0));
        let watched = Arc::downgrade(&most_kib);
        std::thread::spawn(move || {
            while let (Some(most_kib), Some(kib)) = (watched.upgrade(), memory_kib(pid)) {
                most_kib.fetch_max(kib, Ordering::Relaxed);
                std::thread::sleep(INTERVAL);
            }
        });
        Self { pid, most_kib }
    }

    /// The most until now, in MiB. The process must live.
    pub(crate) fn most_mib(&self) -> u64 {
        let now = memory_kib(self.pid).expect("a process that lives");
        self.most_kib.fetch_max(now, Ordering::Relaxed).max(now) >> 10
    }
}

/// What there is of a process in memory and in no file; none when it has ended.
fn memory_kib(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let kib = |name: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    };
    Some(kib("RssAnon:")? + kib("RssShmem:")?)
}
