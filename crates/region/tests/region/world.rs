//! A file system, a log and a clock for the region under test, and ways to write to it and to read it.

use finback_cell::block::CellIter;
use finback_cell::cell::CellParts;
use finback_cell::{
    Bytes, Cell, CellBlock, CellBlockBuilder, CellType, ColumnFamilyDescriptor, Mutation, MutationKind,
    RegionInfo, Scan, TableDescriptor, TableName,
};
use finback_filter::Filter;
use finback_fs::FileSystem;
use finback_hfile::{Block, BlockCache, BlockPriority, BlockRequest, BlockType, FileId, HFileError};
use finback_layout::RootDir;
use finback_region::{
    BoxFuture, Host, InMemoryCompaction, Interrupt, PlainHost, Region, RegionConfig, RegionEnvironment,
    RegionError, RegionScanner, ScanLimits, ScanOutput, ScanStop, WriteRoom,
};
use finback_wal::{FlushedSequenceIds, SyncMode, Wal, WalCompression, WalKind, WalOptions, split_server};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a test has to do with work for the background.
type Meddling = Box<dyn FnOnce() + Send>;

/// A host whose clock the test sets, and that keeps account.
pub(crate) struct TestHost {
    pub(crate) now_ms: AtomicI64,
    pub(crate) memstore_bytes: AtomicI64,
    pub(crate) flushes_wanted: AtomicU64,
    pub(crate) regions_given_up: AtomicU64,
    /// Blocks that were read.
    pub(crate) fetched: AtomicU64,
    /// Work for the background is done at once, by whoever gives occasion to it: so tests can be repeated.
    pub(crate) has_no_background: AtomicBool,
    /// Done once, within the write that gives occasion to work for the background.
    meddling: Mutex<Option<Meddling>>,
    /// Memory is short above so many bytes in memstores.
    slow_from: AtomicU64,
}

impl TestHost {
    pub(crate) fn new(now_ms: i64) -> Arc<Self> {
        Arc::new(Self {
            now_ms: now_ms.into(),
            memstore_bytes: AtomicI64::new(0),
            flushes_wanted: AtomicU64::new(0),
            regions_given_up: AtomicU64::new(0),
            fetched: AtomicU64::new(0),
            has_no_background: AtomicBool::new(false),
            meddling: Mutex::new(None),
            slow_from: AtomicU64::new(u64::MAX),
        })
    }

    /// Memory is short above so many bytes in memstores.
    pub(crate) fn limit_memory(&self, slow_from: u64) {
        self.slow_from.store(slow_from, Ordering::SeqCst);
    }

    /// Does something, once, within the next write that gives occasion to work for the background.
    pub(crate) fn meddle(&self, meddling: impl FnOnce() + Send + 'static) {
        *self.meddling.lock().unwrap() = Some(Box::new(meddling));
    }

    pub(crate) fn memstore_bytes(&self) -> i64 {
        self.memstore_bytes.load(Ordering::SeqCst)
    }
}

impl Host for TestHost {
    fn now_ms(&self) -> i64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn pause(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.sleep(duration)
    }

    fn fetch(&self, request: BlockRequest) -> BoxFuture<'static, Result<Arc<Block>, HFileError>> {
        self.fetched.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            tokio::task::yield_now().await;
            finback_region::or_without(&request, request.read())
        })
    }

    fn write_room(&self) -> WriteRoom {
        let used = u64::try_from(self.memstore_bytes()).unwrap_or(0);
        WriteRoom { used, slow_from: self.slow_from.load(Ordering::SeqCst), limit: u64::MAX }
    }

    fn flush_wanted(&self, _: &str) {
        self.flushes_wanted.fetch_add(1, Ordering::SeqCst);
    }

    fn region_given_up(&self, _: &str) {
        self.regions_given_up.fetch_add(1, Ordering::SeqCst);
    }

    fn memstore_changed(&self, bytes: isize) {
        self.memstore_bytes.fetch_add(bytes as i64, Ordering::SeqCst);
    }

    fn run_in_background(&self, work: Box<dyn FnOnce() + Send + 'static>) {
        let meddling = self.meddling.lock().unwrap().take();
        if let Some(meddling) = meddling {
            meddling();
        }
        if self.has_no_background.load(Ordering::SeqCst) {
            work();
        } else {
            PlainHost.run_in_background(work);
        }
    }
}

