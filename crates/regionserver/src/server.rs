//! A region server: its parts, its life.

use crate::assignment::{self, Closing, Opening};
use crate::background_options::BackgroundOptions;
use crate::bulk_load::{LOADS_AT_ONCE, Repeats};
use crate::client_counts::ClientCounts;
use crate::closed_regions::ClosedRegions;
use crate::exceptions::exception;
use crate::flushes_under_way::FlushesUnderWay;
use crate::handlers::Handlers;
use crate::host::{ServerHost, system_now_ms};
use crate::load::LastReport;
use crate::load_statistics::CompactionPressure;
use crate::mob_options::MobOptions;
use crate::mob_sweep::MobSweeper;
use crate::nonces::Nonces;
use crate::operation_counts::OperationCounts;
use crate::regions::Regions;
use crate::scanners::Scanners;
use crate::scheduler::{self, Scheduler};
use crate::schemas::Schemas;
use crate::slow_calls::{SlowCallOptions, SlowCalls};
use crate::stop_request::StopRequest;
use crate::task_queue::TaskQueue;
use finback_cell::{Bytes, RegionInfo, ServerName};
use finback_hfile::{Block, BlockCache, BlockRequest};
use finback_layout::RootDir;
use finback_proto::pb;
use finback_region::{
    FileRequest, Host, MobFiles, Region, RegionConfig, RegionEnvironment, RegionError,
    give_back_unwanted_memory, keep_memory_within,
};
use finback_rpc::{Channel, ChannelExt, ReplyMemory, RpcException};
use finback_wal::{Wal, WalError, WalKind, WalOptions, clean_old_logs};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};
use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

/// How long the master may take for a report.
const REPORT_TIMEOUT: Duration = Duration::from_secs(3);
/// The shortest time between two reports: each says of every region how it is.
const LEAST_REPORT_INTERVAL: Duration = Duration::from_millis(10);
/// Between two looks at leases and logs.
const HOUSEKEEPING_INTERVAL: Duration = Duration::from_secs(1);
/// How many regions are opened at once.
const OPEN_AT_ONCE: usize = 4;
/// How many regions are on their way at once, from when they wait for such a turn until the master has heard what came of them.
const OPENINGS_AT_ONCE: usize = 256;
/// How many regions are closed and reported at once.
const CLOSINGS_AT_ONCE: usize = 256;
/// How many regions are closed at once when the server stops: they wait for the same writes of the log.
const CLOSE_AT_ONCE: usize = 16;
/// How many regions have their blocks prefetched at once (the default of `hbase.hfile.thread.prefetch`).
const PREFETCH_AT_ONCE: usize = 4;
/// The part of the memory for nonces that is for bulk loads that are done: there are few, and each takes a few hundred bytes.
const BULK_LOADS_OF_NONCES: usize = 16;
/// Between news and the report of them, for more to come.
const NEWS_PAUSE: Duration = Duration::from_millis(50);
/// Between two tries to reach the master.
const REGISTER_PAUSE: Duration = Duration::from_millis(50);

