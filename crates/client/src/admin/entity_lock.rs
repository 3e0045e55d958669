//! Locks of namespaces, tables and regions that a client holds.

use super::{Admin, named};
use crate::connection::IntoTableName;
use crate::error::{Error, Result};
use crate::servers::ServiceName;
use finback_cell::RegionInfo;
use finback_proto::pb;
use pb::lock_heartbeat_response::LockStatus;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How often the master is told that somebody holds a lock, in shares of the time after which it would be taken away.
const HEARTBEATS_BEFORE_LOSS: u32 = 3;
/// That time, of a master that does not say it.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(15);
/// Between two questions of one who waits for a lock.
const WAITING_HEARTBEAT: Duration = Duration::from_millis(100);

/// Whether others may have the same lock at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockKind {
    /// Nobody may.
    Exclusive,
    /// Those may that want it in this way, too.
    Shared,
}

/// A lock against what the master does with a namespace, a table or regions (HBase's `EntityLock`). While it is there, the
/// master is told that it is needed; it goes when it is dropped.
#[derive(Debug)]
pub struct EntityLock {
    proc_id: u64,
    state: watch::Receiver<State>,
    release: Option<watch::Sender<()>>,
    keeper: Option<JoinHandle<()>>,
}

/// How a lock stands.
#[derive(Debug)]
enum State {
    Waiting,
    Held,
    /// Given back, lost, or never to be had; with what went wrong, if something did.
    Over(Option<Error>),
}

impl Admin {
    /// Locks a namespace, as soon as nobody else has.
    ///
    /// # Errors
    /// As of all operations: the time for it is over, for one.
    pub async fn lock_namespace(&self, namespace: &str, description: &str) -> Result<EntityLock> {
        let namespace = Some(namespace.to_owned());
        self.lock(pb::LockRequest { namespace, ..request(LockKind::Exclusive, description) }).await
    }

    /// Locks a table, as soon as nobody else has.
    ///
    /// # Errors
    /// As of all operations: the time for it is over, for one.
    pub async fn lock_table(
        &self,
        table: impl IntoTableName,
        kind: LockKind,
        description: &str,
    ) -> Result<EntityLock> {
        let table_name = Some((&named(table)?).into());
        self.lock(pb::LockRequest { table_name, ..request(kind, description) }).await
    }

    /// Locks regions of a table for this client alone, as soon as nobody else has.
    ///
    /// # Errors
    /// As of all operations: the time for it is over, for one.
    pub async fn lock_regions(&self, regions: &[RegionInfo], description: &str) -> Result<EntityLock> {
        let region_info = regions.iter().map(Into::into).collect();
        self.lock(pb::LockRequest { region_info, ..request(LockKind::Exclusive, description) }).await
    }

    async fn lock(&self, mut request: pb::LockRequest) -> Result<EntityLock> {
        const METHOD: &str = "RequestLock";
        let nonces = self.nonces();
        (request.nonce_group, request.nonce) = (nonces.group, nonces.nonce);
        let answer: pb::LockResponse = self.ask_master_service(ServiceName::Lock, METHOD, &request).await?;
        let mut lock = EntityLock::kept(self.clone(), answer.proc_id);
        let decided = lock.state.wait_for(|state| !matches!(state, State::Waiting));
        let started = Instant::now();
        let timed_out =
            || Error::TimedOut { method: METHOD, after: started.elapsed(), attempts: 1, last: None };
        let failed = match tokio::time::timeout(self.timeout, decided).await {
            Ok(Ok(state)) => match &*state {
                // The master may have taken it away before anybody had it.
                State::Over(error) => Some(error.clone().unwrap_or_else(timed_out)),
                _ => None,
            },
            _ => Some(timed_out()),
        };
        // Given up, it goes.
        failed.map_or(Ok(lock), Err)
    }

    /// Whether the lock is held, and after which time without a heartbeat others can have it.
    async fn lock_heartbeat(&self, proc_id: u64, keep_alive: bool) -> Result<(bool, Option<Duration>)> {
        let question = pb::LockHeartbeatRequest { proc_id, keep_alive: Some(keep_alive) };
        let answer: pb::LockHeartbeatResponse =
            self.ask_master_service(ServiceName::Lock, "LockHeartbeat", &question).await?;
        let timeout = answer.timeout_ms.map(|ms| Duration::from_millis(ms.into()));
        Ok((answer.lock_status() == LockStatus::Locked, timeout))
    }
}

impl EntityLock {
    fn kept(admin: Admin, proc_id: u64) -> Self {
        let (told, state) = watch::channel(State::Waiting);
        let (release, released) = watch::channel(());
        let keeper = tokio::spawn(keep(admin, proc_id, told, released));
        Self { proc_id, state, release: Some(release), keeper: Some(keeper) }
    }

    /// The id of the procedure that has the lock in the master.
    pub fn proc_id(&self) -> u64 {
        self.proc_id
    }

    /// Whether it is still held: a master that has not heard of its holder for a while gives it to others, and after that while this
    /// says so, whether the master can be asked or not.
    pub fn is_held(&self) -> bool {
        matches!(*self.state.borrow(), State::Held)
    }

    /// Gives it back; when this is done, others can have it.
    pub async fn unlock(mut self) {
        self.release = None;
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.await;
        }
    }
}

/// Tells the master of the lock until `released` is closed; then that it is not needed any more.
async fn keep(admin: Admin, proc_id: u64, state: watch::Sender<State>, mut released: watch::Receiver<()>) {
    // When the master would give it to others. Until then it is asked, and no longer.
    let mut until = None;
    let in_time = |until: Option<Instant>| match until {
        None => admin.clone(),
        Some(until) => admin.clone().with_operation_timeout(until.saturating_duration_since(Instant::now())),
    };
    loop {
        let (sent, asked) = (Instant::now(), in_time(until));
        let answer = tokio::select! {
            _ = released.changed() => break,
            answer = asked.lock_heartbeat(proc_id, true) => answer,
        };
        let pause = match answer {
            Ok((true, timeout)) => {
                let (timeout, now) = (timeout.unwrap_or(DEFAULT_TIMEOUT), Instant::now());
                let pause = timeout / HEARTBEATS_BEFORE_LOSS;
                let left = (sent + timeout).saturating_duration_since(now);
                if left >= pause || matches!(*state.borrow(), State::Held) {
                    until = Some(sent + timeout);
                    state.send_replace(State::Held);
                    pause.min(left / 2)
                } else {
                    // Late as it is, by the master's retries for one, it may not be true for long: nobody is told before a prompt answer.
                    until = Some(now + timeout);
                    Duration::ZERO
                }
            }
            Ok((false, _)) if until.is_none() => WAITING_HEARTBEAT,
            Ok((false, _)) => {
                state.send_replace(State::Over(None));
                return;
            }
            Err(error) => {
                state.send_replace(State::Over(Some(error)));
                return;
            }
        };
        tokio::select! {
            _ = released.changed() => break,
            () = tokio::time::sleep(pause) => {}
        }
    }
    state.send_replace(State::Over(None));
    // A master that does not hear it takes the lock away by itself, later.
    let _ = in_time(until).lock_heartbeat(proc_id, false).await;
}

fn request(kind: LockKind, description: &str) -> pb::LockRequest {
    let lock_type = match kind {
        LockKind::Exclusive => pb::LockType::Exclusive,
        LockKind::Shared => pb::LockType::Shared,
    };
    pb::LockRequest {
        lock_type: lock_type.into(),
        description: Some(description.to_owned()),
        ..Default::default()
    }
}
