//! What a get allocates when it finds its block in the cache: room for the reply, into which the cells are copied, and
//! nothing else of their size. An allocator counts.

use finback_cell::cell::CellParts;
use finback_cell::{
    Bytes, CellBlockBuilder, CellType, ColumnFamilyDescriptor, Get, LATEST_TIMESTAMP, Mutation, MutationKind,
    RegionInfo, TableDescriptor, TableName,
};
use finback_fs::{FileSystem, MemFileSystem};
use finback_region::{Interrupt, PlainHost, Region, RegionConfig, RegionEnvironment, ScanLimits, ScanOutput};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

thread_local! {
    /// Allocations of this thread since it was set: how many, how many large ones, and bytes. `None`: nobody counts.
    static COUNTED: Cell<Option<Counted>> = const { Cell::new(None) };
}

#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    large: usize,
    bytes: usize,
}

/// The system's allocator, counting.
struct Counting;

fn count(bytes: usize) {
    // A thread that ends has no cell any more.
    let _ = COUNTED.try_with(|counted| {
        if let Some(Counted { large, bytes: before }) = counted.get() {
            let large = large + usize::from(bytes >= VALUE_BYTES);
            counted.set(Some(Counted { large, bytes: before + bytes }));
        }
    });
}

// SAFETY: every call is passed on to the system's allocator as it came; counting allocates nothing.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from `System`, with this layout.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(new_size);
        // SAFETY: the block came from `System`, with this layout.
        unsafe { System.realloc(block, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const VALUE_BYTES: usize = 200_000;
/// What scanners, keys and lists take, whatever the size of the cells.
const SMALL_BYTES: usize = 16 << 10;

fn region(encoding: &str) -> Arc<Region> {
    let fs: Arc<dyn FileSystem> = Arc::new(MemFileSystem::new());
    let root = Path::new("/hbase");
    let wal = finback_wal::Wal::open(
        Arc::clone(&fs),
        root,
        "localhost,0,1",
        Default::default(),
        Default::default(),
    );
    let environment = RegionEnvironment {
        root: finback_layout::RootDir::new(fs, root),
        wal: Arc::new(wal.unwrap()),
        cache: Arc::new(finback_cache::MemoryBlockCache::new(64 << 20)),
        host: Arc::new(PlainHost),
        config: Arc::new(RegionConfig::default()),
    };
    let mut table = TableDescriptor::new(TableName::parse(b"t").unwrap());
    let family = ColumnFamilyDescriptor::with_defaults(b"f");
    table.families.push(family.with("DATA_BLOCK_ENCODING", encoding).with("COMPRESSION", "SNAPPY"));
    let info = RegionInfo::new(table.name.clone(), "".into(), "".into(), 1);
    Region::open(environment, info, Arc::new(table), &mut |_, _, _| {}).unwrap()
}

async fn put(region: &Region, row: &str) {
    let mut cells = CellBlockBuilder::default();
    cells.push_parts(&CellParts {
        row: row.as_bytes(),
        family: b"f",
        qualifier: b"q",
        timestamp: LATEST_TIMESTAMP,
        type_code: CellType::Put.code(),
        value: &vec![row.as_bytes()[0]; VALUE_BYTES],
        tags: b"",
    });
    let row = Bytes::copy_from_slice(row.as_bytes());
    region.batch(vec![Mutation::new(MutationKind::Put, row, cells.finish())]).await.remove(0).unwrap();
}

/// Reads a row; says how often it had to wait for a block.
fn get(region: &Region, row: &'static str, out: &mut ScanOutput) -> usize {
    let mut blocks = 0;
    let mut scanner = region.scanner(&Get::new(row.into()).scan, None).unwrap();
    loop {
        match scanner.next(out, &ScanLimits::NONE) {
            Ok(_) => return blocks,
            Err(Interrupt::NeedBlock(request)) => {
                blocks += 1;
                scanner.provide(request.read().unwrap());
            }
            Err(other) => scanner.fetch(other).unwrap(),
        }
    }
}

#[tokio::test]
async fn room_for_the_reply_is_all_that_is_allocated_of_the_cells_size() {
    for encoding in ["NONE", "ROW_INDEX_V1", "FAST_DIFF"] {
        let region = region(encoding);
        for row in ["a", "b", "c"] {
            put(&region, row).await;
        }
        region.flush(None).unwrap();
        assert!(get(&region, "b", &mut ScanOutput::default()) > 0, "the blocks are not in memory yet");
        let mut out = ScanOutput::default();
        COUNTED.set(Some(Counted::default()));
        let blocks = get(&region, "b", &mut out);
        let counted = COUNTED.take().unwrap();
        assert_eq!(blocks, 0, "the cache has them");
        assert!(out.cells.ends_with(&[b'b'; VALUE_BYTES]));
        assert_eq!(counted.large, 1, "{encoding}: {counted:?}");
        assert!(counted.bytes <= out.cells.len() + SMALL_BYTES, "{encoding}: {counted:?}");
    }
}
