//! hbase:meta orders its rows by table, start key and region id; a start key may have bytes below the comma.

use crate::world::{World, put, run, scan};
use finback_cell::{Bytes, ColumnFamilyDescriptor, RegionInfo, Scan, TableDescriptor, TableName};
use finback_fs::MemFileSystem;
use std::sync::Arc;

/// In the order of hbase:meta, which is not that of bytes: `!` and `+` are below the comma.
const ROWS: [&str; 9] = ["t", "t,,1", "t,,2", "t,a,1", "t,a!,1", "t,a+b,1", "t,a,b,1", "t,b,1", "t!,a,1"];

fn rows(region: &finback_region::Region, described: &Scan) -> Vec<String> {
    let cells = scan(region, described, None).unwrap();
    cells.into_iter().map(|cell| String::from_utf8(cell.row).unwrap()).collect()
}

#[test]
fn forward_and_backward_in_memory_and_in_files() {
    let families = vec![ColumnFamilyDescriptor::with_defaults(b"info").with("BLOCKSIZE", "40")];
    let table = TableDescriptor { families, ..TableDescriptor::new(TableName::meta()) };
    let mut world = World::of_region(Arc::new(MemFileSystem::new()), RegionInfo::meta(), table);
    let region = world.start().unwrap();
    // Every other row goes into a file, the rest stays in memory; then all are in files.
    for odd in [true, false] {
        for (at, row) in ROWS.iter().enumerate() {
            if (at % 2 == 1) == odd {
                run(region.batch(vec![put((row, "info", "q"), b"v")])).remove(0).unwrap();
            }
        }
        if odd {
            region.flush(None).unwrap();
        }
    }
    for _ in ["in both", "in files"] {
        assert_eq!(rows(&region, &Scan::default()), ROWS);
        for from in 0..ROWS.len() {
            for include in [true, false] {
                check_from(&region, from, include);
            }
        }
        region.flush(None).unwrap();
    }
}

fn check_from(region: &finback_region::Region, from: usize, include: bool) {
    let start_row = Bytes::from_static(ROWS[from].as_bytes());
    let forward = Scan { start_row, include_start_row: include, ..Scan::default() };
    assert_eq!(rows(region, &forward), ROWS[from + usize::from(!include)..], "from {}", ROWS[from]);
    let backward = Scan { reversed: true, ..forward.clone() };
    let mut expected = ROWS[..from + usize::from(include)].to_vec();
    expected.reverse();
    assert_eq!(rows(region, &backward), expected, "back from {}", ROWS[from]);
    // How clients find the region of a key: the last row before "table,key,99999".
    let stop_row = Bytes::from_static(ROWS[from].as_bytes());
    let until = Scan { stop_row: stop_row.clone(), include_stop_row: include, ..Scan::default() };
    assert_eq!(rows(region, &until), ROWS[..from + usize::from(include)], "until {}", ROWS[from]);
    let down_to = Scan { reversed: true, stop_row, include_stop_row: include, ..Scan::default() };
    let mut expected = ROWS[from + usize::from(!include)..].to_vec();
    expected.reverse();
    assert_eq!(rows(region, &down_to), expected, "down to {}", ROWS[from]);
}
