//! Locks that clients hold, as HBase's LockProcedure: until they let go, or are not heard of for too long. Those that wait for one
//! go in the same way. HBase's would have their turns, and a client that is gone keep the others waiting once more; its clients
//! are heard of each second while they wait.

use finback_rpc::{RpcException, exceptions};

use super::{
    Core, Purpose, Status,
    procedure::{Procedure, Wait},
};
use crate::{
    action::Action,
    operation::{Held, Operation},
};

/// Locks that clients hold or wait for, at most: all other operations keep most of the room that there is.
pub(super) const MAX_LOCKS: usize = 100;
/// Regions in these locks, all together: they are looked through whenever an operation waits.
pub(super) const MAX_LOCKED_REGIONS: usize = 10_000;

fn is_lock(procedure: &Procedure) -> bool {
    matches!(procedure.operation, Operation::HoldLock { .. })
}

/// How many regions an operation locks for a client.
fn locked_regions(operation: &Operation) -> usize {
    match operation {
        Operation::HoldLock { held: Held::Regions(_, regions), .. } => regions.len(),
        _ => 0,
    }
}

impl Core {
    /// Refuses a lock for which there is no room beside the others.
    pub(super) fn check_room_for_lock(&self, operation: &Operation) -> Result<(), RpcException> {
        if !matches!(operation, Operation::HoldLock { .. }) {
            return Ok(());
        }
        let regions = locked_regions(operation);
        if regions > MAX_LOCKED_REGIONS {
            let message = format!("a lock of {regions} regions; the limit is {MAX_LOCKED_REGIONS}");
            return Err(exceptions::do_not_retry(message));
        }
        if self.client_locks().count() >= MAX_LOCKS {
            return Err(exceptions::call_queue_too_big(format!("there are {MAX_LOCKS} locks already")));
        }
        let locked: usize = self.client_locks().map(|(_, lock)| locked_regions(&lock.operation)).sum();
        if locked + regions > MAX_LOCKED_REGIONS {
            let message = format!("{locked} regions are locked already; the limit is {MAX_LOCKED_REGIONS}");
            return Err(exceptions::call_queue_too_big(message));
        }
        Ok(())
    }

    /// Event: a client says that it is there, or that it lets go of its lock; whether it has the lock now.
    pub(crate) fn lock_heartbeat(&mut self, id: u64, keep_alive: bool, now: u64) -> bool {
        self.set_time(now);
        let procedure = self.procedures.by_id.get_mut(&id).filter(|procedure| is_lock(procedure));
        let Some(procedure) = procedure else { return false };
        if matches!(procedure.status, Status::Finished(_)) {
            return false;
        }
        procedure.heartbeat_ms = self.now;
        if keep_alive {
            return procedure.holds();
        }
        self.finish(id, Ok(()));
        self.pump();
        false
    }

    pub(super) fn hold_lock(&mut self, id: u64) {
        let Some(procedure) = self.procedures.by_id.get_mut(&id) else { return };
        procedure.heartbeat_ms = self.now;
        procedure.wait = Wait::Holder;
    }

    /// How long a client may be silent.
    pub(crate) fn lock_timeout_ms(&self) -> u64 {
        u64::try_from(self.config.remote_lock_timeout.as_millis()).unwrap_or(u64::MAX)
    }

    fn client_locks(&self) -> impl Iterator<Item = (u64, &Procedure)> {
        self.procedures.active().filter(|(_, procedure)| is_lock(procedure))
    }

    /// Has the time run of the client that was silent for longest.
    pub(super) fn watch_locks(&mut self) {
        if self.locks_are_watched {
            return;
        }
        let Some(heartbeat) = self.client_locks().map(|(_, procedure)| procedure.heartbeat_ms).min() else {
            return;
        };
        let silent = self.now.saturating_sub(heartbeat);
        let milliseconds = self.lock_timeout_ms().saturating_sub(silent).max(1);
        self.locks_are_watched = true;
        self.act(Action::Wait { milliseconds }, Purpose::LockTimeout);
    }

    /// That time is over: whoever was silent for so long has no lock any more.
    pub(super) fn release_silent_locks(&mut self) {
        self.locks_are_watched = false;
        let (now, timeout) = (self.now, self.lock_timeout_ms());
        let is_silent = |procedure: &Procedure| now.saturating_sub(procedure.heartbeat_ms) >= timeout;
        let silent: Vec<u64> =
            self.client_locks().filter(|(_, procedure)| is_silent(procedure)).map(|(id, _)| id).collect();
        for id in silent {
            tracing::info!(id, "the client that held a lock, or waited for it, is not heard of any more");
            self.finish(id, Ok(()));
        }
    }
}
