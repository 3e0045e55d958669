//! Flushes and compactions say how many cells they had to do with, and of how many bytes.

use crate::world::{World, family, put, run};
use finback_fs::MemFileSystem;
use finback_metrics::file_io;
use std::sync::Arc;

#[test]
fn cells_and_their_bytes_are_told_of_flushes_and_compactions() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    let region = world.start().unwrap();
    let before = file_io().figures();
    let mut bytes = 0;
    for row in ["r1", "r2"] {
        let edits = [put((row, "a", "q"), b"1"), put((row, "a", "p"), b"22")];
        run(region.batch(&edits)).into_iter().for_each(|outcome| outcome.unwrap());
        let written: usize =
            edits.iter().flat_map(|edit| edit.cells.iter()).map(|cell| cell.bytes().len()).sum();
        let flushed = region.flush(None).unwrap();
        assert_eq!((flushed.cells, flushed.cell_bytes), (2, written as u64));
        bytes += written as u64;
    }
    let compacted = region.compact(b"a", true).unwrap().unwrap();
    assert_eq!((compacted.cells_read, compacted.cell_bytes_read), (4, bytes));
    let totals = region.metrics().compactions;
    assert_eq!((totals.compactions, totals.cells, totals.cell_bytes, totals.files), (1, 4, bytes, 2));
    // Other regions of this process count there too.
    let after = file_io().figures();
    assert!(after.compaction_reads.count() >= before.compaction_reads.count() + 2);
    assert!(after.writes.count() >= before.writes.count() + 3);
    assert!(!region.flush(None).unwrap().flushed);
}
