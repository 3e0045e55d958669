//! How the numbers were a while ago: percentiles are of what was counted lately, and rates are averages that forget.

use finback_metrics::{HistogramSnapshot, Meter, Operation, Snapshot, jmx};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two looks at the numbers: HBase's period of metrics.
pub(crate) const PERIOD: Duration = Duration::from_secs(10);

/// The last looks.
#[derive(Debug, Default)]
pub(crate) struct History(Mutex<Looks>);

#[derive(Debug, Default)]
struct Looks {
    /// The last one, and the one before.
    last: Option<Arc<Snapshot>>,
    former: Option<Arc<Snapshot>>,
    at: Option<Instant>,
    reads: Meter,
    writes: Meter,
    bulk_loads: Meter,
    /// Reads and writes of tables that are open, by namespace and name.
    tables: HashMap<(String, String), (Meter, Meter)>,
}

impl Looks {
    /// Tables that are no longer open are forgotten.
    fn tick_tables(&mut self, snapshot: &Snapshot, elapsed: Duration) {
        let mut former = std::mem::take(&mut self.tables);
        for ((namespace, table), sum) in jmx::tables(&snapshot.regions) {
            let key = (namespace.to_owned(), table.to_owned());
            let (mut reads, mut writes) = former.remove(&key).unwrap_or_default();
            reads.tick(sum.reads, elapsed);
            writes.tick(sum.writes, elapsed);
            self.tables.insert(key, (reads, writes));
        }
    }
}

impl History {
    /// Another look, a period after the last.
    pub(crate) fn remember(&self, snapshot: Snapshot) {
        let mut looks = self.0.lock();
        let now = Instant::now();
        let elapsed = looks.at.replace(now).map_or(PERIOD, |then| now - then);
        if let Some(server) = &snapshot.server {
            looks.reads.tick(server.regions.reads, elapsed);
            looks.writes.tick(server.regions.writes, elapsed);
            let loads = server.times(Operation::BulkLoad).map_or(0, HistogramSnapshot::count);
            looks.bulk_loads.tick(loads, elapsed);
        }
        looks.tick_tables(&snapshot, elapsed);
        // Histograms are wanted; regions are many.
        let slim = Snapshot { regions: Vec::new(), earlier: None, ..snapshot };
        looks.former = looks.last.replace(Arc::new(slim));
    }

    /// The numbers one to two periods ago; none in the first of them, of which all is told then.
    pub(crate) fn earlier(&self) -> Option<Arc<Snapshot>> {
        self.0.lock().former.clone()
    }

    /// Fills in how often something happens, of the server and of its tables.
    pub(crate) fn fill_rates(&self, snapshot: &mut Snapshot) {
        let looks = self.0.lock();
        if let Some(server) = &mut snapshot.server {
            (server.read_rate, server.write_rate) = (looks.reads, looks.writes);
            server.bulk_load_rate = looks.bulk_loads;
        }
        for of in &mut snapshot.tables {
            let key = (of.namespace.clone(), of.table.clone());
            (of.read_rate, of.write_rate) = looks.tables.get(&key).copied().unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_metrics::{RegionFigures, ServerFigures, TableFigures};

    fn with_reads(reads: u64) -> Snapshot {
        let regions = RegionFigures { reads, table: "t".into(), ..RegionFigures::default() };
        let server = ServerFigures { regions: regions.clone(), ..ServerFigures::default() };
        let tables = vec![TableFigures { table: "t".into(), ..TableFigures::default() }];
        Snapshot { server: Some(server), regions: vec![regions], tables, ..Snapshot::default() }
    }

    #[test]
    fn what_is_told_is_one_to_two_periods_old_and_has_no_regions() {
        let history = History::default();
        history.remember(with_reads(10));
        assert!(history.earlier().is_none());
        history.remember(with_reads(20));
        history.remember(with_reads(30));
        let earlier = history.earlier().unwrap();
        assert_eq!(earlier.server.as_ref().unwrap().regions.reads, 20);
        assert!(earlier.regions.is_empty());
    }

    #[test]
    fn rates_are_of_the_server_and_of_its_tables() {
        let history = History::default();
        history.remember(with_reads(10));
        history.remember(with_reads(30));
        let mut now = with_reads(35);
        history.fill_rates(&mut now);
        assert_eq!(now.server.as_ref().unwrap().read_rate.count, 30);
        assert_eq!(now.tables[0].read_rate.count, 30);
        assert!(now.tables[0].read_rate.rates()[0] > 0.0);
        // A table without open regions begins anew.
        history.remember(Snapshot::default());
        history.fill_rates(&mut now);
        assert_eq!(now.tables[0].read_rate, Meter::default());
    }
}
