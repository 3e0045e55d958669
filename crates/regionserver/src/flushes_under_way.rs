//! Which regions are being flushed by the server's own accord, and since when.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One entry for each flush that a thread is busy with.
#[derive(Debug, Default)]
pub(crate) struct FlushesUnderWay(Mutex<BTreeMap<Arc<str>, u64>>);

/// A flush. It is over when this is dropped.
pub(crate) struct Flushing<'a> {
    all: &'a FlushesUnderWay,
    region: Arc<str>,
}

impl FlushesUnderWay {
    /// A region's flush begins, ms since the epoch.
    pub(crate) fn begin(&self, region: &Arc<str>, now_ms: u64) -> Flushing<'_> {
        self.0.lock().insert(Arc::clone(region), now_ms);
        Flushing { all: self, region: Arc::clone(region) }
    }

    /// Encoded names, and since when, ms since the epoch.
    pub(crate) fn list(&self) -> Vec<(Arc<str>, u64)> {
        self.0.lock().iter().map(|(region, since)| (Arc::clone(region), *since)).collect()
    }
}

impl Drop for Flushing<'_> {
    fn drop(&mut self) {
        self.all.0.lock().remove(&self.region);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flush_is_listed_until_it_is_over() {
        let flushes = FlushesUnderWay::default();
        let (a, b): (Arc<str>, Arc<str>) = ("a".into(), "b".into());
        let first = flushes.begin(&a, 7);
        let second = flushes.begin(&b, 9);
        assert_eq!(flushes.list(), [(a, 7), (Arc::clone(&b), 9)]);
        drop(first);
        assert_eq!(flushes.list(), [(b, 9)]);
        drop(second);
        assert!(flushes.list().is_empty());
    }
}
