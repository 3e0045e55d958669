//! Finding regions: the locations that are known, and look-ups in `hbase:meta` for those that are not.

mod known_regions;

use crate::config::ClientConfig;
use crate::error::Attempt;
use crate::failure;
use crate::location::RegionLocation;
use crate::meta::{MetaRegion, query};
use crate::registry::Registry;
use crate::row::Row;
use crate::servers::{Servers, ServiceName};
use bytes::Bytes;
use finback_cell::{RegionInfo, StringBinary, TableName};
use finback_proto::pb;
use finback_rpc::{ChannelExt, Request, RpcException, exceptions};
use known_regions::Absent;
pub(crate) use known_regions::KnownRegions;
use parking_lot::{Mutex, RwLock};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// HBase's priority of calls on its own tables.
pub(crate) const HIGH_PRIORITY: u32 = 200;

/// Tables of which locations are kept, beside those that somebody has in hand: who works for months with tables that come and go has
/// asked for any number of them.
const MAX_TABLES: usize = 1000;

/// Which region is meant by a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// That which contains the row.
    At,
    /// That which contains what is just behind the row.
    After,
    /// That which contains what is just before the row; an empty row is the end of the table.
    Before,
}

impl Side {
    /// The same without [`Side::After`].
    fn of(self, row: &[u8]) -> (Cow<'_, [u8]>, Self) {
        match self {
            Self::After => ([row, &[0]].concat().into(), Self::At),
            side => (row.into(), side),
        }
    }

    /// Whether a region is the one that is meant, of sides [as they are asked for](Self::of).
    fn is_of(self, row: &[u8], region: &RegionInfo) -> bool {
        match self {
            Self::Before => {
                region.end_key.is_empty()
                    || (!row.is_empty() && region.end_key[..] >= *row && region.start_key[..] < *row)
            }
            _ => region.contains_row(row),
        }
    }
}

/// The locations of tables that were asked for.
pub(crate) struct Locator {
    registry: Arc<Registry>,
    servers: Arc<Servers>,
    prefetch: u32,
    timeout: Duration,
    tables: RwLock<HashMap<TableName, Arc<KnownRegions>>>,
    meta: Mutex<Option<Arc<RegionLocation>>>,
    /// Held while the registry is asked.
    asking: tokio::sync::Mutex<()>,
}

type Located = Result<Arc<RegionLocation>, Attempt>;

impl Locator {
    pub(crate) fn new(config: &ClientConfig, registry: Arc<Registry>, servers: Arc<Servers>) -> Self {
        Self {
            registry,
            servers,
            prefetch: config.locate_prefetch.max(1),
            timeout: config.for_reads(),
            tables: RwLock::default(),
            meta: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
        }
    }

    /// The known regions of a table.
    pub(crate) fn table(&self, table: &TableName) -> Arc<KnownRegions> {
        if let Some(known) = self.tables.read().get(table) {
            return Arc::clone(known);
        }
        let mut tables = self.tables.write();
        if tables.len() >= MAX_TABLES {
            tables.retain(|_, known| is_in_hand(known));
        }
        Arc::clone(tables.entry(table.clone()).or_insert_with(|| Arc::new(KnownRegions::new(table.clone()))))
    }

    /// Where a region is, as far as is known.
    pub(crate) fn known(&self, known: &KnownRegions, row: &[u8], side: Side) -> Option<Arc<RegionLocation>> {
        if known.table().is_meta() {
            return self.meta.lock().clone();
        }
        let (row, side) = side.of(row);
        known.find(&row, side)
    }

    /// Where a region is: one try.
    pub(crate) async fn locate(&self, known: &KnownRegions, row: &[u8], side: Side) -> Located {
        self.locate_since(known, row, side, Instant::now()).await
    }

    /// [`Locator::locate`], where it is enough that hbase:meta named no server `since` then.
    pub(crate) async fn locate_since(
        &self,
        known: &KnownRegions,
        row: &[u8],
        side: Side,
        since: Instant,
    ) -> Located {
        if known.table().is_meta() {
            return self.locate_meta().await;
        }
        let (row, side) = side.of(row);
        if let Some(location) = known.find(&row, side) {
            return Ok(location);
        }
        // One look-up of a table at a time: what it brings is often what the others want.
        let mut absent = known.lookup().lock().await;
        if let Some(location) = known.find(&row, side) {
            return Ok(location);
        }
        if let Some(absent) = &*absent
            && absent.asked >= since
            && side.is_of(&row, &absent.region)
        {
            return Err(absent.attempt.clone());
        }
        self.look_up(known, &row, side, &mut absent).await
    }

    async fn locate_meta(&self) -> Located {
        if let Some(location) = self.meta.lock().clone() {
            return Ok(location);
        }
        let _asking = self.asking.lock().await;
        if let Some(location) = self.meta.lock().clone() {
            return Ok(location);
        }
        let server = self.registry.meta_server().await.map_err(|exception| unlocated(None, exception))?;
        let location = Arc::new(RegionLocation::new(RegionInfo::meta(), server, -1));
        *self.meta.lock() = Some(Arc::clone(&location));
        Ok(location)
    }

