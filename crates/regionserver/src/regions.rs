//! The regions that this server has.
//!
//! Replicas of a region are where the region is, and are the region, but that they take no writes and that all they answer
//! is said to be stale: there is nothing that a second copy on the same server and the same files could do better.

use crate::reopening::Reopening;
use crate::table_counts::TableCounts;
use finback_cell::{RegionInfo, ServerName, Shortened};
use finback_proto::{convert, pb};
use finback_region::Region;
use finback_rpc::{RpcException, exceptions};
use foldhash::quality::RandomState;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A region here.
#[derive(Clone, Debug)]
enum Entry {
    /// With the procedure that asked meanwhile for the region to be closed again.
    Opening {
        close: Option<i64>,
    },
    Open(Arc<Region>),
}

/// A region, and whether it was asked for as a replica.
pub(crate) struct ReadFrom {
    pub(crate) region: Arc<Region>,
    pub(crate) stale: bool,
}

impl ReadFrom {
    /// Counts a get.
    pub(crate) fn count_get(&self) {
        self.region.counters().reads.fetch_add(1, Ordering::Relaxed);
        self.region.counters().gets.fetch_add(1, Ordering::Relaxed);
    }
}

/// Regions by encoded name. Readers share the lock for a look-up; it is held exclusively only to open and close.
#[derive(Debug)]
pub(crate) struct Regions {
    server: ServerName,
    entries: RwLock<HashMap<Box<[u8]>, Entry, RandomState>>,
    reopening: Reopening,
    tables: TableCounts,
}

impl Regions {
    pub(crate) fn new(server: ServerName) -> Self {
        Self {
            server,
            entries: RwLock::default(),
            reopening: Reopening::default(),
            tables: TableCounts::default(),
        }
    }

    /// The region that a request names.
    pub(crate) fn find(&self, specifier: &pb::RegionSpecifier) -> Result<Arc<Region>, RpcException> {
        self.primary(specifier).map_err(|failure| match self.replica(specifier) {
            Some(_) => exceptions::do_not_retry("region is read only"),
            None => failure,
        })
    }

    /// The region that a request names, to read from it.
    pub(crate) fn find_to_read(&self, specifier: &pb::RegionSpecifier) -> Result<ReadFrom, RpcException> {
        match self.primary(specifier) {
            Ok(region) => Ok(ReadFrom { region, stale: false }),
            Err(failure) => {
                let closed = self.readable(specifier).map(|region| ReadFrom { region, stale: false });
                let replica = || self.replica(specifier).map(|region| ReadFrom { region, stale: true });
                closed.or_else(replica).ok_or(failure)
            }
        }
    }

    /// The region that a request names, or of which it names a replica, to ask about it: what is done to it is done to none of its
    /// replicas.
    pub(crate) fn find_or_replica(&self, specifier: &pb::RegionSpecifier) -> Result<ReadFrom, RpcException> {
        match self.primary(specifier) {
            Ok(region) => Ok(ReadFrom { region, stale: false }),
            Err(failure) => {
                let region = self.replica(specifier).ok_or(failure)?;
                Ok(ReadFrom { region, stale: true })
            }
        }
    }

    /// The region that a request names, if it is closing, or closed, and yet to be read from.
    fn readable(&self, specifier: &pb::RegionSpecifier) -> Option<Arc<Region>> {
        let encoded = convert::encoded_name(specifier).ok()?;
        let region = self.open_region(encoded).or_else(|| self.reopening.find(encoded))?;
        region.is_readable().then_some(region)
    }

    /// The region of which a request names a replica.
    fn replica(&self, specifier: &pb::RegionSpecifier) -> Option<Arc<Region>> {
        let (encoded, replica_id) = convert::primary_of_replica(&specifier.value)?;
        let region = self.open_region(encoded.as_bytes())?;
        (!region.is_closing() && replica_id < region.table().region_replication()).then_some(region)
    }

    fn primary(&self, specifier: &pb::RegionSpecifier) -> Result<Arc<Region>, RpcException> {
        let encoded = convert::encoded_name(specifier)?;
        let found = self.entries.read().get(encoded).cloned();
        match found {
            Some(Entry::Open(region)) if !region.is_closing() => Ok(region),
            Some(Entry::Opening { .. }) => Err(exceptions::region_opening(format!(
                "Region {} is opening on {}",
                Shortened(&specifier.value),
                self.server
            ))),
            _ => Err(exceptions::not_serving_region(format!(
                "{} is not online on {}",
                Shortened(&specifier.value),
                self.server
            ))),
        }
    }

    /// The open region of an encoded name, also while it closes.
    pub(crate) fn open_region(&self, encoded: &[u8]) -> Option<Arc<Region>> {
        match self.entries.read().get(encoded) {
            Some(Entry::Open(region)) => Some(Arc::clone(region)),
            _ => None,
        }
    }

    /// Whether a region is open here or being opened.
    pub(crate) fn is_known(&self, encoded: &[u8]) -> bool {
        self.entries.read().contains_key(encoded)
    }

    /// Notes that a region is being opened. False when it is here already.
    pub(crate) fn begin_open(&self, encoded: &[u8]) -> bool {
        let mut entries = self.entries.write();
        if entries.contains_key(encoded) {
            return false;
        }
        entries.insert(encoded.into(), Entry::Opening { close: None });
        true
    }

    /// Notes that a region that is being opened is to be closed. False when it is not being opened.
    pub(crate) fn close_when_open(&self, encoded: &[u8], procedure: i64) -> bool {
        match self.entries.write().get_mut(encoded) {
            Some(Entry::Opening { close }) => {
                *close = Some(procedure);
                true
            }
            _ => false,
        }
    }

    /// Serves a region that was opened. Gives back the procedure that wants it closed, if one does.
    pub(crate) fn opened(&self, region: Arc<Region>) -> Option<i64> {
        self.reopening.end_before(region.info());
        region.counters().count_for_table(self.tables.of(&region.info().table));
        let name = region.encoded_name().as_bytes().into();
        match self.entries.write().insert(name, Entry::Open(region)) {
            Some(Entry::Opening { close }) => close,
            _ => None,
        }
    }

    /// Forgets a region that was closed, unless it was opened anew meanwhile.
    pub(crate) fn closed(&self, closed: &Arc<Region>) {
        let mut entries = self.entries.write();
        let name = closed.encoded_name().as_bytes();
        if matches!(entries.get(name), Some(Entry::Open(region)) if Arc::ptr_eq(region, closed)) {
            entries.remove(name);
        }
    }

    /// Forgets a region that was closed to writes, but for readers: until its rows are opened again, or that [ends](Self::end_reads).
    pub(crate) fn closed_to_writes(&self, closed: &Arc<Region>) {
        self.reopening.add(Arc::clone(closed));
        self.closed(closed);
    }

    /// Forgets such a region for readers too.
    pub(crate) fn end_reads(&self, closed: &Arc<Region>) {
        self.reopening.end(closed);
    }

    /// Forgets a region that could not be opened: another server may open it.
    pub(crate) fn not_opened(&self, info: &RegionInfo) {
        self.entries.write().remove(info.encoded_name().as_bytes());
        self.reopening.end_before(info);
    }

    /// What is counted by table.
    pub(crate) fn table_counts(&self) -> &TableCounts {
        &self.tables
    }

    /// All open regions.
    pub(crate) fn all(&self) -> Vec<Arc<Region>> {
        let open = |entry: &Entry| match entry {
            Entry::Open(region) => Some(Arc::clone(region)),
            Entry::Opening { .. } => None,
        };
        self.entries.read().values().filter_map(open).collect()
    }
}
