//! Which server has a region.

use bytes::Bytes;
use finback_cell::{RegionInfo, ServerName};
use finback_proto::pb;
use std::sync::Arc;

/// A region and the server that has it, as far as this client knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionLocation {
    region: RegionInfo,
    name: Bytes,
    server: ServerName,
    address: String,
    seq_num: i64,
    replicas: Vec<Arc<RegionLocation>>,
}

impl RegionLocation {
    pub(crate) fn new(region: RegionInfo, server: ServerName, seq_num: i64) -> Self {
        Self { name: region.name(), address: server.address(), region, server, seq_num, replicas: Vec::new() }
    }

    /// With the places of the region's other replicas.
    pub(crate) fn with_replicas(mut self, replicas: Vec<Arc<RegionLocation>>) -> Self {
        self.replicas = replicas;
        self
    }

    /// The places of the region's other replicas, from which [timeline-consistent](crate::Consistency) reads may be answered.
    pub fn replicas(&self) -> &[Arc<RegionLocation>] {
        &self.replicas
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

    /// The region as calls name it. Its name is not put together anew: that takes a digest.
    pub(crate) fn specifier(&self) -> pb::RegionSpecifier {
        use pb::region_specifier::RegionSpecifierType;
        pb::RegionSpecifier { r#type: RegionSpecifierType::RegionName.into(), value: self.name.clone() }
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
