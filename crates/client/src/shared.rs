//! What everything of one connection has in common, and calls of regions.

use crate::config::ClientConfig;
use crate::entropy::Entropy;
use crate::error::{Attempt, Error, Result};
use crate::location::RegionLocation;
use crate::locator::{HIGH_PRIORITY, KnownRegions, Locator, Side, attempt};
use crate::registry::Registry;
use crate::retrying::Retrying;
use crate::servers::{Servers, ServiceName};
use bytes::Bytes;
use finback_cell::{RegionInfo, ServerName, TableName};
use finback_proto::footprint::Measured;
use finback_proto::{Message, convert, pb};
use finback_rpc::{CellPieces, ChannelExt, Request, RpcException, SocketChannel, exceptions};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) struct Shared {
    pub(crate) config: ClientConfig,
    pub(crate) entropy: Entropy,
    pub(crate) registry: Arc<Registry>,
    pub(crate) servers: Arc<Servers>,
    pub(crate) locator: Locator,
    /// Tells this client's nonces from those of others.
    pub(crate) nonce_group: u64,
    /// The active master, as far as is known.
    pub(crate) master: Mutex<Option<ServerName>>,
}

/// A call of the region that has a row.
#[derive(Clone, Copy)]
pub(crate) struct RegionCall<'a> {
    pub(crate) known: &'a KnownRegions,
    pub(crate) row: &'a [u8],
    pub(crate) side: Side,
    pub(crate) method: &'static str,
    pub(crate) rpc_timeout: Duration,
    pub(crate) operation_timeout: Duration,
}

/// An answer, its cells, and who gave it.
pub(crate) type RegionAnswer<A> = (A, Bytes, Arc<RegionLocation>);

/// HBase's priority of calls on a table.
pub(crate) fn priority(table: &TableName) -> u32 {
    if table.is_system() { HIGH_PRIORITY } else { 0 }
}

impl Shared {
    pub(crate) fn new(config: ClientConfig) -> Self {
        let servers = Arc::new(Servers::new(&config));
        let registry = Arc::new(Registry::new(&config, &servers));
        let entropy = Entropy::new();
        Self {
            locator: Locator::new(&config, Arc::clone(&registry), Arc::clone(&servers)),
            nonce_group: entropy.nonce(),
            master: Mutex::default(),
            registry,
            servers,
            entropy,
            config,
        }
    }

