//! The cluster as a whole.

use finback_client::messages::ClusterStatus;

/// What the lines above the table say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// The release of HBase that the master says it is.
    pub version: String,
    /// The cluster's id.
    pub cluster_id: String,
    /// Region servers that are there.
    pub live_servers: usize,
    /// Region servers that were found dead.
    pub dead_servers: usize,
    /// Regions that servers have.
    pub regions: usize,
    /// Regions on their way.
    pub regions_in_transition: usize,
    /// Requests per second, as the servers count them.
    pub requests_per_second: u64,
}

impl Summary {
    pub(crate) fn of(status: &ClusterStatus) -> Self {
        let loads = || status.live_servers.iter().map(|server| &server.server_load);
        Self {
            version: status.hbase_version.as_ref().map(|version| version.version.clone()).unwrap_or_default(),
            cluster_id: status.cluster_id.as_ref().map(|id| id.cluster_id.clone()).unwrap_or_default(),
            live_servers: status.live_servers.len(),
            dead_servers: status.dead_servers.len(),
            regions: loads().map(|load| load.region_loads.len()).sum(),
            regions_in_transition: status.regions_in_transition.len(),
            requests_per_second: loads().fold(0, |sum, load| load.number_of_requests().saturating_add(sum)),
        }
    }

    /// Regions per server.
    pub fn average_load(&self) -> f64 {
        if self.live_servers == 0 { 0.0 } else { self.regions as f64 / self.live_servers as f64 }
    }

    /// HBase's lines, without that of the time.
    pub fn lines(&self) -> [String; 6] {
        let servers = self.live_servers + self.dead_servers;
        let (live, dead) = (self.live_servers, self.dead_servers);
        [
            format!("Version: {}", self.version),
            format!("Cluster ID: {}", self.cluster_id),
            format!("RegionServer(s): {servers} total, {live} live, {dead} dead"),
            format!("RegionCount: {} total, {} rit", self.regions, self.regions_in_transition),
            format!("Average Cluster Load: {:.2}", self.average_load()),
            format!("Aggregate Request/s: {}", self.requests_per_second),
        ]
    }
}
