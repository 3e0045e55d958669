//! A region server with a table of open regions and no master, for programs that measure.
#![allow(dead_code)] // Each of them uses a part of it.

use finback_cache::MemoryBlockCache;
use finback_cell::cell::CellParts;
use finback_cell::{
    Bytes, CellBlockBuilder, CellType, ColumnFamilyDescriptor, LATEST_TIMESTAMP, Mutation, MutationKind,
    RegionInfo, ServerName, TableDescriptor, TableName,
};
use finback_fs::FileSystem;
use finback_layout::RootDir;
use finback_proto::pb;
use finback_region::{PlainHost, Region, RegionConfig, RegionEnvironment};
use finback_regionserver::{
    AdminService, BackgroundOptions, MobOptions, RegionServer, RegionServerOptions, SlowCallOptions,
};
use finback_rpc::{Call, Channel, ChannelExt, Loopback, Outcome, ReplyMemory, Service, exceptions};
use finback_wal::{Wal, WalKind, WalOptions};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Regions in one request, as a master's procedures send many.
const REGIONS_PER_REQUEST: usize = 500;

const FAMILY: &[u8] = b"f";

/// What the regions have when they are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Nothing,
    /// A row in a store file with a ROW Bloom filter, as families have by default.
    FlushedRow,
}

/// What the process has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    pub(crate) resident_bytes: u64,
    pub(crate) threads: u64,
    pub(crate) descriptors: usize,
}

impl Process {
    pub(crate) fn now() -> Self {
        Self {
            resident_bytes: of_status("VmRSS:") << 10,
            threads: of_status("Threads:"),
            descriptors: std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count),
        }
    }
}

