//! From the first region server to an initialised master.

use std::collections::{BTreeMap, BTreeSet};

use finback_cell::{RegionState, TableName, region_info::META_ENCODED_NAME};
use finback_layout::WalDir;
use finback_proto::pb;
use finback_rpc::exceptions;
use finback_wal::SplitReport;
use pb::table_state::State as TableState;

use super::{Core, Procedure, Purpose, Step, meta_writes::Then, plan::steps};
use crate::{
    action::{Action, Outcome, Output},
    meta_edit::MetaEdit,
    meta_row::{MetaContents, MetaRow, RegionRow},
    namespace_table::{self, NamespaceEdit},
    operation::Operation,
    storage_work::StorageWork,
    system_tables,
};

/// The disk is left to clients for so long before what was recovered is written to it.
const CLIENTS_FIRST_MS: u64 = 5000;

/// How far the start is.
#[derive(Debug)]
pub(crate) struct Startup {
    stage: Stage,
    /// Logs of all servers before this start.
    dead_logs: Vec<WalDir>,
    /// Those that are split: when regions are served the disk has time for them.
    split_logs: Vec<SplitReport>,
    /// Whether hbase:meta was empty.
    first_start: bool,
    /// Attempts at the current stage.
    attempt: u32,
    procedures: BTreeSet<u64>,
    regions: BTreeSet<String>,
    /// Regions of which hbase:meta has no more than the name: their directories stay.
    nameless: Vec<(TableName, String)>,
    missing_namespaces: Vec<NamespaceEdit>,
    writes: usize,
    write_failed: bool,
    /// Procedures of an earlier master that are not finished.
    pub(super) inherited: Vec<u64>,
    /// Those of them that had changed nothing.
    pub(super) to_begin_anew: Vec<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    WaitingForServer,
    RecoveringLogs,
    OpeningMeta,
    ScanningMeta,
    LoadingTables,
    NamespaceTable,
    ScanningNamespaces,
    WritingNamespaces,
    AssigningTables,
    Done,
    Failed,
}

impl Startup {
    /// A start that has to recover these logs.
    pub(crate) fn new(dead_logs: Vec<WalDir>) -> Self {
        Self {
            stage: Stage::WaitingForServer,
            dead_logs,
            split_logs: Vec::new(),
            first_start: false,
            attempt: 0,
            procedures: BTreeSet::new(),
            regions: BTreeSet::new(),
            nameless: Vec::new(),
            missing_namespaces: Vec::new(),
            writes: 0,
            write_failed: false,
            inherited: Vec::new(),
            to_begin_anew: Vec::new(),
        }
    }
}

impl Core {
    pub(super) fn startup_server_came(&mut self) {
        if self.startup.stage == Stage::WaitingForServer {
            let recover = !self.startup.dead_logs.is_empty();
            self.enter(if recover { Stage::RecoveringLogs } else { Stage::OpeningMeta });
        }
    }

    fn enter(&mut self, stage: Stage) {
        tracing::debug!(?stage, "starting");
        self.startup.stage = stage;
        self.startup.attempt = 0;
        self.startup_stage();
    }

    /// Does what the stage needs; also when it is tried again.
    pub(super) fn startup_stage(&mut self) {
        match self.startup.stage {
            Stage::RecoveringLogs => {
                let work = StorageWork::RecoverLogs(self.startup.dead_logs.clone());
                self.act(Action::Storage(work), Purpose::Startup);
            }
            Stage::OpeningMeta => self.open_regions(&[META_ENCODED_NAME.to_owned()]),
            Stage::ScanningMeta => match self.state.meta_location().cloned() {
                Some(server) => self.act(Action::ScanMeta { server }, Purpose::Startup),
                None => self.startup_again(),
            },
            Stage::LoadingTables => {
                let (tables, in_restore) = (self.known_tables(), self.tables_in_restore());
                let first_start = self.startup.first_start;
                let work = StorageWork::LoadTables { tables, in_restore, first_start };
                self.act(Action::Storage(work), Purpose::Startup);
            }
            Stage::NamespaceTable => self.open_namespace_table(),
            Stage::ScanningNamespaces => match namespace_table::locations(&self.state) {
                Some(regions) => self.act(Action::ScanNamespaces { regions }, Purpose::Startup),
                None => self.startup_again(),
            },
            Stage::WritingNamespaces => self.write_namespaces(),
            Stage::AssigningTables => self.assign_tables(),
            Stage::WaitingForServer | Stage::Done | Stage::Failed => {}
        }
    }

