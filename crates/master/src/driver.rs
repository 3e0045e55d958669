//! Feeds events to the core and carries its actions out. Events come from calls, outcomes and the clock; one at a time
//! is handled, under a lock that is never held over I/O.

use std::{sync::Arc, time::Duration};

use finback_cell::region_info::META_ENCODED_NAME;
use finback_layout::RootDir;
use finback_proto::pb;
use finback_rpc::{Call, RpcException, exceptions};
use parking_lot::Mutex;
use tokio::{
    runtime::Handle,
    sync::{RwLock, watch},
    time::MissedTickBehavior,
};

use crate::{
    action::{Action, ActionId, Outcome, Output},
    core::{Core, Origin, Procedure},
    kinship::{self, Kinship},
    master::MasterStatus,
    operation::Operation,
    options::{Chores, Clock, Connect, MasterOptions, ServedFiles},
    procedure_store::ProcedureStore,
    region_service_calls as calls, snapshots,
    state::ClusterState,
};

/// How often it is looked for files that nobody refers to; HBase's `hbase.catalogjanitor.interval`.
const COLLECTION_INTERVAL: Duration = Duration::from_secs(300);
/// How often results are forgotten that are old enough; HBase's `hbase.procedure.cleaner.interval`.
const EVICTION_INTERVAL: Duration = Duration::from_secs(30);
/// How often regions are tried again that did not open.
const REOPENING_INTERVAL: Duration = Duration::from_secs(60);
/// How often the core is told the time, as far as it needs to be.
const TICK: Duration = Duration::from_secs(1);
/// Nothing is done more often by itself, whatever the settings say.
const SHORTEST_PERIOD: Duration = Duration::from_millis(100);

pub(crate) type Follower = Box<dyn FnMut(&MasterStatus) + Send>;

pub(crate) struct Driver {
    core: Mutex<Core>,
    /// The core has one write under way at most: nobody waits for the lock.
    procedures: Arc<Mutex<ProcedureStore>>,
    root: RootDir,
    connect: Connect,
    clock: Clock,
    served_files: ServedFiles,
    runtime: Handle,
    pub(crate) chores: Chores,
    /// Whoever cleans the archive has it alone; whoever is about to need files of it shares it.
    pub(crate) archive: Arc<RwLock<()>>,
    /// Whoever turns switches that are kept does so alone, until they are on disk.
    pub(crate) turning: Arc<tokio::sync::Mutex<()>>,
    status: watch::Sender<MasterStatus>,
    /// Told of every change of the status before anybody can see what else came of the event.
    follower: Mutex<Option<Follower>>,
    stopped: watch::Sender<bool>,
    /// Counts events, for those that wait for one.
    events: watch::Sender<u64>,
}

impl Driver {
    pub(crate) fn new(
        core: Core,
        procedures: ProcedureStore,
        options: &MasterOptions,
        runtime: Handle,
    ) -> Arc<Self> {
        let status = MasterStatus { cluster_id: core.state.cluster_id.clone(), ..Default::default() };
        Arc::new(Self {
            core: Mutex::new(core),
            procedures: Arc::new(Mutex::new(procedures)),
            root: options.root.clone(),
            connect: options.connect.clone(),
            clock: options.clock.clone(),
            served_files: options.served_files.clone(),
            runtime,
            chores: options.config.chores,
            archive: Arc::default(),
            turning: Arc::default(),
            status: watch::Sender::new(status),
            follower: Mutex::default(),
            stopped: watch::Sender::new(false),
            events: watch::Sender::new(0),
        })
    }

    pub(crate) fn status(&self) -> watch::Receiver<MasterStatus> {
        self.status.subscribe()
    }

    /// Has somebody told of the status as it is, and of each change from here on.
    pub(crate) fn follow(&self, mut follower: Follower) {
        let _unchanging = self.core.lock();
        follower(&self.status.borrow());
        *self.follower.lock() = Some(follower);
    }

    /// How region servers are reached.
    pub(crate) fn connect(&self) -> &Connect {
        &self.connect
    }

