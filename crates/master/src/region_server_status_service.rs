//! What region servers tell the master.

use std::sync::Arc;

use bytes::Bytes;
use finback_cell::{RegionInfo, ServerName};
use finback_proto::pb;
use finback_rpc::{Call, Outcome, Reply, RpcException, Service, exceptions};
use pb::region_state_transition::TransitionCode;

use crate::{
    core::{RegionReport, ReportedTransition},
    driver::Driver,
    options::MasterOptions,
};

/// HBase's NO_SEQNUM, -1, as it stands on the wire.
const NO_SEQUENCE_ID: u64 = u64::MAX;

/// `RegionServerStatusService`.
pub(crate) struct RegionServerStatusService {
    driver: Arc<Driver>,
    options: Arc<MasterOptions>,
}

type Answer = Result<Reply, RpcException>;

impl RegionServerStatusService {
    pub(crate) fn new(driver: Arc<Driver>, options: Arc<MasterOptions>) -> Self {
        Self { driver, options }
    }

    fn startup(&self, call: &Call) -> Answer {
        let request: pb::RegionServerStartupRequest = call.decode()?;
        let port = u16::try_from(request.port)
            .map_err(|_| exceptions::do_not_retry(format!("{} is no port", request.port)))?;
        let host = match request.use_this_hostname_instead {
            Some(host) if !host.is_empty() => host,
            _ => call.connection.remote.ip().to_string(),
        };
        let server = ServerName { host: host.clone(), port, start_code: request.server_start_code };
        self.driver.event(|core, now| core.server_started(server, request.server_current_time, now))?;
        let root = self.options.root.path().display().to_string();
        let entry = |name: &str, value: String| pb::NameStringPair { name: name.to_owned(), value };
        Ok(Reply::new(&pb::RegionServerStartupResponse {
            map_entries: vec![
                entry("hbase.regionserver.hostname.seen.by.master", host),
                entry("hbase.rootdir", root),
                entry("fs.defaultFS", "file:///".to_owned()),
                entry("hbase.master.info.port", self.options.config.info_port.to_string()),
            ],
        }))
    }

    fn report(&self, call: &Call) -> Answer {
        let request: pb::RegionServerReportRequest = call.decode()?;
        let server = server_name(&request.server)?;
        self.driver.event(|core, now| core.server_reported(&server, request.load, now))?;
        Ok(Reply::new(&pb::RegionServerReportResponse {}))
    }

    fn transition(&self, call: &Call) -> Answer {
        let request: pb::ReportRegionStateTransitionRequest = call.decode()?;
        let server = server_name(&request.server)?;
        let mut reports = Vec::new();
        for transition in &request.transition {
            if transition.transition_code == TransitionCode::ReadyToSplit as i32 {
                let refused = self.split_asked(transition).err();
                let error_message = refused.map(|refused| refused.message);
                return Ok(Reply::new(&pb::ReportRegionStateTransitionResponse { error_message }));
            }
            match decode_transition(transition) {
                Ok(decoded) => reports.extend(decoded),
                Err(message) => {
                    let error_message = Some(message);
                    return Ok(Reply::new(&pb::ReportRegionStateTransitionResponse { error_message }));
                }
            }
        }
        let error_message = self.driver.event(|core, now| core.regions_reported(&server, &reports, now))?;
        Ok(Reply::new(&pb::ReportRegionStateTransitionResponse { error_message }))
    }

    /// A region has grown too large for its server's liking.
    fn split_asked(&self, transition: &pb::RegionStateTransition) -> Result<(), RpcException> {
        let [parent, _, above] = &transition.region_info[..] else {
            return Err(exceptions::do_not_retry("READY_TO_SPLIT without a region and two daughters"));
        };
        let info =
            RegionInfo::try_from(parent).map_err(|error| exceptions::do_not_retry(error.to_string()))?;
        let (table, region) = (info.table.clone(), info.encoded_name());
        let split_row = above.start_key.clone().unwrap_or_default();
        self.driver.event(|core, now| core.split_wanted(table, region, split_row, now))
    }

