//! `AdminService` of a master, which HBase's masters have as its region servers have: clients ask it to read its configuration
//! again, and how far a table's MOB compactions are.

use std::sync::Arc;

use finback_cell::{RegionInfo, TableName};
use finback_proto::pb;
use finback_rpc::{Call, Outcome, Reply, RpcException, Service, exceptions};
use pb::get_region_info_response::CompactionState;

use crate::{core::Core, driver::Driver, options::MasterOptions};

/// Reads the configuration again and applies what it can; an error says, in a line, why it is not taken.
pub type UpdateConfiguration = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

pub(crate) struct AdminService {
    pub(crate) driver: Arc<Driver>,
    pub(crate) options: Arc<MasterOptions>,
    pub(crate) update: UpdateConfiguration,
}

impl AdminService {
    fn answer(&self, call: &Call) -> Result<Reply, RpcException> {
        match call.method.as_str() {
            "GetServerInfo" => Ok(self.server_info()),
            // A master has none.
            "GetOnlineRegion" => Ok(Reply::new(&pb::GetOnlineRegionResponse::default())),
            "GetRegionLoad" => Ok(Reply::new(&pb::GetRegionLoadResponse::default())),
            "GetRegionInfo" => self.region_info(call),
            "CompactRegion" => Err(exceptions::absent_operation(
                "CompactRegion",
                "a master has no regions, and this server no MOB files; without 'MOB' all files of a table are merged",
            )),
            "StopServer" => {
                (self.options.shutdown)(false);
                Ok(Reply::new(&pb::StopServerResponse::default()))
            }
            other => Err(exceptions::unsupported_operation(other)),
        }
    }

    fn server_info(&self) -> Reply {
        let webui_port = u32::try_from(self.options.config.info_port).ok();
        let server_info = pb::ServerInfo { server_name: (&self.options.server_name).into(), webui_port };
        Reply::new(&pb::GetServerInfoResponse { server_info })
    }

    /// What a master knows of a region; or whether MOB files of a table are being compacted, if the region is the one that
    /// stands for them.
    fn region_info(&self, call: &Call) -> Result<Reply, RpcException> {
        self.driver.read(Core::check_initialized)?;
        let request: pb::GetRegionInfoRequest = call.decode()?;
        let encoded = finback_proto::convert::encoded_name(&request.region)
            .map_err(|error| exceptions::do_not_retry(error.to_string()))?;
        let encoded = String::from_utf8_lossy(encoded);
        let known = self.driver.read(|core| Some(core.state.regions.get(&*encoded)?.info.clone()));
        let mob = || mob_region(&request.region.value);
        let Some(info) = known.or_else(mob) else {
            return Err(exceptions::unknown_region(request.region.value.escape_ascii().to_string()));
        };
        let compaction_state = request.compaction_state().then_some(CompactionState::None as i32);
        Ok(Reply::new(&pb::GetRegionInfoResponse {
            region_info: (&info).into(),
            compaction_state,
            ..Default::default()
        }))
    }
}

/// The region that stands for a table's MOB files, if that is its name.
fn mob_region(name: &[u8]) -> Option<RegionInfo> {
    let table = name.split(|byte| *byte == b',').next()?;
    let table = TableName::parse(table).ok()?;
    let region = RegionInfo::of_mob_files(table);
    (region.name() == name).then_some(region)
}

impl Service for AdminService {
    fn name(&self) -> &'static str {
        "AdminService"
    }

    fn call(&self, call: Call) -> Outcome {
        if call.method.as_str() != "UpdateConfiguration" {
            return self.answer(&call).into();
        }
        let update = Arc::clone(&self.update);
        Outcome::pending(async move {
            let updated = tokio::task::spawn_blocking(move || update()).await;
            let updated =
                updated.map_err(|error| exceptions::io(format!("updating the configuration: {error}")))?;
            updated.map_err(exceptions::do_not_retry)?;
            Ok(Reply::new(&pb::UpdateConfigurationResponse {}))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_region_of_mob_files_goes_by_the_name_that_clients_give_it() {
        let region = RegionInfo::of_mob_files(TableName::parse(b"t").unwrap());
        let name = region.name();
        assert!(name.starts_with(b"t,.mob,0."));
        assert_eq!(mob_region(&name), Some(region));
        for other in
            [&b"t,.mob,1.b0d5ee6d5b0ea4a7ac9a7d4ad4bd4c02."[..], b"t,,0.", b"", b",,", b"a:b:c,.mob,0."]
        {
            assert_eq!(mob_region(other), None);
        }
    }
}
