//! What open and idle regions cost: a region server opens a table of many empty regions, as a master would ask it to, and
//! this says how long it took, and how much memory, and how many threads and descriptors the process has then.
//!
//! `cargo run --release -p finback-regionserver --example bench_regions -- [REGIONS] [DIRECTORY]`

use finback_cache::LruLikeCache;
use finback_cell::{Bytes, ColumnFamilyDescriptor, RegionInfo, ServerName, TableDescriptor, TableName};
use finback_fs::{FileSystem, LocalFileSystem};
use finback_layout::RootDir;
use finback_proto::pb;
use finback_region::RegionConfig;
use finback_regionserver::{
    AdminService, BackgroundOptions, RegionServer, RegionServerOptions, SlowCallOptions,
};
use finback_rpc::{Call, Channel, ChannelExt, Loopback, Outcome, ReplyMemory, Service, exceptions};
use finback_wal::WalOptions;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const REGIONS: usize = 10_000;
/// Regions in one request, as a master's procedures send many.
const REGIONS_PER_REQUEST: usize = 500;
/// How long idling is watched.
const IDLE: Duration = Duration::from_secs(5);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let regions = arguments.next().map_or(Ok(REGIONS), |count| count.parse())?;
    let temporary = tempfile::tempdir()?;
    let directory = arguments.next().map_or_else(|| temporary.path().to_owned(), Into::into);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let opened = runtime.block_on(open_regions(fs, &directory, regions));
    let before_idling = (Instant::now(), processor_seconds());
    std::thread::sleep(IDLE);
    let idle = (processor_seconds() - before_idling.1) / before_idling.0.elapsed().as_secs_f64();
    println!("regions                      {regions:>10}");
    println!("making their directories     {:>10.2} s", opened.made.as_secs_f64());
    println!("opening them                 {:>10.2} s", opened.took.as_secs_f64());
    println!("regions opened a second      {:>10.0}", regions as f64 / opened.took.as_secs_f64());
    println!("memory before                {:>10} KiB", opened.before.resident_bytes >> 10);
    println!("memory with all open         {:>10} KiB", opened.after.resident_bytes >> 10);
    println!("memory for each              {:>10} bytes", opened.bytes_per_region(regions));
    println!("threads                      {:>10}", opened.after.threads);
    println!("descriptors before and after {:>6} {:>4}", opened.before.descriptors, opened.after.descriptors);
    println!("processor while idle         {:>10.2} %", idle * 100.0);
    let begun = Instant::now();
    runtime.block_on(opened.server.stop());
    println!("closing them                 {:>10.2} s", begun.elapsed().as_secs_f64());
    Ok(())
}

/// What the process has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    pub(crate) resident_bytes: u64,
    pub(crate) threads: u64,
    pub(crate) descriptors: usize,
}

impl Process {
    fn now() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok()).unwrap_or(0)
        };
        let descriptors = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        Self { resident_bytes: number("VmRSS:") << 10, threads: number("Threads:"), descriptors }
    }
}

/// Seconds of all processors that this process has used.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may contain anything, in parentheses; utime and stime are fields 14 and 15 of all.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = |field: usize| fields.split_whitespace().nth(field).and_then(|text| text.parse::<f64>().ok());
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}

/// A server with many regions.
pub(crate) struct Opened {
    pub(crate) server: Arc<RegionServer>,
    pub(crate) before: Process,
    pub(crate) after: Process,
    /// Of the first of them.
    #[allow(dead_code)] // In this program.
    pub(crate) region_name: Bytes,
    made: Duration,
    took: Duration,
}

impl Opened {
    pub(crate) fn bytes_per_region(&self, regions: usize) -> u64 {
        self.after.resident_bytes.saturating_sub(self.before.resident_bytes) / regions.max(1) as u64
    }
}

/// Makes a table of so many regions, and opens them all.
pub(crate) async fn open_regions(fs: Arc<dyn FileSystem>, directory: &Path, regions: usize) -> Opened {
    let root = RootDir::new(fs, directory.join("hbase"));
    root.initialize().expect("a root directory");
    let table = TableName::parse(b"many").expect("a table name");
    let infos: Vec<RegionInfo> = (0..regions).map(|number| region(&table, number, regions)).collect();
    let families = vec![ColumnFamilyDescriptor::with_defaults(b"f")];
    let descriptor = TableDescriptor { families, ..TableDescriptor::new(table) };
    let begun = Instant::now();
    root.create_table_dir(&descriptor, &infos).expect("a table's directory");
    let made = begun.elapsed();
    let master = Arc::new(CountingMaster::default());
    let server = start(root, &master);
    let admin = Loopback::new(Arc::new(AdminService::new(Arc::clone(&server))));
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
    Opened { server, before, after: Process::now(), region_name, made, took: begun.elapsed() }
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
        reply_memory: ReplyMemory::new(256 << 20),
        scanner_bytes: 64 << 20,
        nonce_bytes: 16 << 20,
        nonce_retention: Duration::from_secs(1800),
        max_row_bytes: 1 << 30,
        scanner_lease: Duration::from_secs(60),
        max_scan_result_bytes: 100 << 20,
        background: BackgroundOptions::default(),
        handlers: 30,
        handler_threads: None,
        slow_calls: SlowCallOptions { slow: Some(Duration::from_secs(10)), ..Default::default() },
        tracer: None,
        old_log_retention: Duration::from_secs(600),
        info_port: 0,
        report_interval: Duration::from_secs(3),
    };
    let cache = Arc::new(LruLikeCache::new(16 << 20));
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
