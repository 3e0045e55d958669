//! `ClientService` and `AdminService` as far as a master uses them.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::Bytes;
use finback_cell::{CellBlock, RegionInfo, ServerName};
use finback_layout::RootDir;
use finback_master::Connect;
use finback_proto::{Message, convert, pb};
use finback_rpc::{Call, Channel, ChannelExt, Loopback, Outcome, Reply, RpcException, Service, exceptions};
use pb::{get_region_info_response::CompactionState, region_state_transition::TransitionCode};

use super::store::Store;

/// Rows in a reply, however many are asked for: small, so that every scan is paged.
const ROWS_PER_REPLY: usize = 3;

pub struct FakeRegionServer {
    pub name: ServerName,
    root: RootDir,
    store: Store,
    clock: Arc<AtomicU64>,
    master: Mutex<Option<Arc<dyn Service>>>,
    pub online: Mutex<BTreeSet<String>>,
    scanners: Mutex<BTreeMap<u64, VecDeque<CellBlock>>>,
    next_scanner: AtomicU64,
    /// Regions (encoded) that were asked to be opened, in order.
    pub opens: Mutex<Vec<String>>,
    /// Region and family of each flush.
    pub flushes: Mutex<Vec<(String, Option<Bytes>)>>,
    /// Tables whose regions do not open, and how often.
    pub refuse_to_open: Mutex<BTreeMap<String, u32>>,
    /// Tables whose regions neither open nor close, nor say so.
    pub silent: Mutex<BTreeSet<String>>,
    pub meta_writes: AtomicU64,
    pub refuse_flush: Mutex<Option<RpcException>>,
    /// Region and family of each compaction that was asked for, and whether of all files: under way until somebody empties this.
    pub compactions: Mutex<Vec<(String, Option<Bytes>, bool)>>,
}

impl FakeRegionServer {
    pub fn new(name: ServerName, root: RootDir, store: Store, clock: Arc<AtomicU64>) -> Arc<Self> {
        Arc::new(Self {
            name,
            root,
            store,
            clock,
            master: Mutex::default(),
            online: Mutex::default(),
            scanners: Mutex::default(),
            next_scanner: AtomicU64::new(1),
            opens: Mutex::default(),
            flushes: Mutex::default(),
            refuse_to_open: Mutex::default(),
            silent: Mutex::default(),
            meta_writes: AtomicU64::new(0),
            refuse_flush: Mutex::default(),
            compactions: Mutex::default(),
        })
    }

    /// How a master reaches it, and nobody else.
    pub fn connect(self: &Arc<Self>) -> Connect {
        let server = self.clone();
        Arc::new(move |name, service| -> Arc<dyn Channel> {
            let half = Half { service, server: server.clone(), reachable: *name == server.name };
            Arc::new(Loopback::new(Arc::new(half)))
        })
    }

    pub fn set_master(&self, service: Arc<dyn Service>) {
        *self.master.lock().unwrap() = Some(service);
    }

    async fn call_master<Req: Message, Resp: Message + Default>(
        &self,
        method: &'static str,
        request: &Req,
    ) -> Result<Resp, RpcException> {
        let service = self.master.lock().unwrap().clone().expect("a master");
        Loopback::new(service).call(method, request, Bytes::new()).await.map(|(message, _)| message)
    }

    pub async fn register(&self) -> Result<pb::RegionServerStartupResponse, RpcException> {
        let request = pb::RegionServerStartupRequest {
            port: self.name.port.into(),
            server_start_code: self.name.start_code,
            server_current_time: self.clock.load(Ordering::SeqCst),
            use_this_hostname_instead: Some(self.name.host.clone()),
        };
        self.call_master("RegionServerStartup", &request).await
    }

    pub async fn report(&self, load: Option<pb::ServerLoad>) -> Result<(), RpcException> {
        let request = pb::RegionServerReportRequest { server: (&self.name).into(), load };
        let answer: Result<pb::RegionServerReportResponse, _> =
            self.call_master("RegionServerReport", &request).await;
        answer.map(drop)
    }

    pub async fn report_transition(
        &self,
        code: TransitionCode,
        region: &RegionInfo,
    ) -> Result<Option<String>, RpcException> {
        let transition = pb::RegionStateTransition {
            transition_code: code.into(),
            region_info: vec![region.into()],
            open_seq_num: Some(2),
            ..Default::default()
        };
        let request = pb::ReportRegionStateTransitionRequest {
            server: (&self.name).into(),
            transition: vec![transition],
        };
        let answer: pb::ReportRegionStateTransitionResponse =
            self.call_master("ReportRegionStateTransition", &request).await?;
        Ok(answer.error_message)
    }

    fn report_later(self: &Arc<Self>, code: TransitionCode, region: RegionInfo) {
        let server = self.clone();
        tokio::spawn(async move { server.report_transition(code, &region).await });
    }

