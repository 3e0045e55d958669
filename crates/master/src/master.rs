use std::{collections::BTreeMap, sync::Arc};

use finback_cell::{ServerName, TableName};
use finback_layout::{KeptSwitches, RootDir, WalDir};
use finback_metrics::{HistogramSnapshot, ProcedureFigures};
use finback_proto::{pb, pb::table_state};
use finback_rpc::Service;
use tokio::{runtime::Handle, sync::watch};

use crate::{
    admin_service::{AdminService, UpdateConfiguration},
    client_meta_service::ClientMetaService,
    core::{Core, Startup},
    driver::Driver,
    lock_service::LockService,
    master_service::MasterService,
    options::{MasterConfig, MasterError, MasterOptions},
    procedure_store::ProcedureStore,
    region_server_status_service::RegionServerStatusService,
    system_tables,
};

/// A running master.
pub struct Master {
    driver: Arc<Driver>,
    options: Arc<MasterOptions>,
    services: Vec<Arc<dyn Service>>,
}

/// What others in the process may want to know of a master.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MasterStatus {
    /// The cluster's id.
    pub cluster_id: String,
    /// Whether clients are served.
    pub initialized: bool,
    /// Where hbase:meta is open.
    pub meta_location: Option<ServerName>,
    /// How many replicas hbase:meta has, itself counted.
    pub meta_replicas: u32,
    /// Namespaces, each with its configuration.
    pub namespaces: Arc<BTreeMap<String, Vec<(String, String)>>>,
    /// Whether tables are enabled, or on their way, as hbase:meta has it.
    pub table_states: Arc<BTreeMap<TableName, table_state::State>>,
    /// Why the start failed for good, if it did: logs that are corrupt, or hbase:meta, or that there is none.
    pub failure: Option<String>,
}

impl Master {
    /// Initialises the root directory and starts; the rest follows when a region server reports for duty. Must be called
    /// in a tokio runtime with time enabled.
    ///
    /// # Errors
    /// [`MasterError::Layout`] if the root directory is not usable.
    pub async fn start(options: MasterOptions) -> Result<Self, MasterError> {
        let root = options.root.clone();
        let runtime = Handle::current();
        let prepared = runtime.spawn_blocking(move || prepare(&root)).await;
        let Prepared { cluster_id, dead_logs, switches, procedures: (store, records) } =
            prepared.map_err(|e| MasterError::Interrupted(e.to_string()))??;
        let startup = Startup::new(dead_logs);
        let mut core = Core::new(cluster_id, options.config.clone(), startup, (options.clock)());
        core.state.switches.kept = switches;
        core.take_over(records);
        let driver = Driver::new(core, store, &options, runtime);
        driver.evict_forever();
        if options.config.server_expiry.is_some() {
            driver.tick_forever();
        }
        driver.reopen_forever();
        driver.collect_forever();
        driver.clean_forever();
        let options = Arc::new(options);
        let services: Vec<Arc<dyn Service>> = vec![
            Arc::new(MasterService::new(driver.clone(), options.clone())),
            Arc::new(RegionServerStatusService::new(driver.clone(), options.clone())),
            Arc::new(ClientMetaService::new(driver.clone(), options.clone())),
            Arc::new(LockService { driver: driver.clone() }),
        ];
        Ok(Self { driver, options, services })
    }

    /// `MasterService`, `RegionServerStatusService`, `ClientMetaService` and `LockService`.
    pub fn services(&self) -> Vec<Arc<dyn Service>> {
        self.services.clone()
    }

    /// `AdminService` of the master itself, with what is to be done when an administrator has changed the configuration.
    pub fn admin_service(&self, update: UpdateConfiguration) -> Arc<dyn Service> {
        Arc::new(AdminService { driver: self.driver.clone(), options: self.options.clone(), update })
    }

    /// A way to give it other settings.
    pub fn reconfigurer(&self) -> Reconfigurer {
        Reconfigurer(self.driver.clone())
    }

    /// The service of that name.
    pub fn service(&self, name: &str) -> Option<Arc<dyn Service>> {
        self.services.iter().find(|service| service.name() == name).cloned()
    }

    /// What it counts of procedures, and of how long regions were in transition.
    pub fn statistics(&self) -> MasterStatistics {
        MasterStatistics(self.driver.clone())
    }

    /// The state, and its changes.
    pub fn status(&self) -> watch::Receiver<MasterStatus> {
        self.driver.status()
    }

    /// Has somebody told of the state as it is, and of each change, before a client can learn that what it asked for is done.
    /// What is told must not wait for anything: the master does nothing else meanwhile.
    pub fn follow(&self, follower: impl FnMut(&MasterStatus) + Send + 'static) {
        self.driver.follow(Box::new(follower));
    }

    /// Waits until clients are served.
    ///
    /// # Errors
    /// The text of what made the start fail for good.
    pub async fn initialized(&self) -> Result<(), String> {
        let mut status = self.status();
        let settled = status.wait_for(|status| status.initialized || status.failure.is_some()).await;
        match settled {
            Ok(status) => status.failure.clone().map_or(Ok(()), Err),
            Err(_) => Err("the master is gone".to_owned()),
        }
    }

    /// Stops: what is under way is left to the next start, as after a crash.
    pub fn stop(&self) {
        self.driver.stop();
    }
}

/// Tells what a master counts.
#[derive(Clone)]
pub struct MasterStatistics(Arc<Driver>);

impl MasterStatistics {
    /// Procedures, under HBase's names for them.
    pub fn procedures(&self) -> Vec<(&'static str, ProcedureFigures)> {
        self.0.read(|core| core.statistics.procedures())
    }

    /// How long regions were in transition.
    pub fn transition_time(&self) -> HistogramSnapshot {
        self.0.read(|core| core.statistics.transition_time())
    }
}

/// Gives a master other settings.
#[derive(Clone)]
pub struct Reconfigurer(Arc<Driver>);

impl Reconfigurer {
    /// Whether schemas are checked counts at once; what else has changed is passed over.
    pub fn reconfigure(&self, config: MasterConfig) {
        self.0.event(|core, _| core.reconfigure(&config));
    }
}

impl Drop for Master {
    fn drop(&mut self) {
        self.stop();
    }
}

struct Prepared {
    cluster_id: String,
    dead_logs: Vec<WalDir>,
    switches: KeptSwitches,
    procedures: (ProcedureStore, Vec<pb::StoredProcedure>),
}

/// What can be done before there is a region server. Directories of logs that exist now belong to servers of the past: one
/// that is to live must report for duty before it begins a log.
fn prepare(root: &RootDir) -> Result<Prepared, MasterError> {
    let cluster_id = root.initialize_with_meta(&system_tables::meta())?;
    let dead_logs = root.list_wal_dirs()?;
    let switches = match root.read_switches() {
        // As in HBase: what an administrator may have switched off does not come to life again.
        Err(error) if error.is_corrupt() => {
            tracing::error!(%error, "all switches are off until they are turned on");
            KeptSwitches::OFF
        }
        read => read?,
    };
    let procedures = ProcedureStore::open(root.fs().clone(), root.path()).map_err(MasterError::Procedures)?;
    Ok(Prepared { cluster_id, dead_logs, switches, procedures })
}
