//! What a server tells others about where it is.

use std::fs;
use std::net::IpAddr;

use finback_wal::WalCompression;

use super::table::ServerConfig;

impl ServerConfig {
    /// The server's host as told to clients.
    pub fn host_name(&self) -> String {
        told_to_clients(self.advertised_host.as_deref(), &self.address)
    }

    /// The names that the web page is reached by, besides addresses and `localhost`.
    pub(crate) fn info_names(&self) -> Vec<String> {
        let names = [self.host_name(), machine_name(), self.info_address.clone()];
        names.into_iter().chain(self.info_name.clone()).collect()
    }

    /// How write-ahead logs are compressed.
    pub fn wal_compression(&self) -> Option<WalCompression> {
        let values = self.wal_value_compression;
        self.wal_compression.then_some(WalCompression { tags: true, values })
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
