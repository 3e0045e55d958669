//! Two thousand regions with a row in a store file, open in one server. A program of its own, so that no other test's
//! memory counts.

use finback_fs::MemFileSystem;
use std::path::Path;
use std::sync::Arc;

#[path = "../examples/open_regions/mod.rs"]
mod open_regions;

use open_regions::{Content, open_regions_of};

const REGIONS: usize = 2_000;
/// What a region may take, with what the file system in memory has come to have of it by being opened:
/// about twice what is measured.
const MAX_BYTES_PER_REGION: u64 = 32 << 10;

#[tokio::test(flavor = "multi_thread")]
async fn idle_regions_with_a_flushed_row_cost_kilobytes_and_no_thread_or_descriptor() {
    let fs = Arc::new(MemFileSystem::new());
    let opened = open_regions_of(Content::FlushedRow, fs, Path::new("/"), REGIONS).await;
    let (bytes, peak) = (opened.bytes_per_region(REGIONS), opened.peak_bytes_per_region(REGIONS));
    println!(
        "{bytes} bytes for each of {REGIONS} regions, {peak} at the most; before {:?}, after {:?}",
        opened.before, opened.after
    );
    assert!(bytes < MAX_BYTES_PER_REGION, "{bytes} bytes for each region");
    assert!(peak < MAX_BYTES_PER_REGION, "{peak} bytes for each region while they are opened");
    // Threads for what may block come and go; none belongs to a region.
    assert!(opened.after.threads < 100, "{:?}", opened.after);
    assert!(opened.after.descriptors < opened.before.descriptors + 20, "{:?}", opened.after);
    opened.server.stop().await;
}