    pub(crate) fn retrying(&self, method: &'static str, timeout: Duration) -> Retrying<'_> {
        Retrying::new(&self.config, &self.entropy, method, timeout)
    }

    /// Calls the region that has a row, until it answers.
    pub(crate) async fn call_region<Q: Message, C: Into<CellPieces>, A: Measured>(
        &self,
        call: RegionCall<'_>,
        request: impl Fn(&RegionLocation) -> (Q, C),
    ) -> Result<RegionAnswer<A>> {
        let mut retrying = self.retrying(call.method, call.operation_timeout);
        loop {
            let failed = match self.try_region(call, &retrying, &request).await? {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            self.try_again(&mut retrying, call.known.table(), failed).await?;
        }
    }

    /// Takes note of a try that failed, and waits before the next.
    ///
    /// # Errors
    /// What the operation fails with, if there is to be no next: that the table is disabled, for one.
    pub(crate) async fn try_again(
        &self,
        retrying: &mut Retrying<'_>,
        table: &TableName,
        failed: Attempt,
    ) -> Result<()> {
        if retrying.doubts_the_table(&failed.exception) && self.is_disabled(table, retrying.remaining()).await
        {
            return Err(Error::Refused(Box::new(disabled(failed, table))));
        }
        retrying.failed(failed).await
    }

    /// One try. Inside, what it fails with; outside, that the time for the operation is over.
    pub(crate) async fn try_region<Q: Message, C: Into<CellPieces>, A: Measured>(
        &self,
        call: RegionCall<'_>,
        retrying: &Retrying<'_>,
        request: &impl Fn(&RegionLocation) -> (Q, C),
    ) -> Result<Result<RegionAnswer<A>, Attempt>> {
        let (location, channel) = match self.reach_at_once(call) {
            Some(reached) => reached,
            None => match retrying.within(self.reach(call)).await? {
                Ok(reached) => reached,
                Err(failed) => return Ok(Err(failed)),
            },
        };
        let (message, cells) = request(&location);
        let timeout = retrying.call_timeout(call.rpc_timeout);
        Ok(match call_on(&channel, &location, call.method, timeout, &message, cells).await {
            Ok((answer, cells)) => Ok((answer, cells, location)),
            Err(exception) => Err(self.failed(call, &location, exception)),
        })
    }

    /// The region that has a row, and the connection to its server, if nobody has to be asked and no connection made: what is nearly
    /// always so has no use for the large state of what may come to wait.
    fn reach_at_once(&self, call: RegionCall<'_>) -> Option<(Arc<RegionLocation>, Arc<SocketChannel>)> {
        let location = self.locator.known(call.known, call.row, call.side)?;
        let channel = self.servers.live(location.address(), ServiceName::Client)?;
        Some((location, channel))
    }

    /// The region that has a row, and the connection to its server.
    async fn reach(
        &self,
        call: RegionCall<'_>,
    ) -> Result<(Arc<RegionLocation>, Arc<SocketChannel>), Attempt> {
        let location = self.locator.locate(call.known, call.row, call.side).await?;
        match self.servers.channel(location.address(), ServiceName::Client).await {
            Ok(channel) => Ok((location, channel)),
            Err(exception) => Err(self.failed(call, &location, exception)),
        }
    }

    /// Takes note of what an exception says about a location.
    pub(crate) fn failed(
        &self,
        call: RegionCall<'_>,
        location: &RegionLocation,
        exception: RpcException,
    ) -> Attempt {
        self.locator.failed(Some(call.known), location, &exception);
        attempt(call.method, location, exception)
    }

    /// Calls the server of a region, once. If there is no connection to it, that is made in the same time.
    pub(crate) async fn call_at<Q: Message, A: Measured>(
        &self,
        location: &RegionLocation,
        method: &'static str,
        timeout: Duration,
        message: &Q,
        cells: impl Into<CellPieces>,
    ) -> Result<(A, Bytes), RpcException> {
        let (channel, left) = match self.servers.live(location.address(), ServiceName::Client) {
            Some(channel) => (channel, timeout),
            None => self.connect(location, timeout).await?,
        };
        call_on(&channel, location, method, left, message, cells).await
    }

    /// The connection to the server of a region, and what is left of the time.
    async fn connect(
        &self,
        location: &RegionLocation,
        timeout: Duration,
    ) -> Result<(Arc<SocketChannel>, Duration), RpcException> {
        let started = Instant::now();
        let connecting = self.servers.channel(location.address(), ServiceName::Client);
        let late = |_| exceptions::call_timeout("no connection in time");
        let channel = tokio::time::timeout(timeout, connecting).await.map_err(late)??;
        Ok((channel, timeout.saturating_sub(started.elapsed())))
    }

    /// Whether hbase:meta says that a table is disabled; if it says nothing in time, that is not said.
    pub(crate) async fn is_disabled(&self, table: &TableName, time: Duration) -> bool {
        use pb::table_state::State;
        !table.is_meta()
            && matches!(
                tokio::time::timeout(time, self.table_state(table)).await,
                Ok(Ok(Some(State::Disabled)))
            )
    }

    /// What hbase:meta says of a table; none if there is no such table. One try.
    pub(crate) async fn table_state(
        &self,
        table: &TableName,
    ) -> Result<Option<pb::table_state::State>, Attempt> {
        let meta = self.locator.table(&TableName::meta());
        let location = self.locator.locate(&meta, &[], Side::At).await?;
        let get = pb::Get {
            row: table.to_bytes(),
            column: vec![pb::Column {
                family: Bytes::from_static(b"table"),
                qualifier: vec![Bytes::from_static(b"state")],
            }],
            ..Default::default()
        };
        let request = pb::GetRequest { region: convert::specifier_by_name(&RegionInfo::meta()), get };
        let timeout = self.config.for_reads();
        let answered = self.call_at(&location, "Get", timeout, &request, Bytes::new()).await;
        let failed = |exception| {
            self.locator.failed(Some(&meta), &location, &exception);
            attempt("Get", &location, exception)
        };
        let (response, mut block): (pb::GetResponse, _) = answered.map_err(failed)?;
        let cells = convert::decode_result(&response.result.unwrap_or_default(), &mut block)
            .map_err(|error| attempt("Get", &location, exceptions::hbase_io(error.to_string())))?;
        let state = cells.iter().next().and_then(|cell| pb::TableState::decode(cell.value()).ok());
        Ok(state.map(|state| state.state()))
    }
}

/// Calls a region over the connection to its server, once.
async fn call_on<Q: Message, A: Measured>(
    channel: &SocketChannel,
    location: &RegionLocation,
    method: &'static str,
    timeout: Duration,
    message: &Q,
    cells: impl Into<CellPieces>,
) -> Result<(A, Bytes), RpcException> {
    let priority = priority(&location.region().table);
    let call =
        Request { method, cells: cells.into(), priority, timeout: Some(timeout), ..Request::default() };
    channel.call_measured(call, message).await
}

/// A failure of a region, in the light of its table being disabled.
pub(crate) fn disabled(failed: Attempt, table: &TableName) -> Attempt {
    Attempt { exception: exceptions::table_not_enabled(table.to_string()), ..failed }
}