/// A cache that keeps everything, or nothing, so that every block is asked for again and again.
#[derive(Default)]
pub(crate) struct TestCache {
    pub(crate) forgets: bool,
    blocks: Mutex<HashMap<(FileId, u64), Arc<Block>>>,
}

impl TestCache {
    pub(crate) fn new(forgets: bool) -> Arc<Self> {
        Arc::new(Self { forgets, blocks: Mutex::default() })
    }

    pub(crate) fn len(&self) -> usize {
        self.blocks.lock().unwrap().len()
    }
}

impl BlockCache for TestCache {
    fn get(&self, file: FileId, offset: u64, _: BlockPriority) -> Option<Arc<Block>> {
        self.blocks.lock().unwrap().get(&(file, offset)).cloned()
    }

    fn insert(&self, file: FileId, block: &Arc<Block>, _: BlockPriority) {
        if !self.forgets {
            self.blocks.lock().unwrap().insert((file, block.place().offset), Arc::clone(block));
        }
    }

    fn contains(&self, file: FileId, offset: u64) -> bool {
        self.blocks.lock().unwrap().contains_key(&(file, offset))
    }

    fn blocks_of(&self, file: FileId) -> usize {
        self.blocks.lock().unwrap().keys().filter(|key| key.0 == file).count()
    }

    fn evict_file(&self, file: FileId) -> usize {
        let mut blocks = self.blocks.lock().unwrap();
        let before = blocks.len();
        blocks.retain(|key, _| key.0 != file);
        before - blocks.len()
    }
}

/// Where a region lives. Dropping the log of one generation and opening the next is a server's restart.
pub(crate) struct World {
    pub(crate) fs: Arc<dyn FileSystem>,
    pub(crate) root: RootDir,
    pub(crate) host: Arc<TestHost>,
    pub(crate) cache: Arc<TestCache>,
    pub(crate) config: RegionConfig,
    pub(crate) info: RegionInfo,
    pub(crate) table: Arc<TableDescriptor>,
    /// What the descriptor on the disk may be: the one that was read or acknowledged last, and all that were
    /// tried since. Empty: none was written there, and `table` is what counts.
    pub(crate) described: Vec<Arc<TableDescriptor>>,
    generation: u32,
    pub(crate) wal_compression: Option<WalCompression>,
    pub(crate) wal_sync: SyncMode,
    pub(crate) wal: Option<Arc<Wal>>,
}

pub(crate) const ROOT: &str = "/hbase";

/// What a few cells take of an active segment.
pub(crate) const FEW_BYTES: u32 = 300;

impl World {
    pub(crate) fn new(fs: Arc<dyn FileSystem>, families: Vec<ColumnFamilyDescriptor>) -> Self {
        let name = TableName::parse(b"t").unwrap();
        let info = RegionInfo::new(name.clone(), Bytes::new(), Bytes::new(), 1);
        let table = TableDescriptor { families, ..TableDescriptor::new(name) };
        Self::of_region(fs, info, table)
    }

    pub(crate) fn of_region(fs: Arc<dyn FileSystem>, info: RegionInfo, table: TableDescriptor) -> Self {
        Self {
            root: RootDir::new(Arc::clone(&fs), ROOT),
            fs,
            host: TestHost::new(1_000_000),
            cache: TestCache::new(false),
            config: RegionConfig::default(),
            info,
            table: Arc::new(table),
            described: Vec::new(),
            generation: 0,
            wal_compression: None,
            wal_sync: SyncMode::Disk,
            wal: None,
        }
    }

    /// The same place as seen after a crash: another file system, and a new server.
    pub(crate) fn after_crash(&self, fs: Arc<dyn FileSystem>) -> Self {
        let host = TestHost::new(self.host.now_ms());
        host.has_no_background.store(self.host.has_no_background.load(Ordering::SeqCst), Ordering::SeqCst);
        Self {
            root: RootDir::new(Arc::clone(&fs), ROOT),
            fs,
            host,
            cache: TestCache::new(self.cache.forgets),
            config: RegionConfig { mob_files: Arc::default(), ..self.config.clone() },
            info: self.info.clone(),
            table: Arc::clone(&self.table),
            described: self.described.clone(),
            generation: self.generation + 100,
            wal_compression: self.wal_compression,
            wal_sync: self.wal_sync,
            wal: None,
        }
    }

