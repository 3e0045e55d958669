//! A region server over a file system that can fail and crash, and a master that only takes notes.

use finback_cache::MemoryBlockCache;
use finback_cell::{
    Bytes, CellBlock, ColumnFamilyDescriptor, RegionInfo, ServerName, TableDescriptor, TableName,
};
use finback_fs::{CrashMode, Faults, FaultyFileSystem, FileSystem, MemFileSystem};
use finback_layout::RootDir;
use finback_proto::{Message, convert, pb};
use finback_region::RegionConfig;
use finback_regionserver::{
    AdminService, BackgroundOptions, ClientMetaService, ClientService, MobOptions, RegionServer,
    RegionServerOptions, SlowCallOptions,
};
use finback_rpc::{
    Call, Channel, ChannelExt, ConnectionInfo, Loopback, Outcome, ReplyMemory, RpcException, Service,
    exceptions,
};
use finback_wal::{FlushedSequenceIds, WalOptions};
use pb::region_state_transition::TransitionCode;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Nothing in these tests takes as long.
pub(crate) const LONG: Duration = Duration::from_secs(30);
pub(crate) const FAMILY: &[u8] = b"f";
const ROOT: &str = "/hbase";

pub(crate) type Answer<T> = Result<T, RpcException>;

/// What a region server told about a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) code: TransitionCode,
    pub(crate) region: String,
    pub(crate) procedure: i64,
    pub(crate) open_sequence_id: Option<u64>,
}

/// `RegionServerStatusService` and `ClientMetaService` of a master.
#[derive(Default)]
pub(crate) struct NotingMaster {
    reports: Mutex<Vec<Report>>,
    /// How many reports to refuse before one is taken.
    pub(crate) refusals: AtomicU32,
    pub(crate) registrations: AtomicU32,
    pub(crate) loads: Mutex<Vec<pb::ServerLoad>>,
}

impl NotingMaster {
    pub(crate) fn reports(&self) -> Vec<Report> {
        self.reports.lock().unwrap().clone()
    }

    fn refuses(&self) -> bool {
        self.refusals.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
    }

    fn note(&self, call: &Call) -> Answer<pb::ReportRegionStateTransitionResponse> {
        if self.refuses() {
            return Err(exceptions::please_hold("not now"));
        }
        let request: pb::ReportRegionStateTransitionRequest = call.decode()?;
        for transition in request.transition {
            self.reports.lock().unwrap().push(Report {
                code: transition.transition_code(),
                region: RegionInfo::try_from(&transition.region_info[0]).unwrap().encoded_name(),
                procedure: transition.proc_id[0],
                open_sequence_id: transition.open_seq_num,
            });
        }
        Ok(pb::ReportRegionStateTransitionResponse::default())
    }
}

struct MasterService(Arc<NotingMaster>);

impl Service for MasterService {
    fn name(&self) -> &'static str {
        "RegionServerStatusService"
    }

    fn call(&self, call: Call) -> Outcome {
        match call.method.as_str() {
            "RegionServerStartup" => {
                self.0.registrations.fetch_add(1, Ordering::SeqCst);
                Outcome::message(&pb::RegionServerStartupResponse::default())
            }
            "RegionServerReport" => {
                let report: pb::RegionServerReportRequest = call.decode().unwrap();
                self.0.loads.lock().unwrap().extend(report.load);
                Outcome::message(&pb::RegionServerReportResponse {})
            }
            "ReportRegionStateTransition" => match self.0.note(&call) {
                Ok(response) => Outcome::message(&response),
                Err(refused) => Outcome::exception(refused),
            },
            "GetClusterId" => {
                Outcome::message(&pb::GetClusterIdResponse { cluster_id: Some("the cluster".to_owned()) })
            }
            other => Outcome::exception(exceptions::unsupported_operation(other)),
        }
    }
}

/// Calls that say how long their client waits.
struct Impatient {
    service: ClientService,
    patience: Option<Duration>,
}