/// How a region server is set up.
#[derive(Clone, Debug)]
pub struct RegionServerOptions {
    /// Its identity.
    pub name: ServerName,
    /// The root directory.
    pub root: RootDir,
    /// Settings of regions.
    pub region: RegionConfig,
    /// Settings of the logs.
    pub wal: WalOptions,
    /// Bytes of all memstores at which writes must wait (`hbase.regionserver.global.memstore.size`).
    pub memstore_limit_bytes: u64,
    /// Bytes of the blocks that are being read from devices, and are in no cache yet; one at a time may have more.
    pub read_bytes: u64,
    /// Memory of the replies that are built or on their way to clients.
    pub reply_memory: Arc<ReplyMemory>,
    /// Bytes that scanners keep in memory while they wait for their clients, at most.
    pub scanner_bytes: usize,
    /// Bytes of the table of nonces, at most, and of the bulk loads that are remembered.
    pub nonce_bytes: usize,
    /// How long nonces are remembered after they were last used (`hbase.server.hashNonce.gracePeriod`), and bulk loads after
    /// they were done.
    pub nonce_retention: Duration,
    /// Bytes of a row that is read as a whole, at most (`hbase.table.max.rowsize`).
    pub max_row_bytes: usize,
    /// How long a scanner lives without a call (`hbase.client.scanner.timeout.period`).
    pub scanner_lease: Duration,
    /// Bytes of cells in one scan reply at most, whatever the client asks for (`hbase.server.scanner.max.result.size`).
    pub max_scan_result_bytes: usize,
    /// Settings of flushes and compactions.
    pub background: BackgroundOptions,
    /// Settings of MOB files.
    pub mob: MobOptions,
    /// Long calls that are carried out at a time: so many reads, and so many writes (`hbase.regionserver.handler.count`).
    pub handlers: usize,
    /// Whose threads carry them out; those that serve the connections, if none.
    pub handler_threads: Option<Handle>,
    /// Which calls are slow or large, and whether they are kept.
    pub slow_calls: SlowCallOptions,
    /// Who takes the spans of calls, if anybody does: of those that it samples, and of slow ones.
    pub tracer: Option<Arc<finback_otel::Tracer>>,
    /// How long logs are kept after nobody needs them (`hbase.master.logcleaner.ttl`).
    pub old_log_retention: Duration,
    /// The port of its web page, which others are told; 0 without one.
    pub info_port: u16,
    /// Between two reports to the master (`hbase.regionserver.msginterval`).
    pub report_interval: Duration,
}

/// A region server.
pub struct RegionServer {
    options: RegionServerOptions,
    pub(crate) regions: Regions,
    pub(crate) closed_regions: Arc<ClosedRegions>,
    pub(crate) scanners: Scanners,
    pub(crate) nonces: Arc<Nonces>,
    pub(crate) bulk_loads: Arc<Repeats>,
    pub(crate) host: Arc<ServerHost>,
    pub(crate) handlers: Handlers,
    /// Regions that are to be opened.
    pub(crate) openings: Arc<TaskQueue<Opening>>,
    pub(crate) open_turns: Semaphore,
    /// Regions that are to be closed.
    pub(crate) closings: Arc<TaskQueue<Closing>>,
    pub(crate) bulk_load_turns: Semaphore,
    pub(crate) prefetch_turns: Semaphore,
    pub(crate) scheduler: Arc<Scheduler>,
    pub(crate) schemas: Schemas,
    /// Requests of clients so far.
    pub(crate) requests: AtomicU64,
    /// How long operations take.
    pub(crate) operations: Arc<OperationCounts>,
    pub(crate) slow_calls: SlowCalls,
    pub(crate) flushes_under_way: FlushesUnderWay,
    /// What each user has asked for.
    pub(crate) client_counts: Arc<ClientCounts>,
    pub(crate) last_report: LastReport,
    pub(crate) mob_sweeper: MobSweeper,
    pub(crate) compaction_pressure: CompactionPressure,
    cache: Arc<dyn BlockCache>,
    region_config: Mutex<Arc<RegionConfig>>,
    wal: Arc<Wal>,
    /// The log of `hbase:meta`, made when that is opened here.
    meta_wal: Mutex<Option<Arc<Wal>>>,
    status: Arc<dyn Channel>,
    master_meta: Arc<dyn Channel>,
    stopping: AtomicBool,
    stop: Arc<StopRequest>,
    /// Something has happened that clients who ask the master wait for.
    news: Notify,
    works: AtomicBool,
}