    /// A step that a power cut may come before: counted together with those of the file system.
    fn step(&self) -> Result<(), RpcException> {
        self.root.fs().sync_dir(self.root.path()).map_err(|e| exceptions::io(e.to_string()))
    }

    fn open(self: &Arc<Self>, region: RegionInfo) {
        let (encoded, table) = (region.encoded_name(), region.table.to_string());
        self.opens.lock().unwrap().push(encoded.clone());
        if self.silent.lock().unwrap().contains(&table) {
            return;
        }
        let refused = match self.refuse_to_open.lock().unwrap().get_mut(&table) {
            Some(times) if *times > 0 => {
                *times -= 1;
                true
            }
            _ => false,
        };
        let on_disk = self.root.read_region_info(&region.table, &encoded).is_ok_and(|info| info == region)
            && self.root.read_table_descriptor(&region.table).is_ok();
        if refused || !on_disk {
            return self.report_later(TransitionCode::FailedOpen, region);
        }
        self.online.lock().unwrap().insert(encoded);
        self.report_later(TransitionCode::Opened, region);
    }

    fn close(self: &Arc<Self>, encoded: &str) {
        self.online.lock().unwrap().remove(encoded);
        let tables = self.root.list_tables().unwrap();
        let region = tables.iter().find_map(|table| self.root.read_region_info(table, encoded).ok());
        let region = region.expect("a region that is on disk");
        if !self.silent.lock().unwrap().contains(&region.table.to_string()) {
            self.report_later(TransitionCode::Closed, region);
        }
    }

    fn execute_procedures(self: &Arc<Self>, call: &Call) -> Result<Reply, RpcException> {
        let request: pb::ExecuteProceduresRequest = call.decode()?;
        for open in request.open_region.iter().flat_map(|open| &open.open_info) {
            self.open(RegionInfo::try_from(&open.region).unwrap());
        }
        for close in &request.close_region {
            self.close(std::str::from_utf8(convert::encoded_name(&close.region).unwrap()).unwrap());
        }
        request.proc.iter().try_for_each(|procedure| self.flush(procedure))?;
        Ok(Reply::new(&pb::ExecuteProceduresResponse {}))
    }

    fn online_region(&self, specifier: &pb::RegionSpecifier) -> Result<String, RpcException> {
        let encoded = std::str::from_utf8(convert::encoded_name(specifier).unwrap()).unwrap().to_owned();
        match self.online.lock().unwrap().contains(&encoded) {
            true => Ok(encoded),
            false => Err(exceptions::not_serving_region(encoded)),
        }
    }

    fn flush(&self, procedure: &pb::RemoteProcedureRequest) -> Result<(), RpcException> {
        assert_eq!(procedure.proc_class, "org.apache.hadoop.hbase.regionserver.FlushRegionCallable");
        let parameter = pb::FlushRegionParameter::decode(procedure.proc_data()).unwrap();
        let region = RegionInfo::try_from(&parameter.region).unwrap();
        let region = self.online_region(&convert::specifier_by_name(&region))?;
        if let Some(e) = self.refuse_flush.lock().unwrap().clone() {
            return Err(e);
        }
        let family = parameter.column_family.into_iter().next();
        self.flushes.lock().unwrap().push((region, family));
        Ok(())
    }

    /// Regions here can always be divided, and are best divided in the middle of the alphabet.
    fn region_info(&self, call: &Call) -> Result<Reply, RpcException> {
        let request: pb::GetRegionInfoRequest = call.decode()?;
        let region = self.online_region(&request.region)?;
        let compactions = self.compactions.lock().unwrap();
        let major = compactions.iter().find(|(compacted, ..)| *compacted == region).map(|(.., major)| *major);
        let state = match major {
            None => CompactionState::None,
            Some(false) => CompactionState::Minor,
            Some(true) => CompactionState::Major,
        };
        Ok(Reply::new(&pb::GetRegionInfoResponse {
            compaction_state: request.compaction_state().then_some(state as i32),
            splittable: Some(true),
            mergeable: Some(true),
            best_split_row: request.best_split_row().then(|| Bytes::from_static(b"m")),
            ..Default::default()
        }))
    }

    fn compact_region(&self, call: &Call) -> Result<Reply, RpcException> {
        let request: pb::CompactRegionRequest = call.decode()?;
        let (region, major) = (self.online_region(&request.region)?, request.major());
        self.compactions.lock().unwrap().push((region, request.family, major));
        Ok(Reply::new(&pb::CompactRegionResponse::default()))
    }

