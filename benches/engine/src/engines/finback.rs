//! A region of Finback, embedded: a table of one family, with threads that flush and compact.

use super::Engine;
use crate::settings::Settings;
use finback_cell::{
    CellBlockBuilder, CellType, ColumnFamilyDescriptor, Durability, FamilySelection, LATEST_TIMESTAMP,
    Mutation, MutationKind, RegionInfo, Scan, TableDescriptor, TableName, cell::CellParts,
};
use finback_hfile::{Block, BlockRequest, HFileError};
use finback_region::{
    BoxFuture, Host, Interrupt, PlainHost, Region, RegionConfig, RegionEnvironment, ScanLimits, ScanOutput,
};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak, mpsc};
use std::time::{Duration, SystemTime};

const FAMILY: &[u8] = b"f";
const QUALIFIER: &[u8] = b"q";

/// Bytes of a block: what RocksDB has by default. HBase's 64 KiB is for disks that seek.
const BLOCK_BYTES: &str = "4096";

/// Pairs of one call of a scan.
const PAIRS_PER_CALL: usize = 1000;

struct Finback {
    region: Arc<Region>,
    fs: Arc<dyn finback_fs::FileSystem>,
    wal: Arc<finback_wal::Wal>,
    dir: PathBuf,
    jobs: mpsc::Sender<Job>,
}

enum Job {
    Flush,
    Settle(mpsc::Sender<()>),
}

/// Flushes and compacts in a thread.
struct BackgroundHost {
    plain: PlainHost,
    jobs: Mutex<mpsc::Sender<Job>>,
}

impl Host for BackgroundHost {
    fn now_ms(&self) -> i64 {
        self.plain.now_ms()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.plain.sleep(duration)
    }

    fn pause(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.plain.pause(duration)
    }

    fn fetch(&self, request: BlockRequest) -> BoxFuture<'static, Result<Arc<Block>, HFileError>> {
        self.plain.fetch(request)
    }

    fn flush_wanted(&self, _: &str) {
        // The thread ends with the region, and so does the wish.
        let _ = self.jobs.lock().expect("no panic").send(Job::Flush);
    }

    fn memstore_changed(&self, _: isize) {}
}

pub(super) fn open(dir: &Path, settings: &Settings) -> Result<Box<dyn Engine>, String> {
    try_open(dir, settings).map_err(|error| error.to_string())
}

fn try_open(dir: &Path, settings: &Settings) -> Result<Box<dyn Engine>, Box<dyn std::error::Error>> {
    let fs: Arc<dyn finback_fs::FileSystem> = Arc::new(finback_fs::LocalFileSystem::new());
    let options = finback_wal::WalOptions { sync_mode: finback_wal::SyncMode::Os, ..Default::default() };
    let wal = finback_wal::Wal::open(Arc::clone(&fs), dir, "localhost,0,1", Default::default(), options)?;
    let wal = Arc::new(wal);
    let (jobs, inbox) = mpsc::channel();
    let host = BackgroundHost { plain: PlainHost, jobs: Mutex::new(jobs.clone()) };
    let environment = RegionEnvironment {
        root: finback_layout::RootDir::new(Arc::clone(&fs), dir),
        wal: Arc::clone(&wal),
        cache: Arc::new(finback_cache::MemoryBlockCache::new(settings.cache_bytes as u64)),
        host: Arc::new(host),
        config: Arc::new(RegionConfig {
            flush_size_bytes: settings.write_buffer_bytes as u64,
            ..RegionConfig::default()
        }),
    };
    let mut table = TableDescriptor::new(TableName::parse(b"pairs")?);
    let family = ColumnFamilyDescriptor::with_defaults(FAMILY).with("BLOCKSIZE", BLOCK_BYTES);
    table.families.push(if settings.compress { family.with("COMPRESSION", "LZ4") } else { family });
    let info = RegionInfo::new(table.name.clone(), "".into(), "".into(), 1);
    let region = Region::open(environment, info, Arc::new(table), &mut |_, _, _| {})?;
    let worked_on = Arc::downgrade(&region);
    std::thread::spawn(move || work(&worked_on, &inbox));
    Ok(Box::new(Finback { region, fs, wal, dir: dir.to_owned(), jobs }))
}

