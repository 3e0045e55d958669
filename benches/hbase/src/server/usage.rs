//! What a process has used, from the kernel's own accounts in `/proc/PID`.

use crate::error::{BenchError, Doing, Result};
use std::time::Duration;

/// Ticks of `/proc/PID/stat` in a second; fixed in Linux' interface to programs.
const TICKS_PER_SECOND: u64 = 100;

/// What a process has used since it began, all its threads together, those that have ended included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    /// User and system time, to a hundredth of a second: `utime` and `stime` of `stat`.
    pub(crate) cpu: Duration,
    /// Bytes that the process has caused to be written to disk: `write_bytes` of `io`. The kernel counts a page of the page cache
    /// when it becomes dirty, so sockets are not in it, and a page that is synced after each of many small writes counts as often.
    pub(crate) written_bytes: u64,
    /// Resident memory now: `VmRSS` of `status`.
    pub(crate) resident_bytes: u64,
    /// Resident memory at its highest: `VmHWM`.
    pub(crate) peak_resident_bytes: u64,
}

impl Usage {
    /// Of the process with this id.
    pub(super) fn of(pid: u32) -> Result<Self> {
        let read = |name: &str| {
            let path = format!("/proc/{pid}/{name}");
            std::fs::read_to_string(&path).doing(|| format!("read {path}"))
        };
        Self::parse(&read("stat")?, &read("io")?, &read("status")?)
            .ok_or_else(|| BenchError::Missing(format!("/proc/{pid} has not what it should")))
    }

    fn parse(stat: &str, io: &str, status: &str) -> Option<Self> {
        // The name, in parentheses, may contain anything; what follows begins with field 3.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let (user, system): (u64, u64) = (fields.nth(11)?.parse().ok()?, fields.next()?.parse().ok()?);
        let named = |text: &str, name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        Some(Self {
            cpu: Duration::from_millis((user + system) * 1000 / TICKS_PER_SECOND),
            written_bytes: named(io, "write_bytes:")?,
            resident_bytes: named(status, "VmRSS:")? * 1024,
            peak_resident_bytes: named(status, "VmHWM:")? * 1024,
        })
    }

    /// CPU and bytes written since `before`; memory as it is now.
    #[must_use]
    pub(crate) fn since(&self, before: &Self) -> Self {
        Self {
            cpu: self.cpu.saturating_sub(before.cpu),
            written_bytes: self.written_bytes.saturating_sub(before.written_bytes),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests;
