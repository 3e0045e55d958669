//! Limits of memstores, and a disk without room.

use crate::world::{LONG, Table, World, row_name};
use std::time::{Duration, Instant};

/// Puts until one is refused; how many were not.
async fn refused_after(table: &Table<'_>, value: &[u8], class: &str) -> usize {
    for row in 0..100_000 {
        if let Err(exception) = table.put(&row_name(row), value).await {
            assert_eq!(exception.simple_class(), class, "{exception}");
            assert!(!exception.do_not_retry);
            return row;
        }
    }
    panic!("no put is refused");
}

/// Puts one row until it is taken.
async fn taken(table: &Table<'_>, row: usize, value: &[u8]) {
    let since = Instant::now();
    while let Err(exception) = table.put(&row_name(row), value).await {
        assert!(since.elapsed() < LONG, "{exception}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn all_memstores_together_are_bounded() {
    const LIMIT: u64 = 8 << 20;
    let world = World::with(|options| options.memstore_limit_bytes = LIMIT);
    let (one, two) = (world.table("one").await, world.table("two").await);
    let value = [b'v'; 10_000];
    one.fill(0..100, &value).await;
    let stop_flushes = block_flushes(&world);
    let accepted = refused_after(&two, &value, "RegionTooBusyException").await;
    // Memory counts as it is taken, in chunks that may not be full.
    assert!((200..=720).contains(&accepted), "{accepted}");
    // Reads go on, and so do writes elsewhere in memory's limits only.
    assert_eq!(one.get(&row_name(3)).await.unwrap()[0].1, value);
    assert_eq!(one.put("r", b"v").await.unwrap_err().simple_class(), "RegionTooBusyException");
    drop(stop_flushes);
    taken(&one, 100, &value).await;
    taken(&two, accepted, &value).await;
    assert_eq!(two.get(&row_name(accepted - 1)).await.unwrap()[0].1, value);
}

/// Keeps flushes from writing, by a file where their directory would be.
struct NoFlushes<'a>(&'a World, Vec<std::path::PathBuf>);

fn block_flushes(world: &World) -> NoFlushes<'_> {
    let mut blocked = Vec::new();
    for table in world.root.list_tables().unwrap() {
        for region in world.root.list_regions(&table).unwrap() {
            let temporary = world.root.region_temp_dir(&table, &region);
            let _ = world.root.fs().remove_dir_all(&temporary);
            finback_fs::write_file_durably(&**world.root.fs(), &temporary, b"in the way").unwrap();
            blocked.push(temporary);
        }
    }
    NoFlushes(world, blocked)
}

impl Drop for NoFlushes<'_> {
    fn drop(&mut self) {
        for path in &self.1 {
            self.0.root.fs().remove_file(path).unwrap();
        }
    }
}

#[tokio::test]
async fn the_memstores_of_a_region_are_bounded() {
    let world = World::with(|options| {
        options.region.flush_size_bytes = 1_000_000;
        options.region.block_multiplier = 2;
    });
    let (full, other) = (world.table("full").await, world.table("other").await);
    let value = [b'v'; 10_000];
    let stop_flushes = block_flushes(&world);
    let accepted = refused_after(&full, &value, "RegionTooBusyException").await;
    assert!((80..=250).contains(&accepted), "{accepted}");
    other.put("r", &value).await.unwrap();
    drop(stop_flushes);
    taken(&full, accepted, &value).await;
}

#[tokio::test]
async fn a_full_disk_stops_writes_until_there_is_room_and_loses_nothing() {
    let world = World::with(|options| {
        options.region.flush_size_bytes = 300_000;
        options.wal.roll_size_bytes = 200_000;
    });
    let table = world.table("t").await;
    let value = [b'v'; 10_000];
    world.faults.set_byte_budget(Some(1 << 20));
    let mut accepted = refused_after(&table, &value, "IOException").await;
    assert!(accepted > 20, "{accepted}");
    for _ in 0..5 {
        if table.put(&row_name(accepted), &value).await.is_ok() {
            accepted += 1;
        }
    }
    match table.flush().await {
        Ok(flush) => assert_eq!(flush.flushed, Some(false), "there is nothing to flush, or no room"),
        Err(exception) => assert_eq!(exception.simple_class(), "IOException", "{exception}"),
    }
    for row in 0..accepted {
        assert_eq!(table.get(&row_name(row)).await.unwrap()[0].1, value, "{row}");
    }
    world.faults.set_byte_budget(None);
    for _ in 0..20 {
        taken(&table, accepted, &value).await;
        accepted += 1;
    }
    table.flush().await.unwrap();
    taken(&table, accepted, &value).await;
    let world = world.crash();
    let table = world.table("t").await;
    for row in 0..=accepted {
        assert_eq!(table.get(&row_name(row)).await.unwrap()[0].1, value, "{row}");
    }
}