    /// Whatever is in the directories of the region.
    fn store_files(&self, call: &Call) -> Result<Reply, RpcException> {
        let request: pb::GetStoreFileRequest = call.decode()?;
        let region = self.online_region(&request.region)?;
        self.step()?;
        let mut store_file = Vec::new();
        for table in self.root.list_tables().unwrap() {
            for family in self.root.list_families(&table, &region).unwrap() {
                let files = self.root.list_store_files(&table, &region, family.as_bytes()).unwrap();
                store_file.extend(files.iter().map(|file| format!("file:{}", file.path.display())));
            }
        }
        Ok(Reply::new(&pb::GetStoreFileResponse { store_file }))
    }

    fn exec_service(&self, call: &Call) -> Result<Reply, RpcException> {
        let request: pb::CoprocessorServiceRequest = call.decode()?;
        let region = self.online_region(&request.region)?;
        assert_eq!(
            (&*request.call.service_name, &*request.call.method_name),
            ("MultiRowMutationService", "MutateRows")
        );
        let mutations = pb::MutateRowsRequest::decode(request.call.request).unwrap().mutation_request;
        assert!(!mutations.is_empty());
        self.write(&region, &mutations)?;
        self.meta_writes.fetch_add(1, Ordering::SeqCst);
        let value = pb::MutateRowsResponse { processed: Some(true) }.encode_to_vec().into();
        Ok(Reply::new(&pb::CoprocessorServiceResponse {
            region: request.region,
            value: pb::NameBytesPair { name: "MutateRowsResponse".into(), value: Some(value) },
        }))
    }

    /// Durable when it returns; the answer may get lost after.
    fn write(&self, region: &str, mutations: &[pb::MutationProto]) -> Result<(), RpcException> {
        let too_long = |mutation: &pb::MutationProto| mutation.row().len() > finback_cell::MAX_ROW_LENGTH;
        if mutations.iter().any(too_long) {
            return Err(exceptions::do_not_retry("a row that is too long"));
        }
        self.step()?;
        self.store.apply(region, mutations);
        self.step()
    }

    fn mutate(&self, call: &Call) -> Result<Reply, RpcException> {
        let request: pb::MutateRequest = call.decode()?;
        let region = self.online_region(&request.region)?;
        self.write(&region, &[request.mutation])?;
        Ok(Reply::new(&pb::MutateResponse { processed: Some(true), ..Default::default() }))
    }

    fn scan(&self, call: &Call) -> Result<Reply, RpcException> {
        let request: pb::ScanRequest = call.decode()?;
        let id = match (&request.scan, &request.region) {
            (Some(scan), Some(region)) => {
                let region = self.online_region(region)?;
                let families: Vec<_> = scan.column.iter().map(|column| column.family.clone()).collect();
                let id = self.next_scanner.fetch_add(1, Ordering::SeqCst);
                let mut rows = self.store.rows(&region, &families);
                if scan.attribute.iter().any(|attribute| attribute.name == "_raw_") {
                    rows.extend(self.store.markers(&region, &families));
                }
                self.scanners.lock().unwrap().insert(id, rows.into());
                id
            }
            _ => request.scanner_id(),
        };
        let mut scanners = self.scanners.lock().unwrap();
        if request.close_scanner() {
            scanners.remove(&id);
            return Ok(Reply::new(&pb::ScanResponse::default()));
        }
        let rest = scanners.get_mut(&id).ok_or_else(|| exceptions::unknown_scanner(id.to_string()))?;
        let count = rest.len().min(ROWS_PER_REPLY);
        let rows: Vec<_> = rest.drain(..count).collect();
        let more = !rest.is_empty();
        let response = pb::ScanResponse {
            cells_per_result: rows.iter().map(|row| row.count() as u32).collect(),
            scanner_id: Some(id),
            more_results: Some(more),
            more_results_in_region: Some(more),
            ..Default::default()
        };
        Ok(Reply::with_cells(&response, rows.iter().flat_map(|row| row.bytes().to_vec()).collect()))
    }
}

struct Half {
    service: &'static str,
    server: Arc<FakeRegionServer>,
    reachable: bool,
}

impl Service for Half {
    fn name(&self) -> &'static str {
        self.service
    }

    fn call(&self, call: Call) -> Outcome {
        if !self.reachable {
            return Outcome::exception(exceptions::connection_closed("connection refused"));
        }
        let server = &self.server;
        match (self.service, call.method.as_str()) {
            ("AdminService", "ExecuteProcedures") => server.execute_procedures(&call),
            ("AdminService", "CompactRegion") => server.compact_region(&call),
            ("AdminService", "GetRegionInfo") => server.region_info(&call),
            ("AdminService", "GetStoreFile") => server.store_files(&call),
            ("ClientService", "ExecService") => server.exec_service(&call),
            ("ClientService", "Mutate") => server.mutate(&call),
            ("ClientService", "Scan") => server.scan(&call),
            other => panic!("{other:?}"),
        }
        .into()
    }
}
