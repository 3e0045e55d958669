//! With HBase's `BusyRegionSplitPolicy`, a region that refuses too many writes is to be split, however small it is.

use crate::machine::Machine;
use crate::world::{family, put, run};
use finback_cell::schema::set_entry;
use finback_cell::{Bytes, RegionInfo, TableDescriptor, TableName};
use finback_region::RegionError;

/// Whether a region of the policy, which takes one write of many, wants to be split.
fn wants_split(policy: &str) -> bool {
    let table = TableName::parse(b"t").unwrap();
    let mut descriptor = TableDescriptor::new(table.clone());
    descriptor.families.push(family("a", 1));
    for (key, value) in [
        ("SPLIT_POLICY", policy),
        ("MEMSTORE_FLUSHSIZE", "1048576"),
        ("hbase.hregion.memstore.block.multiplier", "1"),
        ("hbase.busy.policy.minAge", "1"),
        ("hbase.busy.policy.aggWindow", "1"),
    ] {
        set_entry(&mut descriptor.attributes, key, value);
    }
    let mut machine = Machine::of_region(RegionInfo::new(table, Bytes::new(), Bytes::new(), 1), descriptor);
    let region = machine.world.start().unwrap();
    let value = vec![b'x'; 2 << 20];
    run(region.batch(vec![put(("r", "a", "q"), &value)])).remove(0).unwrap();
    for _ in 0..10 {
        let refused = run(region.batch(vec![put(("r", "a", "q"), b"x")])).remove(0);
        assert!(matches!(refused, Err(RegionError::TooBusy(_))), "{refused:?}");
    }
    // A window of the clock that regions have must be over.
    std::thread::sleep(std::time::Duration::from_millis(5));
    region.wants_split(1)
}

#[test]
fn a_region_that_refuses_too_many_writes_is_split() {
    assert!(wants_split("org.apache.hadoop.hbase.regionserver.BusyRegionSplitPolicy"));
    assert!(!wants_split("org.apache.hadoop.hbase.regionserver.IncreasingToUpperBoundRegionSplitPolicy"));
}
