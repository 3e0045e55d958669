//! `hbase.hstore.time.to.purge.deletes`: a compaction of all files keeps delete markers for some time, so that a put
//! which comes late, from another cluster perhaps, is still hidden.

use crate::world::{World, family, mutation, put, run, scan};
use finback_cell::{CellType, MutationKind, Scan};
use finback_fs::MemFileSystem;
use finback_region::Region;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const KEPT_MS: i64 = 1000;
const DELETED_AT: i64 = 10_000;

fn raw(region: &Region) -> Vec<(i64, u8)> {
    let scan_all = Scan { raw: true, max_versions: u32::MAX, ..Scan::default() };
    let cells = scan(region, &scan_all, None).unwrap();
    cells.iter().map(|cell| (cell.timestamp, cell.type_code)).collect()
}

fn write(region: &Region, kind: MutationKind, cell_type: CellType, timestamp: i64) {
    let mutation = mutation(kind, cell_type, ("r", "f", "q"), timestamp, b"");
    run(region.batch(vec![mutation])).into_iter().for_each(|result| result.unwrap());
}

#[test]
fn as_long_as_the_setting_says_and_no_longer() {
    for settings in [[("NEW_VERSION_BEHAVIOR", "false")], [("NEW_VERSION_BEHAVIOR", "true")]] {
        let described =
            settings.into_iter().fold(family("f", 3), |family, (name, value)| family.with(name, value));
        let mut world = World::new(Arc::new(MemFileSystem::new()), vec![described]);
        world.config.compaction.purge_deletes_ms = KEPT_MS;
        let region = world.start().unwrap();
        write(&region, MutationKind::Put, CellType::Put, DELETED_AT - 1);
        write(&region, MutationKind::Delete, CellType::DeleteColumn, DELETED_AT);
        run(region.batch(vec![put(("r", "f", "other"), b"v")])).pop().unwrap().unwrap();
        region.flush(None).unwrap();
        let marker = (DELETED_AT, CellType::DeleteColumn.code());

        world.host.now_ms.store(DELETED_AT + KEPT_MS, Ordering::SeqCst);
        region.compact(b"f", true).unwrap().unwrap();
        assert!(raw(&region).contains(&marker), "{settings:?}");
        assert!(!raw(&region).contains(&(DELETED_AT - 1, CellType::Put.code())), "hidden puts go at once");

        world.host.now_ms.store(DELETED_AT + KEPT_MS + 1, Ordering::SeqCst);
        write(&region, MutationKind::Put, CellType::Put, DELETED_AT + 1);
        region.flush(None).unwrap();
        region.compact(b"f", true).unwrap().unwrap();
        assert!(!raw(&region).contains(&marker), "{settings:?}");
    }
}