impl Service for Impatient {
    fn name(&self) -> &'static str {
        self.service.name()
    }

    fn call(&self, mut call: Call) -> Outcome {
        call.deadline = self.patience.map(|patience| call.received + patience);
        self.service.call(call)
    }
}

/// Calls of a client that is not this process.
struct Foreign {
    service: ClientService,
    client: Arc<ConnectionInfo>,
}

impl Service for Foreign {
    fn name(&self) -> &'static str {
        self.service.name()
    }

    fn call(&self, mut call: Call) -> Outcome {
        call.connection = Arc::clone(&self.client);
        self.service.call(call)
    }
}

/// One life of a region server.
pub(crate) struct World {
    pub(crate) memory: MemFileSystem,
    pub(crate) faults: Faults,
    pub(crate) root: RootDir,
    pub(crate) server: Arc<RegionServer>,
    pub(crate) master: Arc<NotingMaster>,
    client: Loopback,
    admin: Loopback,
    pub(crate) meta: Loopback,
    options: RegionServerOptions,
}

/// Options that suit most tests.
fn options(root: RootDir, start_code: u64) -> RegionServerOptions {
    RegionServerOptions {
        name: ServerName { host: "localhost".into(), port: 16020, start_code },
        root,
        region: RegionConfig { flush_size_bytes: 64 << 20, ..RegionConfig::default() },
        wal: WalOptions { reopen_interval: Duration::from_millis(10), ..WalOptions::default() },
        memstore_limit_bytes: 512 << 20,
        read_bytes: 64 << 20,
        reply_memory: ReplyMemory::new(256 << 20),
        scanner_bytes: 64 << 20,
        nonce_bytes: 16 << 20,
        nonce_retention: Duration::from_secs(1800),
        max_row_bytes: 1 << 30,
        scanner_lease: LONG,
        max_scan_result_bytes: 100 << 20,
        handlers: 30,
        handler_threads: None,
        slow_calls: SlowCallOptions::default(),
        tracer: None,
        old_log_retention: LONG,
        info_port: 0,
        report_interval: Duration::from_secs(3),
        background: BackgroundOptions::default(),
        mob: MobOptions::default(),
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// A server with options of the test's.
    pub(crate) fn with(change: impl FnOnce(&mut RegionServerOptions)) -> Self {
        Self::on(MemFileSystem::new(), 1, change)
    }

    fn on(memory: MemFileSystem, start_code: u64, change: impl FnOnce(&mut RegionServerOptions)) -> Self {
        let faulty = FaultyFileSystem::new(Arc::new(memory.clone()));
        let faults = faulty.faults();
        let root = RootDir::new(Arc::new(faulty), ROOT);
        root.initialize().unwrap();
        let mut options = options(root.clone(), start_code);
        change(&mut options);
        let master = Arc::new(NotingMaster::default());
        let to_master =
            || -> Arc<dyn Channel> { Arc::new(Loopback::new(Arc::new(MasterService(Arc::clone(&master))))) };
        let cache = Arc::new(MemoryBlockCache::new(16 << 20));
        let server = RegionServer::new(options.clone(), cache, to_master(), to_master()).unwrap();
        tokio::spawn({
            let server = Arc::clone(&server);
            async move { server.run().await }
        });
        Self {
            client: Loopback::new(Arc::new(ClientService::new(Arc::clone(&server)))),
            admin: Loopback::new(Arc::new(AdminService::new(Arc::clone(&server)))),
            meta: Loopback::new(Arc::new(ClientMetaService::new(Arc::clone(&server)))),
            memory,
            faults,
            root,
            server,
            master,
            options,
        }
    }

    /// The next life after a power cut: logs are split, as a master does it.
    pub(crate) fn crash(self) -> Self {
        self.crash_and(|_| {})
    }

    /// The same with other options.
    pub(crate) fn crash_and(self, change: impl FnOnce(&mut RegionServerOptions)) -> Self {
        let memory = self.memory.crash(CrashMode::Strict);
        let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
        let unknown = |_: &[u8]| FlushedSequenceIds::default();
        finback_wal::split_server(&*fs, self.root.path(), &self.options.name.to_string(), &unknown).unwrap();
        let (start_code, former) = (self.options.name.start_code + 1, self.options.clone());
        Self::on(memory, start_code, |options| {
            options.region = former.region;
            options.scanner_lease = former.scanner_lease;
            change(options);
        })
    }

    pub(crate) async fn ask<Q: Message, A: Message + Default>(
        &self,
        method: &'static str,
        request: &Q,
    ) -> Answer<(A, Bytes)> {
        self.client.call(method, request, Bytes::new()).await
    }

    /// With cells in a block.
    pub(crate) async fn ask_with_cells<Q: Message, A: Message + Default>(
        &self,
        method: &'static str,
        request: &Q,
        cells: Bytes,
    ) -> Answer<(A, Bytes)> {
        self.client.call(method, request, cells).await
    }

    /// By a client that says how long it waits, and then waits longer.
    pub(crate) async fn ask_within<Q: Message, A: Message + Default>(
        &self,
        patience: Option<Duration>,
        method: &'static str,
        request: &Q,
    ) -> Answer<(A, Bytes)> {
        let service = Impatient { service: ClientService::new(Arc::clone(&self.server)), patience };
        Loopback::new(Arc::new(service)).call(method, request, Bytes::new()).await
    }

    /// By a client of that version, which takes cell blocks.
    pub(crate) async fn ask_as_version<Q: Message, A: Message + Default>(
        &self,
        version: (u32, u32),
        method: &'static str,
        request: &Q,
    ) -> Answer<(A, Bytes)> {
        let remote = SocketAddr::from(([127, 0, 0, 1], 1));
        let client = ConnectionInfo::new("ClientService", "tester".to_owned(), None, version, remote, true);
        let service =
            Foreign { service: ClientService::new(Arc::clone(&self.server)), client: Arc::new(client) };
        Loopback::new(Arc::new(service)).call(method, request, Bytes::new()).await
    }

    pub(crate) async fn ask_admin<Q: Message, A: Message + Default>(
        &self,
        method: &'static str,
        request: &Q,
    ) -> Answer<A> {
        self.admin.call(method, request, Bytes::new()).await.map(|(answer, _)| answer)
    }

    /// A table of one region, open.
    pub(crate) async fn table(&self, name: &str) -> Table<'_> {
        self.region(name, "", "").await
    }

    /// A region of a table, open. The table is made with its first region.
    pub(crate) async fn region(&self, name: &str, start: &'static str, end: &'static str) -> Table<'_> {
        let info = region_info(name, start, end);
        if self.root.read_table_descriptor(&info.table).is_err() {
            self.create_table(
                &info,
                vec![ColumnFamilyDescriptor::with_defaults(FAMILY).with("VERSIONS", "3")],
            );
        }
        self.open(&info, 1).await.unwrap();
        self.until_open(&info).await;
        Table { world: self, region: convert::specifier_by_name(&info), info }
    }

    pub(crate) fn create_table(&self, info: &RegionInfo, families: Vec<ColumnFamilyDescriptor>) {
        let table = TableDescriptor { families, ..TableDescriptor::new(info.table.clone()) };
        self.root.create_table_dir(&table, std::slice::from_ref(info)).unwrap();
    }

    pub(crate) async fn open(&self, info: &RegionInfo, procedure: i64) -> Answer<pb::OpenRegionResponse> {
        let open = pb::open_region_request::RegionOpenInfo {
            region: info.into(),
            open_proc_id: Some(procedure),
            ..Default::default()
        };
        let request = pb::OpenRegionRequest { open_info: vec![open], ..Default::default() };
        self.ask_admin("OpenRegion", &request).await
    }

    pub(crate) async fn close(&self, info: &RegionInfo, procedure: i64) -> Answer<pb::CloseRegionResponse> {
        self.close_for(info, None, procedure).await
    }

    /// As the master does when the rows are opened here again.
    pub(crate) async fn close_to_open_here(
        &self,
        info: &RegionInfo,
        procedure: i64,
    ) -> Answer<pb::CloseRegionResponse> {
        self.close_for(info, Some(self.server.name().into()), procedure).await
    }

    async fn close_for(
        &self,
        info: &RegionInfo,
        destination_server: Option<pb::ServerName>,
        procedure: i64,
    ) -> Answer<pb::CloseRegionResponse> {
        let request = pb::CloseRegionRequest {
            region: convert::specifier_by_encoded_name(info),
            close_proc_id: Some(procedure),
            destination_server,
            ..Default::default()
        };
        self.ask_admin("CloseRegion", &request).await
    }

    /// Waits until the server has looked at what its scanners keep: it does so every second.
    pub(crate) async fn server_looks_at_scanners(&self) {
        tokio::time::sleep(Duration::from_millis(2100)).await;
    }

    pub(crate) async fn until_open(&self, info: &RegionInfo) {
        let request = pb::GetRegionInfoRequest {
            region: convert::specifier_by_encoded_name(info),
            ..Default::default()
        };
        let since = Instant::now();
        while let Err(e) = self.ask_admin::<_, pb::GetRegionInfoResponse>("GetRegionInfo", &request).await {
            assert!(since.elapsed() < LONG, "{e}");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Waits for a report about a region, in answer to that request.
    pub(crate) async fn reported(&self, procedure: i64) -> Report {
        let since = Instant::now();
        loop {
            if let Some(report) = self.master.reports().into_iter().find(|one| one.procedure == procedure) {
                return report;
            }
            assert!(since.elapsed() < LONG, "{:?}", self.master.reports());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

pub(crate) fn region_info(table: &str, start: &'static str, end: &'static str) -> RegionInfo {
    RegionInfo::new(TableName::parse(table.as_bytes()).unwrap(), start.into(), end.into(), 1)
}

/// An open region.
pub(crate) struct Table<'a> {
    pub(crate) world: &'a World,
    pub(crate) info: RegionInfo,
    pub(crate) region: pb::RegionSpecifier,
}

impl Table<'_> {
    pub(crate) async fn mutate(
        &self,
        mutation: pb::MutationProto,
    ) -> Answer<(pb::MutateResponse, CellBlock)> {
        let request = pb::MutateRequest { region: self.region.clone(), mutation, ..Default::default() };
        let (response, mut block): (pb::MutateResponse, _) = self.world.ask("Mutate", &request).await?;
        let cells = convert::decode_result(&response.result.clone().unwrap_or_default(), &mut block).unwrap();
        Ok((response, cells))
    }

    pub(crate) async fn put(&self, row: &str, value: &[u8]) -> Answer<()> {
        self.mutate(put(row, &[("q", value)])).await.map(drop)
    }

    /// Row and value of every cell of a row.
    pub(crate) async fn get(&self, row: &str) -> Answer<Vec<(String, Vec<u8>)>> {
        let get = pb::Get { row: Bytes::copy_from_slice(row.as_bytes()), ..Default::default() };
        let request = pb::GetRequest { region: self.region.clone(), get };
        let (response, mut block): (pb::GetResponse, _) = self.world.ask("Get", &request).await?;
        let cells = convert::decode_result(&response.result.unwrap_or_default(), &mut block).unwrap();
        Ok(cells.iter().map(|cell| (text(cell.qualifier()), cell.value().to_vec())).collect())
    }

    /// Puts many rows, with a few requests. Their values are those of `value`.
    pub(crate) async fn fill(&self, rows: std::ops::Range<usize>, value: &[u8]) {
        let rows: Vec<usize> = rows.collect();
        for chunk in rows.chunks(2000) {
            let actions = chunk.iter().map(|row| action(put(&row_name(*row), &[("q", value)]))).collect();
            let results = self.multi(actions).await;
            assert!(results.iter().all(|result| result.exception.is_none()));
        }
    }

    /// Actions on this region, each for itself.
    pub(crate) async fn multi(&self, action: Vec<pb::Action>) -> Vec<pb::ResultOrException> {
        let region_action = pb::RegionAction { region: self.region.clone(), action, ..Default::default() };
        let request = pb::MultiRequest { region_action: vec![region_action], ..Default::default() };
        let (response, _): (pb::MultiResponse, _) = self.world.ask("Multi", &request).await.unwrap();
        response.region_action_result.into_iter().next().unwrap().result_or_exception
    }

    pub(crate) async fn flush(&self) -> Answer<pb::FlushRegionResponse> {
        let request = pb::FlushRegionRequest { region: self.region.clone(), ..Default::default() };
        self.world.ask_admin("FlushRegion", &request).await
    }

    /// What a request that opens a scanner on this region has, besides what the test sets.
    pub(crate) fn open_scan(&self, rows: u32) -> pb::ScanRequest {
        pb::ScanRequest {
            region: Some(self.region.clone()),
            scan: Some(pb::Scan::default()),
            number_of_rows: Some(rows),
            client_handles_partials: Some(true),
            client_handles_heartbeats: Some(true),
            ..Default::default()
        }
    }
}

/// The name of the row of that number; they sort like the numbers.
pub(crate) fn row_name(row: usize) -> String {
    format!("r{row:06}")
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn mutation(
    mutate_type: pb::mutation_proto::MutationType,
    row: &str,
    columns: &[(&str, &[u8])],
) -> pb::MutationProto {
    let value = |(qualifier, value): &(&str, &[u8])| pb::mutation_proto::column_value::QualifierValue {
        qualifier: Some(Bytes::copy_from_slice(qualifier.as_bytes())),
        value: Some(Bytes::copy_from_slice(value)),
        ..Default::default()
    };
    pb::MutationProto {
        row: Some(Bytes::copy_from_slice(row.as_bytes())),
        mutate_type: Some(mutate_type.into()),
        column_value: vec![pb::mutation_proto::ColumnValue {
            family: FAMILY.into(),
            qualifier_value: columns.iter().map(value).collect(),
        }],
        ..Default::default()
    }
}

pub(crate) fn put(row: &str, columns: &[(&str, &[u8])]) -> pb::MutationProto {
    mutation(pb::mutation_proto::MutationType::Put, row, columns)
}

pub(crate) fn increment(row: &str, by: i64, nonce: Option<u64>) -> pb::MutationProto {
    let increment = mutation(pb::mutation_proto::MutationType::Increment, row, &[("q", &by.to_be_bytes())]);
    pb::MutationProto { nonce, ..increment }
}

pub(crate) fn action(mutation: pb::MutationProto) -> pb::Action {
    pb::Action { mutation: Some(mutation), ..Default::default() }
}

/// The simple class of the exception of one action.
pub(crate) fn failure_of(exception: &Option<Box<pb::NameBytesPair>>) -> String {
    let name = &exception.as_ref().expect("an exception").name;
    name.rsplit('.').next().unwrap().to_owned()
}

/// A filter of a few bytes that is some MiB when it is compiled, and lets everything pass.
pub(crate) fn large_filter() -> pb::Filter {
    const PACKAGE: &str = "org.apache.hadoop.hbase.filter.";
    let regex = pb::RegexStringComparator {
        pattern: "(a{1000}){20}$".into(),
        charset: "UTF-8".into(),
        ..Default::default()
    };
    let comparator = pb::Comparator {
        name: format!("{PACKAGE}RegexStringComparator"),
        serialized_comparator: Some(regex.encode_to_vec().into()),
    };
    let compare_filter =
        pb::CompareFilter { compare_op: pb::CompareType::NotEqual.into(), comparator: Some(comparator) };
    let filter = pb::ValueFilter { compare_filter }.encode_to_vec();
    pb::Filter { name: format!("{PACKAGE}ValueFilter"), serialized_filter: Some(filter.into()) }
}
