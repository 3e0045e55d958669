//! The workloads, one engine at a time, and what they cost.

use crate::engines::{self, Engine};
use crate::resources::Resources;
use crate::settings::Settings;
use std::path::Path;
use std::time::{Duration, Instant};

/// Pairs read from where a seek ended.
const PAIRS_PER_SEEK: usize = 10;

/// A measured row of the table.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) name: &'static str,
    pub(crate) threads: usize,
    /// Operations, or pairs for scans.
    pub(crate) operations: u64,
    pub(crate) wall: Duration,
    /// User and system time of the process, background work included.
    pub(crate) cpu: Duration,
    /// Bytes written to files per byte of keys and values put.
    pub(crate) write_amplification: Option<f64>,
    /// Bytes on disk per byte of keys and values that can be read.
    pub(crate) space_amplification: Option<f64>,
}

/// Runs everything on one engine with so many threads.
pub(crate) fn run(engine: &str, threads: usize, settings: &Settings) -> Result<Vec<Measured>, String> {
    let dir = tempfile::Builder::new()
        .prefix("engine-bench-")
        .tempdir_in(&settings.dir)
        .map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    if settings.wants("fill-sequential") {
        let path = dir.path().join("sequential");
        let bench = Bench::open(engine, &path, threads, settings)?;
        rows.push(bench.write("fill-sequential", settings.keys, |number| number));
    }
    let path = dir.path().join("random");
    let bench = Bench::open(engine, &path, threads, settings)?;
    let keys = settings.keys;
    rows.push(bench.write("fill-random", keys, |number| hash(number) % keys));
    if settings.wants("overwrite") {
        rows.push(bench.write("overwrite", keys, |number| hash(number + keys) % keys));
    }
    let key_at = |number: u64| key(hash(number ^ 0x5eed) % keys);
    if settings.wants("read-random") {
        rows.push(bench.read("read-random", keys / 2, |engine, number| {
            u64::from(engine.get(&key_at(number)).is_some())
        }));
    }
    if settings.wants("read-missing") {
        rows.push(bench.read("read-missing", keys / 2, |engine, number| {
            let mut missing = key_at(number);
            missing[15] = b'~';
            u64::from(engine.get(&missing).is_some())
        }));
    }
    if settings.wants("seek-random") {
        rows.push(bench.read("seek-random", keys / 8, |engine, number| {
            engine.seek(&key_at(number), PAIRS_PER_SEEK) as u64
        }));
    }
    if settings.wants("scan") {
        rows.push(bench.scan());
    }
    Ok(rows)
}

struct Bench<'a> {
    engine: Box<dyn Engine>,
    path: &'a Path,
    threads: usize,
    settings: &'a Settings,
}

impl<'a> Bench<'a> {
    fn open(engine: &str, path: &'a Path, threads: usize, settings: &'a Settings) -> Result<Self, String> {
        std::fs::create_dir_all(path).map_err(|error| error.to_string())?;
        Ok(Self { engine: engines::open(engine, path, settings)?, path, threads, settings })
    }

    /// Puts `count` pairs; the time is that of the puts, the CPU and the bytes include what they leave to be done.
    fn write(&self, name: &'static str, count: u64, key_of: impl Fn(u64) -> u64 + Sync) -> Measured {
        let values = Values::new(self.settings.value_bytes);
        let before = Resources::now();
        let begin = Instant::now();
        self.on_threads(count, |from, to| {
            for number in from..to {
                self.engine.put(&key(key_of(number)), values.get(number));
            }
        });
        let wall = begin.elapsed();
        self.engine.settle();
        let used = Resources::now().since(&before);
        let pair = (16 + self.settings.value_bytes) as f64;
        let live = self.engine_pairs() as f64 * pair;
        Measured {
            name,
            threads: self.threads,
            operations: count,
            wall,
            cpu: used.cpu,
            write_amplification: Some(used.written_bytes as f64 / (count as f64 * pair)),
            space_amplification: Some(disk_bytes(self.path) as f64 / live),
        }
    }

    fn engine_pairs(&self) -> usize {
        self.engine.seek(b"", usize::MAX)
    }

    fn read(
        &self,
        name: &'static str,
        count: u64,
        work: impl Fn(&dyn Engine, u64) -> u64 + Sync,
    ) -> Measured {
        // The cache is warm when the time begins to count.
        self.on_threads(count / 4, |from, to| {
            let found: u64 = (from..to).map(|number| work(&*self.engine, number)).sum();
            std::hint::black_box(found);
        });
        let before = Resources::now();
        let begin = Instant::now();
        self.on_threads(count, |from, to| {
            let found: u64 = (from..to).map(|number| work(&*self.engine, number)).sum();
            std::hint::black_box(found);
        });
        self.measured(name, count, begin, &before)
    }

    /// Every thread reads everything.
    fn scan(&self) -> Measured {
        let pairs = self.engine_pairs() as u64;
        let before = Resources::now();
        let begin = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| assert_eq!(self.engine_pairs() as u64, pairs, "scans differ"));
            }
        });
        self.measured("scan", pairs * self.threads as u64, begin, &before)
    }

    fn measured(&self, name: &'static str, operations: u64, begin: Instant, before: &Resources) -> Measured {
        Measured {
            name,
            threads: self.threads,
            operations,
            wall: begin.elapsed(),
            cpu: Resources::now().since(before).cpu,
            write_amplification: None,
            space_amplification: None,
        }
    }

    /// Divides 0..count among the threads.
    fn on_threads(&self, count: u64, work: impl Fn(u64, u64) + Sync) {
        let (work, threads) = (&work, self.threads as u64);
        std::thread::scope(|scope| {
            for thread in 0..threads {
                scope.spawn(move || work(count * thread / threads, count * (thread + 1) / threads));
            }
        });
    }
}

/// 16 decimal digits.
fn key(number: u64) -> [u8; 16] {
    let mut key = [b'0'; 16];
    let mut rest = number;
    for digit in key.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    key
}

/// SplitMix64.
fn hash(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Values of which one half is random and the other repeats it, cut out of one buffer.
struct Values {
    buffer: Vec<u8>,
    length: usize,
}

const VALUE_BUFFER_BYTES: usize = 1 << 20;

impl Values {
    fn new(length: usize) -> Self {
        let mut buffer = Vec::with_capacity(VALUE_BUFFER_BYTES + 2 * length);
        let half = length.div_ceil(2).max(1);
        let mut number = 0;
        while buffer.len() < VALUE_BUFFER_BYTES + length {
            let part: Vec<u8> = (0..half).map(|at| hash(number + at as u64) as u8).collect();
            buffer.extend_from_slice(&part);
            buffer.extend_from_slice(&part);
            number += half as u64;
        }
        Self { buffer, length }
    }

    fn get(&self, number: u64) -> &[u8] {
        let at = (number as usize).wrapping_mul(self.length) % VALUE_BUFFER_BYTES;
        &self.buffer[at..at + self.length]
    }
}

/// Bytes of all files under a directory.
fn disk_bytes(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => disk_bytes(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}
