//! What a compaction costs, and which part of that its checksums are: `./dev bench compaction [MEGABYTES]`.
//!
//! A region on a real directory gets a few store files over the same rows and compacts them into one, on one thread, for each
//! codec. Then the same checksums are computed once more, and nothing else: those of all blocks that were read and of all
//! that were written. What is printed is a table in Markdown; `docs/benchmarks/compaction.md` says what it means.
#![allow(clippy::print_stdout)]

use finback_cell::{
    Bytes, CellBlockBuilder, CellType, ColumnFamilyDescriptor, Durability, Mutation, MutationKind,
    RegionInfo, TableDescriptor, TableName, cell::CellParts,
};
use finback_fs::{FileSystem, LocalFileSystem};
use finback_hfile::ChecksumType;
use finback_layout::RootDir;
use finback_region::{PlainHost, Region, RegionConfig, RegionEnvironment};
use finback_wal::Wal;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const FAMILY: &[u8] = b"f";
const CODECS: [&str; 5] = ["NONE", "SNAPPY", "LZ4", "ZSTD", "GZ"];
const FILES: u64 = 4;
/// Half of a value is random, half of it is not.
const VALUE_BYTES: usize = 100;
/// Lengths, row, family, qualifier, timestamp and type, value, and a sequence id after it.
const CELL_BYTES: u64 = 8 + 2 + 16 + 1 + 1 + 6 + 9 + VALUE_BYTES as u64 + 3;
const ROWS_PER_BATCH: u64 = 1000;
/// HBase's defaults: bytes that one checksum covers, and bytes of a block.
const CHUNK_BYTES: usize = 16 << 10;
const BLOCK_BYTES: usize = 64 << 10;
/// Passes over the checksums; the fastest counts, as the one that was disturbed least.
const PASSES: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let megabytes: u64 = std::env::args().nth(1).map_or(Ok(256), |number| number.parse())?;
    let rows = (megabytes << 20) / CELL_BYTES;
    println!("{FILES} files of {} rows each, {CELL_BYTES} bytes a cell, CRC32C\n", rows / FILES);
    println!(
        "| compression | read MB | written MB | cells MB/s of CPU | CPU s | wall s | checksums MB/s | checksums CPU s | share |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for codec in CODECS {
        let measured = measure(codec, rows)?;
        println!("| {codec} | {} |", measured.row(rows * CELL_BYTES));
    }
    Ok(())
}

struct Measured {
    read: u64,
    written: u64,
    cpu: Duration,
    wall: Duration,
    checksums: Duration,
}

impl Measured {
    fn row(&self, cell_bytes: u64) -> String {
        let mb = |bytes: u64| bytes as f64 / 1e6;
        let (cpu, checksums) = (self.cpu.as_secs_f64(), self.checksums.as_secs_f64());
        format!(
            "{:.1} | {:.1} | {:.0} | {cpu:.3} | {:.3} | {:.0} | {checksums:.4} | {:.2} %",
            mb(self.read),
            mb(self.written),
            mb(cell_bytes) / cpu,
            self.wall.as_secs_f64(),
            mb(self.read + self.written) / checksums,
            100.0 * checksums / cpu
        )
    }
}

fn measure(codec: &str, rows: u64) -> Result<Measured, Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let (region, stored_in) = open(dir.path(), codec)?;
    for file in 0..FILES {
        write(&region, (file..rows).step_by(FILES as usize))?;
        region.flush(None)?;
    }
    let mut checksums = checksums_of(&stored_in)?;
    let read = bytes_of(&stored_in)?;
    let (wall, cpu) = (Instant::now(), thread_cpu()?);
    region.compact(FAMILY, true)?.ok_or("nothing was compacted")?;
    let (wall, cpu) = (wall.elapsed(), thread_cpu()? - cpu);
    let written = bytes_of(&stored_in)?;
    checksums += checksums_of(&stored_in)?;
    region.close()?;
    Ok(Measured { read, written, cpu, wall, checksums })
}

