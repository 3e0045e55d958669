//! A standalone server: a master and a region server over one local directory, in this process.
//!
//! The two halves reach each other only through channels that carry HBase's messages.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use finback_cell::ServerName;
use finback_fs::{BoundedFileSystem, FileSystem, LocalFileSystem, LockGuard, descriptors_for_files};
use finback_layout::RootDir;
use finback_log::Log;
use finback_master::{Chores, Connect, Master, MasterConfig, MasterOptions, SanityChecks};
use finback_otel::Tracer;
use finback_pages::{History, Site, Source};
use finback_region::Region;
use finback_regionserver::{
    AdminService, BootstrapNodeService, ClientMetaService, ClientService, RegionServer, RegionServerOptions,
    UpdateConfiguration,
};
use finback_rpc::{
    CallQueueLimits, Channel, ConnectionThreads, Limits, Loopback, Schedulers, Server, ServerBuilder, Service,
};
use finback_spans::TracedService;
use finback_web::MetricsPages;
use finback_zk::{Responder, Tree};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};

use crate::addresses::{Addresses, PORTS_FILE, info_port_lines, port, write_ports};
use crate::block_cache::block_cache;
use crate::config::{MemoryBudget, ServerConfig, Sources};
use crate::info_ports::InfoPorts;
use crate::long_calls::LongCalls;
use crate::metrics::{self, CacheStatistics};
use crate::pages::ServerPages;
use crate::process::Start;
use crate::publication::Publication;
use crate::reconfiguration::Reconfiguration;
use crate::signals::HeldSignals;
use crate::telemetry::Telemetry;
use crate::{logging, region_server_options, screen};

/// Why a server cannot start, in one line.
pub(crate) type Failure = String;

/// Runs until SIGTERM or SIGINT, or until a client asks for the end. What goes wrong is told on standard error, in one
/// line.
pub fn run(sources: Sources) -> ExitCode {
    let signals = match HeldSignals::hold() {
        Ok(signals) => signals,
        Err(error) => return fail(&format!("cannot handle signals: {error}")),
    };
    let log = match logging::install() {
        Ok(log) => log,
        Err(error) => return fail(&error),
    };
    let _end_of_log = EndOfLog(log.clone());
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("cannot start threads: {error}")),
    };
    let long_calls = match LongCalls::start() {
        Ok(long_calls) => long_calls,
        Err(error) => return fail(&format!("cannot start threads: {error}")),
    };
    let connection_threads = match ConnectionThreads::start(finback_wal::commit_on_this_thread) {
        Ok(threads) => threads,
        Err(error) => return fail(&format!("cannot start threads: {error}")),
    };
    let mut lock = None;
    let schedulers = connection_threads.schedulers();
    let ended = runtime.block_on(serve(sources, signals, log.clone(), &long_calls, schedulers, &mut lock));
    // What is under way on disk goes on to its end: until then the directory is nobody else's.
    drop(runtime);
    drop((long_calls, connection_threads));
    drop(lock);
    let is_read = log.flush();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if is_read => fail(&failure),
        // What nobody reads is not written either: the end of a server does not wait for them.
        Err(_) => ExitCode::FAILURE,
    }
}

/// What the log was told is written, however a server ends.
struct EndOfLog(Log);

impl Drop for EndOfLog {
    fn drop(&mut self) {
        self.0.flush();
    }
}

fn fail(failure: &str) -> ExitCode {
    eprintln!("finback: {failure}");
    ExitCode::FAILURE
}

