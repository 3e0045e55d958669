//! The state machine: events in (methods of [`Core`]), actions out ([`Core::take_actions`]). No I/O, no clock.

mod assignment;
mod decision;
mod division;
mod failed_steps;
mod held_locks;
mod left_undone;
mod locks;
mod meta_writes;
mod plan;
mod procedure;
mod procedure_table;
mod procedure_writes;
mod recovery;
mod region_reports;
mod servers;
mod startup;
mod statistics;

use std::collections::HashMap;

use finback_cell::ServerName;

use crate::{
    action::{Action, ActionId, Outcome},
    operation::Operation,
    options::MasterConfig,
    state::ClusterState,
    storage_work::StorageWork,
};
pub(crate) use decision::Decision;
pub(crate) use locks::{Lock, Mode, Resource};
use meta_writes::{MetaWrite, MetaWrites};
pub(crate) use plan::steps;
pub(crate) use procedure::{Origin, Procedure, Status, Step};
pub(crate) use procedure_table::Procedures;
use procedure_writes::{ProcedureWrite, ProcedureWrites};
pub(crate) use region_reports::{RegionReport, ReportedTransition};
pub(crate) use startup::Startup;
use statistics::Statistics;

/// The first pause before something is tried again; it doubles with each attempt.
const FIRST_PAUSE_MS: u64 = 50;
/// The longest pause between attempts.
const LONGEST_PAUSE_MS: u64 = 10_000;

/// The master's core.
pub(crate) struct Core {
    pub(crate) state: ClusterState,
    pub(crate) procedures: Procedures,
    config: MasterConfig,
    now: u64,
    next_id: u64,
    actions: Vec<(ActionId, Action)>,
    purposes: HashMap<ActionId, Purpose>,
    meta: MetaWrites,
    procedure_writes: ProcedureWrites,
    /// What is to be put away, and which operation left it.
    left_undone: Vec<(Operation, StorageWork)>,
    startup: Startup,
    /// Whether the time of the client runs that was silent for longest, of those with locks.
    locks_are_watched: bool,
    last_tick_ms: u64,
    pub(crate) statistics: Statistics,
}

/// What an action was for.
#[derive(Debug)]
enum Purpose {
    Procedure(u64),
    MetaWrites(Vec<MetaWrite>),
    MetaPause,
    ProcedureWrite(ProcedureWrite),
    ProcedureWritePause,
    /// How long the clients that hold locks, or wait for them, may be silent.
    LockTimeout,
    /// Regions (and the ids of their transitions) that a server was asked to open or close.
    RegionRequest(Vec<(String, u64)>),
    RegionPause {
        region: String,
        proc_id: u64,
    },
    Startup,
    StartupPause,
    SplitLogsPause,
    /// Logs that were split are put away.
    SplitLogs,
    DeadServerLogs {
        server: ServerName,
        attempt: u32,
    },
    DeadServerPause {
        server: ServerName,
        attempt: u32,
    },
}

impl Core {
    /// A core that knows nothing yet. Ids are given out from `now` on, so that they differ from those of earlier lives:
    /// a client that polls an old one must not get another's result.
    pub(crate) fn new(cluster_id: String, config: MasterConfig, startup: Startup, now: u64) -> Self {
        Self {
            state: ClusterState::new(cluster_id, now),
            procedures: Procedures::default(),
            config,
            now,
            next_id: now,
            actions: Vec::new(),
            purposes: HashMap::new(),
            meta: MetaWrites::default(),
            procedure_writes: ProcedureWrites::default(),
            left_undone: Vec::new(),
            startup,
            locks_are_watched: false,
            last_tick_ms: now,
            statistics: Statistics::default(),
        }
    }

    /// Event: settings have changed.
    pub(crate) fn reconfigure(&mut self, config: &MasterConfig) {
        self.config.table_sanity_checks = config.table_sanity_checks;
    }

    /// The time to live of snapshots that say none, in seconds; 0 is forever.
    pub(crate) fn snapshot_ttl(&self) -> i64 {
        i64::try_from(self.config.snapshot_ttl.as_secs()).unwrap_or(0)
    }

    /// What is to be done after the last event.
    pub(crate) fn take_actions(&mut self) -> Vec<(ActionId, Action)> {
        std::mem::take(&mut self.actions)
    }

    /// Event: an action is through.
    pub(crate) fn completed(&mut self, id: ActionId, outcome: Outcome, now: u64) {
        self.set_time(now);
        let Some(purpose) = self.purposes.remove(&id) else { return };
        match purpose {
            Purpose::Procedure(id) => self.procedure_outcome(id, outcome),
            Purpose::MetaWrites(writes) => self.meta_written(writes, outcome.map(drop)),
            Purpose::MetaPause => self.meta.paused = false,
            Purpose::ProcedureWrite(write) => self.procedures_written(write, outcome.map(drop)),
            Purpose::LockTimeout => self.release_silent_locks(),
            Purpose::ProcedureWritePause => self.procedure_writes.paused = false,
            Purpose::RegionRequest(regions) => self.region_request_outcome(&regions, outcome.map(drop)),
            Purpose::RegionPause { region, proc_id } => self.region_pause_over(&region, proc_id),
            Purpose::Startup => self.startup_outcome(outcome),
            Purpose::StartupPause => self.startup_stage(),
            Purpose::SplitLogsPause => self.put_split_logs_away(),
            Purpose::SplitLogs => self.split_logs_outcome(outcome),
            Purpose::DeadServerLogs { server, attempt } => {
                self.dead_server_logs(server, attempt, outcome.map(drop));
            }
            Purpose::DeadServerPause { server, attempt } => self.recover_dead_server(server, attempt),
        }
        self.pump();
    }

    /// Runs whatever can run now.
    fn pump(&mut self) {
        while self.run_procedures() {}
        self.watch_locks();
        self.flush_procedure_writes();
        self.flush_meta_writes();
    }

    fn set_time(&mut self, now: u64) {
        self.now = self.now.max(now);
    }

    fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    fn act(&mut self, action: Action, purpose: Purpose) {
        let id = self.new_id();
        self.purposes.insert(id, purpose);
        self.actions.push((id, action));
    }

    fn pause(&mut self, attempt: u32, purpose: Purpose) {
        self.act(Action::Wait { milliseconds: pause_ms(attempt) }, purpose);
    }
}

/// The pause before attempt number `attempt` (from 1).
fn pause_ms(attempt: u32) -> u64 {
    let doublings = attempt.saturating_sub(1).min(16);
    (FIRST_PAUSE_MS << doublings).min(LONGEST_PAUSE_MS)
}

#[cfg(test)]
mod tests;
