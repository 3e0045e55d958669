//! What a server tells others about where it is, and how much memory it may use.

use std::fs;
use std::net::IpAddr;

use finback_wal::WalCompression;

use super::table::ServerConfig;

impl ServerConfig {
    /// The master's host as told to clients.
    pub fn master_host_name(&self) -> String {
        told_to_clients(self.master_host.as_deref(), &self.master_address)
    }

    /// The region server's host as told to clients.
    pub fn regionserver_host_name(&self) -> String {
        told_to_clients(self.regionserver_host.as_deref(), &self.regionserver_address)
    }

    /// Bytes for the memstores of all regions together.
    pub fn global_memstore_bytes(&self) -> u64 {
        self.global_memstore.bytes(available_memory_bytes())
    }

    /// Bytes for the block cache.
    pub fn block_cache_bytes(&self) -> u64 {
        self.block_cache.bytes(available_memory_bytes())
    }

    /// How write-ahead logs are compressed.
    pub fn wal_compression(&self) -> Option<WalCompression> {
        let values = self.wal_value_compression.then_some(self.wal_value_codec);
        self.wal_compression.then_some(WalCompression { tags: self.wal_tag_compression, values })
    }

    /// Size at which a new write-ahead log begins.
    pub fn wal_roll_bytes(&self) -> u64 {
        ((self.wal_block_bytes as f64 * self.wal_roll_multiplier) as u64).max(1)
    }
}

/// `0.0.0.0` is an address to listen on, not one to connect to: the machine's name stands for it.
fn told_to_clients(name: Option<&str>, address: &str) -> String {
    match name {
        Some(name) => name.to_owned(),
        None if address.parse().is_ok_and(|address: IpAddr| address.is_unspecified()) => machine_name(),
        None => address.to_owned(),
    }
}

fn machine_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "localhost" } else { name }.to_owned()
}

/// The memory of the machine, or of the control group (version 2) when that allows less.
fn available_memory_bytes() -> u64 {
    /// Taken when the system does not say: small enough for every machine.
    const UNKNOWN: u64 = 1 << 30;
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_memory_bytes(&text));
    let group =
        fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    [machine, group].into_iter().flatten().min().unwrap_or(UNKNOWN)
}

/// `MemTotal` of Linux's `/proc/meminfo`.
fn total_memory_bytes(meminfo: &str) -> Option<u64> {
    let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    total.trim().strip_suffix("kB")?.trim_end().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_told_an_address_that_they_can_connect_to() {
        assert_eq!(told_to_clients(Some("h.example"), "0.0.0.0"), "h.example");
        assert_eq!(told_to_clients(None, "127.0.0.1"), "127.0.0.1");
        assert_eq!(told_to_clients(None, "db1"), "db1");
        for everything in ["0.0.0.0", "::"] {
            let told = told_to_clients(None, everything);
            assert!(told != everything && !told.is_empty());
        }
    }

    #[test]
    fn total_memory_is_read_in_bytes() {
        assert_eq!(total_memory_bytes("MemTotal:        2048 kB\nMemFree: 1 kB\n"), Some(2 << 20));
        assert_eq!(total_memory_bytes("MemFree: 1 kB\n"), None);
        assert_eq!(total_memory_bytes("MemTotal: 99999999999999999 kB"), None);
        assert!(available_memory_bytes() > 0);
    }
}