impl RegionServer {
    /// Makes a server: opens its log, serves nothing yet. `status` and `master_meta` lead to the master's
    /// RegionServerStatusService and ClientMetaService. Does I/O.
    ///
    /// # Errors
    /// The log cannot be opened.
    pub fn new(
        options: RegionServerOptions,
        cache: Arc<dyn BlockCache>,
        status: Arc<dyn Channel>,
        master_meta: Arc<dyn Channel>,
    ) -> Result<Arc<Self>, WalError> {
        let root = &options.root;
        let server = options.name.to_string();
        let wal =
            Wal::open(Arc::clone(root.fs()), root.path(), &server, WalKind::Regions, options.wal.clone())?;
        keep_memory_within(usize::try_from(options.memstore_limit_bytes).unwrap_or(usize::MAX));
        let bulk_load_bytes = options.nonce_bytes / BULK_LOADS_OF_NONCES;
        // Bounded by the number of regions: each has at most one request in it.
        let scheduler = Arc::new(Scheduler::new(options.background.clone()));
        let stop: Arc<StopRequest> = Arc::default();
        Ok(Arc::new(Self {
            regions: Regions::new(options.name.clone()),
            closed_regions: Arc::default(),
            scanners: Scanners::new(
                options.name.start_code,
                options.scanner_lease,
                options.scanner_bytes / 2,
            ),
            nonces: Arc::new(Nonces::new(options.nonce_bytes - bulk_load_bytes, options.nonce_retention)),
            bulk_loads: Arc::new(Repeats::new(bulk_load_bytes, options.nonce_retention)),
            host: Arc::new(ServerHost::new(
                Arc::clone(&scheduler),
                Arc::clone(&stop),
                options.memstore_limit_bytes,
                options.read_bytes,
            )),
            handlers: Handlers::new(options.handlers, options.handler_threads.clone()),
            openings: TaskQueue::new(OPENINGS_AT_ONCE),
            open_turns: Semaphore::new(OPEN_AT_ONCE),
            closings: TaskQueue::new(CLOSINGS_AT_ONCE),
            bulk_load_turns: Semaphore::new(LOADS_AT_ONCE),
            prefetch_turns: Semaphore::new(PREFETCH_AT_ONCE),
            scheduler,
            schemas: Schemas::default(),
            requests: AtomicU64::new(0),
            operations: Arc::default(),
            flushes_under_way: FlushesUnderWay::default(),
            slow_calls: SlowCalls::new(options.slow_calls.clone(), options.tracer.clone()),
            client_counts: Arc::default(),
            last_report: LastReport::default(),
            mob_sweeper: MobSweeper::new(
                options.root.clone(),
                options.mob.min_age,
                Arc::clone(&options.region.mob_files),
            ),
            compaction_pressure: CompactionPressure::default(),
            cache,
            region_config: Mutex::new(Arc::new(with_max_row(&options, options.region.clone()))),
            wal: Arc::new(wal),
            meta_wal: Mutex::new(None),
            status,
            master_meta,
            stopping: AtomicBool::new(false),
            stop,
            news: Notify::new(),
            works: AtomicBool::new(false),
            options,
        }))
    }

    /// Its identity.
    pub fn name(&self) -> &ServerName {
        &self.options.name
    }

    pub(crate) fn root(&self) -> &RootDir {
        &self.options.root
    }

    /// Whether it is going down.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// Resolves when this server is to stop: somebody has asked for it, or it aborts.
    ///
    /// # Errors
    /// Why it aborts.
    pub async fn stop_asked(&self) -> Result<(), String> {
        self.stop.asked().await
    }

    pub(crate) fn ask_to_stop(&self) {
        self.stop.ask();
    }

    pub(crate) fn status(&self) -> &dyn Channel {
        &*self.status
    }

    pub(crate) fn master_meta(&self) -> &dyn Channel {
        &*self.master_meta
    }

    pub(crate) fn max_scan_result_bytes(&self) -> usize {
        self.options.max_scan_result_bytes
    }

    pub(crate) fn reply_memory(&self) -> &Arc<ReplyMemory> {
        &self.options.reply_memory
    }

    pub(crate) fn max_row_bytes(&self) -> usize {
        self.options.max_row_bytes
    }

    pub(crate) fn block_cache_bytes(&self) -> u64 {
        self.cache.capacity_bytes()
    }

    pub(crate) fn mob_options(&self) -> &MobOptions {
        &self.options.mob
    }

