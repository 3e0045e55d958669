//! One policy under one workload.

use crate::host::BenchHost;
use crate::keys::{Keys, row};
use crate::latency::Latencies;
use crate::plan::{Plan, Workload};
use finback_cache::MemoryBlockCache;
use finback_cell::cell::CellParts;
use finback_cell::{
    Bytes, CellBlockBuilder, CellType, ColumnFamilyDescriptor, Durability, Get, LATEST_TIMESTAMP, Mutation,
    MutationKind, RegionInfo, TableDescriptor, TableName,
};
use finback_fs::{FileSystem, LocalFileSystem};
use finback_layout::RootDir;
use finback_region::{
    InMemoryCompaction, Region, RegionConfig, RegionEnvironment, RegionError, RegionMetrics, ScanLimits,
    ScanOutput,
};
use finback_wal::{SyncMode, Wal, WalKind, WalOptions};
use parking_lot::Mutex;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

const FAMILY: &[u8] = b"f";
/// Most blocks stay in memory: what is measured is the memstore.
const CACHE_BYTES: u64 = 1 << 30;
/// How long a writer waits that was refused.
const PAUSE: Duration = Duration::from_millis(1);

/// What a run gave.
pub(crate) struct Measured {
    pub(crate) per_second: f64,
    cpu_us: f64,
    /// Bytes written to store files for each byte of cells: the mean of what it was when a file was flushed in the second half of
    /// the run, and at the end. At one moment alone it goes by whether a large compaction is just over, or is still to come.
    amplification: f64,
    /// The least and the most of all rounds.
    amplifications: (f64, f64),
    /// Bytes written by flushes alone for each byte of cells.
    of_flushes: f64,
    flushes: u64,
    bytes_per_cell: f64,
    cells_dropped: u64,
    latencies: Latencies,
}

/// What is written, by the client and by the threads behind the scenes.
#[derive(Default)]
struct Written {
    cells_bytes: AtomicU64,
    flushes: AtomicU64,
    flushed_bytes: AtomicU64,
    compacted_bytes: AtomicU64,
    /// Bytes of cells, and of files, when all of these cells were in files.
    at_flushes: Mutex<Vec<(u64, u64)>>,
}

impl Written {
    fn flush(&self, region: &Region) -> Result<bool, RegionError> {
        let cells_bytes = self.cells_bytes.load(Relaxed);
        let outcome = region.flush(None)?;
        let flushed = self.flushed_bytes.fetch_add(outcome.bytes_written, Relaxed) + outcome.bytes_written;
        self.at_flushes.lock().push((cells_bytes, flushed + self.compacted_bytes.load(Relaxed)));
        Ok(outcome.flushed)
    }

    fn amplification(&self) -> f64 {
        let half = self.cells_bytes.load(Relaxed) / 2;
        let at_flushes = self.at_flushes.lock();
        let late = at_flushes.iter().filter(|(cells, _)| *cells > half);
        let each: Vec<f64> = late.map(|&(cells, files)| files as f64 / cells as f64).collect();
        each.iter().sum::<f64>() / each.len().max(1) as f64
    }
}

impl Measured {
    /// The round with the median throughput, with the medians of write amplification.
    pub(crate) fn median(mut rounds: Vec<Self>) -> Self {
        let middle = rounds.len() / 2;
        rounds.sort_by(|a, b| a.of_flushes.total_cmp(&b.of_flushes));
        let of_flushes = rounds[middle].of_flushes;
        rounds.sort_by(|a, b| a.amplification.total_cmp(&b.amplification));
        let amplification = rounds[middle].amplification;
        let amplifications = (rounds[0].amplification, rounds[rounds.len() - 1].amplification);
        rounds.sort_by(|a, b| a.per_second.total_cmp(&b.per_second));
        Self { amplification, amplifications, of_flushes, ..rounds.swap_remove(middle) }
    }