async fn serve(
    sources: Sources,
    signals: HeldSignals,
    log: Log,
    long_calls: &LongCalls,
    schedulers: Schedulers,
    lock: &mut Option<LockGuard>,
) -> Result<(), Failure> {
    let start = Start::now();
    let loaded = ServerConfig::load(&sources).map_err(|error| error.to_string())?;
    let mut config = loaded.config.clone();
    let files = loaded.effective.files.clone();
    logging::configure(&log, &config);
    let terminated = signals.listen().map_err(|error| format!("cannot handle signals: {error}"))?;
    tokio::pin!(terminated);
    let fs = file_system()?;
    let data = config.data_dir.clone();
    fs.create_dir_all(&data)
        .map_err(|error| format!("cannot make the data directory {}: {error}", data.display()))?;
    let root = RootDir::new(Arc::clone(&fs), &data);
    let locked =
        root.lock().map_err(|error| format!("cannot use the data directory {}: {error}", data.display()))?;
    *lock = Some(locked);
    // Of a server that was killed: nobody is to take its ports for ours.
    let _ = std::fs::remove_file(data.join(PORTS_FILE));
    let start_code = now_ms();
    let addresses = Addresses::bind(&config, start_code)?;
    let info_ports = InfoPorts::bind(&mut config);
    let ports = addresses.ports()? + &info_port_lines(&config);

    let stop = Arc::new(Notify::new());
    let in_process: Arc<OnceLock<InProcess>> = Arc::default();
    let master = start_master(&config, &root, &addresses.master_name, &in_process, &stop).await?;
    let memory = config.memory().map_err(|error| error.to_string())?;
    let name = &addresses.regionserver_name;
    let telemetry = Telemetry::of(&config, name);
    let tracer = telemetry.as_ref().map(Telemetry::tracer);
    let mut options = region_server_options::options(&config, &memory, &root, name);
    options.handler_threads = Some(long_calls.handle());
    options.tracer.clone_from(&tracer);
    let (region_server, cache_statistics) = start_region_server(&config, &memory, options, &master)?;
    let reconfiguration = Arc::new(Reconfiguration::new(
        sources,
        loaded,
        &config,
        Arc::clone(&region_server),
        master.reconfigurer(),
        log.clone(),
    ));
    let update: UpdateConfiguration = Arc::new({
        let reconfiguration = Arc::clone(&reconfiguration);
        move || reconfiguration.apply()
    });
    let services = InProcess::new(&region_server, &update);
    let region_limits = limits(&config, &memory, memory.requests);
    let region_rpc = services.server(name, region_limits, &master, tracer.as_ref(), schedulers);
    let master_limits = limits(&config, &memory, memory.master_requests);
    let master_rpc = master_server(&addresses.master_name, master_limits, &master, &update, tracer.as_ref());
    let (client, admin) = (services.client.clone(), services.admin.clone());
    // Set once, here.
    let _ = in_process.set(services);

    let (closing, closed) = watch::channel(false);
    let clock = || i64::try_from(now_ms()).unwrap_or(i64::MAX);
    let tree = Arc::new(Tree::with_protected(&config.znode_parent).begun_at(clock()));
    let mut publication = Publication::new(
        Arc::clone(&tree),
        &config.znode_parent,
        (&addresses.master_name, &addresses.regionserver_name),
        (config.master_info_port.unwrap_or(0), config.regionserver_info_port),
    );
    publication.publish(&master.status().borrow())?;
    let zookeeper_quorum = format!("{}:{}", config.address, port(&addresses.zookeeper)?);
    let mut serving = tokio::task::JoinSet::new();
    let responder = Responder::new(Arc::clone(&tree), clock);
    serving.spawn(responder.serve(addresses.zookeeper, is_set(closed.clone())));
    serving.spawn(answer(master_rpc.clone(), addresses.master, closed.clone()));
    let initialized_ms: Arc<AtomicU64> = Arc::default();
    let numbers = metrics::Sources {
        region_server: Arc::clone(&region_server),
        rpc: region_rpc.clone(),
        master_rpc,
        cache: cache_statistics,
        master: channel_to(&master, "MasterService")?,
        master_name: addresses.master_name.clone(),
        cluster_id: master.status().borrow().cluster_id.clone(),
        zookeeper_quorum,
        statistics: master.statistics(),
        initialized_ms: Arc::clone(&initialized_ms),
        start,
        tracer,
        runtime: Handle::current(),
        history: Arc::default(),
    };
    let numbers = Arc::new(numbers);
    let exporting = telemetry.map(|telemetry| telemetry.start(&numbers, is_set(closed.clone())));
    let names = config.info_names();
    let pages = Arc::new(ServerPages {
        sources: numbers,
        client: Arc::new(Loopback::new(client)),
        admin: Arc::new(Loopback::new(admin)),
        long_calls: long_calls.handle(),
        memory,
        reconfiguration,
        log,
        history: History::default(),
        shows_rows: config.shows_rows,
    });
    info_ports.serve(site(&pages), names, &mut serving, &closed);
    let sampling = tokio::spawn(Arc::clone(&pages).sample());
    serving.spawn(answer(region_rpc, addresses.regionserver, closed));
    let working = tokio::spawn({
        let region_server = Arc::clone(&region_server);
        async move { region_server.run().await }
    });

    let mut asked = Ok(());
    tokio::select! {
        initialized = master.initialized() => {
            initialized.map_err(|failure| format!("cannot recover {}: {failure}", data.display()))?;
            initialized_ms.store(now_ms(), Ordering::Relaxed);
            publication.publish(&master.status().borrow())?;
            master.follow(move |status| publication.publish_changes(status));
            if let Err(error) = write_ports(&data, &ports) {
                // The disk may be full: clients are served all the same.
                tracing::error!(%error, "nobody can look up the ports");
            }
            screen::show(&config, &files, &ports);
            tokio::select! {
                () = &mut terminated => {}
                () = stop.notified() => {}
                stop_asked = region_server.stop_asked() => asked = stop_asked,
            }
        }
        () = &mut terminated => {}
        stop_asked = region_server.stop_asked() => asked = stop_asked,
    }

    match &asked {
        Ok(()) => tracing::info!("stopping"),
        Err(reason) => tracing::error!(%reason, "aborting"),
    }
    let _ = std::fs::remove_file(data.join(PORTS_FILE));
    let _ = closing.send(true);
    while serving.join_next().await.is_some() {}
    region_server.stop().await;
    working.abort();
    sampling.abort();
    if let Some((spans, metrics)) = exporting {
        metrics.abort();
        // Its patience is short.
        let _ = spans.await;
    }
    master.stop();
    asked
}

