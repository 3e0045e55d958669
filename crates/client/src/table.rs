//! Reads and writes of a table.

mod lists;
mod rows;

use crate::buffered_mutator::{BufferedMutator, BufferedMutatorOptions};
use crate::error::Result;
use crate::location::RegionLocation;
use crate::locator::{KnownRegions, Side};
use crate::meta::{MetaRegion, query};
use crate::scan::Scan;
use crate::scanner::Scanner;
use crate::shared::{RegionCall, Shared};
use finback_cell::TableName;
use std::sync::Arc;
use std::time::Duration;

/// A table: cheap to clone, to be used from many tasks at once.
///
/// All methods wait and try again as the [connection's settings](crate::ClientConfig) say. One that is dropped before it is
/// done is not tried again; what was sent may still be done.
#[derive(Clone)]
pub struct Table {
    shared: Arc<Shared>,
    known: Arc<KnownRegions>,
    operation_timeout: Duration,
    rpc_timeout: Option<Duration>,
}

impl Table {
    pub(crate) fn new(shared: Arc<Shared>, name: &TableName) -> Self {
        let known = shared.locator.table(name);
        Self { operation_timeout: shared.config.operation_timeout, shared, known, rpc_timeout: None }
    }

    /// The table's name.
    pub fn name(&self) -> &TableName {
        self.known.table()
    }

    /// The same table, with another time for operations with all their tries.
    #[must_use]
    pub fn with_operation_timeout(mut self, timeout: Duration) -> Self {
        self.operation_timeout = timeout;
        self
    }

    /// The same table, with another time for one call.
    #[must_use]
    pub fn with_rpc_timeout(mut self, timeout: Duration) -> Self {
        self.rpc_timeout = Some(timeout);
        self
    }

    /// Begins a scan. It runs in the background, a little ahead of who takes its rows, and ends when it is dropped.
    ///
    /// # Errors
    /// [`crate::Error::Argument`] if `scan` makes no sense.
    pub fn scan(&self, scan: Scan) -> Result<Scanner> {
        Scanner::start(Arc::clone(&self.shared), Arc::clone(&self.known), scan)
    }

    /// A buffer for writes, which are sent many at a time.
    pub fn buffered_mutator(&self) -> BufferedMutator {
        self.buffered_mutator_with(BufferedMutatorOptions {
            buffer_bytes: self.shared.config.write_buffer,
            ..BufferedMutatorOptions::default()
        })
    }

    /// A buffer for writes, which are sent many at a time.
    pub fn buffered_mutator_with(&self, options: BufferedMutatorOptions) -> BufferedMutator {
        BufferedMutator::new(self.clone(), options)
    }

    /// The region that has a row, and its server. `reload` asks hbase:meta even if both are known.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn region_of(&self, row: impl AsRef<[u8]>, reload: bool) -> Result<RegionLocation> {
        if reload {
            self.shared.locator.forget(self.name());
        }
        let mut retrying = self.shared.retrying("locate", self.operation_timeout);
        loop {
            let locating = self.shared.locator.locate(&self.known, row.as_ref(), Side::At);
            match retrying.within(locating).await? {
                Ok(location) => return Ok((*location).clone()),
                Err(failed) => retrying.failed(failed).await?,
            }
        }
    }

    /// The regions in their order, as hbase:meta tells them now; without those that were split.
    ///
    /// # Errors
    /// As of all operations. A table without regions, or that does not exist, has none.
    pub async fn regions(&self) -> Result<Vec<MetaRegion>> {
        let regions = meta_regions(&self.shared, self.name()).await?;
        let regions: Vec<_> = regions.into_iter().filter(|region| !region.is_split_parent()).collect();
        for location in regions.iter().filter_map(MetaRegion::location) {
            self.known.insert(Arc::new(location));
        }
        Ok(regions)
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(crate) fn known(&self) -> &Arc<KnownRegions> {
        &self.known
    }

    pub(crate) fn operation_timeout(&self) -> Duration {
        self.operation_timeout
    }

    pub(crate) fn read_timeout(&self) -> Duration {
        self.rpc_timeout.unwrap_or_else(|| self.shared.config.for_reads())
    }

    pub(crate) fn write_timeout(&self) -> Duration {
        self.rpc_timeout.unwrap_or_else(|| self.shared.config.for_writes())
    }

    pub(crate) fn call<'a>(
        &'a self,
        method: &'static str,
        row: &'a [u8],
        rpc_timeout: Duration,
    ) -> RegionCall<'a> {
        RegionCall {
            known: &self.known,
            row,
            side: Side::At,
            method,
            rpc_timeout,
            operation_timeout: self.operation_timeout,
        }
    }
}

/// All that hbase:meta has of a table's regions, in their order.
pub(crate) async fn meta_regions(shared: &Arc<Shared>, table: &TableName) -> Result<Vec<MetaRegion>> {
    if table.is_meta() {
        let location = Table::new(Arc::clone(shared), table).region_of([], false).await?;
        return Ok(vec![MetaRegion {
            region: location.region().clone(),
            state: Some(finback_cell::RegionState::Open),
            replicas: vec![(0, Some(location.server().clone()), location.seq_num())],
            daughters: Vec::new(),
        }]);
    }
    let (start, stop) = query::all_regions(table);
    let scan = Scan::new().starting_at(start).before(stop).family("info").caching(1000);
    let meta = Table::new(Arc::clone(shared), &TableName::meta());
    let mut scanner = meta.scan(scan.read_type(crate::scan::ReadType::Pread))?;
    let mut regions = Vec::new();
    while let Some(row) = scanner.next().await? {
        regions.extend(MetaRegion::of_row(&row).filter(|region| region.region.table == *table));
    }
    Ok(regions)
}
