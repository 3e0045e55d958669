//! Two thousand empty regions, open in one server. A program of its own, so that no other test's memory counts.

use finback_fs::MemFileSystem;
use std::path::Path;
use std::sync::Arc;

#[path = "../examples/open_regions/mod.rs"]
mod open_regions;

const REGIONS: usize = 2_000;
/// What a region may take, with what the file system in memory has of it: twice what was measured, 7 to 8 KiB.
const MAX_BYTES_PER_REGION: u64 = 16 << 10;

#[tokio::test(flavor = "multi_thread")]
async fn idle_regions_cost_kilobytes_and_no_thread() {
    let opened = open_regions::open_regions(Arc::new(MemFileSystem::new()), Path::new("/"), REGIONS).await;
    let bytes = opened.bytes_per_region(REGIONS);
    println!(
        "{bytes} bytes for each of {REGIONS} regions; before {:?}, after {:?}",
        opened.before, opened.after
    );
    assert!(bytes < MAX_BYTES_PER_REGION, "{bytes} bytes for each region");
    // Threads for what may block come and go; none belongs to a region.
    assert!(opened.after.threads < 100, "{:?}", opened.after);
    opened.server.stop().await;
}
