//! New files of a store that is read stay in the system's memory, for those who read it; those of a store that nobody reads do
//! not take it from others.

use crate::machine::Machine;
use crate::world::{TestCache, family, put, run, value};
use finback_fs::NextRead::{self, Later, Soon};
use finback_region::Region;

fn write_file(region: &Region) {
    run(region.batch(vec![put(("row", "a", "q"), b"value")])).swap_remove(0).unwrap();
    region.flush(None).unwrap();
}

#[test]
fn reads_count_until_the_flush_after_the_next_and_for_its_compactions() {
    let mut machine = Machine::new(vec![family("a", 1)]);
    machine.world.cache = TestCache::new(true);
    let region = machine.world.start().unwrap();
    let mut expected: Vec<NextRead> = Vec::new();
    let mut check = |read: NextRead, what: &str| {
        expected.push(read);
        assert_eq!(machine.faults.large_files(), expected, "{what}");
    };
    write_file(&region);
    check(Later, "a flush, and nobody has read");
    assert!(value(&region, ("row", "a", "q")).is_some());
    write_file(&region);
    check(Soon, "a flush after a read");
    region.compact(b"a", true).unwrap().unwrap();
    check(Soon, "a compaction behind it");
    write_file(&region);
    check(Later, "a flush without a read since the last");
    region.compact(b"a", true).unwrap().unwrap();
    check(Later, "a compaction behind that");
    assert!(value(&region, ("row", "a", "q")).is_some());
    region.compact(b"a", true).unwrap().unwrap();
    check(Soon, "a compaction after a read");
    drop(region);
    let region = machine.world.start().unwrap();
    write_file(&region);
    check(Soon, "a flush of a store that was opened with files");
    write_file(&region);
    check(Later, "the one after it");
}

#[test]
fn blocks_that_are_read_as_soon_as_they_are_written_count_as_read() {
    for attribute in ["PREFETCH_BLOCKS_ON_OPEN", "CACHE_DATA_ON_WRITE"] {
        let mut machine = Machine::new(vec![family("a", 1).with(attribute, "true")]);
        let region = machine.world.start().unwrap();
        write_file(&region);
        assert_eq!(machine.faults.large_files(), [Soon], "{attribute}");
    }
}
