//! The block cache against a plain LRU: `bench_cache [SECONDS]`. Gets follow a Zipf distribution over ten times more
//! blocks than fit, and full scans run across them; what is missing is read from its file, in memory, and checked, as a
//! server does it. Then hit ratios of other patterns. Then blocks are evicted at full rate, and the throughput of hits is printed as
//! it goes.

use finback_cache::{BlockCache, MemoryBlockCache};
use finback_cell::key::Key;
use finback_hfile::testing::{file_of_rows, reader_of};
use finback_hfile::{
    Block, BlockPriority, FileId, HFileReader, HFileScanner, ScanInterrupt, WriterOptions, read_through,
};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Blocks there are, in files of so many.
const BLOCKS: usize = 40_000;
const BLOCKS_PER_FILE: usize = 1000;
/// HBase's default.
const BLOCK_BYTES: u32 = 64 << 10;
/// More than fill a block.
const CELLS_PER_BLOCK: usize = 560;
/// The cache has room for one block in ten.
const ROOM: usize = 10;
const THREADS: u64 = 2;

fn main() {
    let seconds = std::env::args().nth(1).and_then(|seconds| seconds.parse().ok()).unwrap_or(5);
    let blocks = Blocks::read();
    let bytes = (BLOCKS / ROOM) as u64 * blocks.bytes_each;
    println!(
        "{BLOCKS} blocks of {} bytes in memory, room for one in {ROOM}, {THREADS} threads",
        blocks.bytes_each
    );
    println!("\n| gets | scans | cache | hit ratio | gets/s | CPU µs per get |");
    println!("|---|---|---|---|---|---|");
    for exponent in [0.8, 0.99] {
        let zipf = Zipf::new(BLOCKS, exponent);
        for scans in ["none", "that keep their blocks", "that do not"] {
            for (name, cache) in [("LRU", lru(bytes)), ("Finback", ours(bytes))] {
                let traced = trace(&*cache, &blocks, &zipf, scans, Duration::from_secs(seconds));
                println!(
                    "| Zipf {exponent} | {scans} | {name} | {:.1} % | {:.0} | {:.2} |",
                    100.0 * traced.hits as f64 / traced.gets as f64,
                    traced.gets as f64 / seconds as f64,
                    1e6 * traced.processor_seconds / traced.gets as f64
                );
            }
        }
    }
    patterns(&blocks);
    hit_cost(&blocks, bytes);
    evictions(&blocks, bytes);
}

fn ours(bytes: u64) -> Arc<dyn BlockCache> {
    Arc::new(MemoryBlockCache::new(bytes))
}

fn lru(bytes: u64) -> Arc<dyn BlockCache> {
    Arc::new(PlainLru::new(bytes))
}

/// What the threads that get did.
#[derive(Default)]
struct Traced {
    gets: u64,
    hits: u64,
    processor_seconds: f64,
}

/// Gets along a Zipf distribution; misses are read and put in. A thread more scans all files from one end to the other.
fn trace(cache: &dyn BlockCache, blocks: &Blocks, zipf: &Zipf, scans: &str, duration: Duration) -> Traced {
    let (stop, sum) = (AtomicBool::new(false), Mutex::new(Traced::default()));
    // Warm.
    let mut random = Random(99);
    for _ in 0..BLOCKS {
        get(cache, blocks, zipf.draw(&mut random), true);
    }
    std::thread::scope(|scope| {
        for seed in 1..=THREADS {
            let (stop, sum) = (&stop, &sum);
            scope.spawn(move || {
                let mut random = Random(seed * 7919);
                let (mut done, begun) = (Traced::default(), processor_seconds());
                while !stop.load(Ordering::Relaxed) {
                    done.hits += u64::from(read(cache, blocks, zipf.draw(&mut random), true));
                    done.gets += 1;
                }
                let mut sum = sum.lock().unwrap();
                sum.hits += done.hits;
                sum.gets += done.gets;
                sum.processor_seconds += processor_seconds() - begun;
            });
        }
        if scans != "none" {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    for block in 0..BLOCKS {
                        read(cache, blocks, block, scans == "that keep their blocks");
                        if stop.load(Ordering::Relaxed) {
                            break;
                        }
                    }
                }
            });
        }
        std::thread::sleep(duration);
        stop.store(true, Ordering::Relaxed);
    });
    sum.into_inner().unwrap()
}

