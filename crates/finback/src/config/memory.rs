//! How the memory of the process is divided: one limit, and what is counted within it.
//!
//! ```text
//! memory.limit
//! +-------------------+-------------------+----------+---------+-------+----------+-----+--------+------------------+
//! |     memstores     |    block cache    | requests | replies | reads | scanners | log | nonces | connections; not |
//! |                   |                   |    x 2   |   x 2   |       |          |     |        | counted          |
//! +-------------------+-------------------+----------+---------+-------+----------+-----+--------+------------------+
//!  by their settings, at most 80 %         shares of what these leave
//! ```
//!
//! Indexes of open files, blocks that compactions work with, buffers of flushes, and what an idle process has, count in the block
//! cache, which keeps so much less;
//! compactions that do not fit into half of it run one after the other. Requests count once and are there twice: as they
//! were received, and as the log's edit. Replies may take as much again, for one that did not fit beside the others. Reads
//! are the blocks that are on their way from a device; one at a time may go beyond their share.

use std::fs;
use std::path::Path;

use super::error::ConfigError;
use super::table::ServerConfig;

/// What memstores and block cache may take together, as in HBase.
pub(super) const FILLED_PERCENT: u64 = 80;
/// Shares of what they leave: requests (there twice), replies (twice), the log's queue, nonces, reads, scanners, connections.
const REQUESTS_PERCENT: u64 = 15;
const REPLIES_PERCENT: u64 = 15;
const LOG_PERCENT: u64 = 10;
const NONCES_PERCENT: u64 = 5;
/// With a limit of 1 GiB and the usual settings all blocks of 64 KiB for which a multi-get asks at once.
const READS_PERCENT: u64 = 4;
const SCANNERS_PERCENT: u64 = 8;
const CONNECTIONS_PERCENT: u64 = 8;
/// Of the master, in the same process.
const MASTER_REQUESTS_PERCENT: u64 = 2;
/// Enough for a table with thousands of regions.
const LEAST_MASTER_REQUESTS: u64 = 1 << 20;
/// Requests need no more to keep a server busy: HBase's hbase.ipc.server.max.callqueue.size.
const MOST_REQUESTS: u64 = 1 << 30;
/// The log's queue needs no more than this to keep a disk busy.
const MOST_LOG_BYTES: u64 = 32 << 20;
/// What a connection that is idle, or reads small requests, has in buffers: 10 KiB, by what two thousand of them took.
const CONNECTION_BYTES: u64 = 12 << 10;
/// Connections that are admitted at least: a few clients, and the tools that look after the server.
const LEAST_CONNECTIONS: u64 = 64;
const MOST_CONNECTIONS: u64 = 10_000;
/// So many regions are flushed one after the other before all memstores together are at their limit.
const FLUSHES_IN_MEMSTORES: u64 = 4;

/// With less no request of a usual client has room.
const LEAST_LIMIT: u64 = 8 << 20;
/// With less every write is refused.
const LEAST_MEMSTORES: u64 = 64 << 10;

/// Bytes for each part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryBudget {
    /// All of it.
    pub limit: u64,
    /// Memstores of all regions.
    pub memstores: u64,
    /// A region's memstores at which it is flushed.
    pub flush: u64,
    /// Blocks that were read.
    pub block_cache: u64,
    /// Requests that are received or worked on.
    pub requests: u64,
    /// Requests to the master, likewise.
    pub master_requests: u64,
    /// Replies that are built, or on their way to clients.
    pub replies: u64,
    /// Entries that wait for the log.
    pub log_queue: u64,
    /// Blocks that are being read, and are in no cache yet.
    pub reads: u64,
    /// What scanners keep while they wait for their clients.
    pub scanners: u64,
    /// The table of nonces, and bulk loads that are remembered likewise.
    pub nonces: u64,
    /// Connections, a number.
    pub connections: u64,
}

impl ServerConfig {
    /// What each part of the server may take.
    ///
    /// # Errors
    /// The settings of the parts are more than the whole has.
    pub fn memory(&self) -> Result<MemoryBudget, ConfigError> {
        let limit = self.memory_limit.bytes(available_memory_bytes());
        let (memstores, block_cache) = (self.global_memstore.bytes(limit), self.block_cache.bytes(limit));
        for (what, bytes, least) in
            [("memory.limit", limit, LEAST_LIMIT), ("memory.memstores", memstores, LEAST_MEMSTORES)]
        {
            if bytes < least {
                return Err(ConfigError::TooLittleMemory { what, bytes, least });
            }
        }
        let filled = memstores.saturating_add(block_cache);
        // A byte may be lost to each rounding.
        if filled > (limit / 100).saturating_mul(FILLED_PERCENT).saturating_add(FILLED_PERCENT) {
            return Err(ConfigError::TooMuchMemory { memstores, block_cache, limit });
        }
        let percent = (limit - filled.min(limit)) / 100;
        Ok(MemoryBudget {
            limit,
            memstores,
            flush: self.tables.memstore_flush_bytes.min(memstores / FLUSHES_IN_MEMSTORES).max(1),
            block_cache,
            requests: MOST_REQUESTS.min(percent * REQUESTS_PERCENT),
            master_requests: MOST_REQUESTS
                .min((percent * MASTER_REQUESTS_PERCENT).max(LEAST_MASTER_REQUESTS)),
            replies: percent * REPLIES_PERCENT,
            log_queue: MOST_LOG_BYTES.min(percent * LOG_PERCENT).max(1),
            reads: percent * READS_PERCENT,
            scanners: percent * SCANNERS_PERCENT,
            nonces: percent * NONCES_PERCENT,
            connections: (percent * CONNECTIONS_PERCENT / CONNECTION_BYTES)
                .clamp(LEAST_CONNECTIONS, MOST_CONNECTIONS),
        })
    }
}

/// The memory of the machine, or of a control group that the process is in when that allows less.
fn available_memory_bytes() -> u64 {
    /// Taken when the system does not say: small enough for every machine.
    const UNKNOWN: u64 = 1 << 30;
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_memory_bytes(&text));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = group_memory_bytes(Path::new("/sys/fs/cgroup"), &groups);
    [machine, group].into_iter().flatten().min().unwrap_or(UNKNOWN)
}

/// The least that a control group of the process allows, or one that it lies in; `groups` is Linux's `/proc/self/cgroup`, a line for
/// each hierarchy: that of version 2 has no controllers, and of version 1 it is that of the controller `memory`.
fn group_memory_bytes(root: &Path, groups: &str) -> Option<u64> {
    let of_line = |line: &str| -> Option<u64> {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let (root, file) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            _ if controllers.split(',').any(|controller| controller == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes")
            }
            _ => return None,
        };
        // Seen from within a container its own group is the root, whatever the path says.
        let own = root.join(path.trim_start_matches('/'));
        let groups = own.ancestors().take_while(|dir| dir.starts_with(&root));
        groups.filter_map(|dir| fs::read_to_string(dir.join(file)).ok()?.trim().parse().ok()).min()
    };
    groups.lines().filter_map(of_line).min()
}

/// `MemTotal` of Linux's `/proc/meminfo`.
fn total_memory_bytes(meminfo: &str) -> Option<u64> {
    let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    total.trim().strip_suffix("kB")?.trim_end().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests;
