//! A master with a small region server, which speaks the same messages as a real one and keeps its tables in a map.

#![allow(dead_code, missing_docs, unreachable_pub)]

pub mod region_server;
pub mod store;

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use finback_cell::{ColumnFamilyDescriptor, RegionInfo, ServerName, TableDescriptor, TableName};
use finback_fs::{CrashMode, Faults, FaultyFileSystem, FileSystem, MemFileSystem};
use finback_layout::RootDir;
use finback_master::{Master, MasterConfig, MasterOptions};
use finback_proto::{Message, pb};
use finback_rpc::{ChannelExt, Loopback, RpcException};
use region_server::FakeRegionServer;
use store::Store;

pub const ROOT: &str = "/hbase";

/// One life of a cluster.
pub struct Cluster {
    pub master: Master,
    pub server: Arc<FakeRegionServer>,
    pub memory: MemFileSystem,
    pub faults: Faults,
    pub store: Store,
    pub clock: Arc<AtomicU64>,
    pub shutdowns: Arc<Mutex<Vec<bool>>>,
}

impl Cluster {
    /// A new one, initialised.
    pub async fn start() -> Self {
        let cluster = Self::on(MemFileSystem::new(), Store::default(), 1_700_000_000_000).await;
        cluster.server.register().await.unwrap();
        cluster.initialized().await;
        cluster
    }

    /// A master without region servers, over what an earlier life left.
    pub async fn on(memory: MemFileSystem, store: Store, now: u64) -> Self {
        Self::with(memory, store, now, MasterConfig::default()).await
    }

    pub async fn with(memory: MemFileSystem, store: Store, now: u64, config: MasterConfig) -> Self {
        Self::failing(memory, store, now, config, None).await.unwrap()
    }

    /// As `with`, where everything from that operation on fails.
    pub async fn failing(
        memory: MemFileSystem,
        store: Store,
        now: u64,
        config: MasterConfig,
        fail_from: Option<u64>,
    ) -> Result<Self, finback_master::MasterError> {
        let faulty = FaultyFileSystem::new(Arc::new(memory.clone()));
        let faults = faulty.faults();
        if let Some(n) = fail_from {
            faults.fail_from(n);
        }
        let root = RootDir::new(Arc::new(faulty), ROOT);
        let clock = Arc::new(AtomicU64::new(now));
        let name = ServerName { host: "localhost".into(), port: 16020, start_code: now };
        let server = FakeRegionServer::new(name, root.clone(), store.clone(), clock.clone());
        let shutdowns = Arc::new(Mutex::new(Vec::new()));
        let master = Master::start(MasterOptions {
            root,
            connect: server.connect(),
            server_name: ServerName { host: "localhost".into(), port: 16000, start_code: now },
            clock: {
                let clock = clock.clone();
                Arc::new(move || clock.load(Ordering::SeqCst))
            },
            shutdown: {
                let shutdowns = shutdowns.clone();
                Arc::new(move |cluster| shutdowns.lock().unwrap().push(cluster))
            },
            served_files: Arc::new(|_, _, _| None),
            config,
        })
        .await?;
        server.set_master(master.service("RegionServerStatusService").unwrap());
        Ok(Self { master, server, memory, faults, store, clock, shutdowns })
    }

    /// Waits for the start to be complete.
    pub async fn initialized(&self) {
        tokio::time::timeout(Duration::from_secs(600), self.master.initialized())
            .await
            .expect("initialised in time")
            .unwrap();
    }

    /// The next life after a power cut now.
    pub async fn crash_and_restart(self, mode: CrashMode) -> Self {
        let (memory, store) = (self.memory.crash(mode), self.store.copy());
        self.master.stop();
        let now = self.clock.load(Ordering::SeqCst) + 1000;
        drop(self);
        let next = Self::on(memory, store, now).await;
        next.server.register().await.unwrap();
        next.initialized().await;
        next
    }

    /// The file system as it is now, without faults.
    pub fn root(&self) -> RootDir {
        RootDir::new(Arc::new(self.memory.clone()), ROOT)
    }

    pub async fn call<Req: Message, Resp: Message + Default>(
        &self,
        method: &'static str,
        request: &Req,
    ) -> Result<Resp, RpcException> {
        self.call_service("MasterService", method, request).await
    }

    pub async fn call_service<Req: Message, Resp: Message + Default>(
        &self,
        service: &str,
        method: &'static str,
        request: &Req,
    ) -> Result<Resp, RpcException> {
        let channel = Loopback::new(self.master.service(service).unwrap());
        channel.call(method, request, Bytes::new()).await.map(|(message, _)| message)
    }

    /// Waits for a procedure's end, as a client does.
    pub async fn wait(&self, proc_id: Option<u64>) -> Result<(), (String, String)> {
        let proc_id = proc_id.expect("an id");
        for _ in 0..100_000 {
            let result: pb::GetProcedureResultResponse =
                self.call("getProcedureResult", &pb::GetProcedureResultRequest { proc_id }).await.unwrap();
            match result.state() {
                pb::get_procedure_result_response::State::Finished => {
                    let exception = result.exception.and_then(|e| e.generic_exception);
                    return exception.map_or(Ok(()), |e| {
                        Err((e.class_name.unwrap_or_default(), e.message.unwrap_or_default()))
                    });
                }
                pb::get_procedure_result_response::State::Running => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                other => panic!("procedure {proc_id}: {other:?}"),
            }
        }
        panic!("procedure {proc_id} does not end");
    }

