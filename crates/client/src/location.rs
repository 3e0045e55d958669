//! Which server has a region.

use bytes::Bytes;
use finback_cell::{RegionInfo, ServerName};

/// A region and the server that has it, as far as this client knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionLocation {
    region: RegionInfo,
    name: Bytes,
    server: ServerName,
    address: String,
    seq_num: i64,
}

impl RegionLocation {
    pub(crate) fn new(region: RegionInfo, server: ServerName, seq_num: i64) -> Self {
        Self { name: region.name(), address: server.address(), region, server, seq_num }
    }

    /// The region.
    pub fn region(&self) -> &RegionInfo {
        &self.region
    }

    /// The server.
    pub fn server(&self) -> &ServerName {
        &self.server
    }

    /// The sequence number at which the server opened the region: of two locations, that with the higher one is newer.
    pub fn seq_num(&self) -> i64 {
        self.seq_num
    }

    /// The region's full name.
    pub(crate) fn name(&self) -> &Bytes {
        &self.name
    }

    /// `host:port` of the server.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }
}
