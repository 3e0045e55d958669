//! What MOB files spare large values, and what they cost a get: `./dev bench mob [MEGABYTES]`.
//!
//! A region on a real directory takes so many megabytes of values of one size, flushes them piece by piece, and compacts as its policy
//! says, once with the values in store files and once in MOB files. Then it gets single rows: those that the system has in memory,
//! none of them in the block cache. `docs/benchmarks/mob.md` says what the table means.
#![allow(clippy::print_stdout)]

use finback_cell::{
    Bytes, CellBlockBuilder, CellType, ColumnFamilyDescriptor, Durability, Get, Mutation, MutationKind,
    RegionInfo, TableDescriptor, TableName, cell::CellParts,
};
use finback_fs::{FileSystem, LocalFileSystem};
use finback_layout::RootDir;
use finback_region::{PlainHost, Region, RegionConfig, RegionEnvironment, ScanLimits, ScanOutput};
use finback_wal::Wal;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const FAMILY: &[u8] = b"f";
const VALUE_BYTES: [usize; 3] = [16 << 10, 128 << 10, 1 << 20];
const FLUSHES: u64 = 32;
const GETS: u64 = 2000;

fn main() -> Result<(), Box<dyn Error>> {
    let megabytes: u64 = std::env::args().nth(1).map_or(Ok(512), |number| number.parse())?;
    println!("{megabytes} MiB in {FLUSHES} flushes, compacted as the exploring policy says\n");
    println!(
        "| value | kept in | written per byte accepted | CPU s | wall s | get, us | get of a column beside it, us |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|");
    for value_bytes in VALUE_BYTES {
        for in_mob_files in [false, true] {
            let measured = measure((megabytes << 20) / value_bytes as u64, value_bytes, in_mob_files)?;
            let kept_in = if in_mob_files { "MOB files" } else { "store files" };
            println!("| {} KiB | {kept_in} | {measured} |", value_bytes >> 10);
        }
    }
    Ok(())
}

struct Measured {
    amplification: f64,
    cpu: Duration,
    wall: Duration,
    get: Duration,
    get_beside: Duration,
}

impl std::fmt::Display for Measured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let us = |time: Duration| time.as_secs_f64() * 1e6 / GETS as f64;
        write!(
            f,
            "{:.2} | {:.2} | {:.2} | {:.0} | {:.1}",
            self.amplification,
            self.cpu.as_secs_f64(),
            self.wall.as_secs_f64(),
            us(self.get),
            us(self.get_beside)
        )
    }
}

fn measure(rows: u64, value_bytes: usize, in_mob_files: bool) -> Result<Measured, Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let region = open(dir.path(), in_mob_files)?;
    let (wall, cpu) = (Instant::now(), thread_cpu()?);
    let mut written = 0;
    for flush in 0..FLUSHES {
        write(&region, (flush..rows).step_by(FLUSHES as usize), value_bytes)?;
        written += region.flush(None)?.bytes_written;
        while let Some(outcome) = region.compact(FAMILY, false)? {
            written += outcome.bytes_written;
        }
    }
    let (wall, cpu) = (wall.elapsed(), thread_cpu()? - cpu);
    // No compaction but one that is asked for writes them again.
    written += bytes_below(&dir.path().join("mobdir"))?;
    let get = get_all(&region, rows, b"value")?;
    let get_beside = get_all(&region, rows, b"beside")?;
    region.close()?;
    let accepted = rows * value_bytes as u64;
    Ok(Measured { amplification: written as f64 / accepted as f64, cpu, wall, get, get_beside })
}

fn open(dir: &Path, in_mob_files: bool) -> Result<Arc<Region>, Box<dyn Error>> {
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let wal = Wal::open(Arc::clone(&fs), dir, "localhost,0,1", Default::default(), Default::default())?;
    // Flushes are asked for here.
    let config = RegionConfig { flush_size_bytes: u64::MAX / 8, ..RegionConfig::default() };
    let environment = RegionEnvironment {
        root: RootDir::new(fs, dir),
        wal: Arc::new(wal),
        cache: Arc::new(finback_cache::MemoryBlockCache::new(8 << 20)),
        host: Arc::new(PlainHost),
        config: Arc::new(config),
    };
    let family = ColumnFamilyDescriptor::with_defaults(FAMILY).with("BLOCKCACHE", "false");
    let family = match in_mob_files {
        true => family.with("IS_MOB", "true").with("MOB_THRESHOLD", "8192"),
        false => family,
    };
    let mut table = TableDescriptor::new(TableName::parse(b"large")?);
    table.families.push(family);
    let info = RegionInfo::new(table.name.clone(), "".into(), "".into(), 1);
    Ok(Region::open(environment, info, Arc::new(table), &mut |_, _, _| {})?)
}

#[tokio::main(flavor = "current_thread")]
async fn write(
    region: &Region,
    rows: impl Iterator<Item = u64>,
    value_bytes: usize,
) -> Result<(), Box<dyn Error>> {
    for number in rows {
        region.mutate(&put(number, value_bytes)).await?;
    }
    Ok(())
}

fn row_of(number: u64) -> Bytes {
    Bytes::from(format!("user{number:012}"))
}

fn put(number: u64, value_bytes: usize) -> Mutation {
    let row = row_of(number);
    let value = vec![number as u8; value_bytes];
    let mut cells = CellBlockBuilder::default();
    for (qualifier, value) in [(&b"beside"[..], &b"small"[..]), (b"value", &value)] {
        cells.push_parts(&CellParts {
            row: &row,
            family: FAMILY,
            qualifier,
            timestamp: 1_700_000_000_000,
            type_code: CellType::Put.code(),
            value,
            tags: b"",
        });
    }
    Mutation { durability: Durability::SkipWal, ..Mutation::new(MutationKind::Put, row, cells.finish()) }
}

/// Gets a column of rows that follow each other by a stride.
fn get_all(region: &Region, rows: u64, qualifier: &'static [u8]) -> Result<Duration, Box<dyn Error>> {
    const STRIDE: u64 = 7919;
    let begun = Instant::now();
    for number in (0..GETS).map(|get| get * STRIDE % rows) {
        let mut get = Get::new(row_of(number));
        get.scan.families.push(finback_cell::FamilySelection {
            family: FAMILY.into(),
            qualifiers: Some(vec![qualifier.into()]),
        });
        let mut scanner = region.scanner(&get.scan, None)?;
        let mut out = ScanOutput::default();
        while let Err(interrupt) = scanner.next(&mut out, &ScanLimits::NONE) {
            scanner.fetch(interrupt)?;
        }
        if out.counts != [1] {
            return Err(format!("row {number} has {:?} cells", out.counts).into());
        }
    }
    Ok(begun.elapsed())
}

fn bytes_below(dir: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(dir).into_iter().flatten() {
        let path = entry?.path();
        bytes += if path.is_dir() { bytes_below(&path)? } else { path.metadata()?.len() };
    }
    Ok(bytes)
}

/// How long this thread has been on a processor.
fn thread_cpu() -> Result<Duration, Box<dyn Error>> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let on_cpu = statistics.split_whitespace().next().ok_or("no numbers in schedstat")?;
    Ok(Duration::from_nanos(on_cpu.parse()?))
}
