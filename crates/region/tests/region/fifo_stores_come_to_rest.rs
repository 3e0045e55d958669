//! Stores of which nothing is compacted but what has expired: they come to rest, and do not gather files.

use crate::world::{World, family, put, run};
use finback_fs::MemFileSystem;
use finback_region::{CompactionConfig, CompactionPolicy, Region};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const TTL_MS: i64 = 1_000_000;

fn start(attributes: &[(&str, &str)]) -> (World, Arc<Region>) {
    let described = attributes
        .iter()
        .fold(family("a", 1).with("TTL", "1000"), |family, (name, value)| family.with(name, value));
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![described]);
    world.config.compaction =
        CompactionConfig { policy: CompactionPolicy::Fifo, ..CompactionConfig::default() };
    let region = world.start().unwrap();
    (world, region)
}

fn flush_a_row(region: &Region) {
    run(region.batch(vec![put(("row", "a", "q"), b"value")])).swap_remove(0).unwrap();
    region.flush(None).unwrap();
}

#[test]
fn a_file_that_has_to_stay_is_not_compacted_again_and_again() {
    let (world, region) = start(&[("NEW_VERSION_BEHAVIOR", "true")]);
    flush_a_row(&region);
    world.host.now_ms.fetch_add(2 * TTL_MS, Ordering::SeqCst);
    region.compact(b"a", false).unwrap();
    assert!(region.families_to_compact().is_empty());
}

#[test]
fn files_without_cells_go_but_for_the_newest() {
    let (world, region) = start(&[]);
    for _ in 0..5 {
        flush_a_row(&region);
        world.host.now_ms.fetch_add(2 * TTL_MS, Ordering::SeqCst);
        region.compact(b"a", false).unwrap();
        assert!(region.families_to_compact().is_empty());
        assert_eq!(region.metrics().store_files, 1);
    }
}