    /// Asks hbase:meta, and keeps what it tells.
    async fn look_up(
        &self,
        known: &KnownRegions,
        row: &[u8],
        side: Side,
        absent: &mut Option<Absent>,
    ) -> Located {
        let asked = Instant::now();
        let backwards = match side {
            Side::Before => query::before(known.table(), row),
            _ => query::containing(known.table(), row),
        };
        let rows = self.meta_rows_before(backwards, self.prefetch).await?;
        let mut regions = rows
            .iter()
            .filter_map(MetaRegion::of_row)
            .filter(|region| region.region.table == *known.table() && !region.is_split_parent());
        let place = || format!("row {} of {}", StringBinary(row), known.table());
        let Some(first) = regions.next() else {
            return Err(unlocated(None, exceptions::table_not_found(known.table().to_string())));
        };
        let location = first.location().map(Arc::new);
        for region in regions.filter_map(|region| region.location()) {
            known.insert(Arc::new(region));
        }
        if first.region.offline {
            return Err(unlocated(Some(&first.region), exceptions::region_offline(place())));
        }
        let no_server = |message| {
            let class = "org.apache.hadoop.hbase.client.NoServerForRegionException";
            unlocated(Some(&first.region), RpcException::retriable(class, message))
        };
        if !side.is_of(row, &first.region) {
            // Between the moments at which a split or merge changes rows.
            return Err(no_server(format!("no region for {}", place())));
        }
        let Some(location) = location else {
            let attempt = no_server(format!("hbase:meta names no server for {}", place()));
            *absent = Some(Absent { region: first.region, asked, attempt: attempt.clone() });
            return Err(attempt);
        };
        known.insert(Arc::clone(&location));
        Ok(location)
    }

    /// Up to `count` rows of hbase:meta, backwards, in one call.
    async fn meta_rows_before(&self, range: query::Backwards, count: u32) -> Result<Vec<Row>, Attempt> {
        let location = self.locate_meta().await?;
        let request = pb::ScanRequest {
            region: Some(location.specifier()),
            scan: Some(pb::Scan {
                column: vec![pb::Column { family: Bytes::from_static(b"info"), qualifier: Vec::new() }],
                start_row: Some(range.start.into()),
                stop_row: Some(range.stop.into()),
                include_start_row: Some(true),
                include_stop_row: Some(true),
                reversed: Some(true),
                caching: Some(count),
                max_versions: Some(1),
                read_type: Some(pb::scan::ReadType::Pread.into()),
                ..Default::default()
            }),
            number_of_rows: Some(count),
            close_scanner: Some(true),
            client_handles_partials: Some(false),
            client_handles_heartbeats: Some(false),
            ..Default::default()
        };
        let answer = self.ask_meta(&location, request).await;
        answer.map_err(|exception| {
            self.failed(None, &location, &exception);
            attempt("Scan", &location, exception)
        })
    }

    async fn ask_meta(
        &self,
        location: &RegionLocation,
        request: pb::ScanRequest,
    ) -> Result<Vec<Row>, RpcException> {
        let channel = self.servers.channel(location.address(), ServiceName::Client).await?;
        let call = Request {
            method: "Scan",
            priority: HIGH_PRIORITY,
            timeout: Some(self.timeout),
            ..Request::default()
        };
        let (response, block): (pb::ScanResponse, Bytes) = channel.call_measured(call, &request).await?;
        crate::scanner::rows_of(&response, block)
            .map_err(|reason| exceptions::hbase_io(format!("malformed answer of hbase:meta: {reason}")))
    }

    /// Takes note of what an exception says about a location.
    pub(crate) fn failed(
        &self,
        known: Option<&KnownRegions>,
        asked: &RegionLocation,
        exception: &RpcException,
    ) {
        let clears = failure::clears_location(exception);
        match known {
            Some(known) if !known.table().is_meta() => match failure::moved_to(exception) {
                Some((server, seq_num)) => known.moved(asked, server, seq_num),
                None if clears => known.remove(asked),
                None => {}
            },
            _ if clears => {
                let mut meta = self.meta.lock();
                if meta.as_ref().is_some_and(|current| **current == *asked) {
                    *meta = None;
                }
            }
            _ => {}
        }
    }

    /// Takes note of what an exception of a replica says: where that has moved to does not say where the primary is, and is looked up
    /// with it.
    pub(crate) fn replica_failed(
        &self,
        known: &KnownRegions,
        primary: &RegionLocation,
        exception: &RpcException,
    ) {
        if failure::moved_to(exception).is_some() || failure::clears_location(exception) {
            known.remove(primary);
        }
    }

    /// Forgets where the regions of a table are.
    pub(crate) fn forget(&self, table: &TableName) {
        if table.is_meta() {
            *self.meta.lock() = None;
        }
        let mut tables = self.tables.write();
        if let Some(known) = tables.get(table) {
            known.clear();
            if !is_in_hand(known) {
                tables.remove(table);
            }
        }
    }
}

/// Whether somebody has the regions of a table beside the locator, of which all tables are locked.
fn is_in_hand(known: &Arc<KnownRegions>) -> bool {
    Arc::strong_count(known) > 1
}

fn unlocated(region: Option<&RegionInfo>, exception: RpcException) -> Attempt {
    let region = region.map(|region| StringBinary(&region.name()).to_string());
    Attempt { method: "locate", server: None, region, number: 1, exception }
}

/// A call of a region that failed.
pub(crate) fn attempt(method: &'static str, location: &RegionLocation, exception: RpcException) -> Attempt {
    Attempt {
        method,
        server: Some(location.address().to_owned()),
        region: Some(StringBinary(location.name()).to_string()),
        number: 1,
        exception,
    }
}

#[cfg(test)]
mod tests;
