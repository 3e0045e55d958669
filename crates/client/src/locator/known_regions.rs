//! The locations of one table's regions that are known: HBase's location cache.

use super::Side;
use crate::error::Attempt;
use crate::location::RegionLocation;
use bytes::Bytes;
use finback_cell::{RegionInfo, ServerName, TableName};
use parking_lot::{RwLock, RwLockReadGuard};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::time::Instant;

/// Regions of a table by their start keys.
type Locations = BTreeMap<Bytes, Arc<RegionLocation>>;

/// What is known of one table.
pub(crate) struct KnownRegions {
    table: TableName,
    regions: RwLock<Locations>,
    lookup: tokio::sync::Mutex<Option<Absent>>,
}

/// A region of which hbase:meta named no server.
pub(crate) struct Absent {
    pub(super) region: RegionInfo,
    /// When that was asked.
    pub(super) asked: Instant,
    pub(super) attempt: Attempt,
}

impl KnownRegions {
    pub(crate) fn new(table: TableName) -> Self {
        Self { table, regions: RwLock::default(), lookup: tokio::sync::Mutex::default() }
    }

    pub(crate) fn table(&self) -> &TableName {
        &self.table
    }

    /// To be held while hbase:meta is asked for regions of this table; with the last that has no server.
    pub(crate) fn lookup(&self) -> &tokio::sync::Mutex<Option<Absent>> {
        &self.lookup
    }

    pub(crate) fn find(&self, row: &[u8], side: Side) -> Option<Arc<RegionLocation>> {
        self.at_this_moment().find(row, side)
    }

    pub(crate) fn at_this_moment(&self) -> Moment<'_> {
        Moment(self.regions.read())
    }

    /// Takes a location in, unless it or a newer one is known. Regions that it overlaps are not there any more: they were split or
    /// merged.
    pub(crate) fn insert(&self, location: Arc<RegionLocation>) {
        let region = location.region();
        if !region.end_key.is_empty() && region.end_key <= region.start_key {
            return; // No region: what tells so is damaged.
        }
        let mut regions = self.regions.write();
        if let Some(known) = regions.get(&region.start_key)
            && known.region() == region
            && (known.seq_num() > location.seq_num() || *known == location)
        {
            return;
        }
        let inside = (
            Bound::Excluded(region.start_key.clone()),
            match region.end_key.is_empty() {
                true => Bound::Unbounded,
                false => Bound::Excluded(region.end_key.clone()),
            },
        );
        let newer = |known: &RegionLocation| known.region().region_id > region.region_id;
        if regions.range(inside.clone()).any(|(_, known)| newer(known)) {
            return;
        }
        let overlapped: Vec<Bytes> = regions.range(inside).map(|(start, _)| start.clone()).collect();
        overlapped.iter().for_each(|start| {
            regions.remove(start);
        });
        regions.insert(region.start_key.clone(), location);
    }

    /// Whether `asked` is what is known: not if another answer has brought something newer meanwhile.
    fn is_current(known: Option<&Arc<RegionLocation>>, asked: &RegionLocation) -> bool {
        known.is_some_and(|known| {
            known.region() == asked.region()
                && known.seq_num() <= asked.seq_num()
                && known.server() == asked.server()
        })
    }

    pub(crate) fn remove(&self, asked: &RegionLocation) {
        let mut regions = self.regions.write();
        if Self::is_current(regions.get(&asked.region().start_key), asked) {
            regions.remove(&asked.region().start_key);
        }
    }

    pub(crate) fn moved(&self, asked: &RegionLocation, server: ServerName, seq_num: i64) {
        let mut regions = self.regions.write();
        let start = &asked.region().start_key;
        if Self::is_current(regions.get(start), asked) {
            let location = RegionLocation::new(asked.region().clone(), server, seq_num);
            let location = location.with_replicas(asked.replicas().to_vec());
            regions.insert(start.clone(), Arc::new(location));
        }
    }

    pub(crate) fn clear(&self) {
        self.regions.write().clear();
    }
}

/// All regions as they are known at one moment: until it is over, nobody's knowledge changes.
pub(crate) struct Moment<'a>(RwLockReadGuard<'a, Locations>);

impl Moment<'_> {
    pub(crate) fn find(&self, row: &[u8], side: Side) -> Option<Arc<RegionLocation>> {
        let regions = &self.0;
        let found = match side {
            Side::Before if row.is_empty() => regions.values().next_back()?,
            Side::Before => regions.range::<[u8], _>((Bound::Unbounded, Bound::Excluded(row))).next_back()?.1,
            _ => regions.range::<[u8], _>((Bound::Unbounded, Bound::Included(row))).next_back()?.1,
        };
        let end = &found.region().end_key;
        let reaches = match side {
            Side::Before if row.is_empty() => end.is_empty(),
            Side::Before => end.is_empty() || end[..] >= *row,
            _ => end.is_empty() || *row < end[..],
        };
        reaches.then(|| Arc::clone(found))
    }

    /// Goes on to another moment if somebody waits to tell something new. Otherwise it costs nothing, unlike a lock for each row.
    pub(crate) fn pass(&mut self) {
        RwLockReadGuard::bump(&mut self.0);
    }
}

#[cfg(test)]
mod tests;
