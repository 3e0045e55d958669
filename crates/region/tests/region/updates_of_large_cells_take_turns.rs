//! Appends to large cells are carried out one after the other, whatever region they are of; others wait for none of them.

use crate::world::{World, family, mutation, put, run, value};
use finback_cell::{CellType, LATEST_TIMESTAMP, Mutation, MutationKind};
use finback_fs::MemFileSystem;
use finback_region::RegionError;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

const LARGE: usize = 2 << 20;

fn append(row: &str) -> Mutation {
    mutation(MutationKind::Append, CellType::Put, (row, "a", "q"), LATEST_TIMESTAMP, b"more")
}

#[test]
fn and_others_do_not() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    let region = world.start().unwrap();
    for row in ["large1", "large2"] {
        run(region.mutate(&put((row, "a", "q"), &vec![7; LARGE]))).unwrap();
    }
    run(region.mutate(&put(("small", "a", "q"), b"value"))).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let turn =
        runtime.block_on(world.config.large_updates.turn(&*world.host, Duration::from_secs(60))).unwrap();
    let mut waits = pin!(region.mutate_atomically(Vec::new(), vec![append("large1")]));
    {
        let _guard = runtime.enter();
        assert!(matches!(waits.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending));
    }
    assert_eq!(region.counters().writes.load(Ordering::SeqCst), 3, "it waits before it writes");
    runtime.block_on(region.mutate_atomically(Vec::new(), vec![append("small")])).unwrap();
    assert_eq!(value(&region, ("small", "a", "q")).unwrap(), b"valuemore");

    // Whose client does not wait gives up, and says so.
    let now = Some(Instant::now());
    let late = region.mutate_atomically_until(Vec::new(), vec![append("large2")], now);
    assert!(matches!(runtime.block_on(late), Err(RegionError::TooBusy(_))));

    drop(turn);
    runtime.block_on(waits).unwrap();
    let found = value(&region, ("large1", "a", "q")).unwrap();
    assert_eq!((found.len(), &found[LARGE..]), (LARGE + 4, &b"more"[..]));
    // The turn is given back; one that has it needs no other for its next mutation.
    let both = vec![append("large2"), append("large2")];
    runtime.block_on(region.mutate_atomically(Vec::new(), both)).unwrap();
    assert_eq!(value(&region, ("large2", "a", "q")).unwrap().len(), LARGE + 4);
}

#[test]
fn a_flush_and_the_writes_behind_it_wait_for_none_of_them() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    let region = world.start().unwrap();
    for row in ["large", "wide"] {
        run(region.mutate(&put((row, "a", "q"), &vec![7; LARGE]))).unwrap();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let turn =
        runtime.block_on(world.config.large_updates.turn(&*world.host, Duration::from_secs(60))).unwrap();
    let mut appends = pin!(region.mutate_atomically(Vec::new(), vec![append("large")]));
    let latest = mutation(MutationKind::Delete, CellType::Delete, ("wide", "a", "q"), LATEST_TIMESTAMP, b"");
    let mut deletes = pin!(region.mutate(&latest));
    let mut context = Context::from_waker(Waker::noop());
    {
        let _guard = runtime.enter();
        assert!(matches!(appends.as_mut().poll(&mut context), Poll::Pending));
        // From memory, and so from a file: its block is large.
        let flushed = region.flush(None).unwrap();
        assert!(flushed.flushed);
        assert!(matches!(deletes.as_mut().poll(&mut context), Poll::Pending));
        region.flush(None).unwrap();
    }
    run(region.mutate(&put(("small", "a", "q"), b"value"))).unwrap();
    drop(turn);
    runtime.block_on(appends).unwrap();
    runtime.block_on(deletes).unwrap();
    assert_eq!(value(&region, ("large", "a", "q")).unwrap().len(), LARGE + 4);
    assert!(value(&region, ("wide", "a", "q")).is_none());
}

#[test]
fn a_region_that_closes_waits_for_none_of_them() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    let region = world.start().unwrap();
    run(region.mutate(&put(("large", "a", "q"), &vec![7; LARGE]))).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _turn =
        runtime.block_on(world.config.large_updates.turn(&*world.host, Duration::from_secs(60))).unwrap();
    let mut waits = Box::pin(region.mutate_atomically(Vec::new(), vec![append("large")]));
    {
        let _guard = runtime.enter();
        assert!(matches!(waits.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending));
    }
    let closing = Arc::clone(&region);
    let closing = std::thread::spawn(move || closing.close());
    assert!(matches!(runtime.block_on(waits), Err(RegionError::Closing(_))));
    closing.join().unwrap().unwrap();
}