    /// In-memory compaction by `policy`, of active segments of more than a few cells.
    pub(crate) fn compact_in_memory(&mut self, policy: InMemoryCompaction) {
        self.compact_in_memory_above(policy, FEW_BYTES);
    }

    /// The same, of active segments of more than so many bytes.
    pub(crate) fn compact_in_memory_above(&mut self, policy: InMemoryCompaction, bytes: u32) {
        self.config.in_memory_compaction = policy;
        self.config.in_memory_flush_factor =
            f64::from(bytes) * self.table.families.len() as f64 / self.config.flush_size_bytes as f64;
    }

    fn server(&self) -> String {
        format!("host,1,{}", self.generation)
    }

    /// Starts a new server with a log of its own, and no MOB file open.
    pub(crate) fn start_server(&mut self) -> Result<(), RegionError> {
        self.generation += 1;
        self.config.mob_files = Arc::default();
        let fs = Arc::clone(&self.fs);
        // A log that failed is tried again soon: tests wait for it.
        let options = WalOptions {
            reopen_interval: Duration::from_millis(2),
            compression: self.wal_compression,
            sync_mode: self.wal_sync,
            ..WalOptions::default()
        };
        let log = Wal::open(fs, Path::new(ROOT), &self.server(), WalKind::Regions, options)?;
        self.wal = Some(Arc::new(log));
        Ok(())
    }

    /// Opens the region on the server that runs.
    pub(crate) fn open(&self) -> Result<Arc<Region>, RegionError> {
        self.open_with(self.cache.clone())
    }

    /// The same with another block cache.
    pub(crate) fn open_with(&self, cache: Arc<dyn BlockCache>) -> Result<Arc<Region>, RegionError> {
        let environment = RegionEnvironment {
            root: self.root.clone(),
            wal: Arc::clone(self.wal.as_ref().expect("a server")),
            cache,
            host: self.host.clone(),
            config: Arc::new(self.config.clone()),
        };
        Region::open(environment, self.info.clone(), Arc::clone(&self.table), &mut |_, _, _| {})
    }

    /// Writes another descriptor of the table. After an error the one before may be there, or this one.
    pub(crate) fn alter(&mut self, table: TableDescriptor) -> Result<(), RegionError> {
        let table = Arc::new(table);
        self.described.push(Arc::clone(&table));
        self.root.write_table_descriptor(&table)?;
        self.described = vec![table];
        Ok(())
    }

    /// Takes the table's descriptor from the disk, if one was written there. It must be one of those that may be
    /// there, and whoever reads it later, after a crash too, must find the same.
    fn read_table(&mut self) -> Result<(), RegionError> {
        if self.described.is_empty() {
            return Ok(());
        }
        let found = self.root.read_table_descriptor(&self.table.name)?;
        let known = self.described.iter().find(|table| ***table == found);
        let known =
            known.unwrap_or_else(|| panic!("{found:?} on the disk, and not one of {:?}", self.described));
        self.table = Arc::clone(known);
        self.described = vec![Arc::clone(&self.table)];
        Ok(())
    }

    /// Opens the region on the server that runs, by the descriptor on the disk, if one was written there.
    pub(crate) fn reopen(&mut self) -> Result<Arc<Region>, RegionError> {
        self.read_table()?;
        self.open()
    }

    /// Splits the logs of all servers before the next one.
    pub(crate) fn split_logs(&self) -> Result<(), RegionError> {
        for server in (0..=self.generation).map(|generation| format!("host,1,{generation}")) {
            split_server(&*self.fs, Path::new(ROOT), &server, &|_| FlushedSequenceIds::default())?;
        }
        Ok(())
    }

    /// Starts a server and opens the region.
    pub(crate) fn start(&mut self) -> Result<Arc<Region>, RegionError> {
        self.start_server()?;
        self.reopen()
    }

    /// What a cluster does after a server's death.
    pub(crate) fn recover(&mut self) -> Result<Arc<Region>, RegionError> {
        self.split_logs()?;
        self.start()
    }
}

/// A family with HBase's defaults and so many versions.
pub(crate) fn family(name: &str, versions: u32) -> ColumnFamilyDescriptor {
    ColumnFamilyDescriptor::with_defaults(name.as_bytes()).with("VERSIONS", &versions.to_string())
}

