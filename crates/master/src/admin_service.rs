//! `AdminService` of a master, which HBase's masters have as its region servers have: clients ask it to read its configuration
//! again, to have a table's MOB files compacted, and how far that is.

use std::sync::Arc;

use finback_cell::RegionInfo;
use finback_proto::pb;
use finback_rpc::{Call, Outcome, Reply, RpcException, Service, exceptions};
use pb::get_region_info_response::CompactionState;

use crate::{core::Core, driver::Driver, mob_calls, options::MasterOptions};

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
    fn region_info(&self, call: &Call) -> Result<Outcome, RpcException> {
        self.driver.read(Core::check_initialized)?;
        let request: pb::GetRegionInfoRequest = call.decode()?;
        let encoded = finback_proto::convert::encoded_name(&request.region)
            .map_err(|error| exceptions::do_not_retry(error.to_string()))?;
        let encoded = String::from_utf8_lossy(encoded);
        let is_asked = request.compaction_state();
        let answer = move |info: &RegionInfo, state: CompactionState| {
            Reply::new(&pb::GetRegionInfoResponse {
                region_info: info.into(),
                compaction_state: is_asked.then_some(state as i32),
                ..Default::default()
            })
        };
        let known = self.driver.read(|core| Some(core.state.regions.get(&*encoded)?.info.clone()));
        if let Some(info) = known {
            return Ok(Outcome::Ready(Ok(answer(&info, CompactionState::None))));
        }
        let Some(info) = mob_calls::mob_region(&request.region.value) else {
            return Err(exceptions::unknown_region(request.region.value.escape_ascii().to_string()));
        };
        let driver = Arc::clone(&self.driver);
        Ok(Outcome::pending(async move {
            let state = match is_asked {
                true => mob_calls::compaction_state(&driver, &info.table).await?,
                false => CompactionState::None,
            };
            Ok(answer(&info, state))
        }))
    }

    fn compact_region(&self, call: &Call) -> Result<Outcome, RpcException> {
        self.driver.read(Core::check_initialized)?;
        let request: pb::CompactRegionRequest = call.decode()?;
        let Some(RegionInfo { table, .. }) = mob_calls::mob_region(&request.region.value) else {
            return Err(exceptions::absent_operation(
                "CompactRegion",
                "a master has no regions: the server is to be asked that has this one",
            ));
        };
        let family = request.family.filter(|family| !family.is_empty());
        Ok(Outcome::pending(mob_calls::compact(Arc::clone(&self.driver), table, family)))
    }
}

impl Service for AdminService {
    fn name(&self) -> &'static str {
        "AdminService"
    }

    fn call(&self, call: Call) -> Outcome {
        match call.method.as_str() {
            "UpdateConfiguration" => {}
            "GetRegionInfo" => return self.region_info(&call).unwrap_or_else(Outcome::exception),
            "CompactRegion" => return self.compact_region(&call).unwrap_or_else(Outcome::exception),
            _ => return self.answer(&call).into(),
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
