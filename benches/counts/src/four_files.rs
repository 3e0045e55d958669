//! A region whose rows are in four store files.

use crate::Result;
use crate::cells::{FAMILY, put, row, value};
use crate::directory::Directory;
use finback_cell::{
    CellBlockBuilder, ColumnFamilyDescriptor, Durability, Mutation, MutationKind, RegionInfo,
    TableDescriptor, TableName,
};
use finback_fs::{FileSystem, LocalFileSystem};
use finback_layout::RootDir;
use finback_region::{PlainHost, Region, RegionConfig, RegionEnvironment};
use finback_wal::Wal;
use std::path::Path;
use std::sync::Arc;
use tokio::runtime::Runtime;

pub(crate) const FILES: usize = 4;
/// In all files together.
pub(crate) const ROWS: usize = 2_000;
const CACHE_BYTES: u64 = 16 << 20;

/// The region, and where it is.
pub(crate) struct FourFiles {
    pub(crate) region: Arc<Region>,
    /// On a disk: files in memory would grow by copying themselves, or not. Removed when dropped.
    _directory: Directory,
}

impl FourFiles {
    /// Each file has the rows that `is_in`, given the numbers of the row and of the file, says.
    pub(crate) fn write(runtime: &Runtime, is_in: impl Fn(usize, usize) -> bool) -> Result<Self> {
        let directory = Directory::new()?;
        let region = open(directory.path())?;
        for file in 0..FILES {
            let rows: Vec<_> = (0..ROWS).filter(|&row| is_in(row, file)).map(mutation).collect();
            let written = runtime.block_on(region.batch(rows));
            written.into_iter().collect::<std::result::Result<(), _>>()?;
            region.flush(None)?;
        }
        Ok(Self { region, _directory: directory })
    }
}

fn open(root: &Path) -> Result<Arc<Region>> {
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let wal = Wal::open(Arc::clone(&fs), root, "localhost,0,1", Default::default(), Default::default())?;
    let environment = RegionEnvironment {
        root: RootDir::new(fs, root),
        wal: Arc::new(wal),
        cache: Arc::new(finback_cache::MemoryBlockCache::new(CACHE_BYTES)),
        host: Arc::new(PlainHost),
        config: Arc::new(RegionConfig::default()),
    };
    let mut table = TableDescriptor::new(TableName::parse(b"merged")?);
    table.families.push(ColumnFamilyDescriptor::with_defaults(FAMILY));
    let info = RegionInfo::new(table.name.clone(), "".into(), "".into(), 1);
    Ok(Region::open(environment, info, Arc::new(table), &mut |_, _, _| {})?)
}

fn mutation(number: usize) -> Mutation {
    let row = row(number);
    let mut cells = CellBlockBuilder::default();
    cells.push_parts(&put(&row, &value(number)));
    Mutation { durability: Durability::SkipWal, ..Mutation::new(MutationKind::Put, row, cells.finish()) }
}
