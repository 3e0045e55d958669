//! Flushes for size and for memory come once for each need, and for memory where they succeed.

use crate::world::{FAMILY, LONG, Table, World, put, row_name};
use finback_proto::pb;
use pb::mutation_proto::Durability;
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

/// A put that waits for no disk.
async fn put_unlogged(table: &Table<'_>, row: usize, bytes: usize) {
    let put = put(&row_name(row), &[("q", &vec![b'v'; bytes])]);
    table.mutate(pb::MutationProto { durability: Some(Durability::SkipWal.into()), ..put }).await.unwrap();
}

async fn fill(table: &Table<'_>, mib: usize) {
    for row in 0..mib {
        put_unlogged(table, row, MIB).await;
    }
}

fn files(table: &Table<'_>) -> usize {
    let (info, root) = (&table.info, &table.world.root);
    root.list_store_files(&info.table, &info.encoded_name(), FAMILY).unwrap().len()
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < LONG, "not {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Waits until the disk, which is paused, keeps a flush.
async fn until_flush_is_kept(world: &World) {
    until("flushing", || world.faults.waiting() > 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_was_asked_for_during_another() {
    let world = World::with(|options| {
        options.region.flush_size_bytes = 4 * MIB as u64;
        options.background.flush_threads = 1;
    });
    let (one, next) = (world.table("one").await, world.table("next").await);
    world.faults.pause();
    fill(&one, 5).await;
    until_flush_is_kept(&world).await;
    put_unlogged(&one, 100, 10).await;
    // Its flush waits behind whatever was asked for before.
    fill(&next, 5).await;
    world.faults.resume();
    until("flushed", || files(&next) == 1).await;
    assert_eq!(files(&one), 1, "what has come during the flush is in memory");
}
