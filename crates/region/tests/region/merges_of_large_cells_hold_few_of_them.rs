//! Files of large cells are merged with a block or two in memory, however many files there are.

use crate::world::{Plain, TestCache, World, family, mutation, put, rest, results_of, run};
use finback_cell::{Bytes, CellType, FamilySelection, MutationKind, Scan};
use finback_fs::MemFileSystem;
use finback_hfile::{Block, BlockCache, BlockPriority, FileId};
use finback_region::{Interrupt, KeptBlocks, Region, RegionScanner, ScanLimits, ScanOutput};
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};

const CELL_BYTES: usize = 1 << 20;
const FILES: usize = 6;
const ROWS: usize = 3;
/// What is around cells in blocks, and kept of small ones.
const SLACK_BYTES: usize = 256 << 10;
const LARGE_BUFFER_BYTES: usize = 5 << 18;
/// Pieces of all files of a compaction that nobody else reads.
const STREAMED_BYTES: usize = 4 << 20;

/// A region with files each of which has a cell of every row, and rows of its own.
fn region(cache: Option<Arc<dyn BlockCache>>) -> (World, Arc<Region>) {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    world.cache = TestCache::new(true);
    world.config.kept_blocks = KeptBlocks { beside_bytes: 64 << 10, left_bytes: 64 << 10 };
    world.start_server().unwrap();
    let region = world.open_with(cache.unwrap_or(world.cache.clone())).unwrap();
    for file in 0..FILES {
        for row in 0..ROWS {
            let (row, column) = (format!("row{row}"), format!("q{file}"));
            run(region.mutate(&put((&row, "a", &column), &vec![file as u8; CELL_BYTES]))).unwrap();
        }
        let own = format!("row{}-{file}", file % ROWS);
        run(region.mutate(&put((&own, "a", "q"), &vec![file as u8; CELL_BYTES]))).unwrap();
        region.flush(None).unwrap();
    }
    (world, region)
}

/// What is read, a cell at a time, and the most bytes of blocks that the scanner had meanwhile.
fn read(region: &Region, scan: &Scan) -> (Vec<Plain>, usize) {
    let mut scanner = region.scanner(scan, None).unwrap();
    let limits = ScanLimits { bytes: 1, partial_rows: true, ..ScanLimits::NONE };
    let (mut found, mut most) = (Vec::new(), 0);
    loop {
        let mut out = ScanOutput::default();
        let ended = loop {
            match scanner.next(&mut out, &limits) {
                Ok(_) => break out.is_empty(),
                Err(Interrupt::NeedBlock(request)) => scanner.provide(request.read().unwrap()),
                Err(other) => scanner.fetch(other).unwrap(),
            }
            most = most.max(scanner.held_bytes());
        };
        found.extend(results_of(&out).into_iter().flat_map(|result| result.cells));
        if ended {
            return (found, most);
        }
    }
}

/// All cells, in the order of a scan.
fn names(cells: &[Plain]) -> Vec<String> {
    let name = |cell: &Plain| format!("{} {}", cell.row.escape_ascii(), cell.qualifier.escape_ascii());
    assert!(cells.iter().all(|cell| cell.value.len() == CELL_BYTES));
    cells.iter().map(name).collect()
}

fn all_names() -> Vec<String> {
    let of_rows = (0..ROWS).flat_map(|row| (0..FILES).map(move |file| format!("row{row} q{file}")));
    let mut all: Vec<_> =
        of_rows.chain((0..FILES).map(|file| format!("row{}-{file} q", file % ROWS))).collect();
    all.sort();
    all
}

#[test]
fn by_scans_in_both_directions_and_by_gets() {
    let (_world, region) = region(None);
    let (found, most) = read(&region, &Scan::default());
    assert_eq!(names(&found), all_names());
    // The smallest cell so far, and the one that it is compared with.
    assert!(most <= 2 * CELL_BYTES + SLACK_BYTES, "{most} bytes of blocks were held");

    let (found, most) = read(&region, &Scan { reversed: true, ..Scan::default() });
    let mut in_order = names(&found);
    in_order.sort();
    assert_eq!(in_order, all_names());
    // The row before may begin in the block before.
    assert!(most <= 3 * CELL_BYTES + SLACK_BYTES, "{most} bytes of blocks were held by a reversed scan");

    let row = Bytes::from("row1");
    let column = |qualifier: &'static str| {
        vec![FamilySelection { family: "a".into(), qualifiers: Some(vec![qualifier.into()]) }]
    };
    let get = Scan { start_row: row.clone(), stop_row: row, include_stop_row: true, ..Scan::default() };
    for (families, wanted) in [(Vec::new(), FILES), (column("q0"), 1), (column("q5"), 1), (column("q6"), 0)] {
        let (found, most) = read(&region, &Scan { families, ..get.clone() });
        assert_eq!(found.len(), wanted);
        assert!(most <= 3 * CELL_BYTES + SLACK_BYTES, "{most} bytes of blocks were held by a get");
    }
}

/// Keeps no block, and the most that was counted outside.
#[derive(Default)]
struct Counted {
    now: AtomicIsize,
    most: AtomicIsize,
}

impl BlockCache for Counted {
    fn get(&self, _: FileId, _: u64, _: BlockPriority) -> Option<Arc<Block>> {
        None
    }
    fn insert(&self, _: FileId, _: &Arc<Block>, _: BlockPriority) {}
    fn evict_file(&self, _: FileId) -> usize {
        0
    }
    fn outside_changed(&self, bytes: isize) {
        let now = self.now.fetch_add(bytes, Ordering::SeqCst) + bytes;
        self.most.fetch_max(now, Ordering::SeqCst);
    }
}

