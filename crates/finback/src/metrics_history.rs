//! How the numbers were a while ago: percentiles are of what was counted lately, and rates are averages that forget.

use finback_metrics::{Meter, Snapshot};
use parking_lot::Mutex;
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
        }
        // Histograms are wanted; regions are many.
        let slim = Snapshot { regions: Vec::new(), earlier: None, ..snapshot };
        looks.former = looks.last.replace(Arc::new(slim));
    }

    /// The numbers one to two periods ago; none in the first of them, of which all is told then.
    pub(crate) fn earlier(&self) -> Option<Arc<Snapshot>> {
        self.0.lock().former.clone()
    }

    /// How many rows are read, and how many mutations there are.
    pub(crate) fn rates(&self) -> (Meter, Meter) {
        let looks = self.0.lock();
        (looks.reads, looks.writes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_metrics::{RegionFigures, ServerFigures};

    fn with_reads(reads: u64) -> Snapshot {
        let regions = RegionFigures { reads, ..RegionFigures::default() };
        let server = ServerFigures { regions: regions.clone(), ..ServerFigures::default() };
        Snapshot { server: Some(server), regions: vec![regions], ..Snapshot::default() }
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
        assert_eq!(history.rates().0.count, 30);
    }
}
