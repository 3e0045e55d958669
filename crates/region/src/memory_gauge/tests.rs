use super::MemoryGauge;
use crate::host::{BoxFuture, Host};
use finback_hfile::{Block, BlockRequest, HFileError};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// Adds up what it is told.
#[derive(Debug, Default)]
struct Ledger(AtomicI64);

impl Host for Ledger {
    fn now_ms(&self) -> i64 {
        0
    }
    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
    fn pause(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
    fn fetch(&self, request: BlockRequest) -> BoxFuture<'static, Result<Arc<Block>, HFileError>> {
        Box::pin(std::future::ready(request.read()))
    }
    fn flush_wanted(&self, _: &str) {}
    fn memstore_changed(&self, bytes: isize) {
        self.0.fetch_add(bytes as i64, Ordering::Relaxed);
    }
}

fn gauge() -> (MemoryGauge, Arc<Ledger>) {
    let ledger = Arc::new(Ledger::default());
    (MemoryGauge::new(ledger.clone()), ledger)
}

#[test]
fn growth_that_is_told_after_what_shrank_it_counts_once() {
    let (gauge, ledger) = gauge();
    gauge.grow(100);
    // An in-memory compaction takes 30 bytes off an insertion of 50, of which nothing was told yet.
    gauge.change(-130);
    assert_eq!(gauge.bytes(), 0);
    gauge.grow(50);
    assert_eq!((gauge.bytes(), ledger.0.load(Ordering::Relaxed)), (20, 20));
    gauge.shrink(20);
    assert_eq!((gauge.bytes(), ledger.0.load(Ordering::Relaxed)), (0, 0));
}

#[test]
fn what_ends_in_an_abandoned_region_counts_no_more() {
    let (gauge, ledger) = gauge();
    gauge.grow(100);
    gauge.clear();
    gauge.shrink(100);
    gauge.grow(10);
    gauge.clear();
    assert_eq!((gauge.bytes(), ledger.0.load(Ordering::Relaxed)), (0, 0));
}
