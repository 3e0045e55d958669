//! Has the server looked at every few seconds, for the charts.

use super::ServerPages;
use finback_pages::{History, Totals};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tokio::time::{MissedTickBehavior, interval};

impl ServerPages {
    /// Looks at the server now and then, for ever. A look reads counters: some 20 µs, and less than a µs for a region.
    pub(crate) async fn sample(self: Arc<Self>) {
        let mut ticks = interval(History::INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let pages = Arc::clone(&self);
            // It reads files of the system.
            let looked = tokio::task::spawn_blocking(move || pages.history.record(pages.totals()));
            if let Err(error) = looked.await {
                tracing::error!(%error, "the charts have a gap");
            }
        }
    }

    fn totals(&self) -> Totals {
        let server = &self.sources.region_server;
        let regions = server.open_regions();
        let counts = |region: &Arc<finback_region::Region>| {
            let counters = region.counters();
            let (reads, writes) = (counters.reads.load(Relaxed), counters.writes.load(Relaxed));
            (Arc::clone(region.encoded_name()), reads, writes)
        };
        let process = self.sources.start.figures();
        Totals {
            now_ms: crate::server::now_ms(),
            operations: server.operation_times(),
            regions: regions.iter().map(counts).collect(),
            cpu_ms: process.cpu_ms,
            resident: process.resident_bytes,
            memstores: server.memstore_bytes(),
            cache: (self.sources.cache)().bytes,
        }
    }
}
