//! The web page of this server: where its data comes from.
//!
//! Regions are asked directly, as they are in this process; everything else is asked for through the services that clients
//! ask, and under the same limits.

mod master;
mod regions;
mod rows;
mod sampling;
mod settings;
mod slow;
mod status;
mod tables;
mod tasks;
mod threads;

use crate::config::MemoryBudget;
use crate::metrics::Sources;
use crate::reconfiguration::Reconfiguration;
use finback_log::{Levels, Log};
use finback_pages::model::{
    Identity, Refused, Region, RowRange, Rows, Schema, Setting, SlowLog, Status, Store, Table, Tasks,
};
use finback_pages::{History, HotRegion, Sample, Source};
use finback_rpc::{Channel, ChannelExt, RpcException};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// How long the region server's administration may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

/// What the pages are made of.
pub(crate) struct ServerPages {
    pub(crate) sources: Arc<Sources>,
    /// Of the region server.
    pub(crate) client: Arc<dyn Channel>,
    pub(crate) admin: Arc<dyn Channel>,
    /// The threads for calls that take long.
    pub(crate) long_calls: Handle,
    pub(crate) memory: MemoryBudget,
    pub(crate) reconfiguration: Arc<Reconfiguration>,
    pub(crate) log: Log,
    pub(crate) history: History,
    pub(crate) shows_rows: bool,
}

impl ServerPages {
    /// Calls a service, from a thread that may block.
    fn ask<Req, Resp>(
        &self,
        service: &dyn Channel,
        timeout: Duration,
        method: &'static str,
        request: &Req,
    ) -> Result<Resp, RpcException>
    where
        Req: finback_proto::Message,
        Resp: finback_proto::Message + Default,
    {
        let answer = service.call_within(timeout, method, request, Default::default());
        self.sources.runtime.block_on(answer).map(|(response, _)| response)
    }
}

impl Source for ServerPages {
    fn identity(&self) -> Identity {
        let name = self.sources.region_server.name();
        Identity {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            server: name.to_string(),
            start_ms: name.start_code,
            now_ms: crate::server::now_ms(),
        }
    }

    fn status(&self, until: Instant) -> Status {
        self.server_status(until)
    }

    fn samples(&self) -> Vec<Sample> {
        self.history.samples()
    }

    fn hot_regions(&self) -> Vec<HotRegion> {
        self.history.hot_regions()
    }

    fn tables(&self, until: Instant) -> Result<Vec<Table>, Refused> {
        self.all_tables(until)
    }

    fn schema(&self, table: &str, until: Instant) -> Result<Schema, Refused> {
        self.schema_of(table, until)
    }

    fn regions(&self) -> Vec<Region> {
        regions::all(&self.sources.region_server)
    }

    fn stores(&self, encoded_name: &str) -> Result<Vec<Store>, Refused> {
        regions::stores(&self.sources.region_server, encoded_name)
    }

    fn tasks(&self, until: Instant) -> Tasks {
        self.all_tasks(until)
    }

    fn slow_log(&self) -> SlowLog {
        self.slow_calls()
    }

    fn settings(&self) -> Vec<Setting> {
        settings::shown(&self.reconfiguration.effective())
    }

    fn shows_rows(&self) -> bool {
        self.shows_rows
    }

    fn rows(&self, range: &RowRange, until: Instant) -> Result<Rows, Refused> {
        self.read_rows(range, until)
    }

    fn log_filter(&self) -> String {
        self.log.levels().to_string()
    }

    fn set_log_filter(&self, filter: &str) -> Result<(), Refused> {
        let levels: Levels = filter.parse().map_err(|error| Refused::BadRequest(format!("{error}")))?;
        self.log.set_levels(levels.clone());
        tracing::info!(%levels, "the levels of the log were changed on the web page");
        Ok(())
    }
}