    /// The MOB files that are open, of all regions.
    pub(crate) fn mob_files(&self) -> Arc<MobFiles> {
        Arc::clone(&self.region_config.lock().mob_files)
    }

    pub(crate) fn memstore_limit(&self) -> u64 {
        self.options.memstore_limit_bytes
    }

    pub(crate) fn info_port(&self) -> u32 {
        self.options.info_port.into()
    }

    /// How many requests of clients there were.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Reads a block that is not in memory.
    pub(crate) async fn fetch(&self, request: BlockRequest) -> Result<Arc<Block>, RpcException> {
        self.host.fetch(request).await.map_err(|error| exception(&error.into()))
    }

    /// Opens a MOB file for a scanner, which is then to be called again: it knows what came of it.
    pub(crate) async fn open_file(&self, request: FileRequest) {
        self.host.open_file(request).await;
    }

    /// What a region needs to be opened here.
    pub(crate) fn environment(&self, info: &RegionInfo) -> Result<RegionEnvironment, RegionError> {
        Ok(RegionEnvironment {
            root: self.options.root.clone(),
            wal: if info.is_meta() { self.meta_log()? } else { Arc::clone(&self.wal) },
            cache: Arc::clone(&self.cache),
            host: Arc::clone(&self.host) as Arc<dyn Host>,
            config: Arc::clone(&self.region_config.lock()),
        })
    }

    /// What regions that are opened from now on go by; with it, what all regions share stays.
    pub(crate) fn replace_region_config(&self, region: RegionConfig) -> Arc<RegionConfig> {
        let mut current = self.region_config.lock();
        *current = Arc::new(RegionConfig {
            off_peak_taken: Arc::clone(&current.off_peak_taken),
            compaction_memory: Arc::clone(&current.compaction_memory),
            large_updates: Arc::clone(&current.large_updates),
            mob_files: Arc::clone(&current.mob_files),
            ..with_max_row(&self.options, region)
        });
        Arc::clone(&current)
    }

    fn meta_log(&self) -> Result<Arc<Wal>, WalError> {
        let mut meta_wal = self.meta_wal.lock();
        if let Some(wal) = &*meta_wal {
            return Ok(Arc::clone(wal));
        }
        let root = &self.options.root;
        let server = self.options.name.to_string();
        let wal =
            Wal::open(Arc::clone(root.fs()), root.path(), &server, WalKind::Meta, self.options.wal.clone())?;
        let wal = Arc::new(wal);
        *meta_wal = Some(Arc::clone(&wal));
        Ok(wal)
    }

    pub(crate) fn logs(&self) -> Vec<Arc<Wal>> {
        let meta = self.meta_wal.lock().clone();
        std::iter::once(Arc::clone(&self.wal)).chain(meta).collect()
    }

    /// Begins new files of all logs.
    pub(crate) async fn roll_logs(&self) -> Result<(), WalError> {
        for log in self.logs() {
            log.roll().await?;
        }
        Ok(())
    }

    /// Joins the cluster and works until `stop`. The services must be reachable before.
    pub async fn run(self: &Arc<Self>) {
        if !self.works.swap(true, Ordering::AcqRel) {
            scheduler::begin(self);
        }
        while let Err(error) = self.register().await {
            tracing::debug!(%error, "the master does not take this server yet");
            tokio::time::sleep(REGISTER_PAUSE).await;
        }
        let mut reports = tokio::time::interval(self.options.report_interval.max(LEAST_REPORT_INTERVAL));
        let mut housekeeping = tokio::time::interval(HOUSEKEEPING_INTERVAL);
        // What is done a little at a time is not done all at once when a report took long.
        housekeeping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.is_stopping() {
            tokio::select! {
                _ = reports.tick() => self.report().await,
                _ = housekeeping.tick() => self.keep_house().await,
                () = self.news.notified() => {
                    tokio::time::sleep(NEWS_PAUSE).await;
                    self.report().await;
                    reports.reset();
                }
            }
        }
    }

    /// Has the master told soon.
    pub(crate) fn report_soon(&self) {
        self.news.notify_one();
    }