/// The pages of the info ports.
fn site(pages: &Arc<ServerPages>) -> Arc<Site> {
    let sources = Arc::clone(&pages.sources);
    let source: Arc<dyn Source> = Arc::clone(pages) as _;
    Arc::new(Site::new(source, MetricsPages::new(move || sources.snapshot())))
}

/// The local disk, with a limit on files that are open.
fn file_system() -> Result<Arc<dyn FileSystem>, Failure> {
    // In any case: sockets need descriptors too.
    let most = descriptors_for_files()
        .map_err(|error| format!("cannot find out how many files may be open: {error}"))?;
    Ok(Arc::new(BoundedFileSystem::new(Arc::new(LocalFileSystem), most)))
}

async fn answer(server: Server, listener: TcpListener, closed: watch::Receiver<bool>) {
    server.serve(listener, is_set(closed)).await;
}

async fn is_set(mut flag: watch::Receiver<bool>) {
    // An error means that the sender is gone: the server is going down as well.
    let _ = flag.wait_for(|set| *set).await;
}

/// The region server's services, for calls from within the process.
struct InProcess {
    client: Arc<dyn Service>,
    admin: Arc<dyn Service>,
    meta: Arc<dyn Service>,
    bootstrap: Arc<dyn Service>,
}

impl InProcess {
    fn new(region_server: &Arc<RegionServer>, update: &UpdateConfiguration) -> Self {
        let server = || Arc::clone(region_server);
        Self {
            client: Arc::new(ClientService::new(server())),
            admin: Arc::new(AdminService::new(server()).on_update_configuration(Arc::clone(update))),
            meta: Arc::new(ClientMetaService::new(server())),
            bootstrap: Arc::new(BootstrapNodeService::new(server())),
        }
    }

    fn server(
        &self,
        name: &ServerName,
        limits: Limits,
        master: &Master,
        tracer: Option<&Arc<Tracer>>,
        schedulers: Schedulers,
    ) -> Server {
        // Calls of clients are told of with what they are about.
        let builder =
            rpc_server(name, limits, master).service(Arc::clone(&self.client)).schedulers(schedulers);
        let services = [&self.admin, &self.meta, &self.bootstrap];
        let traced = services.map(|service| TracedService::wrap(Arc::clone(service), tracer));
        traced.into_iter().fold(builder, ServerBuilder::service).build()
    }
}