/// Seconds that this thread has worked, waits and what other programs took left out.
fn processor_seconds() -> f64 {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    spent.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

/// Looks for a block; if it is not there, reads it from its file, and puts it in. Says whether it was.
fn read(cache: &dyn BlockCache, blocks: &Blocks, number: usize, keep: bool) -> bool {
    let (file, block) = blocks.block(number);
    if cache.get(file, block.place().offset, BlockPriority::Normal).is_some() {
        return true;
    }
    let block = blocks.reader.read_block(block.place()).unwrap();
    if keep {
        cache.insert(file, &block, BlockPriority::Normal);
    }
    false
}

/// The same with a block that is in memory anyway: what it costs is the cache's work alone.
fn get(cache: &dyn BlockCache, blocks: &Blocks, number: usize, keep: bool) -> bool {
    let (file, block) = blocks.block(number);
    let found = cache.get(file, block.place().offset, BlockPriority::Normal).is_some();
    if !found && keep {
        cache.insert(file, block, BlockPriority::Normal);
    }
    found
}

/// Blocks that have room where patterns are looked at.
const PATTERN_ROOM: u64 = 8000;
/// Gets of each; the first fifth warms.
const PATTERN_GETS: u64 = 1_000_000;

/// Which block is wanted by which get.
type Pattern<'a> = Box<dyn Fn(u64, &mut Random) -> u64 + 'a>;

/// Hit ratios where what is wanted changes, or is wanted in turn.
fn patterns(blocks: &Blocks) {
    /// Blocks that nothing else in a pattern asks for.
    const OTHERS: u64 = 1 << 32;
    let zipf = &Zipf::new(10 * PATTERN_ROOM as usize, 0.9);
    let changing = |every| -> Pattern { Box::new(move |at, random| zipf.rank(random) as u64 + at / every) };
    let in_turn = |tenths| -> Pattern { Box::new(move |at, _| at % (PATTERN_ROOM * tenths / 10)) };
    let recent = |tenths| -> Pattern {
        let mean = (PATTERN_ROOM * tenths / 10) as f64;
        let ago = move |random: &mut Random| (-random.fraction().max(1e-12).ln() * mean) as u64;
        Box::new(move |at, random| OTHERS + at / 2 - if at % 2 == 0 { 0 } else { ago(random) })
    };
    let unused_before: Pattern =
        Box::new(|at, _| if at < 50_000 { OTHERS + at } else { at % (PATTERN_ROOM * 9 / 10) });
    let scanned: Pattern =
        Box::new(|at, random| if at % 2 == 0 { OTHERS + at / 8 } else { zipf.rank(random) as u64 });
    println!("\n| gets | LRU | Finback |\n|---|---|---|");
    for (name, pattern) in [
        ("Zipf 0.9 of ten times the room, whose most wanted block changes every 1,000 gets", changing(1000)),
        ("the same, every 100", changing(100)),
        ("the same, every 20", changing(20)),
        ("half of them new blocks, half those that came not long ago, on average 0.3 of the room", recent(3)),
        ("the same, as many as there is room for", recent(10)),
        ("in turn, 1.2 times the room", in_turn(12)),
        ("in turn, twice the room", in_turn(20)),
        ("in turn, 0.9 times the room, when the cache is full of what nobody wants", unused_before),
        ("half of them Zipf 0.9, half a scan that asks for each block four times", scanned),
    ] {
        let ratio = |cache| 100.0 * hit_ratio(cache, blocks, &pattern);
        let bytes = PATTERN_ROOM * blocks.bytes_each;
        println!("| {name} | {:.1} % | {:.1} % |", ratio(&*lru(bytes)), ratio(&*ours(bytes)));
    }
}

fn hit_ratio(cache: &dyn BlockCache, blocks: &Blocks, pattern: &Pattern) -> f64 {
    let block = &blocks.of_one_file[0];
    let warm = PATTERN_GETS / 5;
    let mut random = Random(77);
    let mut hits = 0;
    for at in 0..PATTERN_GETS {
        let file = FileId(pattern(at, &mut random));
        if cache.get(file, block.place().offset, BlockPriority::Normal).is_none() {
            cache.insert(file, block, BlockPriority::Normal);
        } else if at >= warm {
            hits += 1;
        }
    }
    f64::from(hits) / (PATTERN_GETS - warm) as f64
}

/// What a get costs that finds its block.
fn hit_cost(blocks: &Blocks, bytes: u64) {
    println!("\n| cache | ns for a get that finds its block, 1 thread |");
    println!("|---|---|");
    for (name, cache) in [("LRU", lru(bytes)), ("Finback", ours(bytes))] {
        let hot = BLOCKS / ROOM / 4;
        for number in 0..hot {
            get(&*cache, blocks, number, true);
        }
        let mut random = Random(5);
        let begun = processor_seconds();
        let mut found = 0u32;
        const GETS: u32 = 5_000_000;
        for _ in 0..GETS {
            found += u32::from(get(&*cache, blocks, random.next() as usize % hot, false));
        }
        println!("| {name} | {:.0} |", 1e9 * (processor_seconds() - begun) / f64::from(GETS));
        assert_eq!(found, GETS);
    }
}

/// Throughput is looked at so often, in seconds that the thread has worked: other programs on the machine do not count.
const SLICE_SECONDS: f64 = 0.05;
/// Looks, in each case.
const SLICES: usize = 30;
/// Gets between two looks at the clock.
const GETS_AT_ONCE: u64 = 10_000;
/// Gets that are timed together.
const GETS_TIMED: u64 = 100;

/// Blocks that are found, in the evictions; those that come and go are others, for the counts of references are in the blocks.
const WANTED: usize = BLOCKS_PER_FILE / 2;

/// Of so many rows one is read, so that they are in no more blocks than that.
const ROWS_APART: usize = CELLS_PER_BLOCK * 4 / 5;

/// What another thread does while one finds its blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meanwhile {
    /// It computes, and evicts nothing.
    Nothing,
    /// It reads blocks from a file in memory, checks them, and keeps as many of them elsewhere as the cache has, as fast as it can:
    /// how much slower the other thread is because the two share a processor's caches and its way to memory.
    ReadOnly,
    /// It puts them in as well, as a server does.
    Read,
    /// It puts in blocks that are there, as no server can.
    Insert,
}