    fn last_flushed(&self, call: &Call) -> Answer {
        let request: pb::GetLastFlushedSequenceIdRequest = call.decode()?;
        // The parameter is called a name, but is an encoded name.
        let wanted = |load: &&pb::RegionLoad| is_region(&load.region_specifier, &request.region_name);
        let found = self.driver.read(|core| {
            let loads = core.state.servers.values().filter_map(|server| server.load.as_ref());
            loads.flat_map(|load| &load.region_loads).find(wanted).cloned()
        });
        let load = found.unwrap_or_default();
        Ok(Reply::new(&pb::GetLastFlushedSequenceIdResponse {
            last_flushed_sequence_id: load.complete_sequence_id.unwrap_or(NO_SEQUENCE_ID),
            store_last_flushed_sequence_id: load.store_complete_sequence_id,
        }))
    }

    fn fatal_error(&self, call: &Call) -> Answer {
        let request: pb::ReportRsFatalErrorRequest = call.decode()?;
        let server = server_name(&request.server)?;
        tracing::error!(%server, message = request.error_message, "region server reports a fatal error");
        Ok(Reply::new(&pb::ReportRsFatalErrorResponse {}))
    }

    fn live_servers(&self, call: &Call) -> Answer {
        let request: pb::GetLiveRegionServersRequest = call.decode()?;
        let count = usize::try_from(request.count).unwrap_or(usize::MAX);
        let response = self.driver.read(|core| pb::GetLiveRegionServersResponse {
            server: core.state.servers.keys().take(count).map(Into::into).collect(),
            total: u32::try_from(core.state.servers.len()).unwrap_or(u32::MAX),
        });
        Ok(Reply::new(&response))
    }
}

impl Service for RegionServerStatusService {
    fn name(&self) -> &'static str {
        "RegionServerStatusService"
    }

    fn call(&self, call: Call) -> Outcome {
        let answer = match call.method.as_str() {
            "GetLastFlushedSequenceId" => self.last_flushed(&call),
            "GetLiveRegionServers" => self.live_servers(&call),
            "RegionServerStartup"
            | "RegionServerReport"
            | "ReportRegionStateTransition"
            | "ReportRSFatalError"
                if !call.connection.is_of_this_process() =>
            {
                Err(exceptions::do_not_retry("region servers of other processes are not taken in"))
            }
            "RegionServerStartup" => self.startup(&call),
            "RegionServerReport" => self.report(&call),
            "ReportRegionStateTransition" => self.transition(&call),
            "ReportRSFatalError" => self.fatal_error(&call),
            other => Err(exceptions::unsupported_operation(other)),
        };
        answer.into()
    }
}

fn server_name(message: &pb::ServerName) -> Result<ServerName, RpcException> {
    ServerName::try_from(message).map_err(|e| exceptions::do_not_retry(e.to_string()))
}

fn is_region(specifier: &pb::RegionSpecifier, encoded: &Bytes) -> bool {
    finback_proto::convert::encoded_name(specifier).is_ok_and(|name| name == &encoded[..])
}

fn decode_transition(transition: &pb::RegionStateTransition) -> Result<Vec<RegionReport>, String> {
    let reported = match TransitionCode::try_from(transition.transition_code) {
        Ok(TransitionCode::Opened) => {
            let number = transition.open_seq_num.ok_or("OPENED without open_seq_num")?;
            ReportedTransition::Opened { open_seq_num: number }
        }
        Ok(TransitionCode::FailedOpen) => ReportedTransition::FailedOpen,
        Ok(TransitionCode::Closed) => ReportedTransition::Closed,
        Ok(other) => return Err(format!("transition {} is not supported", other.as_str_name())),
        Err(e) => return Err(e.to_string()),
    };
    let decode = |info: &pb::RegionInfo| RegionInfo::try_from(info).map_err(|e| e.to_string());
    let regions: Vec<RegionInfo> = transition.region_info.iter().map(decode).collect::<Result<_, _>>()?;
    Ok(regions.into_iter().map(|region| RegionReport { region, transition: reported }).collect())
}
