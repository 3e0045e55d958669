//! Sees to it that no edit stays in memory only for ever: it would keep a log, and make a restart slow (HBase's
//! PeriodicMemStoreFlusher).

use crate::server::RegionServer;
use finback_region::Region;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two looks at all regions, HBase's `hbase.server.thread.wakefrequency`.
const LOOK_INTERVAL: Duration = Duration::from_secs(10);

/// Regions that were written to at the same time are flushed at times of their own within this span, HBase's
/// `hbase.regionserver.periodicmemstoreflusher.rangeofdelayseconds`.
const SPREAD: Duration = Duration::from_secs(300);

/// Runs for as long as the server.
pub(crate) async fn run(server: Arc<RegionServer>) {
    let mut due = DueTimes::default();
    while !server.is_stopping() {
        tokio::time::sleep(LOOK_INTERVAL).await;
        let regions = server.regions.all();
        let waiting = regions.iter().filter(|region| region.has_old_edits());
        for name in due.look(waiting.map(|region| Region::encoded_name(region)), Instant::now()) {
            server.scheduler.ask_for_flush(&name);
        }
    }
}

/// When regions that wait for a flush get it.
#[derive(Default)]
struct DueTimes {
    times: HashMap<Arc<str>, Instant>,
    random: RandomState,
}

impl DueTimes {
    /// Takes note of all regions that wait; gives back those whose time has come. Their next time is another.
    fn look<'a>(&mut self, waiting: impl Iterator<Item = &'a Arc<str>>, now: Instant) -> Vec<Arc<str>> {
        let mut times = HashMap::new();
        let mut due = Vec::new();
        for name in waiting {
            let time = self.times.get(name).copied().unwrap_or_else(|| now + self.delay(name, now));
            if time <= now {
                due.push(Arc::clone(name));
            } else {
                times.insert(Arc::clone(name), time);
            }
        }
        // Those that no longer wait are forgotten.
        self.times = times;
        due
    }

    fn delay(&self, name: &str, now: Instant) -> Duration {
        let part = self.random.hash_one((name, now)) as f64 / u64::MAX as f64;
        SPREAD.mul_f64(part)
    }
}

#[cfg(test)]
mod tests {
    use super::{DueTimes, SPREAD};
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    #[test]
    fn regions_get_their_turn_within_the_span_and_not_all_at_once() {
        let names: Vec<Arc<str>> = (0..50).map(|number| format!("region-{number}").into()).collect();
        let (mut due, start) = (DueTimes::default(), Instant::now());
        let mut seen = Vec::new();
        let mut steps = 0;
        for second in (0..=SPREAD.as_secs()).step_by(10) {
            let left: Vec<_> = names.iter().filter(|name| !seen.contains(*name)).collect();
            let now = start + Duration::from_secs(second);
            let came = due.look(left.into_iter(), now);
            steps += usize::from(!came.is_empty());
            seen.extend(came);
        }
        assert_eq!(seen.len(), names.len());
        assert!(steps > 10, "in {steps} steps");
    }

    #[test]
    fn a_region_that_was_flushed_meanwhile_is_forgotten() {
        let name: Arc<str> = "region".into();
        let (mut due, start) = (DueTimes::default(), Instant::now());
        due.look(std::iter::once(&name), start);
        assert_eq!(due.times.len(), 1);
        assert!(due.look(std::iter::empty(), start + SPREAD).is_empty());
        assert!(due.times.is_empty());
    }
}