fn limits(config: &ServerConfig, memory: &MemoryBudget, request_bytes: u64) -> Limits {
    let (requests, replies) = (request_bytes as usize, memory.replies as usize);
    let defaults = Limits::default();
    Limits {
        max_request_bytes: requests.min(config.max_request_bytes as usize),
        max_in_flight_bytes: requests,
        call_queues: CallQueueLimits { general: config.max_queued_calls as usize, ..defaults.call_queues },
        max_outgoing_bytes: defaults.max_outgoing_bytes.min(replies),
        max_unread_bytes: replies,
        max_connections: memory.connections as usize,
        ..defaults
    }
}

fn rpc_server(name: &ServerName, limits: Limits, master: &Master) -> ServerBuilder {
    let cluster_id = master.status().borrow().cluster_id.clone();
    Server::builder().name(name.to_string()).cluster_id(cluster_id).limits(limits)
}

fn master_server(
    name: &ServerName,
    limits: Limits,
    master: &Master,
    update: &UpdateConfiguration,
    tracer: Option<&Arc<Tracer>>,
) -> Server {
    let builder = rpc_server(name, limits, master);
    let admin = master.admin_service(Arc::clone(update));
    let services = master.services().into_iter().chain([admin]);
    let traced = services.map(|service| TracedService::wrap(service, tracer));
    traced.fold(builder, ServerBuilder::service).build()
}

async fn start_master(
    config: &ServerConfig,
    root: &RootDir,
    name: &ServerName,
    region_server: &Arc<OnceLock<InProcess>>,
    stop: &Arc<Notify>,
) -> Result<Master, Failure> {
    let region_server = Arc::clone(region_server);
    let connect: Connect = Arc::new(move |_, service| -> Arc<dyn Channel> {
        // A master calls a region server only after that has called it.
        let services = region_server.get().expect("the region server's services are set before it runs");
        let service = match service {
            "AdminService" => &services.admin,
            _ => &services.client,
        };
        Arc::new(Loopback::new(Arc::clone(service)))
    });
    let stop = Arc::clone(stop);
    let options = MasterOptions {
        root: root.clone(),
        connect,
        server_name: name.clone(),
        clock: Arc::new(now_ms),
        shutdown: Arc::new(move |_| stop.notify_one()),
        served_files: Arc::new(|root, table, region| {
            let files = Region::served_files(root, region, table);
            files
                .inspect_err(|error| {
                    tracing::warn!(table = %region.table, %error, "what a compaction left may be in a snapshot");
                })
                .ok()
        }),
        config: master_config(config),
    };
    Master::start(options).await.map_err(|error| error.to_string())
}

/// What the settings are to a master.
pub(crate) fn master_config(config: &ServerConfig) -> MasterConfig {
    MasterConfig {
        table_sanity_checks: SanityChecks {
            refuse: config.tables.table_sanity_checks,
            blocking_store_files: config.tables.blocking_store_files.into(),
        },
        split_restriction: crate::region_server_options::split_restriction(config),
        snapshot_ttl: config.snapshot_ttl.unwrap_or_default(),
        chores: Chores {
            cleaner_interval: config.cleaner_interval,
            hfile_ttl: config.hfile_ttl,
            snapshot_cleaner_interval: config.cleaner_interval,
        },
        info_port: config.master_info_port.map_or(-1, i32::from),
        ..MasterConfig::default()
    }
}

/// A way to a service of the master.
fn channel_to(master: &Master, service: &str) -> Result<Arc<dyn Channel>, Failure> {
    let service = master.service(service).ok_or_else(|| format!("the master has no {service}"))?;
    Ok(Arc::new(Loopback::new(service)))
}

/// What the process has when it does nothing, threads, tables and the allocator's own, by what one took that had just begun.
const IDLE_BYTES: u64 = 4 << 20;

fn start_region_server(
    config: &ServerConfig,
    memory: &MemoryBudget,
    options: RegionServerOptions,
    master: &Master,
) -> Result<(Arc<RegionServer>, CacheStatistics), Failure> {
    let channel = |service| channel_to(master, service);
    let (cache, statistics) = block_cache(config, memory.block_cache);
    // As what is open beside it.
    cache.outside_changed(IDLE_BYTES.min(memory.block_cache / 4) as isize);
    let (status, meta) = (channel("RegionServerStatusService")?, channel("ClientMetaService")?);
    let server = RegionServer::new(options, cache, status, meta).map_err(|error| error.to_string())?;
    Ok((server, statistics))
}

pub(crate) fn now_ms() -> u64 {
    let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX)
}