/// A number that the kernel tells of this process.
fn of_status(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The most that is resident from the moment on in which this is made.
struct Peak(());

impl Peak {
    /// None where the kernel does not let the process's peak begin anew.
    fn begin() -> Option<Self> {
        std::fs::write("/proc/self/clear_refs", "5").ok().map(Self)
    }

    fn bytes(&self) -> u64 {
        of_status("VmHWM:") << 10
    }
}

/// A server with many regions.
pub(crate) struct Opened {
    pub(crate) server: Arc<RegionServer>,
    pub(crate) before: Process,
    pub(crate) after: Process,
    /// Since before the first was opened.
    peak: Option<Peak>,
    /// Of the first of them.
    pub(crate) region_name: Bytes,
    /// How long it took to make their directories, and their files.
    pub(crate) made: Duration,
    /// How long it took to open them.
    pub(crate) took: Duration,
}

impl Opened {
    pub(crate) fn bytes_per_region(&self, regions: usize) -> u64 {
        self.after.resident_bytes.saturating_sub(self.before.resident_bytes) / regions.max(1) as u64
    }

    /// What was resident at the worst moment since before the first was opened, if that is known.
    pub(crate) fn peak_bytes(&self) -> Option<u64> {
        self.peak.as_ref().map(Peak::bytes)
    }

    /// The same for each region, as [`Opened::bytes_per_region`].
    pub(crate) fn peak_bytes_per_region(&self, regions: usize) -> Option<u64> {
        Some(self.peak_bytes()?.saturating_sub(self.before.resident_bytes) / regions.max(1) as u64)
    }
}

/// Makes a table of so many empty regions, and opens them all.
pub(crate) async fn open_regions(fs: Arc<dyn FileSystem>, directory: &Path, regions: usize) -> Opened {
    open_regions_of(Content::Nothing, fs, directory, regions).await
}

/// Makes a table of so many regions that have that, and opens them all.
pub(crate) async fn open_regions_of(
    content: Content,
    fs: Arc<dyn FileSystem>,
    directory: &Path,
    regions: usize,
) -> Opened {
    let root = RootDir::new(fs, directory.join("hbase"));
    root.initialize().expect("a root directory");
    let table = TableName::parse(b"many").expect("a table name");
    let infos: Vec<RegionInfo> = (0..regions).map(|number| region(&table, number, regions)).collect();
    let families = vec![ColumnFamilyDescriptor::with_defaults(FAMILY)];
    let descriptor = TableDescriptor { families, ..TableDescriptor::new(table) };
    let begun = Instant::now();
    root.create_table_dir(&descriptor, &infos).expect("a table's directory");
    if content == Content::FlushedRow {
        flush_rows(&root, descriptor, &infos).await;
    }
    let made = begun.elapsed();
    let master = Arc::new(CountingMaster::default());
    let server = start(root, &master);
    let admin = Loopback::new(Arc::new(AdminService::new(Arc::clone(&server))));
    let peak = Peak::begin();
    let before = Process::now();
    let begun = Instant::now();
    for infos in infos.chunks(REGIONS_PER_REQUEST) {
        let open_info = infos.iter().map(|info| pb::open_region_request::RegionOpenInfo {
            region: info.into(),
            ..Default::default()
        });
        let request = pb::OpenRegionRequest { open_info: open_info.collect(), ..Default::default() };
        let answer: Result<(pb::OpenRegionResponse, _), _> =
            admin.call("OpenRegion", &request, Bytes::new()).await;
        answer.expect("an answer to OpenRegion");
    }
    let region_name = infos.first().map(RegionInfo::name).unwrap_or_default();
    drop(infos);
    while master.opened.load(Ordering::Acquire) < regions {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Opened { server, before, after: Process::now(), peak, region_name, made, took: begun.elapsed() }
}

/// Writes a row into each region, as an earlier server had it: open, and closed again. One after the other, so that
/// what the program takes for it is little, and is not counted for the regions that are open later.
async fn flush_rows(root: &RootDir, table: TableDescriptor, infos: &[RegionInfo]) {
    let server = "localhost,16020,0";
    let wal = Wal::open(Arc::clone(root.fs()), root.path(), server, WalKind::Regions, WalOptions::default());
    let environment = RegionEnvironment {
        root: root.clone(),
        wal: Arc::new(wal.expect("a log")),
        cache: Arc::new(MemoryBlockCache::new(1 << 20)),
        host: Arc::new(PlainHost),
        config: Arc::new(RegionConfig::default()),
    };
    let table = Arc::new(table);
    for (number, info) in infos.iter().enumerate() {
        let region = Region::open(environment.clone(), info.clone(), Arc::clone(&table), &mut |_, _, _| {});
        let region = region.expect("a region that opens");
        region.mutate(&put(&format!("{number:08}"))).await.expect("a row that is put");
        region.close().expect("a region that closes");
        assert_eq!(region.metrics().store_files, 1);
    }
}

fn put(row: &str) -> Mutation {
    let mut cells = CellBlockBuilder::default();
    cells.push_parts(&CellParts {
        row: row.as_bytes(),
        family: FAMILY,
        qualifier: b"q",
        timestamp: LATEST_TIMESTAMP,
        type_code: CellType::Put.code(),
        value: b"value",
        tags: b"",
    });
    Mutation::new(MutationKind::Put, Bytes::copy_from_slice(row.as_bytes()), cells.finish())
}

/// Region number so-and-so, of rows of eight digits.
fn region(table: &TableName, number: usize, regions: usize) -> RegionInfo {
    let row = |number: usize| match number {
        0 => Bytes::new(),
        _ if number == regions => Bytes::new(),
        _ => Bytes::from(format!("{number:08}")),
    };
    RegionInfo::new(table.clone(), row(number), row(number + 1), 1)
}

fn start(root: RootDir, master: &Arc<CountingMaster>) -> Arc<RegionServer> {
    let options = RegionServerOptions {
        name: ServerName { host: "localhost".into(), port: 16020, start_code: 1 },
        root,
        region: RegionConfig::default(),
        wal: WalOptions::default(),
        memstore_limit_bytes: 512 << 20,
        read_bytes: 64 << 20,
        reply_memory: ReplyMemory::new(256 << 20),
        scanner_bytes: 64 << 20,
        nonce_bytes: 16 << 20,
        nonce_retention: Duration::from_secs(1800),
        max_row_bytes: 1 << 30,
        scanner_lease: Duration::from_secs(60),
        max_scan_result_bytes: 100 << 20,
        background: BackgroundOptions::default(),
        mob: MobOptions::default(),
        handlers: 30,
        handler_threads: None,
        slow_calls: SlowCallOptions { slow: Some(Duration::from_secs(10)), ..Default::default() },
        tracer: None,
        old_log_retention: Duration::from_secs(600),
        info_port: 0,
        report_interval: Duration::from_secs(3),
    };
    let cache = Arc::new(MemoryBlockCache::new(16 << 20));
    let to_master =
        || -> Arc<dyn Channel> { Arc::new(Loopback::new(Arc::new(MasterService(Arc::clone(master))))) };
    let server = RegionServer::new(options, cache, to_master(), to_master()).expect("a region server");
    tokio::spawn({
        let server = Arc::clone(&server);
        async move { server.run().await }
    });
    server
}

/// A master that counts the regions of which it hears.
#[derive(Default)]
struct CountingMaster {
    opened: AtomicUsize,
}

struct MasterService(Arc<CountingMaster>);

impl Service for MasterService {
    fn name(&self) -> &'static str {
        "RegionServerStatusService"
    }

    fn call(&self, call: Call) -> Outcome {
        match call.method.as_str() {
            "RegionServerStartup" => Outcome::message(&pb::RegionServerStartupResponse::default()),
            "RegionServerReport" => Outcome::message(&pb::RegionServerReportResponse {}),
            "ReportRegionStateTransition" => {
                self.0.opened.fetch_add(1, Ordering::Release);
                Outcome::message(&pb::ReportRegionStateTransitionResponse::default())
            }
            other => Outcome::exception(exceptions::unsupported_operation(other)),
        }
    }
}