    /// Columns of the table, compared with another run.
    pub(crate) fn row(&self, base: &Self) -> String {
        let versus = |ours: f64, theirs: f64| format!("{:+.0} %", (ours / theirs - 1.0) * 100.0);
        format!(
            "{:.0} | {} | {:.2} | {:.2} ({:.2}–{:.2}) | {} | {:.2} | {} | {:.0} | {} | {:.1} | {:.0} | {:.0} | {:.1}",
            self.per_second / 1000.0,
            versus(self.per_second, base.per_second),
            self.cpu_us,
            self.amplification,
            self.amplifications.0,
            self.amplifications.1,
            versus(self.amplification, base.amplification),
            self.of_flushes,
            self.flushes,
            self.bytes_per_cell,
            self.cells_dropped,
            self.latencies.percentile_us(0.5),
            self.latencies.percentile_us(0.99),
            self.latencies.percentile_us(0.999),
            self.latencies.max_ms(),
        )
    }
}

/// Runs `workload` in a region of its own.
pub(crate) fn measure(
    plan: &Plan,
    workload: Workload,
    policy: InMemoryCompaction,
) -> Result<Measured, Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let operations = plan.operations_of(&workload);
    let (flushes, flush_requests) = channel();
    let region = open(dir.path(), plan, policy, BenchHost { flushes })?;
    let (written, done) = (&Written::default(), &AtomicBool::new(false));
    let mut measured = thread::scope(|scope| {
        let region = &*region;
        let flusher = scope.spawn(move || flush_when_asked(region, &flush_requests, done, written));
        let compactor = scope.spawn(move || compact_as_needed(region, done, written));
        let cpu_before = cpu_time();
        let start = Instant::now();
        let result = Client::new(plan, workload, written).run(region, plan, operations);
        let (elapsed, cpu) = (start.elapsed(), cpu_time() - cpu_before);
        let metrics = region.metrics();
        done.store(true, Relaxed);
        flusher.join().expect("a thread without panics")?;
        compactor.join().expect("a thread without panics")?;
        let (latencies, bytes_per_cell) = result?;
        Ok::<_, Box<dyn Error>>(Measured {
            per_second: operations as f64 / elapsed.as_secs_f64(),
            cpu_us: cpu.as_secs_f64() * 1e6 / operations as f64,
            amplification: 0.0,
            amplifications: (0.0, 0.0),
            of_flushes: 0.0,
            flushes: written.flushes.load(Relaxed),
            bytes_per_cell,
            cells_dropped: metrics.in_memory.cells_dropped,
            latencies,
        })
    })?;
    // What is in memory will be written some day, too.
    written.flush(&region)?;
    measured.amplification = written.amplification();
    measured.of_flushes =
        written.flushed_bytes.load(Relaxed) as f64 / written.cells_bytes.load(Relaxed) as f64;
    region.close()?;
    Ok(measured)
}

fn open(
    dir: &Path,
    plan: &Plan,
    policy: InMemoryCompaction,
    host: BenchHost,
) -> Result<Arc<Region>, Box<dyn Error>> {
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let options = WalOptions { sync_mode: SyncMode::Os, ..WalOptions::default() };
    let wal = Wal::open(Arc::clone(&fs), dir, "localhost,0,1", WalKind::Regions, options)?;
    let environment = RegionEnvironment {
        root: RootDir::new(fs, dir),
        wal: Arc::new(wal),
        cache: Arc::new(MemoryBlockCache::new(CACHE_BYTES)),
        host: Arc::new(host),
        config: Arc::new(RegionConfig {
            flush_size_bytes: plan.flush_mib << 20,
            in_memory_compaction: policy,
            adaptive_compaction_threshold: plan.adaptive_percent as f64 / 100.0,
            ..RegionConfig::default()
        }),
    };
    let mut table = TableDescriptor::new(TableName::parse(b"accordion")?);
    table.families.push(ColumnFamilyDescriptor::with_defaults(FAMILY));
    let info = RegionInfo::new(table.name.clone(), Bytes::new(), Bytes::new(), 1);
    Ok(Region::open(environment, info, Arc::new(table), &mut |_, _, _| {})?)
}

fn flush_when_asked(
    region: &Region,
    requests: &Receiver<()>,
    done: &AtomicBool,
    written: &Written,
) -> Result<(), RegionError> {
    while !done.load(Relaxed) {
        if requests.recv_timeout(Duration::from_millis(10)).is_ok() {
            written.flushes.fetch_add(written.flush(region)?.into(), Relaxed);
        }
    }
    Ok(())
}