/// A cell in plain words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Plain {
    pub(crate) row: Vec<u8>,
    pub(crate) family: Vec<u8>,
    pub(crate) qualifier: Vec<u8>,
    pub(crate) timestamp: i64,
    pub(crate) type_code: u8,
    pub(crate) value: Vec<u8>,
}

impl From<&Cell<'_>> for Plain {
    fn from(cell: &Cell<'_>) -> Self {
        Self {
            row: cell.row().to_vec(),
            family: cell.family().to_vec(),
            qualifier: cell.qualifier().to_vec(),
            timestamp: cell.timestamp(),
            type_code: cell.type_code(),
            value: cell.value().to_vec(),
        }
    }
}

impl Plain {
    pub(crate) fn parts(&self) -> CellParts<'_> {
        CellParts {
            row: &self.row,
            family: &self.family,
            qualifier: &self.qualifier,
            timestamp: self.timestamp,
            type_code: self.type_code,
            value: &self.value,
            tags: b"",
        }
    }
}

/// Fails unless they are the same. The first difference says more than all cells do.
pub(crate) fn check_same(found: &[Plain], expected: &[Plain], what: &str) {
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found, expected, "{what}: cell {at}");
    }
    assert_eq!(found.len(), expected.len(), "{what}");
}

/// A mutation of one cell.
pub(crate) fn mutation(
    kind: MutationKind,
    cell_type: CellType,
    column: (&str, &str, &str),
    timestamp: i64,
    value: &[u8],
) -> Mutation {
    let (row, family, qualifier) = column;
    let parts = CellParts {
        row: row.as_bytes(),
        family: family.as_bytes(),
        qualifier: qualifier.as_bytes(),
        timestamp,
        type_code: cell_type.code(),
        value,
        tags: b"",
    };
    mutation_of(kind, row.as_bytes(), std::iter::once(parts))
}

/// A mutation of some cells.
pub(crate) fn mutation_of<'a>(
    kind: MutationKind,
    row: &[u8],
    cells: impl IntoIterator<Item = CellParts<'a>>,
) -> Mutation {
    let mut block = CellBlockBuilder::default();
    for parts in cells {
        block.push_parts(&parts);
    }
    Mutation::new(kind, Bytes::copy_from_slice(row), block.finish())
}

pub(crate) fn put(column: (&str, &str, &str), value: &[u8]) -> Mutation {
    mutation(MutationKind::Put, CellType::Put, column, finback_cell::LATEST_TIMESTAMP, value)
}

pub(crate) fn increment(column: (&str, &str, &str), delta: i64) -> Mutation {
    let value = delta.to_be_bytes();
    mutation(MutationKind::Increment, CellType::Put, column, finback_cell::LATEST_TIMESTAMP, &value)
}

/// One result of a scan: its cells, and whether its row goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResultRow {
    pub(crate) cells: Vec<Plain>,
    pub(crate) partial: bool,
}

/// What a scan finds, and how many data blocks it reads.
pub(crate) fn scan_counting_blocks(region: &Region, scan: &Scan) -> (Vec<ResultRow>, usize) {
    let mut scanner = region.scanner(scan, None).unwrap();
    let (mut out, mut data_blocks) = (ScanOutput::default(), 0);
    loop {
        match scanner.next(&mut out, &ScanLimits::NONE) {
            Ok(_) => return (results_of(&out), data_blocks),
            Err(Interrupt::NeedBlock(request)) => {
                let block = request.read().unwrap();
                data_blocks += usize::from(block.block_type() == BlockType::Data);
                scanner.provide(block);
            }
            Err(other) => scanner.fetch(other).unwrap(),
        }
    }
}

/// Takes a reply apart, checking that its numbers agree.
pub(crate) fn results_of(out: &ScanOutput) -> Vec<ResultRow> {
    let mut cells = CellIter::over_checked(&out.cells);
    let results: Vec<ResultRow> = out
        .counts
        .iter()
        .zip(out.partial_flags())
        .map(|(&count, partial)| {
            let cells: Vec<Plain> =
                cells.by_ref().take(count as usize).map(|cell| Plain::from(&cell)).collect();
            assert_eq!(cells.len(), count as usize);
            assert!(count > 0 && cells.iter().all(|cell| cell.row == cells[0].row));
            ResultRow { cells, partial }
        })
        .collect();
    assert!(cells.next().is_none(), "cells that no result has");
    CellBlock::parse(out.cells.clone().into()).expect("a cell block");
    results
}

