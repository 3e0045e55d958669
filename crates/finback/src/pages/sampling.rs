//! Has the server looked at every few seconds: for the charts, and for what the metrics were a while ago.

use super::ServerPages;
use crate::metrics_history::PERIOD;
use finback_metrics::Snapshot;
use finback_pages::{History, Totals};
use std::sync::Arc;
use tokio::time::{MissedTickBehavior, interval};

// One look serves both.
const _: () = assert!(History::INTERVAL.as_millis() == PERIOD.as_millis());

impl ServerPages {
    /// Looks at the server now and then, for ever.
    pub(crate) async fn sample(self: Arc<Self>) {
        let mut ticks = interval(PERIOD);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let pages = Arc::clone(&self);
            // Looks at every store file of every region, and reads files of the system.
            let looked = tokio::task::spawn_blocking(move || pages.look());
            if let Err(error) = looked.await {
                tracing::error!(%error, "the charts and metrics have a gap");
            }
        }
    }

    fn look(&self) {
        let snapshot = self.sources.now();
        self.history.record(totals(&snapshot));
        self.sources.history.remember(snapshot);
    }
}

fn totals(snapshot: &Snapshot) -> Totals {
    let (server, process) = (snapshot.server.as_ref(), &snapshot.process);
    let requests = snapshot.regions.iter().map(|region| (&*region.encoded_name, region.reads, region.writes));
    Totals {
        now_ms: process.now_ms,
        operations: server.map(|server| server.operations.clone()).unwrap_or_default(),
        regions: requests.map(|(name, reads, writes)| (name.into(), reads, writes)).collect(),
        cpu_ms: process.cpu_ms,
        resident: process.resident_bytes,
        memstores: server.map_or(0, |server| server.memstore_bytes),
        cache: server.map_or(0, |server| server.cache.bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_metrics::{ProcessFigures, RegionFigures, ServerFigures};

    #[test]
    fn the_charts_are_of_what_the_metrics_say() {
        let mut server = ServerFigures { memstore_bytes: 5, ..ServerFigures::default() };
        server.cache.bytes = 6;
        let region =
            RegionFigures { encoded_name: "a".to_owned(), reads: 3, writes: 4, ..RegionFigures::default() };
        let process = ProcessFigures { now_ms: 1, cpu_ms: 2, resident_bytes: 7, ..ProcessFigures::default() };
        let snapshot =
            Snapshot { server: Some(server), regions: vec![region], process, ..Snapshot::default() };
        let totals = totals(&snapshot);
        assert_eq!((totals.now_ms, totals.cpu_ms, totals.resident), (1, 2, 7));
        assert_eq!((totals.memstores, totals.cache), (5, 6));
        assert_eq!(totals.regions, [(Arc::from("a"), 3, 4)]);
    }
}
