//! The cluster as a whole, and its servers.

use super::{Admin, malformed};
use crate::error::Result;
use crate::servers::ServiceName;
use finback_cell::ServerName;
use finback_proto::pb;

/// What of a cluster's status is asked for.
pub use pb::Option as StatusOption;

impl Admin {
    /// How the cluster is: what of it is asked for, or, without `options`, everything.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn cluster_status(&self, options: &[StatusOption]) -> Result<pb::ClusterStatus> {
        let options = options.iter().map(|&option| option.into()).collect();
        let question = pb::GetClusterStatusRequest { options };
        let answer: pb::GetClusterStatusResponse = self.ask_master("GetClusterStatus", &question).await?;
        Ok(answer.cluster_status)
    }

    /// The region servers that are there.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn region_servers(&self) -> Result<Vec<ServerName>> {
        let status = self.cluster_status(&[StatusOption::ServersName]).await?;
        let name = |server| ServerName::try_from(server).map_err(malformed("GetClusterStatus"));
        status.servers_name.iter().map(name).collect()
    }

    /// The active master.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn master(&self) -> Result<ServerName> {
        let mut retrying = self.shared.retrying("find the active master", self.timeout);
        loop {
            match retrying.within(self.find_master()).await? {
                Ok(master) => return Ok(master),
                Err(failed) => retrying.failed(failed).await?,
            }
        }
    }

    /// Servers that were found dead, and are not waited for any more. Gives back those that are.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn clear_dead_servers(&self, servers: &[ServerName]) -> Result<Vec<ServerName>> {
        const METHOD: &str = "ClearDeadServers";
        let question = pb::ClearDeadServersRequest { server_name: servers.iter().map(Into::into).collect() };
        let answer: pb::ClearDeadServersResponse = self.ask_master(METHOD, &question).await?;
        answer.server_name.iter().map(|name| ServerName::try_from(name).map_err(malformed(METHOD))).collect()
    }

    /// Servers that get no regions any more; theirs are moved away, if `offload`.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn decommission_servers(&self, servers: &[ServerName], offload: bool) -> Result<()> {
        let server_name = servers.iter().map(Into::into).collect();
        let question = pb::DecommissionRegionServersRequest { server_name, offload };
        let _: pb::DecommissionRegionServersResponse =
            self.ask_master("DecommissionRegionServers", &question).await?;
        Ok(())
    }

    /// Servers that get no regions any more.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn decommissioned_servers(&self) -> Result<Vec<ServerName>> {
        const METHOD: &str = "ListDecommissionedRegionServers";
        let answer: pb::ListDecommissionedRegionServersResponse =
            self.ask_master(METHOD, &pb::ListDecommissionedRegionServersRequest {}).await?;
        answer.server_name.iter().map(|name| ServerName::try_from(name).map_err(malformed(METHOD))).collect()
    }

    /// A server that gets regions again; regions of these encoded names move there.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn recommission_server(&self, server: &ServerName, regions: &[impl AsRef<str>]) -> Result<()> {
        use pb::region_specifier::RegionSpecifierType;
        let region = |name: &dyn AsRef<str>| pb::RegionSpecifier {
            r#type: RegionSpecifierType::EncodedRegionName.into(),
            value: name.as_ref().as_bytes().to_vec().into(),
        };
        let region = regions.iter().map(|name| region(name)).collect();
        let question = pb::RecommissionRegionServerRequest { server_name: server.into(), region };
        let _: pb::RecommissionRegionServerResponse =
            self.ask_master("RecommissionRegionServer", &question).await?;
        Ok(())
    }

    /// Writes what the master has in the memory of its own store to files. HBase has this from 2.5 on.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn flush_master_store(&self) -> Result<()> {
        let _: pb::FlushMasterStoreResponse =
            self.ask_master("FlushMasterStore", &pb::FlushMasterStoreRequest {}).await?;
        Ok(())
    }

    /// Whether the master does nothing but hold hbase:meta.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn is_in_maintenance_mode(&self) -> Result<bool> {
        let answer: pb::IsInMaintenanceModeResponse =
            self.ask_master("IsMasterInMaintenanceMode", &pb::IsInMaintenanceModeRequest {}).await?;
        Ok(answer.in_maintenance_mode)
    }

    /// What of security the cluster has.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn security_capabilities(&self) -> Result<pb::SecurityCapabilitiesResponse> {
        self.ask_master("getSecurityCapabilities", &pb::SecurityCapabilitiesRequest {}).await
    }

    /// Has a server read its configuration again.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn update_configuration(&self, server: &ServerName) -> Result<()> {
        let _: pb::UpdateConfigurationResponse =
            self.ask_server(server, "UpdateConfiguration", &pb::UpdateConfigurationRequest {}).await?;
        Ok(())
    }

    /// Has a server begin another log.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn roll_wal(&self, server: &ServerName) -> Result<()> {
        let _: pb::RollWalWriterResponse =
            self.ask_server(server, "RollWALWriter", &pb::RollWalWriterRequest {}).await?;
        Ok(())
    }

    /// Has a server give up compactions that wait: of the queues `long` and `short`.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn clear_compaction_queues(&self, server: &ServerName, queues: &[&str]) -> Result<()> {
        let queue_name = queues.iter().map(|&queue| queue.to_owned()).collect();
        let question = pb::ClearCompactionQueuesRequest { queue_name };
        let _: pb::ClearCompactionQueuesResponse =
            self.ask_server(server, "ClearCompactionQueues", &question).await?;
        Ok(())
    }

    /// Stops a region server.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn stop_region_server(&self, server: &ServerName, reason: &str) -> Result<()> {
        let question = pb::StopServerRequest { reason: reason.to_owned() };
        let _: pb::StopServerResponse = self.ask_server(server, "StopServer", &question).await?;
        Ok(())
    }

    /// Stops the active master.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn stop_master(&self) -> Result<()> {
        let _: pb::StopMasterResponse = self.ask_master("StopMaster", &pb::StopMasterRequest {}).await?;
        Ok(())
    }

    /// Stops the cluster.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn shutdown(&self) -> Result<()> {
        let _: pb::ShutdownResponse = self.ask_master("Shutdown", &pb::ShutdownRequest {}).await?;
        Ok(())
    }

    /// Has the master look for what does not fit together between hbase:meta, servers and files; whether it did.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn run_hbck_chore(&self) -> Result<bool> {
        let question = pb::RunHbckChoreRequest {};
        let answer: pb::RunHbckChoreResponse =
            self.ask_master_service(ServiceName::Hbck, "RunHbckChore", &question).await?;
        Ok(answer.ran)
    }
}