/// One call of a scanner, with the blocks that it asks for.
pub(crate) fn next(
    scanner: &mut RegionScanner,
    out: &mut ScanOutput,
    limits: &ScanLimits,
) -> Result<ScanStop, RegionError> {
    // More blocks than any test has: a read that asks for ever fails here.
    for _ in 0..100_000 {
        let most = limits.turn_bytes.max(scanner.next_cell_bytes()).saturating_add(scanner.carried_bytes());
        let end = out.cells.len().saturating_add(most);
        let stop = scanner.next(out, limits);
        assert!(out.cells.len() <= end, "a cell went beyond of which that was not told");
        match stop {
            Ok(stop) => return Ok(stop),
            Err(interrupt) => scanner.fetch(interrupt)?,
        }
    }
    panic!("a scan does not come to its end");
}

/// All cells of a scan.
pub(crate) fn scan(
    region: &Region,
    scan: &Scan,
    filter: Option<Box<dyn Filter>>,
) -> Result<Vec<Plain>, RegionError> {
    let mut scanner = region.scanner(scan, filter)?;
    rest(&mut scanner)
}

/// Asks for each of the first rows by a get, with what the scan asks for, and with its columns alone: what is found at once is what a
/// scanner finds. How many were found at once, and how many were not.
pub(crate) fn compare_plain_gets(region: &Region, scan: &Scan) -> Result<(usize, usize), RegionError> {
    let mut all = ScanOutput::default();
    let raw = Scan { raw: true, max_versions: u32::MAX, ..Scan::default() };
    next(&mut region.scanner(&raw, None)?, &mut all, &ScanLimits { rows: 8, ..ScanLimits::NONE })?;
    let simple = Scan { families: scan.families.clone(), ..Scan::default() };
    let (mut plain, mut others) = (0, 0);
    for row in results_of(&all).into_iter().map(|result| Bytes::from(result.cells[0].row.clone())) {
        for scan in [scan, &simple] {
            let (start_row, stop_row) = (row.clone(), row.clone());
            let get = Scan { start_row, include_start_row: true, reversed: false, ..scan.clone() };
            let get = Scan { stop_row, include_stop_row: true, ..get };
            match find_at_once(region, &get)? {
                Some(_) => plain += 1,
                None => others += 1,
            }
        }
    }
    Ok((plain, others))
}

/// What a get finds at once, if that can be; it is all that a scanner finds.
pub(crate) fn find_at_once(region: &Region, get: &Scan) -> Result<Option<Vec<Plain>>, RegionError> {
    let mut out = ScanOutput::behind(b"before".to_vec());
    if !region.find_plain(get, &mut out, usize::MAX) {
        assert!(out.cells == b"before" && out.counts.is_empty());
        return Ok(None);
    }
    assert_eq!(out.take_before(6), b"before");
    let found: Vec<Plain> = results_of(&out).into_iter().flat_map(|result| result.cells).collect();
    assert_eq!(found, rest(&mut region.scanner(get, None)?)?, "{get:?}");
    Ok(Some(found))
}

/// All cells that a scanner still has.
pub(crate) fn rest(scanner: &mut RegionScanner) -> Result<Vec<Plain>, RegionError> {
    let mut out = ScanOutput::default();
    next(scanner, &mut out, &ScanLimits::NONE)?;
    Ok(results_of(&out).into_iter().flat_map(|result| result.cells).collect())
}

/// Runs a future with a runtime of its own.
pub(crate) fn run<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

/// The newest value of a column.
pub(crate) fn value(region: &Region, column: (&str, &str, &str)) -> Option<Vec<u8>> {
    let get = finback_cell::Get::new(Bytes::copy_from_slice(column.0.as_bytes()));
    let cells = scan(region, &get.scan, None).unwrap();
    let wanted = |cell: &Plain| cell.family == column.1.as_bytes() && cell.qualifier == column.2.as_bytes();
    cells.into_iter().find(wanted).map(|cell| cell.value)
}

/// The newest value of a column as a number; 0 without one.
pub(crate) fn number(region: &Region, column: (&str, &str, &str)) -> i64 {
    value(region, column).map_or(0, |value| i64::from_be_bytes(value.try_into().expect("8 bytes")))
}
