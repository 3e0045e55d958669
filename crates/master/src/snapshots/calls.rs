//! What clients ask about snapshots. What there is of them is what is on disk, as in HBase: HBase's tools put snapshots there
//! as well.

use std::sync::Arc;

use finback_cell::TableName;
use finback_layout::{LayoutError, RootDir};
use finback_proto::{Message, pb};
use finback_rpc::{Call, Outcome, RpcException, exceptions};

use super::{describe, exception, making, taking};
use crate::{
    core::{Core, Origin},
    driver::Driver,
    master_service::{Answer, MasterService, reply},
    operation::Operation,
};

/// What HBase's procedure is called that takes a snapshot.
pub(crate) const SIGNATURE: &str = "online-snapshot";
/// How long a client may wait for a snapshot, in ms; HBase's `hbase.snapshot.master.timeout.millis`.
const TIMEOUT_MS: i64 = 300_000;
/// The format of snapshots.
const VERSION: i32 = 2;
/// What is said of a snapshot, table and permissions included, takes no more than this: whoever lists snapshots, or cleans the
/// archive, reads that of all of them.
const MAX_DESCRIPTION_BYTES: usize = 64 << 10;

impl MasterService {
    /// Snapshots: all of these look at the disk.
    pub(crate) fn snapshot_call(&self, method: &str, call: &Call) -> Option<Outcome> {
        let driver = Arc::clone(&self.driver);
        let outcome = match method {
            "Snapshot" => call.decode().map(|request: pb::SnapshotRequest| {
                let origin = Origin::of(call, request.nonce_group, request.nonce);
                Outcome::pending(snapshot(driver, request, origin))
            }),
            "IsSnapshotDone" => call.decode().map(|request: pb::IsSnapshotDoneRequest| {
                Outcome::pending(async move {
                    let done = is_done(&driver, request.snapshot).await?;
                    reply(&pb::IsSnapshotDoneResponse { done: Some(done), snapshot: None })
                })
            }),
            "GetCompletedSnapshots" => Ok(Outcome::pending(async move {
                let snapshots = driver.look_at_disk(RootDir::list_snapshots).await?;
                let snapshots = snapshots.map_err(|error| exception(&error))?;
                reply(&pb::GetCompletedSnapshotsResponse { snapshots })
            })),
            "DeleteSnapshot" => call.decode().map(|request: pb::DeleteSnapshotRequest| {
                Outcome::pending(async move {
                    delete(&driver, request.snapshot.name).await?;
                    reply(&pb::DeleteSnapshotResponse {})
                })
            }),
            "RestoreSnapshot" => call.decode().map(|request: pb::RestoreSnapshotRequest| {
                let origin = Origin::of(call, request.nonce_group, request.nonce);
                Outcome::pending(making::restore(driver, request, origin))
            }),
            "RunCleanerChore" => Ok(Outcome::pending(async move {
                let is_on = driver.read(|core| core.state.switches.cleaner);
                let cleaner_chore_ran = is_on && driver.clean_archive().await.is_ok();
                reply(&pb::RunCleanerChoreResponse { cleaner_chore_ran })
            })),
            "ExecProcedure" => {
                let request: pb::ExecProcedureRequest = call.decode().ok()?;
                let origin = Origin::of(call, None, None);
                let described = described(&request.procedure)?;
                described.map(|snapshot| Outcome::pending(exec(driver, snapshot, origin)))
            }
            "IsProcedureDone" => {
                let request: pb::IsProcedureDoneRequest = call.decode().ok()?;
                let procedure = request.procedure?;
                described(&procedure)?.map(|snapshot| {
                    Outcome::pending(async move {
                        let done = is_done(&driver, Some(snapshot)).await?;
                        reply(&pb::IsProcedureDoneResponse { done: Some(done), snapshot: Some(procedure) })
                    })
                })
            }
            _ => return None,
        };
        Some(outcome.unwrap_or_else(Outcome::exception))
    }
}

/// The snapshot that a procedure takes which is called by name; None for another procedure.
fn described(procedure: &pb::ProcedureDescription) -> Option<Result<pb::SnapshotDescription, RpcException>> {
    if procedure.signature != SIGNATURE {
        return None;
    }
    let table = procedure.configuration.iter().rfind(|entry| entry.name.eq_ignore_ascii_case("table"));
    Some(match (&procedure.instance, table) {
        (None, _) => Err(exceptions::io("Snapshot name is not defined")),
        (_, None) => Err(exceptions::io("Snapshot table is not defined")),
        (Some(name), Some(table)) => Ok(pb::SnapshotDescription {
            name: name.clone(),
            table: Some(table.value.clone()),
            r#type: Some(pb::snapshot_description::Type::Flush.into()),
            ..Default::default()
        }),
    })
}