    /// Milliseconds since the epoch.
    pub(crate) fn now(&self) -> u64 {
        (self.clock)()
    }

    /// Looks at what is known.
    pub(crate) fn read<R>(&self, look: impl FnOnce(&Core) -> R) -> R {
        look(&self.core.lock())
    }

    /// Handles an event (with the time it happens at), and starts what follows from it.
    pub(crate) fn event<R>(self: &Arc<Self>, handle: impl FnOnce(&mut Core, u64) -> R) -> R {
        let now = self.now();
        let mut core = self.core.lock();
        let result = handle(&mut core, now);
        let actions = core.take_actions();
        self.publish(&core.state);
        drop(core);
        self.events.send_modify(|count| *count = count.wrapping_add(1));
        for (id, action) in actions {
            self.start(id, action);
        }
        result
    }

    /// Waits until an operation is let in.
    ///
    /// # Errors
    /// Why it was not.
    pub(crate) async fn admitted(&self, id: u64) -> Result<(), RpcException> {
        let (mut events, mut stopped) = (self.events.subscribe(), self.stopped.subscribe());
        loop {
            events.borrow_and_update();
            if let Some(admission) = self.read(|core| core.admission(id)) {
                return admission;
            }
            tokio::select! {
                _ = events.changed() => {}
                _ = stopped.wait_for(|stopped| *stopped) => {
                    return Err(exceptions::server_not_running_yet("the master is stopping"));
                }
            }
        }
    }

    /// The procedure that the same request has started before, once it is let in.
    ///
    /// # Errors
    /// Why it was not.
    pub(crate) async fn started(&self, origin: &Origin) -> Result<Option<u64>, RpcException> {
        let Some(nonce) = origin.nonce else { return Ok(None) };
        let Some(id) = self.read(|core| core.procedures.by_nonce(nonce)) else { return Ok(None) };
        self.admitted(id).await.map(|()| Some(id))
    }

    /// Waits until an operation is over.
    ///
    /// # Errors
    /// Why it failed.
    pub(crate) async fn finished(&self, id: u64) -> Result<(), RpcException> {
        let (mut events, mut stopped) = (self.events.subscribe(), self.stopped.subscribe());
        loop {
            events.borrow_and_update();
            let result =
                self.read(|core| core.procedures.get(id).map(|procedure| procedure.result().cloned()));
            match result {
                Some(Some(result)) => return result,
                // Forgotten: it was over long ago.
                None => return Ok(()),
                Some(None) => {}
            }
            tokio::select! {
                _ = events.changed() => {}
                _ = stopped.wait_for(|stopped| *stopped) => {
                    return Err(exceptions::server_not_running_yet("the master is stopping"));
                }
            }
        }
    }

    /// Waits until a procedure is known after a crash.
    ///
    /// # Errors
    /// The master is stopping.
    pub(crate) async fn recorded(&self, id: u64) -> Result<(), RpcException> {
        let (mut events, mut stopped) = (self.events.subscribe(), self.stopped.subscribe());
        loop {
            events.borrow_and_update();
            if self.read(|core| core.procedures.get(id).is_none_or(Procedure::is_recorded)) {
                return Ok(());
            }
            tokio::select! {
                _ = events.changed() => {}
                _ = stopped.wait_for(|stopped| *stopped) => {
                    return Err(exceptions::server_not_running_yet("the master is stopping"));
                }
            }
        }
    }

    /// Starts an operation; gives back its procedure's id.
    ///
    /// # Errors
    /// What the client did wrong, in HBase's words.
    pub(crate) fn submit(
        self: &Arc<Self>,
        operation: Operation,
        origin: Origin,
    ) -> Result<u64, RpcException> {
        self.event(|core, now| core.submit(operation, origin, now))
    }

    /// Starts an operation and waits until it is let in; gives back its procedure's id.
    ///
    /// # Errors
    /// Why it was not.
    pub(crate) async fn run(
        self: &Arc<Self>,
        operation: Operation,
        origin: Origin,
    ) -> Result<u64, RpcException> {
        let id = self.submit(operation, origin)?;
        self.admitted(id).await?;
        Ok(id)
    }

