//! Locks that clients hold, as HBase's LockProcedure: until they let go, or are not heard of for too long.

use super::{
    Core, Purpose, Status,
    procedure::{Procedure, Wait},
};
use crate::{action::Action, operation::Operation};

fn is_lock(procedure: &Procedure) -> bool {
    matches!(procedure.operation, Operation::HoldLock { .. })
}

impl Core {
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
        self.await_holder(id);
    }

    fn await_holder(&mut self, id: u64) {
        let Some(procedure) = self.procedures.get(id) else { return };
        let silent = self.now.saturating_sub(procedure.heartbeat_ms);
        let milliseconds = self.lock_timeout_ms().saturating_sub(silent).max(1);
        self.act(Action::Wait { milliseconds }, Purpose::LockTimeout(id));
    }

    /// How long a client may be silent.
    pub(crate) fn lock_timeout_ms(&self) -> u64 {
        u64::try_from(self.config.remote_lock_timeout.as_millis()).unwrap_or(u64::MAX)
    }

    /// It may have been silent for too long.
    pub(super) fn lock_timeout(&mut self, id: u64) {
        let Some(procedure) = self.procedures.get(id).filter(|procedure| procedure.holds()) else { return };
        if !matches!(procedure.status, Status::Running) {
            return;
        }
        if self.now.saturating_sub(procedure.heartbeat_ms) < self.lock_timeout_ms() {
            return self.await_holder(id);
        }
        tracing::info!(id, "the client that held a lock is not heard of any more");
        self.finish(id, Ok(()));
    }
}
