//! Reads that find everything in memory are answered at once; the blocks that others need are read side by side.

use crate::world::{FAMILY, LONG, Table, World, region_info, row_name, text};
use finback_cell::{Bytes, ColumnFamilyDescriptor};
use finback_fs::{DirEntry, FileSystem, FsError, LockGuard, Metadata, RandomAccessFile, WritableFile};
use finback_layout::RootDir;
use finback_proto::{convert, pb};
use finback_regionserver::ClientService;
use finback_rpc::{Call, ChannelExt, Loopback, Outcome, Service};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

/// How many reads are under way, and how many there were at most.
#[derive(Debug, Default)]
struct Reads {
    /// How many reads must be under way before one of them is done; 0: none waits.
    gather: usize,
    now: usize,
    most: usize,
    all: usize,
}

#[derive(Debug, Default)]
struct Gate {
    reads: Mutex<Reads>,
    changed: Condvar,
}

impl Gate {
    fn gather(&self, reads: usize) {
        *self.reads.lock().unwrap() = Reads { gather: reads, ..Reads::default() };
    }

    /// A read: it ends when enough of them are under way, or when the test has waited too long.
    fn pass(&self) {
        let mut reads = self.reads.lock().unwrap();
        reads.now += 1;
        reads.all += 1;
        reads.most = reads.most.max(reads.now);
        self.changed.notify_all();
        let since = Instant::now();
        while reads.most < reads.gather && since.elapsed() < LONG {
            reads = self.changed.wait_timeout(reads, LONG).unwrap().0;
        }
        reads.now -= 1;
    }
}

/// A device that every read of a store file must wait for.
#[derive(Debug)]
struct Device {
    inner: Arc<dyn FileSystem>,
    gate: Arc<Gate>,
}

#[derive(Debug)]
struct File {
    inner: Arc<dyn RandomAccessFile>,
    gate: Arc<Gate>,
}

impl RandomAccessFile for File {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        self.inner.read_at(offset, buf)
    }
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.gate.pass();
        self.inner.read_exact_at(offset, buf)
    }
    fn read_at_nowait(&self, _: u64, _: &mut [u8]) -> io::Result<Option<()>> {
        Ok(None)
    }
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }
}

impl FileSystem for Device {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn RandomAccessFile>> {
        Ok(Arc::new(File { inner: self.inner.open(path)?, gate: Arc::clone(&self.gate) }))
    }
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn WritableFile>> {
        self.inner.create_new(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename(from, to)
    }
    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.hard_link(from, to)
    }
    fn sync_file(&self, path: &Path) -> io::Result<()> {
        self.inner.sync_file(path)
    }
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.inner.remove_file(path)
    }
    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.inner.remove_dir_all(path)
    }
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.inner.create_dir_all(path)
    }
    fn list(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        self.inner.list(path)
    }
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.inner.metadata(path)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.inner.sync_dir(path)
    }
    fn available_space(&self, path: &Path) -> io::Result<u64> {
        self.inner.available_space(path)
    }
    fn lock_exclusive(&self, path: &Path) -> Result<LockGuard, FsError> {
        self.inner.lock_exclusive(path)
    }
}

/// A client service that counts the calls that were answered without a hand-over.
struct Watched {
    service: ClientService,
    at_once: Arc<AtomicUsize>,
}

impl Service for Watched {
    fn name(&self) -> &'static str {
        self.service.name()
    }

    fn call(&self, call: Call) -> Outcome {
        let outcome = self.service.call(call);
        self.at_once.fetch_add(usize::from(matches!(outcome, Outcome::Ready(_))), Ordering::Relaxed);
        outcome
    }
}

const ROWS: usize = 100;
/// Blocks that the server reads at a time.
const AT_ONCE: usize = 64;

struct Setting {
    gate: Arc<Gate>,
    world: World,
    client: Loopback,
    at_once: Arc<AtomicUsize>,
}

impl Setting {
    fn new() -> Self {
        let gate = Arc::new(Gate::default());
        let world = World::with(|options| {
            let device = Device { inner: Arc::clone(options.root.fs()), gate: Arc::clone(&gate) };
            options.root = RootDir::new(Arc::new(device), options.root.path());
        });
        let at_once = Arc::new(AtomicUsize::new(0));
        let service = ClientService::new(Arc::clone(&world.server));
        let client = Loopback::new(Arc::new(Watched { service, at_once: Arc::clone(&at_once) }));
        Self { gate, world, client, at_once }
    }

    /// A table with a block for each row, in one file.
    async fn table(&self) -> Table<'_> {
        let family = ColumnFamilyDescriptor::with_defaults(FAMILY);
        let family = family.with("BLOCKSIZE", "64").with("BLOOMFILTER", "NONE");
        self.world.create_table(&region_info("t", "", ""), vec![family]);
        let table = self.world.table("t").await;
        table.fill(0..ROWS, &[b'v'; 100]).await;
        table.flush().await.unwrap();
        table
    }

    async fn get_all(&self, table: &Table<'_>) -> (pb::MultiResponse, Bytes) {
        let get = |row: usize| {
            let get = pb::Get { row: row_name(row).into(), ..Default::default() };
            pb::Action { index: Some(row as u32), get: Some(Box::new(get)), ..Default::default() }
        };
        let action = (0..ROWS).map(get).collect();
        let region_action =
            vec![pb::RegionAction { region: table.region.clone(), action, ..Default::default() }];
        let request = pb::MultiRequest { region_action, ..Default::default() };
        self.client.call("Multi", &request, Bytes::new()).await.unwrap()
    }
}

fn assert_all((response, mut cells): (pb::MultiResponse, Bytes)) {
    let results = &response.region_action_result[0].result_or_exception;
    assert_eq!(results.len(), ROWS);
    for (row, result) in results.iter().enumerate() {
        let found = convert::decode_result(result.result.as_ref().unwrap(), &mut cells).unwrap();
        let found: Vec<String> = found.iter().map(|cell| text(cell.row())).collect();
        assert_eq!(found, [row_name(row)], "answers stand in their places");
    }
    assert!(cells.is_empty());
}

#[tokio::test]
async fn cold_rows_are_read_side_by_side_and_then_answered_from_memory_at_once() {
    let setting = Setting::new();
    let table = setting.table().await;
    setting.gate.gather(AT_ONCE);
    assert_all(setting.get_all(&table).await);
    {
        let reads = setting.gate.reads.lock().unwrap();
        assert_eq!((reads.most, reads.all, reads.now), (AT_ONCE, ROWS, 0), "each block once");
    }
    assert_eq!(setting.at_once.load(Ordering::Relaxed), 0);
    assert_all(setting.get_all(&table).await);
    assert_eq!(setting.at_once.load(Ordering::Relaxed), 1, "without a hand-over");
    assert_eq!(setting.gate.reads.lock().unwrap().all, ROWS);
}

#[tokio::test]
async fn gets_that_need_the_same_block_share_one_read() {
    let setting = Setting::new();
    let table = setting.table().await;
    let get = pb::Get { row: row_name(7).into(), ..Default::default() };
    let action = pb::Action { get: Some(Box::new(get)), ..Default::default() };
    setting.gate.gather(1);
    let results = table.multi(vec![action; 50]).await;
    assert!(results.iter().all(|result| result.exception.is_none()));
    // The seek of a row's first cell may have to look into the block before it.
    let all = setting.gate.reads.lock().unwrap().all;
    assert!((1..=2).contains(&all), "{all}");
}
