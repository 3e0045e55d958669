//! Locks of namespaces, tables and regions that a client holds.

use super::{Admin, named};
use crate::connection::IntoTableName;
use crate::error::Result;
use crate::servers::ServiceName;
use finback_cell::RegionInfo;
use finback_proto::pb;
use pb::lock_heartbeat_response::LockStatus;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How often the master is told that somebody holds a lock, in shares of the time after which it would be taken away.
const HEARTBEATS_BEFORE_LOSS: u32 = 3;
/// What the master says nothing of.
const DEFAULT_HEARTBEAT: Duration = Duration::from_secs(5);
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
    held: watch::Receiver<bool>,
    release: Option<watch::Sender<()>>,
    keeper: Option<JoinHandle<()>>,
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
        let lock = EntityLock::kept(self.clone(), answer.proc_id);
        let started = Instant::now();
        for look in 0.. {
            if lock.is_held() {
                break;
            }
            // Given up, it goes.
            self.pause(METHOD, look, started).await?;
        }
        Ok(lock)
    }

    /// Whether the lock is held, and how soon the master wants to hear of it again.
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
        let (held_sender, held) = watch::channel(false);
        let (release, released) = watch::channel(());
        let keeper = tokio::spawn(keep(admin, proc_id, held_sender, released));
        Self { proc_id, held, release: Some(release), keeper: Some(keeper) }
    }

    /// The id of the procedure that has the lock in the master.
    pub fn proc_id(&self) -> u64 {
        self.proc_id
    }

    /// Whether it is still held: a master that has not heard of its holder for long gives it to others.
    pub fn is_held(&self) -> bool {
        *self.held.borrow()
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
async fn keep(admin: Admin, proc_id: u64, held: watch::Sender<bool>, mut released: watch::Receiver<()>) {
    let mut was_held = false;
    loop {
        let pause = match admin.lock_heartbeat(proc_id, true).await {
            Ok((true, timeout)) => {
                was_held = true;
                held.send_replace(true);
                timeout.map_or(DEFAULT_HEARTBEAT, |timeout| timeout / HEARTBEATS_BEFORE_LOSS)
            }
            // Lost, or never to be had.
            Ok((false, _)) if was_held => {
                held.send_replace(false);
                return;
            }
            Ok((false, _)) => WAITING_HEARTBEAT,
            Err(_) => {
                held.send_replace(false);
                return;
            }
        };
        tokio::select! {
            _ = released.changed() => break,
            () = tokio::time::sleep(pause) => {}
        }
    }
    held.send_replace(false);
    // A master that does not hear it takes the lock away by itself, later.
    let _ = admin.lock_heartbeat(proc_id, false).await;
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
