//! Two thousand regions with a row in a store file, open in one server. A program of its own, so that no other test's
//! memory and descriptors count.

use finback_fs::{BoundedFileSystem, LocalFileSystem};
use std::sync::Arc;

#[path = "../examples/open_regions/mod.rs"]
mod open_regions;

use open_regions::{Content, open_regions_of};

const REGIONS: usize = 2_000;
/// What a region may take: about three times what was measured with ten thousand of them.
const MAX_BYTES_PER_REGION: u64 = 32 << 10;
/// Store files that may have a descriptor, as a server bounds them.
const MAX_OPEN_FILES: usize = 64;

#[tokio::test(flavor = "multi_thread")]
async fn idle_regions_with_a_flushed_row_cost_kilobytes_and_no_thread_or_descriptor() {
    let directory = tempfile::tempdir().unwrap();
    let fs = Arc::new(BoundedFileSystem::new(Arc::new(LocalFileSystem::new()), MAX_OPEN_FILES));
    let opened = open_regions_of(Content::FlushedRow, fs, directory.path(), REGIONS).await;
    let (bytes, peak) = (opened.bytes_per_region(REGIONS), opened.peak_bytes_per_region(REGIONS));
    println!(
        "{bytes} bytes for each of {REGIONS} regions, {peak:?} at the most; before {:?}, after {:?}",
        opened.before, opened.after
    );
    assert!(bytes < MAX_BYTES_PER_REGION, "{bytes} bytes for each region");
    assert!(
        peak.is_none_or(|peak| peak < MAX_BYTES_PER_REGION),
        "{peak:?} bytes for each region while they are opened"
    );
    // Threads for what may block come and go; none belongs to a region.
    assert!(opened.after.threads < 100, "{:?}", opened.after);
    // A few are the log's, and of files that are being written.
    let descriptors = opened.before.descriptors + MAX_OPEN_FILES + 20;
    assert!(opened.after.descriptors < descriptors, "{:?}", opened.after);
    opened.server.stop().await;
}