    async fn register(&self) -> Result<(), RpcException> {
        let request = pb::RegionServerStartupRequest {
            port: u32::from(self.name().port),
            server_start_code: self.name().start_code,
            server_current_time: system_now_ms().unsigned_abs(),
            use_this_hostname_instead: Some(self.name().host.clone()),
        };
        let _: (pb::RegionServerStartupResponse, _) =
            self.status.call_within(REPORT_TIMEOUT, "RegionServerStartup", &request, Bytes::new()).await?;
        Ok(())
    }

    async fn report(&self) {
        let request = pb::RegionServerReportRequest { server: self.name().into(), load: Some(self.load()) };
        let answer: Result<(pb::RegionServerReportResponse, _), _> =
            self.status.call_within(REPORT_TIMEOUT, "RegionServerReport", &request, Bytes::new()).await;
        if let Err(error) = answer {
            tracing::warn!(%error, "the master did not take a report");
            if error.simple_class() == "YouAreDeadException" {
                self.ask_to_stop();
            }
        }
    }

    async fn keep_house(self: &Arc<Self>) {
        self.scanners.expire(Instant::now());
        self.look_at_scanner_memory();
        for log in self.logs() {
            // Who stops the server says so before the logs are closed.
            if log.is_closed() && !self.is_stopping() {
                self.stop
                    .abort("a panic has closed a write-ahead log, the next start recovers it".to_owned());
            }
            for wanted in log.too_many_logs() {
                let families = wanted.families.into_iter().map(|family| Vec::from(family).into());
                let mut families: Vec<Bytes> = families.collect();
                families.sort_unstable();
                self.scheduler.ask_for_flush_of(&String::from_utf8_lossy(&wanted.region), families);
            }
        }
        let (root, retention) = (self.options.root.clone(), self.options.old_log_retention);
        let closed_regions = Arc::clone(&self.closed_regions);
        let cleaned = tokio::task::spawn_blocking(move || {
            closed_regions.look(Instant::now());
            give_back_unwanted_memory(Instant::now());
            clean_old_logs(&**root.fs(), root.path(), retention, SystemTime::now())
        });
        if let Ok(Err(error)) = cleaned.await {
            tracing::warn!(%error, "old logs could not be removed");
        }
    }

    /// Keeps what scanners hold of flushed memstores within its limit. Worth a look after each flush.
    pub(crate) fn look_at_scanner_memory(&self) {
        self.scanners.let_go_of_segments(self.options.scanner_bytes / 2);
    }

    /// Goes down: takes no more requests for regions, flushes and closes them, the catalogue last, and closes the logs.
    /// What cannot be flushed stays in the logs.
    pub async fn stop(self: &Arc<Self>) {
        if self.stopping.swap(true, Ordering::AcqRel) {
            return;
        }
        self.scheduler.shut_down();
        let (meta, others): (Vec<_>, Vec<_>) =
            self.regions.all().into_iter().partition(|region| region.info().is_meta());
        for regions in [others, meta] {
            let mut closing = JoinSet::new();
            for region in regions {
                if closing.len() >= CLOSE_AT_ONCE {
                    closing.join_next().await;
                }
                closing.spawn(close_for_good(region));
            }
            while closing.join_next().await.is_some() {}
        }
        for log in self.logs() {
            if let Err(error) = log.close().await {
                tracing::error!(%error, "a log could not be closed");
            }
        }
    }
}

async fn close_for_good(region: Arc<Region>) {
    let name = Arc::clone(region.encoded_name());
    if let Err(error) = assignment::close_blocking(region).await {
        tracing::error!(region = %name, %error, "a region could not be flushed; its edits stay in the log");
    }
}

impl std::fmt::Debug for RegionServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RegionServer({})", self.options.name)
    }
}

/// Settings of regions, whose rows are read no larger than those of gets.
fn with_max_row(options: &RegionServerOptions, region: RegionConfig) -> RegionConfig {
    RegionConfig { max_row_bytes: options.max_row_bytes.min(options.reply_memory.limit()), ..region }
}