    fn startup_again(&mut self) {
        self.startup.attempt += 1;
        self.pause(self.startup.attempt, Purpose::StartupPause);
    }

    /// An action of the current stage is through.
    pub(super) fn startup_outcome(&mut self, outcome: Outcome) {
        let output = match outcome {
            Ok(output) => output,
            Err(e)
                if e.do_not_retry
                    && matches!(self.startup.stage, Stage::RecoveringLogs | Stage::LoadingTables) =>
            {
                tracing::error!("cannot start: {e}");
                self.state.failure = Some(e.message);
                self.startup.stage = Stage::Failed;
                return;
            }
            Err(e) => {
                tracing::warn!(stage = ?self.startup.stage, attempt = self.startup.attempt, "starting: {e}");
                if self.startup.stage == Stage::WritingNamespaces {
                    self.startup.write_failed = true;
                    return self.namespace_written();
                }
                return self.startup_again();
            }
        };
        match (self.startup.stage, output) {
            (Stage::RecoveringLogs, output) => {
                if let Output::LogsSplit(logs) = output {
                    self.startup.split_logs = logs;
                }
                self.enter(Stage::OpeningMeta);
            }
            (Stage::ScanningMeta, Output::Meta(contents)) => self.meta_scanned(contents),
            (Stage::LoadingTables, Output::Descriptors(descriptors)) => {
                for (name, descriptor) in descriptors {
                    if let Some(table) = self.state.tables.get_mut(&name) {
                        table.descriptor = Some(descriptor);
                    }
                }
                self.enter(Stage::NamespaceTable);
            }
            (Stage::ScanningNamespaces, Output::Namespaces(contents)) => {
                self.meta.seen_timestamp(contents.newest_timestamp);
                self.state.namespaces = std::sync::Arc::new(contents.namespaces);
                let reserved = [TableName::DEFAULT_NAMESPACE, TableName::SYSTEM_NAMESPACE];
                let missing = reserved.iter().filter(|name| !self.state.namespaces.contains_key(**name));
                let put =
                    |name: &&str| NamespaceEdit::Put { name: (*name).to_owned(), configuration: Vec::new() };
                self.startup.missing_namespaces = missing.map(put).collect();
                self.enter(Stage::WritingNamespaces);
            }
            (Stage::WritingNamespaces, _) => self.namespace_written(),
            (stage, output) => tracing::debug!(?stage, ?output, "late outcome"),
        }
    }

    fn meta_scanned(&mut self, contents: MetaContents) {
        self.meta.seen_timestamp(contents.newest_timestamp);
        if let Some(damage) = contents.damage {
            // Going on would take the region's data for litter.
            let failure = format!("hbase:meta has a row that cannot be read: {damage}");
            tracing::error!("cannot start: {failure}");
            self.state.failure = Some(failure);
            self.startup.stage = Stage::Failed;
            return;
        }
        self.startup.first_start = contents.rows.is_empty();
        for (table, region) in &contents.nameless {
            tracing::warn!(%table, region, "a row of hbase:meta without info:regioninfo: see finback check");
        }
        self.startup.nameless = contents.nameless;
        let mut states = BTreeMap::new();
        for row in contents.rows {
            match row {
                MetaRow::Region(region) => self.learn_region(region),
                MetaRow::Table { table, state } => {
                    states.insert(table, state);
                }
            }
        }
        self.learn_states(states);
        self.enter(Stage::LoadingTables);
    }

    fn learn_region(&mut self, row: RegionRow) {
        let encoded = row.info.encoded_name();
        self.state.add_region(row.info, row.state, self.now);
        if let Some(region) = self.state.regions.get_mut(&encoded) {
            region.server = row.server;
            region.open_seq_num = row.open_seq_num;
            region.merged_from = row.merged_from;
            region.split_into = row.split_into;
        }
    }

