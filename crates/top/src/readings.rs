//! What the master says of the cluster, taken apart: a record for each region, and for each user of each client.

use crate::rates::{Counters, Rates};
use crate::record::{Figures, Record, Subject};
use crate::region_id::{RegionId, ServerId};
use finback_client::messages::{ClusterStatus, LiveServerInfo, RegionLoad, UserLoad};
use std::collections::HashMap;
use std::sync::Arc;

const MEGABYTE: u64 = 1 << 20;

/// The records of the last answer, and what is needed to tell how much the next one differs. As large as an answer.
#[derive(Debug, Default)]
pub(crate) struct Readings {
    pub(crate) servers: Vec<Server>,
    pub(crate) regions: Vec<Record>,
    pub(crate) clients: Vec<Record>,
    /// Whether a server has reported since the answer before.
    pub(crate) has_news: bool,
    known_regions: HashMap<Vec<u8>, Arc<RegionId>>,
    region_rates: Rates<Vec<u8>>,
    client_rates: Rates<String>,
    reported_ms: HashMap<Arc<str>, u64>,
}

/// A server that is there.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) id: Arc<ServerId>,
    pub(crate) used_heap_bytes: u64,
    pub(crate) max_heap_bytes: u64,
}

impl Readings {
    /// Takes an answer.
    pub(crate) fn read(&mut self, status: &ClusterStatus) {
        self.servers.clear();
        self.regions.clear();
        self.clients.clear();
        let mut seen = HashMap::with_capacity(self.known_regions.len());
        let mut reported_ms = HashMap::with_capacity(status.live_servers.len());
        for server in &status.live_servers {
            let id = Arc::new(ServerId::of(&server.server));
            reported_ms.insert(Arc::clone(&id.long), server.server_load.report_end_time());
            self.read_server(&id, server, &mut seen);
        }
        self.has_news = reported_ms != self.reported_ms;
        self.reported_ms = reported_ms;
        self.known_regions = seen;
        self.region_rates.end_of_answer();
        self.client_rates.end_of_answer();
    }

    fn read_server(
        &mut self,
        id: &Arc<ServerId>,
        server: &LiveServerInfo,
        seen: &mut HashMap<Vec<u8>, Arc<RegionId>>,
    ) {
        let load = &server.server_load;
        self.servers.push(Server {
            id: Arc::clone(id),
            used_heap_bytes: u64::from(load.used_heap_mb()) * MEGABYTE,
            max_heap_bytes: u64::from(load.max_heap_mb()) * MEGABYTE,
        });
        for region in &load.region_loads {
            let name: &[u8] = &region.region_specifier.value;
            let known = self.known_regions.remove_entry(name);
            let (name, region_id) =
                known.unwrap_or_else(|| (name.to_vec(), Arc::new(RegionId::of(&region.region_specifier))));
            let mut figures = figures(region);
            figures.rates = self.region_rates.update(&name[..], load.report_end_time(), counters(region));
            let subject = Subject::Region { region: Arc::clone(&region_id), server: Arc::clone(id) };
            self.regions.push(Record { subject, figures });
            seen.insert(name, region_id);
        }
        for user in &load.user_loads {
            self.read_user(id, load.report_end_time(), user);
        }
    }

    fn read_user(&mut self, server: &ServerId, reported_ms: u64, load: &UserLoad) {
        let user: Arc<str> = load.user_name.as_str().into();
        for client in &load.client_metrics {
            let key = format!("{user}\n{}\n{}", client.host_name, server.long);
            let counters = Counters {
                reads: client.read_requests_count(),
                filtered_reads: client.filtered_requests_count(),
                writes: client.write_requests_count(),
            };
            let rates = self.client_rates.update(key.as_str(), reported_ms, counters);
            let client = client.host_name.as_str().into();
            let subject = Subject::UserOfClient { user: Arc::clone(&user), client };
            self.clients.push(Record { subject, figures: Figures { rates, ..Figures::default() } });
        }
    }
}

fn counters(region: &RegionLoad) -> Counters {
    Counters {
        reads: region.read_requests_count(),
        filtered_reads: region.filtered_read_requests_count(),
        writes: region.write_requests_count(),
    }
}

fn figures(region: &RegionLoad) -> Figures {
    Figures {
        regions: 1,
        store_files: region.storefiles().into(),
        store_file_bytes: u64::from(region.storefile_size_mb()) * MEGABYTE,
        uncompressed_bytes: u64::from(region.store_uncompressed_size_mb()) * MEGABYTE,
        memstore_bytes: u64::from(region.mem_store_size_mb()) * MEGABYTE,
        locality: region.data_locality(),
        compacting_cells: region.total_compacting_k_vs(),
        compacted_cells: region.current_compacted_k_vs(),
        last_major_compaction_ms: region.last_major_compaction_ts(),
        ..Figures::default()
    }
}

#[cfg(test)]
pub(crate) mod tests;
