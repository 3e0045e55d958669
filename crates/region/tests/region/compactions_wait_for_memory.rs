//! Compactions that together need more than the block cache has run one after the other; those that do not, side by side.

use crate::world::{World, family, mutation, put};
use finback_cache::MemoryBlockCache;
use finback_cell::{CellType, MutationKind};
use finback_fs::MemFileSystem;
use finback_region::{CompactionConfig, DateTieredConfig, JobControl, Region, RegionError, StoreEngine};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

const VALUE_BYTES: usize = 256 << 10;
const FILES: usize = 6;
/// One compaction needs about ten times a value, having a block of each file and building one, and 4 MiB for pieces of all files. Half
/// of the cache may be for compactions.
const ROOM_FOR_ONE: u64 = 40 * VALUE_BYTES as u64 + (8 << 20);
const ROOM_FOR_TWO: u64 = 2 * ROOM_FOR_ONE;
/// For what is to happen.
const LONG: Duration = Duration::from_secs(60);
/// For what is not to happen: no more is waited than what makes a failure likely to be seen.
const SHORT: Duration = Duration::from_millis(300);

fn region(cache_bytes: u64) -> (World, Arc<Region>, Arc<MemoryBlockCache>) {
    region_of(cache_bytes, CompactionConfig::default())
}

fn region_of(cache_bytes: u64, compaction: CompactionConfig) -> (World, Arc<Region>, Arc<MemoryBlockCache>) {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1), family("b", 1)]);
    world.config.compaction = compaction;
    world.start_server().unwrap();
    let cache = Arc::new(MemoryBlockCache::new(cache_bytes));
    let region = world.open_with(cache.clone()).unwrap();
    for number in 0..FILES {
        for family in ["a", "b"] {
            for row in 0..3 {
                let row = format!("row{row}{number}");
                wait(region.mutate(&put((&row, family, "q"), &vec![number as u8; VALUE_BYTES]))).unwrap();
            }
        }
        region.flush(None).unwrap();
    }
    (world, region, cache)
}

/// Stops a compaction at its first block until it is let go.
struct Gate {
    at_gate: mpsc::SyncSender<()>,
    opens: std::sync::Mutex<mpsc::Receiver<()>>,
    is_cancelled: AtomicBool,
}

/// The gate, what tells that a compaction has come to it, and what opens it.
fn gate() -> (Gate, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (at_gate, has_come) = mpsc::sync_channel(100);
    let (open, opens) = mpsc::channel();
    let gate = Gate { at_gate, opens: std::sync::Mutex::new(opens), is_cancelled: AtomicBool::new(false) };
    (gate, has_come, open)
}

impl JobControl for Gate {
    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::SeqCst)
    }

    fn wrote(&self, _: u64) {
        let _ = self.at_gate.try_send(());
        // Open for good when the sender is gone.
        let _ = self.opens.lock().unwrap().recv();
    }
}

#[test]
fn the_second_begins_when_the_first_has_ended() {
    let (_world, region, cache) = region(ROOM_FOR_ONE);
    let before = cache.statistics().outside_bytes;
    let (first_gate, first_came, open_first) = gate();
    let (second_gate, second_came, open_second) = gate();
    drop(open_second);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| region.compact_under(b"a", true, &first_gate));
        first_came.recv_timeout(LONG).expect("the first begins");
        let second = scope.spawn(|| region.compact_under(b"b", true, &second_gate));
        assert!(second_came.recv_timeout(SHORT).is_err(), "there is no memory for a second one");
        let most = cache.statistics();
        assert!(most.outside_bytes <= most.capacity_bytes, "{most:?}");
        // A flush does not wait for either.
        write_and_flush(&region);
        drop(open_first);
        assert_eq!(first.join().unwrap().unwrap().unwrap().inputs, FILES);
        assert_eq!(second.join().unwrap().unwrap().unwrap().inputs, FILES);
    });
    assert!(cache.statistics().outside_bytes <= before, "what they had is given back");
}

fn write_and_flush(region: &Region) {
    let put = put(("a row", "a", "q"), b"value");
    wait(region.mutate(&put)).unwrap();
    region.flush(None).unwrap();
}

/// Writes on this thread.
fn wait<T>(write: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(write)
}

#[test]
fn with_room_for_both_they_run_side_by_side() {
    let (_world, region, _cache) = region(ROOM_FOR_TWO);
    both_run_side_by_side(&region);
}

#[test]
fn windows_of_which_nothing_is_there_need_no_room() {
    let date_tiered =
        DateTieredConfig { base_window_ms: 1, windows_per_tier: 1, ..DateTieredConfig::default() };
    let engine = StoreEngine::DateTiered;
    let compaction = CompactionConfig { engine, date_tiered, ..CompactionConfig::default() };
    let (_world, region, _cache) = region_of(2 * ROOM_FOR_TWO, compaction);
    for family in ["a", "b"] {
        let old = mutation(MutationKind::Put, CellType::Put, ("row", family, "q"), 1, b"old");
        wait(region.mutate(&old)).unwrap();
    }
    region.flush(None).unwrap();
    both_run_side_by_side(&region);
}

fn both_run_side_by_side(region: &Region) {
    let (first_gate, first_came, open_first) = gate();
    let (second_gate, second_came, open_second) = gate();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| region.compact_under(b"a", true, &first_gate));
        let second = scope.spawn(|| region.compact_under(b"b", true, &second_gate));
        first_came.recv_timeout(LONG).expect("the first begins");
        second_came.recv_timeout(LONG).expect("the second begins");
        drop((open_first, open_second));
        first.join().unwrap().unwrap();
        second.join().unwrap().unwrap();
    });
}

#[test]
fn one_that_waits_can_be_cancelled_and_one_without_room_runs_alone() {
    let (_world, region, _cache) = region(1);
    let (first_gate, first_came, open_first) = gate();
    let (second_gate, _, open_second) = gate();
    drop(open_second);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| region.compact_under(b"a", true, &first_gate));
        first_came.recv_timeout(LONG).expect("there is no room, and it begins");
        second_gate.is_cancelled.store(true, Ordering::SeqCst);
        let second = region.compact_under(b"b", true, &second_gate);
        assert!(matches!(second, Err(RegionError::Cancelled(_))), "{second:?}");
        drop(open_first);
        first.join().unwrap().unwrap();
    });
    // Its store is as it was.
    assert_eq!(region.compact(b"b", true).unwrap().unwrap().inputs, FILES);
}

#[test]
fn one_that_waits_does_not_keep_its_region_from_closing() {
    let (_world, region, _cache) = region(ROOM_FOR_ONE);
    let (first_gate, first_came, open_first) = gate();
    let (second_gate, _, open_second) = gate();
    drop(open_second);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| region.compact_under(b"a", true, &first_gate));
        first_came.recv_timeout(LONG).expect("the first begins");
        let second = scope.spawn(|| region.compact_under(b"b", true, &second_gate));
        let close = scope.spawn(|| region.close());
        assert!(matches!(second.join().unwrap(), Err(RegionError::Closing(_))));
        drop(open_first);
        assert!(matches!(first.join().unwrap(), Err(RegionError::Closing(_))));
        close.join().unwrap().unwrap();
    });
}
