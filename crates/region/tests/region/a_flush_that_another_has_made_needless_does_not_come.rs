//! A region that asks for a flush while one is under way may be small when that is over: then there is nothing to flush for its
//! size, and what has come meanwhile waits for more.

use crate::machine::Machine;
use crate::world::{family, put, run};
use finback_cell::{Durability, Mutation};
use finback_fs::FileSystem;
use finback_region::{Region, Unhindered};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

const FLUSH_SIZE: usize = 1 << 20;

/// A write that waits for no disk.
fn write(region: &Region, row: &str, bytes: usize) {
    let put = Mutation { durability: Durability::SkipWal, ..put((row, "a", "q"), &vec![7; bytes]) };
    run(region.mutate(&put)).unwrap();
}

/// A region over its flush size, of which the host was told once.
fn large_region() -> (Machine, Arc<Region>) {
    let mut machine = Machine::new(vec![family("a", 1)]);
    machine.world.config.flush_size_bytes = FLUSH_SIZE as u64;
    machine.world.config.block_multiplier = 100;
    let region = machine.world.start().unwrap();
    write(&region, "large", 2 * FLUSH_SIZE);
    assert_eq!(asked(&machine), 1);
    (machine, region)
}

fn asked(machine: &Machine) -> u64 {
    machine.world.host.flushes_wanted.load(Ordering::SeqCst)
}

/// Flushes for size; writes when the flush has taken what there was, and is not over.
fn flush_and_meanwhile(machine: &Machine, region: &Region, write: impl FnOnce()) {
    machine.faults.pause();
    thread::scope(|scope| {
        let flush = scope.spawn(|| region.flush_for_size(&Unhindered).unwrap());
        let since = Instant::now();
        while machine.faults.waiting() == 0 {
            assert!(since.elapsed() < Duration::from_secs(60), "the flush writes nothing");
            thread::yield_now();
        }
        write();
        machine.faults.resume();
        assert!(flush.join().unwrap().flushed);
    });
}

#[test]
fn and_what_has_come_meanwhile_stays_in_memory() {
    let (machine, region) = large_region();
    flush_and_meanwhile(&machine, &region, || write(&region, "small", 10));
    assert_eq!(asked(&machine), 2, "the bytes under flush count until its end");
    assert!(!region.flush_for_size(&Unhindered).unwrap().flushed);
    let metrics = region.metrics();
    assert_eq!((metrics.store_files, metrics.memstore_cells), (1, 1));
    // Nothing that comes later is forgotten.
    write(&region, "large", 2 * FLUSH_SIZE);
    assert_eq!(asked(&machine), 3);
    assert!(region.flush_for_size(&Unhindered).unwrap().flushed);
}

#[test]
fn but_one_that_is_needed_does() {
    let (machine, region) = large_region();
    flush_and_meanwhile(&machine, &region, || write(&region, "large too", 2 * FLUSH_SIZE));
    assert!(region.flush_for_size(&Unhindered).unwrap().flushed);
    assert_eq!(region.metrics().memstore_cells, 0);
    // One that failed leaves all there is to the next.
    write(&region, "large", 2 * FLUSH_SIZE);
    let temporary = machine.world.root.region_temp_dir(&region.info().table, region.encoded_name());
    let _ = machine.mem.remove_dir_all(&temporary);
    finback_fs::write_file_durably(&machine.mem, &temporary, b"in the way").unwrap();
    region.flush_for_size(&Unhindered).unwrap_err();
    machine.mem.remove_file(&temporary).unwrap();
    assert!(region.flush_for_size(&Unhindered).unwrap().flushed);
    assert_eq!(region.metrics().memstore_cells, 0);
}