/// What is done with a block that was found.
#[derive(Clone, Copy, Debug)]
enum Get {
    /// Nothing: the cache's work alone.
    Block,
    /// A row is read out of it, as a get of a server reads one: its block is looked up in the file's index and in the cache, the
    /// row in the block, and its value is copied.
    Row,
}

/// Hits of one thread while another puts in blocks that nobody wants, each of which evicts another.
fn evictions(blocks: &Blocks, bytes: u64) {
    println!(
        "\n| gets of a | while | blocks evicted | million gets in a second of the thread, lowest of 50 ms | median | highest | by \
         the clock, median | longest {GETS_TIMED} gets, µs |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for what in [Get::Block, Get::Row] {
        let cache = ours(bytes);
        for meanwhile in [Meanwhile::Nothing, Meanwhile::ReadOnly, Meanwhile::Read, Meanwhile::Insert] {
            let (stop, evicted) = (AtomicBool::new(false), AtomicU64::new(0));
            let mut slices: Vec<Slice> = std::thread::scope(|scope| {
                scope.spawn(|| evict(&*cache, blocks, meanwhile, &stop, &evicted));
                let mut random = Random(3);
                let slices = (0..=SLICES).map(|_| slice_of_gets(what, &cache, blocks, &mut random)).collect();
                stop.store(true, Ordering::Relaxed);
                slices
            });
            // The first slice warms.
            slices.remove(0);
            let longest = slices.iter().map(|slice| slice.longest).max().unwrap_or_default();
            slices.sort_by(|a, b| a.by_clock.total_cmp(&b.by_clock));
            let by_clock = slices[SLICES / 2].by_clock / 1e6;
            slices.sort_by(|a, b| a.of_thread.total_cmp(&b.of_thread));
            let [lowest, median, highest] = [0, SLICES / 2, SLICES - 1].map(|at| slices[at].of_thread / 1e6);
            println!(
                "| {what:?} | {meanwhile:?} | {} | {lowest:.2} | {median:.2} | {highest:.2} | {by_clock:.2} | {} |",
                evicted.into_inner(),
                longest.as_micros()
            );
        }
    }
}