    fn learn_states(&mut self, states: BTreeMap<TableName, TableState>) {
        let stateless = |name: &&TableName| !name.is_meta() && !states.contains_key(*name);
        let missing: Vec<TableName> = self.state.tables.keys().filter(stateless).cloned().collect();
        for (table, state) in states {
            MetaEdit::TableState { table, state }.apply(&mut self.state, self.now);
        }
        for table in missing {
            // As HBase does.
            tracing::warn!(%table, "regions, but no state: taken for enabled");
            self.write_meta(vec![MetaEdit::TableState { table, state: TableState::Enabled }], Then::Nothing);
        }
    }

    fn known_tables(&self) -> BTreeMap<TableName, BTreeSet<String>> {
        let regions = |table: &TableName| self.state.regions_of(table).into_iter().collect();
        let mut known: BTreeMap<_, BTreeSet<String>> =
            self.state.tables.keys().map(|table| (table.clone(), regions(table))).collect();
        // What others were merged from stays as long as these may have references to it; and as long as a parent is there, its daughters'
        // references to its files, though their rows be lost.
        for region in self.state.regions.values() {
            let relatives = region.merged_from.iter().chain(&region.split_into).cloned();
            known.entry(region.info.table.clone()).or_default().extend(relatives);
        }
        for (table, region) in &self.startup.nameless {
            known.entry(table.clone()).or_default().insert(region.clone());
        }
        known
    }

    fn open_namespace_table(&mut self) {
        let name = TableName::namespace_table();
        if self.state.tables.contains_key(&name) {
            let regions = self.state.assignable_regions_of(&name);
            self.startup.regions = regions.iter().cloned().collect();
            // Enabled it is, whatever became of its creation.
            let state = MetaEdit::TableState { table: name.clone(), state: TableState::Enabled };
            if self.state.tables.get(&name).is_some_and(|table| table.state != TableState::Enabled) {
                self.write_meta(vec![state], Then::Nothing);
            }
            self.open_regions(&regions);
            return self.startup_check();
        }
        // Its namespace, which is to stand in this very table.
        std::sync::Arc::make_mut(&mut self.state.namespaces)
            .insert(TableName::SYSTEM_NAMESPACE.to_owned(), Vec::new());
        let table = system_tables::namespace();
        let operation = Operation::CreateTable { table, split_keys: Vec::new() };
        let id = self.add_procedure(Procedure::new(operation, self.now));
        self.startup.procedures.insert(id);
    }

    fn write_namespaces(&mut self) {
        let edits = self.startup.missing_namespaces.clone();
        if edits.is_empty() {
            return self.enter(Stage::AssigningTables);
        }
        let actions: Option<Vec<Action>> = edits.iter().map(|edit| self.namespace_write(edit)).collect();
        let Some(actions) = actions else { return self.startup_again() };
        self.startup.writes = actions.len();
        actions.into_iter().for_each(|action| self.act(action, Purpose::Startup));
    }

    /// When the last of the writes is through; if one failed, all are made again, which does no harm.
    fn namespace_written(&mut self) {
        self.startup.writes = self.startup.writes.saturating_sub(1);
        if self.startup.writes > 0 {
            return;
        }
        if std::mem::take(&mut self.startup.write_failed) {
            return self.startup_again();
        }
        let written = std::mem::take(&mut self.startup.missing_namespaces);
        written.iter().for_each(|edit| edit.apply(&mut self.state));
        self.enter(Stage::AssigningTables);
    }