fn compact_as_needed(region: &Region, done: &AtomicBool, written: &Written) -> Result<(), RegionError> {
    loop {
        let is_last = done.load(Relaxed);
        match region.compact(FAMILY, false)? {
            Some(outcome) => drop(written.compacted_bytes.fetch_add(outcome.bytes_written, Relaxed)),
            None if is_last => return Ok(()),
            None => thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// User and system time of this process so far.
fn cpu_time() -> Duration {
    const TICKS_PER_SECOND: u64 = 100;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field, a name in parentheses, may hold blanks.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 =
        fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND)
}

/// Who writes and reads.
struct Client<'a> {
    keys: Keys,
    reads: bool,
    value: Vec<u8>,
    latencies: Latencies,
    written: &'a Written,
    /// Bytes of memory per cell, seen now and then when the memstore was at least half full.
    seen: Vec<f64>,
}

impl<'a> Client<'a> {
    fn new(plan: &Plan, workload: Workload, written: &'a Written) -> Self {
        Self {
            keys: Keys::new(workload.keys, plan.keys, 1),
            reads: workload.reads,
            value: vec![b'v'; plan.value_bytes as usize],
            latencies: Latencies::new(),
            written,
            seen: Vec::new(),
        }
    }

    /// Gives back latencies, and bytes of memory per cell.
    #[tokio::main(flavor = "current_thread")]
    async fn run(
        mut self,
        region: &Region,
        plan: &Plan,
        operations: u64,
    ) -> Result<(Latencies, f64), RegionError> {
        let batch = if self.reads { 1 } else { plan.batch };
        let mut done = 0;
        while done < operations {
            let writes = !self.reads || done % 2 == 0;
            if writes {
                self.write(region, batch).await?;
            } else {
                self.read(region)?;
            }
            let before = done;
            done += if writes { batch } else { 1 };
            if before >> 14 != done >> 14 {
                self.look(&region.metrics(), plan);
            }
        }
        let bytes_per_cell = self.seen.iter().sum::<f64>() / self.seen.len().max(1) as f64;
        Ok((self.latencies, bytes_per_cell))
    }

    fn look(&mut self, metrics: &RegionMetrics, plan: &Plan) {
        if metrics.memstore_bytes > plan.flush_mib << 19 && metrics.memstore_cells > 0 {
            let beside = metrics.memstore_bytes.saturating_sub(metrics.memstore_data_bytes);
            self.seen.push(beside as f64 / metrics.memstore_cells as f64);
        }
    }

    async fn write(&mut self, region: &Region, batch: u64) -> Result<(), RegionError> {
        let mutations: Vec<Mutation> = (0..batch).map(|_| self.put()).collect();
        let start = Instant::now();
        loop {
            let results = region.batch(&mutations).await;
            match results.into_iter().collect::<Result<(), _>>() {
                Ok(()) => break,
                Err(RegionError::TooBusy(_)) => thread::sleep(PAUSE),
                Err(error) => return Err(error),
            }
        }
        self.latencies.add(start.elapsed());
        let bytes = mutations.iter().map(|put| put.cells.bytes().len() as u64 - 4).sum::<u64>();
        self.written.cells_bytes.fetch_add(bytes, Relaxed);
        Ok(())
    }

    fn put(&mut self) -> Mutation {
        let row = row(self.keys.draw());
        let mut cells = CellBlockBuilder::default();
        cells.push_parts(&CellParts {
            row: &row,
            family: FAMILY,
            qualifier: b"field0",
            timestamp: LATEST_TIMESTAMP,
            type_code: CellType::Put.code(),
            value: &self.value,
            tags: b"",
        });
        let put = Mutation::new(MutationKind::Put, Bytes::copy_from_slice(&row), cells.finish());
        Mutation { durability: Durability::AsyncWal, ..put }
    }

    fn read(&mut self, region: &Region) -> Result<(), RegionError> {
        let get = Get::new(Bytes::copy_from_slice(&row(self.keys.draw())));
        let start = Instant::now();
        let mut scanner = region.scanner(&get.scan, None)?;
        let mut out = ScanOutput::default();
        while let Err(interrupt) = scanner.next(&mut out, &ScanLimits::NONE) {
            scanner.fetch(interrupt)?;
        }
        self.latencies.add(start.elapsed());
        Ok(())
    }
}