async fn snapshot(driver: Arc<Driver>, request: pb::SnapshotRequest, origin: Origin) -> Answer {
    let mut snapshot = request.snapshot;
    if snapshot.table.is_none() {
        return Err(exceptions::do_not_retry("Descriptor doesn't apply to a table, so we can't build it."));
    }
    if snapshot.creation_time() == 0 {
        snapshot.creation_time = i64::try_from(driver.now()).ok();
    }
    let is_ttl = |ttl: i64| ttl != 0 && ttl <= i64::MAX / 1000;
    let default_ttl = driver.read(Core::snapshot_ttl);
    snapshot.ttl = Some(snapshot.ttl.filter(|ttl| is_ttl(*ttl)).unwrap_or(default_ttl));
    let has_nonce = origin.nonce.is_some();
    let id = take(&driver, snapshot, origin).await?;
    // Only clients that send a nonce know that there is a procedure.
    let proc_id = i64::try_from(id).ok().filter(|_| has_nonce);
    reply(&pb::SnapshotResponse { expected_timeout: TIMEOUT_MS, proc_id })
}

async fn exec(driver: Arc<Driver>, snapshot: pb::SnapshotDescription, origin: Origin) -> Answer {
    take(&driver, snapshot, origin).await?;
    reply(&pb::ExecProcedureResponse { expected_timeout: Some(TIMEOUT_MS), return_data: None })
}

/// Begins a snapshot; gives back its procedure's id when that will be known after a crash.
async fn take(
    driver: &Arc<Driver>,
    mut snapshot: pb::SnapshotDescription,
    origin: Origin,
) -> Result<u64, RpcException> {
    let table = table_of(&snapshot)?;
    let bytes = snapshot.encoded_len();
    if bytes > MAX_DESCRIPTION_BYTES {
        let message = format!("a description of {bytes} bytes, more than {MAX_DESCRIPTION_BYTES}");
        return Err(exceptions::do_not_retry(format!("Snapshot '{}' has {message}", snapshot.name)));
    }
    // As HBase does it by itself: its first format has become useless.
    snapshot.version = Some(VERSION);
    if let Some(id) = driver.started(&origin).await? {
        return Ok(id);
    }
    if is_completed(driver, &snapshot.name).await? {
        let message = format!("Snapshot '{}' already stored on the filesystem.", snapshot.name);
        return Err(exceptions::snapshot_exists(message));
    }
    let id = driver.event(|core, now| {
        let at_odds = core.procedures.active().find_map(|(_, running)| {
            Some((taking::conflict(&running.operation, &table, &snapshot)?, &running.operation))
        });
        if let Some((conflict, running)) = at_odds {
            return Err(taking::rejection(&conflict, running, &snapshot));
        }
        core.submit(Operation::TakeSnapshot { table, snapshot: Box::new(snapshot) }, origin, now)
    })?;
    driver.recorded(id).await?;
    // What is wrong with it is known already, unless it waits for another change of the table.
    driver.read(|core| core.admission(id)).unwrap_or(Ok(()))?;
    Ok(id)
}

fn table_of(snapshot: &pb::SnapshotDescription) -> Result<TableName, RpcException> {
    RootDir::check_snapshot_name(&snapshot.name).map_err(|error| exception(&error))?;
    RootDir::snapshot_table(snapshot).map_err(|error| exception(&error))
}

async fn is_completed(driver: &Arc<Driver>, name: &str) -> Result<bool, RpcException> {
    let name = name.to_owned();
    let exists = driver.look_at_disk(move |root| root.snapshot_exists(&name)).await?;
    exists.map_err(|error| exception(&error))
}

/// Whether a snapshot is there; an exception if it failed, or nobody takes it.
async fn is_done(
    driver: &Arc<Driver>,
    snapshot: Option<pb::SnapshotDescription>,
) -> Result<bool, RpcException> {
    let Some(snapshot) = snapshot else {
        return Err(exceptions::unknown_snapshot(
            "No snapshot name passed in request, can't figure out which snapshot you want to check.",
        ));
    };
    let taken = |operation: &Operation| match operation {
        Operation::TakeSnapshot { table, snapshot: taken } => {
            taken.name == snapshot.name && table.to_string() == snapshot.table()
        }
        _ => false,
    };
    let latest = driver.read(|core| {
        let (_, latest) = core.procedures.all().filter(|(_, p)| taken(&p.operation)).last()?;
        Some(latest.result().cloned())
    });
    match latest {
        Some(None) => return Ok(false),
        Some(Some(Err(error))) => {
            let what = describe(&snapshot);
            return Err(exceptions::hbase_snapshot(format!(
                "Snapshot {what} had an error.  {}",
                error.message
            )));
        }
        Some(Some(Ok(()))) | None => {}
    }
    match is_completed(driver, &snapshot.name).await {
        Ok(true) => Ok(true),
        Ok(false) => {
            let what = describe(&snapshot);
            let message =
                format!("Snapshot {what} is not currently running or one of the known completed snapshots.");
            Err(exceptions::unknown_snapshot(message))
        }
        Err(error) => Err(error),
    }
}

async fn delete(driver: &Arc<Driver>, name: String) -> Result<(), RpcException> {
    let what = name.clone();
    match driver.look_at_disk(move |root| root.delete_snapshot(&name)).await? {
        Err(LayoutError::NotFound { .. }) => Err(does_not_exist(&what)),
        deleted => deleted.map_err(|error| exception(&error)),
    }
}

pub(super) fn does_not_exist(name: &str) -> RpcException {
    exceptions::snapshot_does_not_exist(format!("Snapshot '{name}' doesn't exist on the filesystem"))
}