#[test]
fn by_compactions() {
    let cache = Arc::new(Counted::default());
    let (_world, region) = region(Some(cache.clone()));
    region.compact(b"a", true).unwrap().unwrap();
    let most = cache.most.load(Ordering::SeqCst).unsigned_abs();
    // One that is read, as it stands in the file and as it is; one that is written, and compressed; and what goes past the system's
    // memory: what a file holds back until it writes it, and pieces of those that are read.
    let blocks = 4 * CELL_BYTES + 3 * SLACK_BYTES;
    assert!(most <= blocks + LARGE_BUFFER_BYTES + STREAMED_BYTES, "{most} bytes were counted");
    let (found, _) = read(&region, &Scan::default());
    assert_eq!(names(&found), all_names());
}

#[test]
fn and_versions_of_one_key_that_a_reader_needs_stay_together() {
    let (_world, region) = region(None);
    let write = |value: u8| {
        let cell = vec![value; 2 * CELL_BYTES];
        let put = mutation(MutationKind::Put, CellType::Put, ("row", "a", "q"), 5, &cell);
        run(region.mutate(&put)).unwrap();
    };
    let row = Bytes::from("row");
    let get = Scan { start_row: row.clone(), stop_row: row, include_stop_row: true, ..Scan::default() };
    let see = |scanner: &mut RegionScanner| {
        let found = rest(scanner).unwrap();
        assert!(found.iter().all(|cell| cell.value.len() == 2 * CELL_BYTES));
        found.iter().map(|cell| cell.value[0]).collect::<Vec<_>>()
    };
    // Two are flushed together, the third is merged with them.
    write(1);
    let mut of_first = region.scanner(&get, None).unwrap();
    let mut of_first_later = region.scanner(&get, None).unwrap();
    write(2);
    let mut of_second = region.scanner(&get, None).unwrap();
    region.flush(None).unwrap();
    write(3);
    region.flush(None).unwrap();
    assert_eq!(see(&mut of_first), [1]);
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(see(&mut of_second), [2]);
    assert_eq!(see(&mut region.scanner(&get, None).unwrap()), [3]);
    assert_eq!(see(&mut of_first_later), [1]);
    // As a scanner that opens now and reads as of then.
    let at = |read_point: u64| Scan { read_point: Some(read_point), ..get.clone() };
    assert_eq!(see(&mut region.scanner(&at(of_second.read_point()), None).unwrap()), [2]);
    assert_eq!(see(&mut region.scanner(&at(of_first.read_point()), None).unwrap()), [1]);
}

/// Files whose rows come in turns, each in a few blocks of a mebibyte.
fn interleaved(kept_blocks: KeptBlocks) -> (World, Arc<Region>) {
    const ROWS_PER_FILE: usize = 24;
    let of_blocks = family("a", 1).with("BLOCKSIZE", &(1 << 20).to_string());
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![of_blocks]);
    world.config.kept_blocks = kept_blocks;
    let region = world.start().unwrap();
    for file in 0..INTERLEAVED_FILES {
        let row = |number: usize| format!("row{:05}", number * INTERLEAVED_FILES + file);
        let puts = (0..ROWS_PER_FILE).map(|number| put((&row(number), "a", "q"), &[1; CELL_BYTES / 8]));
        run(region.batch(puts.collect::<Vec<_>>())).into_iter().for_each(|written| written.unwrap());
        region.flush(None).unwrap();
    }
    (world, region)
}

const INTERLEAVED_FILES: usize = 12;

/// How often a scan that keeps nothing in the cache asks for a block, and for how many different ones.
fn blocks_asked_for(region: &Region, reversed: bool) -> (usize, usize) {
    let scan = Scan { cache_blocks: false, reversed, ..Scan::default() };
    let mut scanner = region.scanner(&scan, None).unwrap();
    let (mut out, mut asked) = (ScanOutput::default(), Vec::new());
    loop {
        match scanner.next(&mut out, &ScanLimits::NONE) {
            Ok(_) => break,
            Err(Interrupt::NeedBlock(request)) => {
                asked.push((request.file.id(), request.block.offset));
                scanner.provide(request.read().unwrap());
            }
            Err(other) => scanner.fetch(other).unwrap(),
        }
    }
    let all = asked.len();
    asked.sort_unstable();
    asked.dedup();
    (all, asked.len())
}

#[test]
fn but_blocks_of_ordinary_size_are_read_once() {
    let (_world, region) = interleaved(KeptBlocks::default());
    let (asked, blocks) = blocks_asked_for(&region, false);
    assert!(blocks >= 2 * INTERLEAVED_FILES, "{blocks}");
    assert_eq!(asked, blocks);
}

#[test]
fn as_many_are_kept_as_there_is_room_for() {
    let (_world, region) = interleaved(KeptBlocks::default());
    let (least, _) = blocks_asked_for(&region, false);
    let asked = |beside_bytes| {
        let (_world, region) = interleaved(KeptBlocks { beside_bytes, ..KeptBlocks::default() });
        blocks_asked_for(&region, false).0
    };
    let (none, half) = (asked(0), asked(INTERLEAVED_FILES * CELL_BYTES / 2));
    assert!(least < half && half - least < (none - least) * 2 / 3, "{least} {half} {none}");
}
