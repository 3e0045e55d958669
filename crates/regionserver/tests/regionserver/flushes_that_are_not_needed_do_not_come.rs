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

#[tokio::test(flavor = "multi_thread")]
async fn one_for_memory_of_which_there_is_enough_again() {
    let world = World::with(|options| {
        options.memstore_limit_bytes = 80 * MIB as u64;
        options.region.flush_size_bytes = 40 * MIB as u64;
        options.background.flush_threads = 1;
    });
    let (large, small) = (world.table("large").await, world.table("small").await);
    let last = world.table("last").await;
    fill(&large, 36).await;
    fill(&small, 24).await;
    world.faults.pause();
    let mut row = 0;
    let since = Instant::now();
    while world.faults.waiting() == 0 {
        assert!(since.elapsed() < LONG, "no flush for memory");
        if row < 18 {
            put_unlogged(&last, row, MIB).await;
            row += 1;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    // Memory is short until the flush is over: this asks for another.
    put_unlogged(&small, 100, 10).await;
    world.faults.resume();
    until("flushed for memory", || files(&large) == 1).await;
    // A flush for size waits behind that.
    for row in row..41 {
        put_unlogged(&last, row, MIB).await;
    }
    until("flushed for size", || files(&last) == 1).await;
    assert_eq!(files(&small), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_the_largest_region_that_has_just_failed() {
    let world = World::with(|options| {
        options.memstore_limit_bytes = 80 * MIB as u64;
        options.background.flush_threads = 1;
    });
    let large = world.table("large").await;
    // A file where the directory of its flush would be.
    let in_the_way = world.root.region_temp_dir(&large.info.table, &large.info.encoded_name());
    let _ = world.root.fs().remove_dir_all(&in_the_way);
    finback_fs::write_file_durably(&**world.root.fs(), &in_the_way, b"in the way").unwrap();
    let small = world.table("small").await;
    fill(&large, 50).await;
    let since = Instant::now();
    for row in 0.. {
        if files(&small) > 0 {
            break;
        }
        assert!(since.elapsed() < LONG, "the region that can be flushed is not");
        // Writes are refused when nothing more fits.
        let _ = small.put(&row_name(row), &[b'v'; 100_000]).await;
    }
    world.root.fs().remove_file(&in_the_way).unwrap();
    large.flush().await.unwrap();
    assert_eq!(files(&large), 1);
}
