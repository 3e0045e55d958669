//! The smallest program that embeds a region: it opens one in a directory, with all that was ever acknowledged there, writes a
//! cell, reads it, flushes and compacts, and closes. It may be killed at any moment, and run again.

use finback_cell::{
    CellBlockBuilder, CellType, ColumnFamilyDescriptor, LATEST_TIMESTAMP, Mutation, MutationKind, RegionInfo,
    Scan, TableDescriptor, TableName, cell::CellParts,
};
use finback_fs::{FileSystem, LocalFileSystem};
use finback_region::{PlainHost, Region, RegionConfig, RegionEnvironment, ScanLimits, ScanOutput};
use finback_wal::{FlushedSequenceIds, Wal};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The program's name in the names of its logs.
const SERVER: &str = "localhost,0,1";
const FAMILY: &[u8] = b"f";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let (region, wal) = open(dir.path())?;
    put(&region, b"hello", b"world").await?;
    println!("{}", scan(&region)?);
    // A host that is told how much is in memory, and when a flush is wanted, does these in the background.
    region.flush(None)?;
    region.compact(FAMILY, true)?;
    close(&region, &wal).await?;
    let (region, wal) = open(dir.path())?;
    println!("{}", scan(&region)?);
    close(&region, &wal).await
}

/// The region under `dir`, and its log. One program at a time may have them open, once.
pub(crate) fn open(dir: &Path) -> Result<(Arc<Region>, Arc<Wal>), Box<dyn Error>> {
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    // What was acknowledged and is in no store file yet, because the program was killed, is in its logs: it becomes the
    // region's recovered edits, which are replayed when the region opens.
    finback_wal::split_server(&*fs, dir, SERVER, &|_| FlushedSequenceIds::default())?;
    // Logs that the region needs no more are kept until somebody removes them. Who runs for long does this now and then.
    finback_wal::clean_old_logs(&*fs, dir, Duration::ZERO, SystemTime::now())?;
    let wal = Wal::open(Arc::clone(&fs), dir, SERVER, Default::default(), Default::default())?;
    let wal = Arc::new(wal);
    let environment = RegionEnvironment {
        root: finback_layout::RootDir::new(fs, dir),
        wal: Arc::clone(&wal),
        cache: Arc::new(finback_cache::MemoryBlockCache::new(64 << 20)),
        host: Arc::new(PlainHost),
        config: Arc::new(RegionConfig::default()),
    };
    let mut table = TableDescriptor::new(TableName::parse(b"greetings")?);
    table.families.push(ColumnFamilyDescriptor::with_defaults(FAMILY));
    let info = RegionInfo::new(table.name.clone(), "".into(), "".into(), 1);
    Ok((Region::open(environment, info, Arc::new(table), &mut |_, _, _| {})?, wal))
}

/// Closes both. A log that is only dropped ends in the background, and must not be opened anew before that.
pub(crate) async fn close(region: &Region, wal: &Wal) -> Result<(), Box<dyn Error>> {
    region.close()?;
    Ok(wal.close().await?)
}

/// Writes a cell; it is on the disk when this ends.
pub(crate) async fn put(region: &Region, row: &[u8], value: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut cells = CellBlockBuilder::default();
    let (timestamp, type_code) = (LATEST_TIMESTAMP, CellType::Put.code());
    cells.push_parts(&CellParts {
        row,
        family: FAMILY,
        qualifier: b"q",
        timestamp,
        type_code,
        value,
        tags: b"",
    });
    region.mutate(&Mutation::new(MutationKind::Put, row.to_vec().into(), cells.finish())).await?;
    Ok(())
}

/// All rows and their values, as text.
pub(crate) fn scan(region: &Arc<Region>) -> Result<String, Box<dyn Error>> {
    let mut scanner = region.scanner(&Scan::default(), None)?;
    let mut out = ScanOutput::default();
    while let Err(interrupt) = scanner.next(&mut out, &ScanLimits::NONE) {
        scanner.fetch(interrupt)?;
    }
    let text = |cell: finback_cell::Cell<'_>| {
        format!("{}={}", cell.row().escape_ascii(), cell.value().escape_ascii())
    };
    Ok(out.into_cells().iter().map(text).collect::<Vec<_>>().join(", "))
}
