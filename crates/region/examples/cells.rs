//! What a column costs: `./dev bench columns [ROWS] [WORDS] [KIB]`.
//!
//! Rows of 8 and of 64 doubles, booleans, or half of each, once as a column each and once as one column that holds all of
//! them as an Avro record, in a region on a real directory, with Snappy and each data block encoding. After a major
//! compaction it prints bytes on disk, memory of the blocks in the cache, and the time of this thread for a put, for a get of
//! the whole row from the cache, and for one whose blocks must be read, checked and decoded. A table in Markdown;
//! `docs/benchmarks/cells.md` says what it means.
#![allow(clippy::print_stdout)]

#[path = "cells/values.rs"]
mod values;

use finback_cache::MemoryBlockCache;
use finback_cell::{
    Bytes, CellBlockBuilder, CellType, ColumnFamilyDescriptor, LATEST_TIMESTAMP, Mutation, MutationKind,
    RegionInfo, Scan, TableDescriptor, TableName, cell::CellParts,
};
use finback_fs::{FileSystem, LocalFileSystem};
use finback_layout::RootDir;
use finback_region::{PlainHost, Region, RegionConfig, RegionEnvironment, ScanLimits, ScanOutput};
use finback_wal::Wal;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use values::{Form, Shape, Values, mixed, row};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const FAMILY: &[u8] = b"f";
const ENCODINGS: [&str; 5] = ["NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"];
const COLUMNS: [usize; 2] = [8, 64];
const ROWS_PER_BATCH: u64 = 100;
const GETS: u64 = 40_000;
const UNCACHED_GETS: u64 = 2_000;
const LARGE_CACHE_BYTES: u64 = 1 << 30;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let rows: u64 = std::env::args().nth(1).map_or(Ok(20_000), |number| number.parse())?;
    let only = std::env::args().nth(2);
    let block_kib: u32 = std::env::args().nth(3).map_or(Ok(64), |number| number.parse())?;
    println!("{rows} rows, SNAPPY, blocks of {block_kib} KiB\n");
    println!(
        "| values | encoding | form | disk B/row | cache B/row | put us | get us | uncached get us | disk ratio | get ratio |"
    );
    println!("|---|---|---|---:|---:|---:|---:|---:|---:|---:|");
    for columns in COLUMNS {
        for values in [Values::Doubles, Values::Booleans, Values::Both] {
            for encoding in ENCODINGS {
                if only
                    .as_ref()
                    .is_some_and(|only| !format!("{columns} {values:?} {encoding}").contains(only))
                {
                    continue;
                }
                let packed =
                    measure(Shape { columns, values, form: Form::Packed }, encoding, block_kib, rows)?;
                let separate =
                    measure(Shape { columns, values, form: Form::Separate }, encoding, block_kib, rows)?;
                let name = format!("{columns} {values:?}").to_lowercase();
                println!("| {name} | {encoding} | packed | {} | | |", packed.row());
                println!(
                    "| {name} | {encoding} | separate | {} | {:.2} | {:.2} |",
                    separate.row(),
                    separate.disk / packed.disk,
                    separate.get / packed.get
                );
            }
        }
    }
    Ok(())
}

/// Bytes for each row, and microseconds for each operation.
struct Measured {
    disk: f64,
    cache: f64,
    put: f64,
    get: f64,
    uncached: f64,
}

impl Measured {
    fn row(&self) -> String {
        let Self { disk, cache, put, get, uncached } = self;
        format!("{disk:.1} | {cache:.0} | {put:.2} | {get:.2} | {uncached:.1}")
    }
}

fn measure(shape: Shape, encoding: &str, block_kib: u32, rows: u64) -> Result<Measured> {
    let dir = tempfile::tempdir()?;
    let cache = Arc::new(MemoryBlockCache::new(LARGE_CACHE_BYTES));
    let (region, stored_in) = open(dir.path(), encoding, block_kib, &cache)?;
    let batches: Vec<Vec<Mutation>> = (0..rows)
        .step_by(ROWS_PER_BATCH as usize)
        .map(|first| (first..rows.min(first + ROWS_PER_BATCH)).map(|number| put(shape, number)).collect())
        .collect();
    let begun = thread_cpu()?;
    write(&region, &batches)?;
    let put = thread_cpu()? - begun;
    drop(batches);
    region.flush(None)?;
    region.compact(FAMILY, true)?.ok_or("nothing was compacted")?;
    let disk = bytes_of(&stored_in)?;
    let uncached = gets(&region, rows, UNCACHED_GETS, false, shape)?;
    // Each block is in the cache, and each page of memory was touched.
    (0..rows).try_for_each(|number| get(&region, number, true, shape).map(drop))?;
    let get = gets(&region, rows, GETS, true, shape)?;
    let cached = cache.statistics().bytes;
    region.close()?;
    let each = |bytes: u64| bytes as f64 / rows as f64;
    let micros = |time: Duration, of: u64| time.as_secs_f64() * 1e6 / of as f64;
    Ok(Measured {
        disk: each(disk),
        cache: each(cached),
        put: micros(put, rows),
        get: micros(get, GETS),
        uncached: micros(uncached, UNCACHED_GETS),
    })
}

