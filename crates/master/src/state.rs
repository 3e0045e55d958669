//! What the master knows: servers, tables, regions, namespaces.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use bytes::Bytes;
use finback_cell::{RegionInfo, RegionState, ServerName, TableDescriptor, TableName};
use finback_proto::pb;
use pb::table_state::State as TableState;

use crate::{switches::Switches, system_tables};

/// Dead servers that are remembered, to be told that they are dead and to be listed.
const MAX_DEAD_SERVERS: usize = 100;

/// A namespace's configuration, in the order given.
pub(crate) type NamespaceConfiguration = Vec<(String, String)>;

/// Everything known. Regions, tables and namespaces mirror what hbase:meta and hbase:namespace say.
pub(crate) struct ClusterState {
    pub(crate) cluster_id: String,
    pub(crate) initialized: bool,
    /// Why the start could not be completed.
    pub(crate) failure: Option<String>,
    pub(crate) servers: BTreeMap<ServerName, LiveServer>,
    pub(crate) dead_servers: BTreeSet<ServerName>,
    /// Live servers that an administrator wants rid of, until the next start.
    pub(crate) decommissioned: BTreeSet<ServerName>,
    pub(crate) tables: BTreeMap<TableName, Table>,
    /// By encoded name.
    pub(crate) regions: HashMap<String, Region>,
    /// The largest id of a region that was there, and is no more.
    pub(crate) newest_gone: u64,
    /// Shared with those who show them to clients.
    pub(crate) namespaces: Arc<BTreeMap<String, NamespaceConfiguration>>,
    /// The states of `tables` as hbase:meta has them, shared in the same way.
    pub(crate) table_states: Arc<BTreeMap<TableName, TableState>>,
    pub(crate) switches: Switches,
}

/// A region server that has reported for duty.
#[derive(Debug, Default)]
pub(crate) struct LiveServer {
    pub(crate) last_report_ms: u64,
    pub(crate) load: Option<pb::ServerLoad>,
}

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    /// None if its descriptor could not be read.
    pub(crate) descriptor: Option<Arc<TableDescriptor>>,
    pub(crate) state: TableState,
    /// Encoded names by start key and region id.
    pub(crate) regions: BTreeMap<(Bytes, u64), String>,
}

/// A region.
#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) info: RegionInfo,
    pub(crate) state: RegionState,
    /// Where it was last open.
    pub(crate) server: Option<ServerName>,
    pub(crate) open_seq_num: i64,
    /// When the state changed.
    pub(crate) since_ms: u64,
    /// What is being done with it.
    pub(crate) transition: Option<Transition>,
    /// Encoded names of the regions it was merged from, to whose files it may still have references.
    pub(crate) merged_from: Vec<String>,
    /// Encoded names of the regions it was split into, which may still have references to its files.
    pub(crate) split_into: Vec<String>,
}

/// A region on its way.
#[derive(Debug, Clone)]
pub(crate) struct Transition {
    pub(crate) goal: Goal,
    /// None while there is no server to open it on.
    pub(crate) server: Option<ServerName>,
    pub(crate) proc_id: u64,
    pub(crate) attempt: u32,
    pub(crate) stage: Stage,
}

/// Where to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    Open,
    Close,
}

/// How far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// hbase:meta is being told the intention.
    Announcing,
    /// The region server was asked; its report is awaited.
    Requested,
    /// hbase:meta is being told the result.
    Recording,
    /// Waiting for the next attempt, or for a server.
    Waiting,
}

impl ClusterState {
    /// The state before anything is read.
    pub(crate) fn new(cluster_id: String, now: u64) -> Self {
        let mut state = Self {
            cluster_id,
            initialized: false,
            failure: None,
            servers: BTreeMap::new(),
            dead_servers: BTreeSet::new(),
            decommissioned: BTreeSet::new(),
            tables: BTreeMap::new(),
            regions: HashMap::new(),
            newest_gone: 0,
            namespaces: Arc::default(),
            table_states: Arc::new(BTreeMap::from([(TableName::meta(), TableState::Enabled)])),
            switches: Switches::default(),
        };
        state.add_region(RegionInfo::meta(), RegionState::Offline, now);
        if let Some(meta) = state.tables.get_mut(&TableName::meta()) {
            meta.descriptor = Some(Arc::new(system_tables::meta()));
        }
        state
    }

