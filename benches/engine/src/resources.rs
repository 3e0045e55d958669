//! What the process has used, from the kernel's own accounts.

use std::time::Duration;

/// Ticks of /proc's clock in a second; fixed in Linux' interface to programs.
const TICKS_PER_SECOND: u64 = 100;

/// Totals since the process began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resources {
    /// User and system time.
    pub(crate) cpu: Duration,
    /// Bytes handed to write calls.
    pub(crate) written_bytes: u64,
}

impl Resources {
    pub(crate) fn now() -> Self {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        // The name, in parentheses, may contain anything.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks =
            |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or_default();
        let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
        let written = io.lines().find_map(|line| line.strip_prefix("wchar: ")?.parse().ok());
        Self {
            cpu: Duration::from_millis((ticks(11) + ticks(12)) * 1000 / TICKS_PER_SECOND),
            written_bytes: written.unwrap_or_default(),
        }
    }

    pub(crate) fn since(&self, before: &Self) -> Self {
        Self {
            cpu: self.cpu.saturating_sub(before.cpu),
            written_bytes: self.written_bytes.saturating_sub(before.written_bytes),
        }
    }
}