    /// Looks at the disk, in a thread that may wait for it.
    ///
    /// # Errors
    /// The look did not come to its end.
    pub(crate) async fn look_at_disk<R: Send + 'static>(
        &self,
        look: impl FnOnce(&RootDir) -> R + Send + 'static,
    ) -> Result<R, RpcException> {
        let root = self.root.clone();
        let joined = self.runtime.spawn_blocking(move || look(&root)).await;
        joined.map_err(|e| exceptions::io(format!("looking at the disk: {e}")))
    }

    /// What its server says of a region that is open.
    ///
    /// # Errors
    /// The server's; NotServingRegionException for a region that is on none.
    pub(crate) async fn region_info(
        &self,
        encoded: &str,
        best_split_row: bool,
    ) -> Result<pb::GetRegionInfoResponse, RpcException> {
        let located = self.read(|core| {
            let region = core.state.regions.get(encoded)?;
            Some((region.location()?.clone(), region.info.clone()))
        });
        let (server, region) = located.ok_or_else(|| exceptions::not_serving_region(encoded))?;
        calls::region_info(&self.connect, &server, &region, best_split_row).await
    }

    /// Has the files of regions put away to which no reference leads any more; gives back of how many.
    pub(crate) async fn collect_regions(self: &Arc<Self>) -> usize {
        let kinships = self.read(|core| kinship::kinships(&core.state));
        if kinships.is_empty() {
            return 0;
        }
        let root = self.root.clone();
        let find = move || -> Vec<Kinship> {
            let is_over = |kinship: &Kinship| {
                kinship.is_over(&root).unwrap_or_else(|error| {
                    tracing::warn!(region = kinship.region, "looking for references: {error}");
                    false
                })
            };
            kinships.into_iter().filter(is_over).collect()
        };
        let over = self.runtime.spawn_blocking(find).await.unwrap_or_default();
        self.event(|core, now| core.collect(over, now))
    }

    /// Looks now and then whether there are such files, and puts away what could not be put away before.
    pub(crate) fn collect_forever(self: &Arc<Self>) {
        let driver = self.clone();
        self.every(COLLECTION_INTERVAL, move || {
            let driver = driver.clone();
            async move {
                driver.event(Core::finish_undone);
                if driver.read(|core| core.state.initialized && core.state.switches.catalog_janitor) {
                    driver.collect_regions().await;
                }
            }
        });
    }

    /// Has old results forgotten now and then.
    pub(crate) fn evict_forever(self: &Arc<Self>) {
        let driver = self.clone();
        self.every(EVICTION_INTERVAL, move || {
            driver.event(Core::evict);
            std::future::ready(())
        });
    }

    /// Has regions tried again now and then that did not open.
    pub(crate) fn reopen_forever(self: &Arc<Self>) {
        let driver = self.clone();
        self.every(REOPENING_INTERVAL, move || {
            driver.event(|core, now| {
                if core.state.initialized {
                    core.open_failed_regions(now);
                }
            });
            std::future::ready(())
        });
    }

    /// Does something now and again and again, until the master stops.
    pub(crate) fn every<F: Future<Output = ()> + Send>(
        &self,
        period: Duration,
        mut act: impl FnMut() -> F + Send + 'static,
    ) {
        let mut stopped = self.stopped.subscribe();
        self.runtime.spawn(async move {
            let mut turns = tokio::time::interval(period.max(SHORTEST_PERIOD));
            turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tokio::select! {
                    _ = stopped.wait_for(|stopped| *stopped) => return,
                    _ = turns.tick() => {}
                }
                act().await;
            }
        });
    }

    /// No actions are carried out any more, and none that is under way is heard of.
    pub(crate) fn stop(&self) {
        self.stopped.send_replace(true);
    }

    /// Tells the core the time until the master stops.
    pub(crate) fn tick_forever(self: &Arc<Self>) {
        let driver = self.clone();
        self.every(TICK, move || {
            driver.event(Core::tick);
            std::future::ready(())
        });
    }

    /// Under the lock of the core.
    fn publish(&self, state: &ClusterState) {
        let changed = self.status.send_if_modified(|status| {
            let (meta, initialized) = (state.meta_location(), state.initialized);
            let replicas = state.region_replication(META_ENCODED_NAME);
            let changed = status.initialized != initialized
                || status.meta_location.as_ref() != meta
                || status.meta_replicas != replicas
                || !Arc::ptr_eq(&status.namespaces, &state.namespaces)
                || !Arc::ptr_eq(&status.table_states, &state.table_states)
                || status.failure != state.failure;
            if changed {
                status.initialized = initialized;
                status.meta_location = meta.cloned();
                status.meta_replicas = replicas;
                status.namespaces = Arc::clone(&state.namespaces);
                status.table_states = Arc::clone(&state.table_states);
                status.failure = state.failure.clone();
            }
            changed
        });
        if let Some(follower) = self.follower.lock().as_mut().filter(|_| changed) {
            follower(&self.status.borrow());
        }
    }

    fn start(self: &Arc<Self>, id: ActionId, action: Action) {
        let driver = self.clone();
        let mut stopped = self.stopped.subscribe();
        self.runtime.spawn(async move {
            let outcome = tokio::select! {
                biased;
                _ = stopped.wait_for(|stopped| *stopped) => return,
                outcome = driver.perform(action) => outcome,
            };
            driver.event(|core, now| core.completed(id, outcome, now));
        });
    }

    async fn perform(&self, action: Action) -> Outcome {
        let connect = &self.connect;
        match action {
            Action::Storage(work) => {
                let _kept = match work.needs_archive() {
                    true => Some(self.archive.read().await),
                    false => None,
                };
                let (root, served_files) = (self.root.clone(), self.served_files.clone());
                let joined = self.runtime.spawn_blocking(move || work.run(&root, &served_files)).await;
                joined.unwrap_or_else(|e| Err(exceptions::io(format!("storage work: {e}"))))
            }
            Action::WriteMeta { server, mutations } => calls::write_meta(connect, &server, mutations).await,
            Action::ScanMeta { server } => calls::scan_meta(connect, &server).await,
            Action::OpenRegions { server, regions } => {
                calls::open_regions(connect, &server, &regions, self.now()).await
            }
            Action::CloseRegions { server, regions, opened_here } => {
                calls::close_regions(connect, &server, &regions, opened_here).await
            }
            Action::FlushRegion { server, region, family } => {
                calls::flush_region(connect, &server, &region, family).await
            }
            Action::AddToSnapshot { snapshot, table, regions } => {
                let _kept = self.archive.read().await;
                snapshots::add_regions(connect, &self.root, &snapshot, &table, regions).await
            }
            Action::WriteNamespace { server, region, mutation } => {
                calls::mutate(connect, &server, &region, mutation).await
            }
            Action::ScanNamespaces { regions } => calls::scan_namespaces(connect, &regions).await,
            Action::StoreProcedures(change) => {
                let procedures = self.procedures.clone();
                let joined = self.runtime.spawn_blocking(move || procedures.lock().write(change)).await;
                let failed = |e: &dyn std::fmt::Display| exceptions::io(format!("storing procedures: {e}"));
                joined.map_err(|e| failed(&e))?.map(|()| Output::Done).map_err(|e| failed(&e))
            }
            Action::Wait { milliseconds } => {
                tokio::time::sleep(Duration::from_millis(milliseconds)).await;
                Ok(Output::Done)
            }
        }
    }
}

impl Origin {
    /// A request's, with the nonce as it stands in it: 0 is none.
    pub(crate) fn of(call: &Call, nonce_group: Option<u64>, nonce: Option<u64>) -> Self {
        let nonce = nonce.filter(|nonce| *nonce != 0).map(|nonce| (nonce_group.unwrap_or(0), nonce));
        Self { nonce, user: Some(call.connection.user.clone()) }
    }
}