/// What a thread that gets saw in a slice.
struct Slice {
    /// Gets in a second that it worked.
    of_thread: f64,
    /// Gets in a second by the clock: waits, and what other programs took, included.
    by_clock: f64,
    /// The longest [`GETS_TIMED`].
    longest: Duration,
}

fn slice_of_gets(what: Get, cache: &Arc<dyn BlockCache>, blocks: &Blocks, random: &mut Random) -> Slice {
    let (begun, clock, mut gets) = (processor_seconds(), Instant::now(), 0);
    let (mut value, mut longest) = (Vec::new(), Duration::ZERO);
    loop {
        for _ in 0..GETS_AT_ONCE / GETS_TIMED {
            let timed = Instant::now();
            for _ in 0..GETS_TIMED {
                let wanted = random.next() as usize % WANTED;
                match what {
                    Get::Block => drop(get(&**cache, blocks, wanted, true)),
                    Get::Row => read_row(cache, blocks, wanted * ROWS_APART, &mut value),
                }
            }
            longest = longest.max(timed.elapsed());
        }
        gets += GETS_AT_ONCE;
        let seconds = processor_seconds() - begun;
        if seconds >= SLICE_SECONDS {
            let by_clock = gets as f64 / clock.elapsed().as_secs_f64();
            return Slice { of_thread: gets as f64 / seconds, by_clock, longest };
        }
    }
}

/// Copies the value of a row, whose block is put in if it is not there.
fn read_row(cache: &Arc<dyn BlockCache>, blocks: &Blocks, row: usize, value: &mut Vec<u8>) {
    let mut scanner = HFileScanner::new(Arc::clone(&blocks.reader), Some(Arc::clone(cache)), true);
    let row = (row as u32).to_be_bytes();
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(&row))).unwrap();
    let (cell, _) = scanner.peek().unwrap();
    assert_eq!(cell.row(), row);
    value.clear();
    value.extend_from_slice(cell.value());
}

/// Puts in new blocks as fast as it can, or is as busy without that.
fn evict(
    cache: &dyn BlockCache,
    blocks: &Blocks,
    meanwhile: Meanwhile,
    stop: &AtomicBool,
    evicted: &AtomicU64,
) {
    // No other cache has these files.
    let new_file = |number| FileId(((1 + meanwhile as u64) << 40) + number as u64);
    let mut elsewhere = VecDeque::new();
    for number in 0usize.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let (_, block) = blocks.block(WANTED + number % (BLOCKS_PER_FILE - WANTED));
        match meanwhile {
            Meanwhile::Nothing => drop(std::hint::black_box(block)),
            Meanwhile::ReadOnly => {
                elsewhere.push_back(blocks.reader.read_block(block.place()).unwrap());
                if elsewhere.len() > BLOCKS / 10 {
                    elsewhere.pop_front();
                }
            }
            Meanwhile::Read => {
                let block = blocks.reader.read_block(block.place()).unwrap();
                cache.insert(new_file(number), &block, BlockPriority::Normal);
            }
            Meanwhile::Insert => cache.insert(new_file(number), block, BlockPriority::Normal),
        }
        if matches!(meanwhile, Meanwhile::Read | Meanwhile::Insert) {
            evicted.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    /// From 0 to 1.
    fn fraction(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 53) as f64
    }
}

/// Ranks drawn with a probability of 1 / rank^exponent, and spread over all numbers.
struct Zipf {
    cumulative: Vec<f64>,
}

impl Zipf {
    fn new(count: usize, exponent: f64) -> Self {
        let mut sum = 0.0;
        let cumulative = (1..=count)
            .map(|rank| {
                sum += (rank as f64).powf(-exponent);
                sum
            })
            .collect();
        Self { cumulative }
    }

    fn rank(&self, random: &mut Random) -> usize {
        let last = self.cumulative.len() - 1;
        let at = random.fraction() * self.cumulative[last];
        self.cumulative.partition_point(|&sum| sum < at).min(last)
    }

    fn draw(&self, random: &mut Random) -> usize {
        // A prime that does not divide the count: popular blocks are not neighbours.
        self.rank(random) * 7919 % self.cumulative.len()
    }
}

/// Blocks of one real file, which stand for those of many.
struct Blocks {
    reader: Arc<HFileReader>,
    of_one_file: Vec<Arc<Block>>,
    bytes_each: u64,
}

