//! A major compaction of four store files.

use crate::Result;
use crate::cells::{FAMILY, put, row, value};
use crate::directory::Directory;
use crate::hot_path::HotPath;
use finback_cell::{
    CellBlockBuilder, ColumnFamilyDescriptor, Durability, Mutation, MutationKind, RegionInfo,
    TableDescriptor, TableName,
};
use finback_fs::{FileSystem, LocalFileSystem};
use finback_layout::RootDir;
use finback_region::{CompactionOutcome, PlainHost, Region, RegionConfig, RegionEnvironment};
use finback_wal::Wal;
use std::path::Path;
use std::sync::Arc;
use tokio::runtime::Runtime;

const FILES: usize = 4;
/// In all files together.
const ROWS: usize = 2_000;
const CACHE_BYTES: u64 = 16 << 20;

struct Merge {
    runtime: Runtime,
    /// On a disk: files in memory would grow by copying themselves, or not.
    directory: Option<Directory>,
    region: Option<Arc<Region>>,
    outcome: Option<CompactionOutcome>,
}

/// Every file has every fourth row.
pub(crate) fn merge() -> Result<Box<dyn HotPath>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    Ok(Box::new(Merge { runtime, directory: None, region: None, outcome: None }))
}

impl HotPath for Merge {
    fn prepare(&mut self, _number: usize) -> Result<()> {
        let directory = Directory::new()?;
        let region = open(directory.path())?;
        for file in 0..FILES {
            let rows: Vec<_> = (file..ROWS).step_by(FILES).map(mutation).collect();
            let written = self.runtime.block_on(region.batch(rows));
            written.into_iter().collect::<std::result::Result<(), _>>()?;
            region.flush(None)?;
        }
        (self.directory, self.region) = (Some(directory), Some(region));
        Ok(())
    }

    fn call(&mut self) -> Result<()> {
        let region = self.region.as_ref().ok_or("no region")?;
        self.outcome = region.compact(FAMILY, true)?;
        Ok(())
    }

    fn check(&mut self) -> Result<()> {
        let outcome = self.outcome.take().ok_or("nothing was compacted")?;
        assert_eq!((outcome.inputs, outcome.cells_written), (FILES, ROWS as u64), "{outcome:?}");
        self.region.take().ok_or("no region")?.close()?;
        self.directory = None;
        Ok(())
    }
}

fn open(root: &Path) -> Result<Arc<Region>> {
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let wal = Wal::open(Arc::clone(&fs), root, "localhost,0,1", Default::default(), Default::default())?;
    let environment = RegionEnvironment {
        root: RootDir::new(fs, root),
        wal: Arc::new(wal),
        cache: Arc::new(finback_cache::LruLikeCache::new(CACHE_BYTES)),
        host: Arc::new(PlainHost),
        config: Arc::new(RegionConfig::default()),
    };
    let mut table = TableDescriptor::new(TableName::parse(b"merged")?);
    table.families.push(ColumnFamilyDescriptor::with_defaults(FAMILY));
    let info = RegionInfo::new(table.name.clone(), "".into(), "".into(), 1);
    Ok(Region::open(environment, info, Arc::new(table), &mut |_, _| {})?)
}

fn mutation(number: usize) -> Mutation {
    let row = row(number);
    let mut cells = CellBlockBuilder::default();
    cells.push_parts(&put(&row, &value(number)));
    Mutation { durability: Durability::SkipWal, ..Mutation::new(MutationKind::Put, row, cells.finish()) }
}
