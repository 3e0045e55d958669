use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use finback_hfile::FileId;
use parking_lot::Mutex;

use super::*;

const SEGMENT: usize = 256 << 10;
const BLOCK: usize = 10 << 10;

/// A device in memory that fails when it is told to.
#[derive(Clone, Default)]
struct Device(Arc<Disk>);

#[derive(Default)]
struct Disk {
    bytes: Mutex<Vec<u8>>,
    fail_reads: AtomicBool,
    fail_writes: AtomicBool,
    /// Reads wait as long as this is set.
    hold_reads: AtomicBool,
    tables_read: AtomicUsize,
}

impl Device {
    fn new(segments: usize) -> Self {
        let device = Self::default();
        device.0.bytes.lock().resize(segments * SEGMENT, 0);
        device
    }

    fn tier(&self, persistent: bool) -> FileTier {
        let size = self.0.bytes.lock().len() as u64;
        FileTier::on(Box::new(self.clone()), size, SEGMENT, persistent).unwrap()
    }
}

impl TierDevice for Device {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        if self.0.fail_reads.load(Ordering::SeqCst) {
            return Err(io::Error::other("broken"));
        }
        while self.0.hold_reads.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        self.0.tables_read.fetch_add(usize::from(bytes.len() == record::TABLE_BYTES), Ordering::SeqCst);
        let disk = self.0.bytes.lock();
        let from = offset as usize;
        bytes.copy_from_slice(disk.get(from..from + bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        if self.0.fail_writes.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.bytes.lock()[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }
}

fn file(number: u64) -> FileIdentity {
    FileIdentity { id: FileId(number), check: !number }
}

fn place(block: u64) -> BlockRef {
    BlockRef { offset: block * BLOCK as u64, size: BLOCK as u32 }
}

/// The one and only content of a block.
fn content(file: FileIdentity, block: u64) -> Vec<u8> {
    let seed = (file.id.0 * 1_000_003 + block).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..BLOCK as u64).map(|at| (seed.wrapping_mul(at | 1) >> 32) as u8).collect()
}

fn until_written(tier: &FileTier) {
    wait_until(|| tier.shared.queued_bytes.load(Relaxed) == 0);
}

fn offer(tier: &FileTier, file: FileIdentity, blocks: std::ops::Range<u64>) {
    for block in blocks {
        tier.offer(file, place(block), content(file, block));
        // The queue is bounded, and a test should not depend on how fast the writer is.
        wait_until(|| tier.shared.queued_bytes.load(Relaxed) < MAX_QUEUED_BYTES / 2);
    }
}

/// How many of the blocks are there; what is there must be right.
fn found(tier: &FileTier, file: FileIdentity, blocks: std::ops::Range<u64>) -> usize {
    let mut bytes = vec![0; BLOCK];
    let mut is_there = |block: &u64| {
        let is_there = tier.read(file, place(*block), &mut bytes);
        assert!(!is_there || bytes == content(file, *block), "block {block}");
        is_there
    };
    blocks.filter(&mut is_there).count()
}

fn wait_until(mut done: impl FnMut() -> bool) {
    let since = Instant::now();
    while !done() {
        assert!(since.elapsed() < Duration::from_secs(30));
        std::thread::yield_now();
    }
}

#[test]
fn what_was_written_is_found_by_the_next_server_if_it_wants_it() {
    let device = Device::new(8);
    let tier = device.tier(true);
    offer(&tier, file(1), 0..100);
    drop(tier);
    let tier = device.tier(true);
    wait_until(|| tier.statistics().blocks == 100);
    assert_eq!(found(&tier, file(1), 0..100), 100);
    assert_eq!(found(&tier, file(2), 0..100), 0);
    let namesake = FileIdentity { check: 7, ..file(1) };
    assert!(!tier.read(namesake, place(3), &mut vec![0; BLOCK]), "another file of the same id");
    let shorter = BlockRef { size: 100, ..place(3) };
    assert!(!tier.read(file(1), shorter, &mut [0; 100]), "a lying size");
    drop(tier);
    let tier = device.tier(false);
    assert_eq!(found(&tier, file(1), 0..100), 0);
}

#[test]
fn the_oldest_blocks_make_room_and_those_that_were_read_stay() {
    let device = Device::new(4);
    let tier = device.tier(true);
    offer(&tier, file(1), 0..60);
    wait_until(|| tier.statistics().blocks >= 30);
    for block in 60..400 {
        // Some are read all the time; those that are being moved are not found for a moment.
        found(&tier, file(1), 0..5);
        offer(&tier, file(1), block..block + 1);
        until_written(&tier);
    }
    let (mut kept, mut others) = (0, 0);
    wait_until(|| {
        (kept, others) = (found(&tier, file(1), 0..5), found(&tier, file(1), 5..60));
        kept + others > 0
    });
    assert_eq!(others, 0);
    let statistics = tier.statistics();
    assert!(statistics.blocks <= (4 * SEGMENT / BLOCK) as u64, "{statistics:?}");
    assert_eq!((statistics.failures, statistics.dropped), (0, 0));
}

#[test]
fn a_large_block_behind_those_that_are_written_again_stays_within_its_segment() {
    let device = Device::new(3);
    let tier = device.tier(true);
    // Fills all segments: the last one is written when more comes, which takes the place of the first.
    offer(&tier, file(1), 0..57);
    wait_until(|| found(&tier, file(1), 0..19) == 19);
    let large = vec![7; 100 << 10];
    let place_of_large = BlockRef { offset: 0, size: 100 << 10 };
    tier.offer(file(2), place_of_large, large.clone());
    drop(tier);
    let tier = device.tier(true);
    // What is there is learnt before anything is taken from the queue.
    offer(&tier, file(3), 0..1);
    until_written(&tier);
    let mut bytes = vec![0; 100 << 10];
    assert!(tier.read(file(2), place_of_large, &mut bytes) && bytes == large);
    // The oldest one has made room again.
    assert_eq!([0..9, 9..38, 38..57].map(|blocks| found(&tier, file(1), blocks)), [9, 0, 19]);
}

#[test]
fn a_segment_of_which_a_crash_left_a_part_serves_no_wrong_block() {
    let device = Device::new(2);
    let tier = device.tier(true);
    offer(&tier, file(1), 0..30);
    drop(tier);
    let before = device.0.bytes.lock().clone();
    // The next server overwrites both segments with blocks of the same places of another file.
    let tier = device.tier(true);
    offer(&tier, file(2), 0..36);
    drop(tier);
    let after = device.0.bytes.lock().clone();
    assert_ne!(before, after);
    // Killed in between, sectors in any order: some are the old ones, some the new.
    let mut found_in_all = 0;
    for cut in (0..before.len()).step_by(8 << 10) {
        for (first, second) in [(&before, &after), (&after, &before)] {
            let torn = Device::new(2);
            torn.0.bytes.lock()[..cut].copy_from_slice(&first[..cut]);
            torn.0.bytes.lock()[cut..].copy_from_slice(&second[cut..]);
            let tier = torn.tier(true);
            // What is there is learnt before anything is taken from the queue.
            offer(&tier, file(3), 0..1);
            until_written(&tier);
            found_in_all += found(&tier, file(1), 0..30) + found(&tier, file(2), 0..36);
        }
    }
    assert!(found_in_all > 0);
}

#[test]
fn a_flipped_bit_is_a_miss() {
    let device = Device::new(2);
    let tier = device.tier(true);
    offer(&tier, file(1), 0..15);
    drop(tier);
    device.0.fail_writes.store(true, Ordering::SeqCst);
    let mut lost = 0;
    for at in (0..SEGMENT).step_by(1997) {
        device.0.bytes.lock()[at] ^= 1 << (at % 8);
        let tier = device.tier(true);
        offer(&tier, file(3), 0..1);
        until_written(&tier);
        lost += 15 - found(&tier, file(1), 0..15);
        drop(tier);
        device.0.bytes.lock()[at] ^= 1 << (at % 8);
    }
    // One in each of the records that were hit, and all where it was the table.
    assert!(lost > 70, "{lost}");
    let tier = device.tier(true);
    wait_until(|| found(&tier, file(1), 0..15) == 15);
}

#[test]
fn a_full_disk_and_a_broken_one_cost_hits_and_nothing_else() {
    let device = Device::new(4);
    let tier = device.tier(true);
    offer(&tier, file(1), 0..60);
    wait_until(|| found(&tier, file(1), 0..15) == 15);
    device.0.fail_writes.store(true, Ordering::SeqCst);
    offer(&tier, file(2), 0..120);
    wait_until(|| tier.statistics().failures > 0);
    device.0.fail_reads.store(true, Ordering::SeqCst);
    assert_eq!(found(&tier, file(1), 0..60), 0);
    assert_eq!(found(&tier, file(2), 0..120), 0);
    let failures = tier.statistics().failures;
    assert!(failures <= 20, "a broken device is not asked again and again: {failures}");
}

#[test]
fn what_can_be_read_is_not_forgotten_while_nothing_can_be_written() {
    let device = Device::new(8);
    let tier = device.tier(false);
    offer(&tier, file(1), 0..200);
    wait_until(|| tier.statistics().written >= 160);
    let before = found(&tier, file(1), 0..200);
    device.0.fail_writes.store(true, Ordering::SeqCst);
    for round in 0..20 {
        offer(&tier, file(2), round * 100..(round + 1) * 100);
        // Who reads shows that the device works, as far as it does.
        found(&tier, file(1), 150..160);
    }
    until_written(&tier);
    let failures = tier.statistics().failures;
    assert!((1..20).contains(&failures), "{failures}");
    // One segment has made room, and one was being filled.
    let after = found(&tier, file(1), 0..200);
    assert!(after + 2 * SEGMENT / BLOCK >= before, "{before} before, {after} after");
}

#[test]
fn the_oldest_blocks_are_forgotten_where_there_is_no_memory_to_know_of_them() {
    let device = Device::new(8);
    let tier = device.tier(true);
    tier.shared.most_entries.store(50, Relaxed);
    offer(&tier, file(1), 0..150);
    wait_until(|| tier.statistics().written >= 125);
    until_written(&tier);
    let (known, last) = (tier.statistics().blocks, found(&tier, file(1), 100..125));
    assert!(known <= 75 && last > 20 && tier.is_full(), "{known} known, {last} of the last ones");
    assert_eq!(found(&tier, file(1), 0..20), 0);
    drop(tier);
    // What an earlier server left may be more.
    let tier = device.tier(true);
    wait_until(|| tier.statistics().blocks > 100);
    tier.shared.most_entries.store(50, Relaxed);
    offer(&tier, file(2), 0..50);
    wait_until(|| tier.statistics().blocks <= 75);
}

#[test]
fn what_an_earlier_server_left_is_learnt_newest_first_and_no_more_than_there_is_memory_for() {
    let device = Device::new(8);
    let tier = device.tier(true);
    // Seven segments of 19, and one of what is left.
    offer(&tier, file(1), 0..150);
    drop(tier);
    device.0.hold_reads.store(true, Ordering::SeqCst);
    let tier = device.tier(true);
    tier.shared.most_entries.store(50, Relaxed);
    device.0.hold_reads.store(false, Ordering::SeqCst);
    // What is there is learnt before anything is taken from the queue.
    offer(&tier, file(2), 0..1);
    until_written(&tier);
    assert_eq!(device.0.tables_read.load(Ordering::SeqCst), 3, "two are known, the third is too much");
    assert_eq!((found(&tier, file(1), 0..114), found(&tier, file(1), 114..150)), (0, 36));
    assert_eq!(tier.statistics().blocks, 36);
    assert!(tier.is_full());
}

#[test]
fn a_file_is_locked_and_a_tiny_one_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let options = FileTierOptions {
        path: dir.path().join("tier"),
        size_bytes: 3 * SEGMENT_BYTES as u64,
        persistent: true,
    };
    let tier = FileTier::open(&options).unwrap();
    FileTier::open(&options).unwrap_err();
    offer(&tier, file(1), 0..10);
    drop(tier);
    let tier = FileTier::open(&options).unwrap();
    wait_until(|| found(&tier, file(1), 0..10) == 10);
    drop(tier);
    let error = FileTier::open(&FileTierOptions { size_bytes: 1 << 20, ..options }).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
}

#[test]
fn blocks_of_a_file_that_is_gone_are_forgotten_and_not_written_again() {
    let tier = Device::new(3).tier(false);
    offer(&tier, file(1), 0..10);
    offer(&tier, file(2), 0..10);
    // Fills the first segment, so that it is written.
    offer(&tier, file(3), 0..25);
    until_written(&tier);
    // Used: they would be written again.
    wait_until(|| found(&tier, file(1), 0..10) == 10 && found(&tier, file(2), 0..10) == 10);
    assert_eq!(tier.forget(FileId(1)), 10);
    assert_eq!(tier.forget(FileId(1)), 0);
    assert_eq!((found(&tier, file(1), 0..10), found(&tier, file(2), 0..10)), (0, 10));
    assert!(!tier.is_full());
    // Once around.
    offer(&tier, file(4), 0..80);
    until_written(&tier);
    wait_until(|| tier.is_full());
    assert_eq!(found(&tier, file(1), 0..10), 0);
}