/// Flushes when asked; compacts, in a thread of its own, after each flush.
fn work(region: &Weak<Region>, inbox: &mpsc::Receiver<Job>) {
    let (compactions, wanted) = mpsc::channel::<Option<mpsc::Sender<()>>>();
    let compacted = region.clone();
    std::thread::spawn(move || {
        for answer in wanted {
            let Some(region) = compacted.upgrade() else { return };
            while region.compact(FAMILY, false).expect("compaction").is_some() {}
            drop(answer);
        }
    });
    for job in inbox {
        let Some(region) = region.upgrade() else { return };
        region.flush(None).expect("flush");
        let answer = match job {
            Job::Flush => None,
            Job::Settle(answer) => Some(answer),
        };
        compactions.send(answer).expect("the thread lives as long as the region");
    }
}

impl Engine for Finback {
    fn put(&self, key: &[u8], value: &[u8]) {
        let mut cells = CellBlockBuilder::with_capacity(64 + key.len() + value.len());
        let (row, family, qualifier, tags): (_, _, _, &[u8]) = (key, FAMILY, QUALIFIER, b"");
        let (timestamp, type_code) = (LATEST_TIMESTAMP, CellType::Put.code());
        cells.push_parts(&CellParts { row, family, qualifier, timestamp, type_code, value, tags });
        let row = finback_cell::Bytes::copy_from_slice(key);
        let mut put = Mutation::new(MutationKind::Put, row, cells.finish());
        put.durability = Durability::AsyncWal;
        loop {
            match wait_for(self.region.mutate(&put)) {
                Ok(()) => return,
                Err(finback_region::RegionError::TooBusy(_)) => std::thread::sleep(Duration::from_millis(1)),
                Err(error) => panic!("put: {error}"),
            }
        }
    }

    fn get(&self, key: &[u8]) -> Option<usize> {
        let row = finback_cell::Bytes::copy_from_slice(key);
        let column = FamilySelection {
            family: finback_cell::Bytes::from_static(FAMILY),
            qualifiers: Some(vec![finback_cell::Bytes::from_static(QUALIFIER)]),
        };
        let scan = Scan {
            start_row: row.clone(),
            stop_row: row,
            include_stop_row: true,
            families: vec![column],
            ..Scan::default()
        };
        let mut out = ScanOutput::default();
        self.region.get(&scan, &mut out).expect("get");
        out.cells().next().map(|cell| cell.value().len())
    }

    fn seek(&self, key: &[u8], count: usize) -> usize {
        let start_row = finback_cell::Bytes::copy_from_slice(key);
        let mut scanner = self.region.scanner(&Scan { start_row, ..Scan::default() }, None).expect("scanner");
        let mut found = 0;
        let mut out = ScanOutput::default();
        while found < count {
            out.clear();
            let limits = ScanLimits { rows: (count - found).min(PAIRS_PER_CALL), ..ScanLimits::NONE };
            next(&mut scanner, &mut out, &limits);
            if out.is_empty() {
                break;
            }
            found += out.cells().map(std::hint::black_box).count();
        }
        found
    }

    fn settle(&self) {
        let (answer, settled) = mpsc::channel();
        self.jobs.send(Job::Settle(answer)).expect("the thread lives as long as the region");
        // Ends when the sender is dropped.
        let _ = settled.recv();
        // The flush before does not cover what compactions noted in the log.
        self.region.flush(None).expect("flush");
        // Nobody needs the log any more, and there is no master to clean up; the other engines delete theirs, too.
        wait_for(self.wal.roll()).expect("roll");
        finback_wal::clean_old_logs(&*self.fs, &self.dir, Duration::ZERO, SystemTime::now()).expect("clean");
        // The same goes for files that were compacted away.
        let _ = std::fs::remove_dir_all(
            finback_layout::RootDir::new(Arc::clone(&self.fs), &self.dir).archive_dir(),
        );
    }
}

/// Reads on, blocks included.
fn next(scanner: &mut finback_region::RegionScanner, out: &mut ScanOutput, limits: &ScanLimits) {
    loop {
        match scanner.next(out, limits) {
            Ok(_) => return,
            Err(Interrupt::NeedBlock(request)) => scanner.provide(request.read().expect("block")),
            Err(Interrupt::NeedFile(request)) => request.open(),
            Err(Interrupt::Failed(error)) => panic!("scan: {error}"),
        }
    }
}

/// Runs a future that hardly ever waits.
fn wait_for<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    thread_local! {
        static WAKER: std::task::Waker = Arc::new(Unpark(std::thread::current())).into();
    }
    WAKER.with(|waker| {
        let mut context = std::task::Context::from_waker(waker);
        let mut future = std::pin::pin!(future);
        loop {
            match future.as_mut().poll(&mut context) {
                std::task::Poll::Ready(output) => return output,
                std::task::Poll::Pending => std::thread::park(),
            }
        }
    })
}
