//! The smallest program that embeds a region: it opens one in a directory, writes a cell, reads it, and closes.

use finback_cell::{
    CellBlockBuilder, CellType, ColumnFamilyDescriptor, LATEST_TIMESTAMP, Mutation, MutationKind, RegionInfo,
    Scan, TableDescriptor, TableName, cell::CellParts,
};
use finback_region::{Interrupt, PlainHost, Region, RegionConfig, RegionEnvironment, ScanLimits, ScanOutput};
use std::{error::Error, path::Path, sync::Arc};

fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    println!("{}", write_and_read(dir.path())?);
    Ok(())
}

/// Writes one cell into a region under `dir`, and gives back what a scan then finds.
#[tokio::main(flavor = "current_thread")]
pub(crate) async fn write_and_read(dir: &Path) -> Result<String, Box<dyn Error>> {
    let fs: Arc<dyn finback_fs::FileSystem> = Arc::new(finback_fs::LocalFileSystem::new());
    let wal = finback_wal::Wal::open(
        Arc::clone(&fs),
        dir,
        "localhost,0,1",
        Default::default(),
        Default::default(),
    )?;
    let environment = RegionEnvironment {
        root: finback_layout::RootDir::new(fs, dir),
        wal: Arc::new(wal),
        cache: Arc::new(finback_cache::MemoryBlockCache::new(64 << 20)),
        host: Arc::new(PlainHost),
        config: Arc::new(RegionConfig::default()),
    };
    let mut table = TableDescriptor::new(TableName::parse(b"greetings")?);
    table.families.push(ColumnFamilyDescriptor::with_defaults(b"f"));
    let info = RegionInfo::new(table.name.clone(), "".into(), "".into(), 1);
    let region = Region::open(environment, info, Arc::new(table), &mut |_, _, _| {})?;

    let mut cells = CellBlockBuilder::default();
    let (row, family, qualifier, value, tags): (_, _, _, _, &[u8]) = (b"hello", b"f", b"q", b"world", b"");
    let (timestamp, type_code) = (LATEST_TIMESTAMP, CellType::Put.code());
    cells.push_parts(&CellParts { row, family, qualifier, timestamp, type_code, value, tags });
    let put = Mutation::new(MutationKind::Put, "hello".into(), cells.finish());
    region.mutate(&put).await?;

    let mut scanner = region.scanner(&Scan::default(), None)?;
    let mut out = ScanOutput::default();
    while let Err(interrupt) = scanner.next(&mut out, &ScanLimits::NONE) {
        match interrupt {
            Interrupt::NeedBlock(request) => scanner.provide(request.read()?),
            Interrupt::Failed(error) => return Err(error.into()),
        }
    }
    let text = |cell: finback_cell::Cell<'_>| {
        format!("{}={}", cell.row().escape_ascii(), cell.value().escape_ascii())
    };
    let found: Vec<String> = out.into_cells().iter().map(text).collect();
    region.close()?;
    Ok(found.join(", "))
}