impl Blocks {
    fn block(&self, number: usize) -> (FileId, &Arc<Block>) {
        let file = FileId((number / BLOCKS_PER_FILE) as u64);
        (file, &self.of_one_file[number % BLOCKS_PER_FILE])
    }

    fn read() -> Self {
        let options = WriterOptions { block_size_bytes: BLOCK_BYTES, ..WriterOptions::default() };
        let rows = 0..(BLOCKS_PER_FILE * CELLS_PER_BLOCK) as u32;
        let reader = reader_of(file_of_rows(options, rows, &[7; 100]), FileId(1));
        let mut scanner = HFileScanner::new(Arc::clone(&reader), None, false);
        let mut blocks = Vec::new();
        let mut begun = false;
        while blocks.len() < BLOCKS_PER_FILE {
            assert!(!begun || scanner.peek().is_some(), "the file has fewer blocks");
            let moved = if begun { scanner.advance() } else { scanner.seek(&Key::first_on_row(b"")) };
            match moved {
                Ok(()) => begun = true,
                Err(ScanInterrupt::NeedBlock(request)) => {
                    let block = request.read().unwrap();
                    blocks.push(Arc::clone(&block));
                    scanner.provide(block);
                }
                Err(ScanInterrupt::Failed(error)) => panic!("{error}"),
            }
        }
        let bytes_each = blocks[0].memory_bytes() as u64;
        Self { reader, of_one_file: blocks, bytes_each }
    }
}

/// The yardstick: a list in the order of use, under one lock, bounded in bytes.
struct PlainLru {
    capacity: u64,
    state: Mutex<LruState>,
}

#[derive(Default)]
struct LruState {
    places: HashMap<(FileId, u64), usize>,
    entries: Vec<LruEntry>,
    free: Vec<usize>,
    bytes: u64,
    newest: usize,
    oldest: usize,
}

struct LruEntry {
    key: (FileId, u64),
    block: Arc<Block>,
    newer: usize,
    older: usize,
}

const NONE: usize = usize::MAX;

impl PlainLru {
    fn new(capacity: u64) -> Self {
        let state = LruState { newest: NONE, oldest: NONE, ..LruState::default() };
        Self { capacity, state: Mutex::new(state) }
    }
}

impl LruState {
    fn unlink(&mut self, at: usize) {
        let (newer, older) = (self.entries[at].newer, self.entries[at].older);
        if newer == NONE {
            self.newest = older;
        } else {
            self.entries[newer].older = older;
        }
        if older == NONE { self.oldest = newer } else { self.entries[older].newer = newer }
    }

    fn link(&mut self, at: usize) {
        let newest = self.newest;
        (self.entries[at].newer, self.entries[at].older) = (NONE, newest);
        if newest == NONE {
            self.oldest = at;
        } else {
            self.entries[newest].newer = at;
        }
        self.newest = at;
    }

    fn remove(&mut self, at: usize) {
        self.unlink(at);
        self.bytes -= self.entries[at].block.memory_bytes() as u64;
        let key = self.entries[at].key;
        self.places.remove(&key);
        self.free.push(at);
    }
}

impl BlockCache for PlainLru {
    fn get(&self, file: FileId, offset: u64, _: BlockPriority) -> Option<Arc<Block>> {
        let mut state = self.state.lock().unwrap();
        let at = *state.places.get(&(file, offset))?;
        state.unlink(at);
        state.link(at);
        Some(Arc::clone(&state.entries[at].block))
    }

    fn insert(&self, file: FileId, block: &Arc<Block>, _: BlockPriority) {
        let mut state = self.state.lock().unwrap();
        let key = (file, block.place().offset);
        if let Some(&at) = state.places.get(&key) {
            state.remove(at);
        }
        let bytes = block.memory_bytes() as u64;
        while state.bytes + bytes > self.capacity && state.oldest != NONE {
            let oldest = state.oldest;
            state.remove(oldest);
        }
        let entry = LruEntry { key, block: Arc::clone(block), newer: NONE, older: NONE };
        let at = match state.free.pop() {
            Some(at) => {
                state.entries[at] = entry;
                at
            }
            None => {
                state.entries.push(entry);
                state.entries.len() - 1
            }
        };
        state.link(at);
        state.places.insert(key, at);
        state.bytes += bytes;
    }

    fn evict_file(&self, _: FileId) -> usize {
        0
    }
}
