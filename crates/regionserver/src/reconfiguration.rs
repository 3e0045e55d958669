//! Settings that change while the server works.

use crate::background_options::BackgroundOptions;
use crate::server::RegionServer;
use finback_region::RegionConfig;
use finback_rpc::{Reply, RpcException, exceptions};
use std::sync::Arc;

/// Reads the configuration again and applies what it can; an error says, in a line, why it is not taken.
pub type UpdateConfiguration = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

impl RegionServer {
    /// Settings of regions and of background jobs in the place of those of now. Compactions, of open regions too, and limits of
    /// throughput follow at once; the rest of what regions go by counts for those that are opened from now on. How many threads
    /// there are, and which engine an open store has, stays.
    pub fn reconfigure(&self, region: RegionConfig, background: BackgroundOptions) {
        let config = self.replace_region_config(region);
        for region in self.regions.all() {
            region.reconfigure(&config);
        }
        self.scheduler.reconfigure(background);
        if self.scheduler.are_compactions_enabled() {
            self.regions.all().iter().for_each(|region| self.scheduler.look_at(region));
        }
    }
}

/// Answers `UpdateConfiguration`.
pub(crate) async fn update(configuration: Option<UpdateConfiguration>) -> Result<Reply, RpcException> {
    let Some(configuration) = configuration else {
        return Err(exceptions::unsupported_operation("UpdateConfiguration"));
    };
    let updated = tokio::task::spawn_blocking(move || configuration()).await;
    let updated = updated.map_err(|error| exceptions::io(format!("updating the configuration: {error}")))?;
    updated.map_err(exceptions::do_not_retry)?;
    Ok(Reply::new(&finback_proto::pb::UpdateConfigurationResponse {}))
}
