//! What a server tells others about where it is.

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
}