/// A region of one family, and the directory of its files.
fn open(dir: &Path, codec: &str) -> Result<(Arc<Region>, PathBuf), Box<dyn Error>> {
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let wal = Wal::open(Arc::clone(&fs), dir, "localhost,0,1", Default::default(), Default::default())?;
    // Flushes are asked for here.
    let config = RegionConfig { flush_size_bytes: u64::MAX / 8, ..RegionConfig::default() };
    let environment = RegionEnvironment {
        root: RootDir::new(fs, dir),
        wal: Arc::new(wal),
        cache: Arc::new(finback_cache::MemoryBlockCache::new(64 << 20)),
        host: Arc::new(PlainHost),
        config: Arc::new(config),
    };
    let mut table = TableDescriptor::new(TableName::parse(b"compacted")?);
    table.families.push(ColumnFamilyDescriptor::with_defaults(FAMILY).with("COMPRESSION", codec));
    let info = RegionInfo::new(table.name.clone(), "".into(), "".into(), 1);
    let files = environment.root.family_dir(&info.table, &info.encoded_name(), FAMILY);
    Ok((Region::open(environment, info, Arc::new(table), &mut |_, _, _| {})?, files))
}

#[tokio::main(flavor = "current_thread")]
async fn write(region: &Region, rows: impl Iterator<Item = u64>) -> Result<(), Box<dyn Error>> {
    let mut rows = rows.peekable();
    while rows.peek().is_some() {
        let batch: Vec<_> = rows.by_ref().take(ROWS_PER_BATCH as usize).map(put).collect();
        region.batch(batch).await.into_iter().collect::<Result<(), _>>()?;
    }
    Ok(())
}

fn put(number: u64) -> Mutation {
    let row = Bytes::from(format!("user{number:012}"));
    let mut value = vec![b'.'; VALUE_BYTES];
    let mut state = number;
    for word in value[..VALUE_BYTES / 2].chunks_mut(8) {
        // Steele, Lea and Flood's SplitMix64
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes()[..word.len()]);
    }
    let mut cells = CellBlockBuilder::default();
    cells.push_parts(&CellParts {
        row: &row,
        family: FAMILY,
        qualifier: b"field0",
        timestamp: 1_700_000_000_000,
        type_code: CellType::Put.code(),
        value: &value,
        tags: b"",
    });
    Mutation { durability: Durability::SkipWal, ..Mutation::new(MutationKind::Put, row, cells.finish()) }
}

fn files_in(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let paths: Result<Vec<_>, _> = fs::read_dir(dir)?.map(|entry| entry.map(|entry| entry.path())).collect();
    Ok(paths?.into_iter().filter(|path| path.is_file()).collect())
}

fn bytes_of(dir: &Path) -> std::io::Result<u64> {
    files_in(dir)?.into_iter().map(|path| Ok(path.metadata()?.len())).sum()
}

/// The time for the checksums of the files' bytes, block by block: in the processor's cache, as where blocks are read and
/// written.
fn checksums_of(dir: &Path) -> std::io::Result<Duration> {
    let mut all = Duration::ZERO;
    for path in files_in(dir)? {
        let bytes = fs::read(path)?;
        let mut block = vec![0; BLOCK_BYTES];
        for from in bytes.chunks(BLOCK_BYTES) {
            block[..from.len()].copy_from_slice(from);
            let block = &block[..from.len()];
            let pass = || {
                let start = Instant::now();
                for chunk in block.chunks(CHUNK_BYTES) {
                    black_box(ChecksumType::Crc32c.of(black_box(chunk)));
                }
                start.elapsed()
            };
            all += (0..PASSES).map(|_| pass()).min().unwrap_or_default();
        }
    }
    Ok(all)
}

/// How long this thread has been on a processor.
fn thread_cpu() -> Result<Duration, Box<dyn Error>> {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat")?;
    let on_cpu = statistics.split_whitespace().next().ok_or("no numbers in schedstat")?;
    Ok(Duration::from_nanos(on_cpu.parse()?))
}