    fn assign_tables(&mut self) {
        self.resume_inherited();
        let mut open = Vec::new();
        let tables: Vec<_> =
            self.state.tables.iter().map(|(name, table)| (name.clone(), table.state)).collect();
        for (name, state) in tables {
            if name.is_meta() || name == TableName::namespace_table() {
                continue;
            }
            let operation = match state {
                TableState::Enabled => {
                    open.extend(self.state.assignable_regions_of(&name));
                    continue;
                }
                TableState::Disabled => continue,
                TableState::Enabling => Operation::EnableTable(name.clone()),
                TableState::Disabling => Operation::DisableTable(name.clone()),
            };
            if self.procedures.active().any(|(_, p)| p.operation.table() == Some(&name)) {
                continue; // It is at it.
            }
            let left = steps(&operation, &self.with_all_regions(&name)).split_off(1);
            let id = self.add_procedure(Procedure::new(operation, self.now).with_steps(left));
            self.startup_waits_for(id);
        }
        self.startup.regions = open.iter().cloned().collect();
        self.open_regions(&open);
        self.startup_check();
    }

    /// A region was opened, or the first attempt at it has failed: the start goes on.
    pub(super) fn startup_region_tried(&mut self, encoded: &str) {
        let open = self.state.regions.get(encoded).is_some_and(|region| region.state == RegionState::Open);
        match self.startup.stage {
            Stage::OpeningMeta if open && encoded == META_ENCODED_NAME => self.enter(Stage::ScanningMeta),
            Stage::NamespaceTable if !open => {}
            Stage::NamespaceTable | Stage::AssigningTables if self.startup.regions.remove(encoded) => {
                self.startup_check();
            }
            _ => {}
        }
    }

    /// The start waits for a procedure, unless that has regions to close: on a full disk they cannot be flushed.
    pub(super) fn startup_waits_for(&mut self, id: u64) {
        let closes = |p: &Procedure| p.steps.iter().any(|step| matches!(step, Step::Close(_)));
        if !self.procedures.get(id).is_some_and(closes) {
            self.startup.procedures.insert(id);
        }
    }

    pub(super) fn startup_procedure_finished(&mut self, id: u64) {
        if !self.startup.procedures.remove(&id) {
            return;
        }
        let failed =
            self.procedures.get(id).is_some_and(|p| matches!(p.status, super::Status::Finished(Err(_))));
        if failed && self.startup.stage == Stage::NamespaceTable {
            tracing::error!("hbase:namespace cannot be created yet");
            return self.startup_again();
        }
        self.startup_check();
    }

    fn startup_check(&mut self) {
        if !self.startup.regions.is_empty() || !self.startup.procedures.is_empty() {
            return;
        }
        match self.startup.stage {
            Stage::NamespaceTable => self.enter(Stage::ScanningNamespaces),
            Stage::AssigningTables => {
                self.startup.stage = Stage::Done;
                self.startup.attempt = 0;
                self.state.initialized = true;
                self.begin_inherited_anew();
                tracing::info!("master is initialized");
                if !self.startup.split_logs.is_empty() {
                    let milliseconds = CLIENTS_FIRST_MS;
                    self.act(Action::Wait { milliseconds }, Purpose::SplitLogsPause);
                }
            }
            _ => {}
        }
    }

    /// Clients that waited had their turn: the logs that were split are put away.
    pub(super) fn put_split_logs_away(&mut self) {
        let logs = self.startup.split_logs.clone();
        self.act(Action::Storage(StorageWork::PutLogsAway(logs)), Purpose::SplitLogs);
    }

    /// They are put away, or will be: a disk that is full may have room soon.
    pub(super) fn split_logs_outcome(&mut self, outcome: Outcome) {
        match outcome {
            Ok(_) => self.startup.split_logs.clear(),
            Err(error) if error.do_not_retry => {
                tracing::error!("the next start splits the logs again: {error}");
                self.startup.split_logs.clear();
            }
            Err(error) => {
                tracing::warn!("split logs are not put away yet: {error}");
                self.startup.attempt += 1;
                self.pause(self.startup.attempt, Purpose::SplitLogsPause);
            }
        }
    }

    /// Refuses calls that need an initialised master.
    ///
    /// # Errors
    /// PleaseHoldException.
    pub(crate) fn check_initialized(&self) -> Result<(), finback_rpc::RpcException> {
        match self.state.initialized {
            true => Ok(()),
            false => Err(exceptions::please_hold("Master is initializing")),
        }
    }
}