/// A region of one family, and the directory of its files.
fn open(
    dir: &Path,
    encoding: &str,
    block_kib: u32,
    cache: &Arc<MemoryBlockCache>,
) -> Result<(Arc<Region>, PathBuf)> {
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let wal = Wal::open(Arc::clone(&fs), dir, "localhost,0,1", Default::default(), Default::default())?;
    // Flushes are asked for here.
    let config = RegionConfig { flush_size_bytes: u64::MAX / 8, ..RegionConfig::default() };
    let environment = RegionEnvironment {
        root: RootDir::new(fs, dir),
        wal: Arc::new(wal),
        cache: Arc::clone(cache) as _,
        host: Arc::new(PlainHost),
        config: Arc::new(config),
    };
    let mut table = TableDescriptor::new(TableName::parse(b"cells")?);
    let family = ColumnFamilyDescriptor::with_defaults(FAMILY)
        .with("COMPRESSION", "SNAPPY")
        .with("DATA_BLOCK_ENCODING", encoding)
        .with("BLOCKSIZE", &(block_kib << 10).to_string());
    table.families.push(family);
    let info = RegionInfo::new(table.name.clone(), "".into(), "".into(), 1);
    let files = environment.root.family_dir(&info.table, &info.encoded_name(), FAMILY);
    Ok((Region::open(environment, info, Arc::new(table), &mut |_, _, _| {})?, files))
}

#[tokio::main(flavor = "current_thread")]
async fn write(region: &Region, batches: &[Vec<Mutation>]) -> Result<()> {
    for batch in batches {
        region.batch(batch).await.into_iter().collect::<std::result::Result<(), _>>()?;
    }
    Ok(())
}

fn put(shape: Shape, number: u64) -> Mutation {
    let row = Bytes::from(row(number));
    let mut cells = CellBlockBuilder::default();
    for (qualifier, value) in shape.columns(number) {
        cells.push_parts(&CellParts {
            row: &row,
            family: FAMILY,
            qualifier: qualifier.as_bytes(),
            timestamp: LATEST_TIMESTAMP,
            type_code: CellType::Put.code(),
            value: &value,
            tags: b"",
        });
    }
    Mutation::new(MutationKind::Put, row, cells.finish())
}

/// The time for so many gets of rows at random.
fn gets(region: &Region, rows: u64, count: u64, cached: bool, shape: Shape) -> Result<Duration> {
    let begun = thread_cpu()?;
    for number in 0..count {
        get(region, mixed(number) % rows, cached, shape)?;
    }
    Ok(thread_cpu()? - begun)
}

fn get(region: &Region, number: u64, cached: bool, shape: Shape) -> Result<ScanOutput> {
    let row = Bytes::from(row(number));
    let scan = Scan {
        start_row: row.clone(),
        stop_row: row,
        include_stop_row: true,
        cache_blocks: cached,
        ..Scan::default()
    };
    let mut scanner = region.scanner(&scan, None)?;
    let mut out = ScanOutput::default();
    while let Err(interrupt) = scanner.next(&mut out, &ScanLimits::NONE) {
        scanner.fetch(interrupt)?;
    }
    if out.counts != [shape.cells() as u32] {
        return Err(format!("row {number} has {:?} cells", out.counts).into());
    }
    Ok(out)
}

fn bytes_of(dir: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(dir)? {
        let metadata = entry?.metadata()?;
        bytes += if metadata.is_file() { metadata.len() } else { 0 };
    }
    Ok(bytes)
}

/// How long this thread has been on a processor.
fn thread_cpu() -> Result<Duration> {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat")?;
    let on_cpu = statistics.split_whitespace().next().ok_or("no numbers in schedstat")?;
    Ok(Duration::from_nanos(on_cpu.parse()?))
}