    pub async fn create(&self, name: &str, families: &[&str], splits: &[&str]) -> Result<(), RpcException> {
        let request = create_request(table(name, families), splits);
        let response: pb::CreateTableResponse = self.call("CreateTable", &request).await?;
        self.wait(response.proc_id).await.unwrap();
        Ok(())
    }

    pub async fn disable(&self, name: &str) -> Result<(), RpcException> {
        let request = pb::DisableTableRequest { table_name: pb_name(name), ..Default::default() };
        let response: pb::DisableTableResponse = self.call("DisableTable", &request).await?;
        self.wait(response.proc_id).await.unwrap();
        Ok(())
    }

    pub async fn enable(&self, name: &str) -> Result<(), RpcException> {
        let request = pb::EnableTableRequest { table_name: pb_name(name), ..Default::default() };
        let response: pb::EnableTableResponse = self.call("EnableTable", &request).await?;
        self.wait(response.proc_id).await.unwrap();
        Ok(())
    }

    pub async fn delete(&self, name: &str) -> Result<(), RpcException> {
        let request = pb::DeleteTableRequest { table_name: pb_name(name), ..Default::default() };
        let response: pb::DeleteTableResponse = self.call("DeleteTable", &request).await?;
        self.wait(response.proc_id).await.unwrap();
        Ok(())
    }

    pub async fn state(&self, name: &str) -> Option<pb::table_state::State> {
        let request = pb::GetTableStateRequest { table_name: pb_name(name) };
        let response: Result<pb::GetTableStateResponse, _> = self.call("GetTableState", &request).await;
        response.ok().map(|response| response.table_state.state())
    }

    pub async fn descriptor(&self, name: &str) -> Option<TableDescriptor> {
        let request =
            pb::GetTableDescriptorsRequest { table_names: vec![pb_name(name)], ..Default::default() };
        let response: pb::GetTableDescriptorsResponse =
            self.call("GetTableDescriptors", &request).await.unwrap();
        response.table_schema.first().map(|schema| TableDescriptor::try_from(schema).unwrap())
    }

    /// Puts a store file into a family of each region of a table, as a flush would.
    pub fn put_store_files(&self, name: &str, family: &str, file: &str) -> usize {
        let (root, table) = (self.root(), table_name(name));
        let regions = root.list_regions(&table).unwrap();
        for region in &regions {
            let dir = root.family_dir(&table, region, family.as_bytes());
            root.fs().create_dir_all(&dir).unwrap();
            finback_fs::write_file_durably(&**root.fs(), &dir.join(file), b"cells").unwrap();
        }
        regions.len()
    }

    /// Puts a MOB file of a table where its servers write them.
    pub fn put_mob_file(&self, name: &str, family: &str, file: &str) {
        let dir = self.root().mob_family_dir(&table_name(name), family.as_bytes());
        self.memory.create_dir_all(&dir).unwrap();
        finback_fs::write_file_durably(&self.memory, &dir.join(file), b"values").unwrap();
    }

    /// The MOB files, and links to some, that a family of a table has.
    pub fn mob_files(&self, name: &str, family: &str) -> Vec<String> {
        let files = self.root().list_mob_files(&table_name(name), family.as_bytes()).unwrap();
        files.into_iter().map(|file| file.name).collect()
    }

    /// Whether the archive has a MOB file.
    pub fn has_archived_mob_file(&self, name: &str, family: &str, file: &str) -> bool {
        let dir = self.root().archived_mob_family_dir(&table_name(name), family.as_bytes());
        self.memory.exists(&dir.join(file)).unwrap()
    }

    /// Paths of all store files (of 32 digits) anywhere below a directory of the root.
    pub fn files_below(&self, dir: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect(&self.memory, PathBuf::from(ROOT).join(dir), &mut found);
        found
    }
}

fn collect(fs: &MemFileSystem, dir: PathBuf, found: &mut Vec<PathBuf>) {
    for entry in fs.list(&dir).unwrap_or_default() {
        let path = dir.join(&entry.name);
        match entry.is_dir {
            true => collect(fs, path, found),
            false if entry.name.len() == 32 => found.push(path),
            false => {}
        }
    }
}

pub fn table_name(name: &str) -> TableName {
    TableName::parse(name.as_bytes()).unwrap()
}

pub fn pb_name(name: &str) -> pb::TableName {
    (&table_name(name)).into()
}

pub fn table(name: &str, families: &[&str]) -> TableDescriptor {
    let mut table = TableDescriptor::new(table_name(name));
    table.families = families.iter().map(|f| ColumnFamilyDescriptor::with_defaults(f.as_bytes())).collect();
    table
}

pub fn create_request(table: TableDescriptor, splits: &[&str]) -> pb::CreateTableRequest {
    pb::CreateTableRequest {
        table_schema: (&table).into(),
        split_keys: splits.iter().map(|key| Bytes::copy_from_slice(key.as_bytes())).collect(),
        ..Default::default()
    }
}

/// A table whose families have their large values in files of their own.
pub fn mob_table(name: &str, families: &[&str]) -> TableDescriptor {
    let mut table = table(name, families);
    for family in &mut table.families {
        *family = family.clone().with("IS_MOB", "true");
    }
    table
}

pub fn family_schema(name: &str) -> pb::ColumnFamilySchema {
    (&ColumnFamilyDescriptor::with_defaults(name.as_bytes())).into()
}

/// The simple class name and the message of a call that must fail.
pub fn refusal<T: std::fmt::Debug>(result: Result<T, RpcException>) -> (String, String) {
    let e = result.unwrap_err();
    (e.simple_class().to_owned(), e.message)
}

pub fn meta_region() -> RegionInfo {
    RegionInfo::meta()
}