    /// Adds a region, and its table (enabled, without descriptor) if it is new.
    pub(crate) fn add_region(&mut self, info: RegionInfo, state: RegionState, now: u64) {
        let encoded = info.encoded_name();
        let table = self.tables.entry(info.table.clone()).or_insert_with(|| Table {
            descriptor: None,
            state: TableState::Enabled,
            regions: BTreeMap::new(),
        });
        table.regions.insert((info.start_key.clone(), info.region_id), encoded.clone());
        let region = Region {
            info,
            state,
            server: None,
            open_seq_num: -1,
            since_ms: now,
            transition: None,
            merged_from: Vec::new(),
            split_into: Vec::new(),
        };
        self.regions.insert(encoded, region);
    }

    /// Removes a region.
    pub(crate) fn remove_region(&mut self, info: &RegionInfo) {
        self.regions.remove(&info.encoded_name());
        self.newest_gone = self.newest_gone.max(info.region_id);
        if let Some(table) = self.tables.get_mut(&info.table) {
            table.regions.remove(&(info.start_key.clone(), info.region_id));
        }
    }

    /// Encoded names of a table's regions, in order of their keys.
    pub(crate) fn regions_of(&self, table: &TableName) -> Vec<String> {
        self.tables.get(table).map(|table| table.regions.values().cloned().collect()).unwrap_or_default()
    }

    /// Encoded names of a table's regions that can be open (no split parents).
    pub(crate) fn assignable_regions_of(&self, table: &TableName) -> Vec<String> {
        let mut regions = self.regions_of(table);
        regions.retain(|encoded| self.regions.get(encoded).is_some_and(Region::is_assignable));
        regions
    }

    /// The region of hbase:meta.
    pub(crate) fn meta_region(&self) -> Option<&Region> {
        self.regions.get(finback_cell::region_info::META_ENCODED_NAME)
    }

    /// How many replicas a region has, itself counted.
    pub(crate) fn region_replication(&self, encoded: &str) -> u32 {
        let table = self.regions.get(encoded).and_then(|region| self.tables.get(&region.info.table));
        table.and_then(|table| table.descriptor.as_deref()).map_or(1, TableDescriptor::region_replication)
    }

    /// Where hbase:meta is open.
    pub(crate) fn meta_location(&self) -> Option<&ServerName> {
        self.meta_region().and_then(Region::location)
    }

    /// How many regions each live server has or is to get, of those in service if there are any.
    pub(crate) fn region_counts(&self) -> BTreeMap<ServerName, usize> {
        let mut counts: BTreeMap<_, usize> = self.servers.keys().map(|server| (server.clone(), 0)).collect();
        if self.decommissioned.len() < counts.len() {
            counts.retain(|server, _| !self.decommissioned.contains(server));
        }
        for region in self.regions.values() {
            let server = match &region.transition {
                Some(transition) => transition.server.as_ref(),
                None => region.location(),
            };
            if let Some(count) = server.and_then(|server| counts.get_mut(server)) {
                *count += 1;
            }
        }
        counts
    }

    /// Forgets a live server; it is dead from now on.
    pub(crate) fn bury(&mut self, server: &ServerName) {
        self.servers.remove(server);
        self.decommissioned.remove(server);
        self.dead_servers.insert(server.clone());
        while self.dead_servers.len() > MAX_DEAD_SERVERS {
            let oldest = self.dead_servers.iter().min_by_key(|server| server.start_code).cloned();
            match oldest {
                Some(oldest) => self.dead_servers.remove(&oldest),
                None => break,
            };
        }
    }
}

impl Region {
    /// The server on which it is open.
    pub(crate) fn location(&self) -> Option<&ServerName> {
        match self.state {
            RegionState::Open => self.server.as_ref(),
            _ => None,
        }
    }

    /// Whether it was split. HBase says so by the flags of its info:regioninfo alone, and leaves its state CLOSED.
    pub(crate) fn is_split(&self) -> bool {
        self.state == RegionState::Split || self.info.split
    }

    /// Whether it may be opened: not the parent of a split or a merge, not a replica.
    pub(crate) fn is_assignable(&self) -> bool {
        !self.info.offline && !self.is_split() && self.state != RegionState::Merged
    }
}
