//! A large write does not go beyond the limit of the memstores while a flush is about to make room for it; without one to wait
//! for, and beside small writes, nothing waits.

use crate::world::{World, family, put, run};
use finback_fs::MemFileSystem;
use finback_region::{Region, RegionError};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Waker};

const FLUSH_SIZE: u64 = 2 << 20;
const LARGE: usize = 3 << 20;

/// The limit is twice the size of a flush: two large writes do not fit.
fn region() -> (World, Arc<Region>) {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    world.config.flush_size_bytes = FLUSH_SIZE;
    world.config.block_multiplier = 2;
    let region = world.start().unwrap();
    (world, region)
}

/// Goes on with a write as far as it goes without a wait; how many writes there are then that waited for nothing but the log.
fn begin<F: Future>(write: Pin<&mut F>, region: &Region) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _guard = runtime.enter();
    // The log, whose thread answers, may be quick.
    let _ = write.poll(&mut Context::from_waker(Waker::noop()));
    region.counters().writes.load(Ordering::SeqCst)
}

#[test]
fn and_nothing_else_does() {
    let (_world, region) = region();
    let large = |row| put((row, "a", "q"), &vec![7; LARGE]);
    run(region.mutate(&large("first"))).unwrap();
    assert!(region.is_over_flush_size());
    assert_eq!(region.counters().writes.load(Ordering::SeqCst), 1);
    let small = put(("small", "a", "q"), b"value");
    assert_eq!(begin(pin!(region.mutate(&small)), &region), 2, "a small write waits for no flush");
    let second = large("second");
    assert_eq!(begin(pin!(region.mutate(&second)), &region), 2, "there is no room for it");
    let refusal = run(region.mutate(&second)).unwrap_err();
    assert!(matches!(refusal, RegionError::TooBusy(_)), "the flush does not come: {refusal}");
    region.flush(None).unwrap();
    assert_eq!(begin(pin!(region.mutate(&second)), &region), 3, "there is room for it");
    region.close().unwrap();
}
