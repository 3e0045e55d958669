//! Snapshots.

use super::{Admin, Nonces, TableState, named};
use crate::connection::IntoTableName;
use crate::error::{Error, Result};
use finback_cell::TableName;
use finback_cell::table_name::check_qualifier;
use finback_proto::pb;
use finback_rpc::exceptions;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How a snapshot is taken.
pub use pb::snapshot_description::Type as SnapshotType;

/// A snapshot, as it is asked for.
#[derive(Debug, Clone)]
pub struct SnapshotRequest {
    name: String,
    table: TableName,
    kind: SnapshotType,
    ttl: Option<Duration>,
    max_file_size: Option<u64>,
}

impl SnapshotRequest {
    /// A snapshot of that name of a table, with what is in its memstores.
    ///
    /// # Errors
    /// [`Error::Argument`] if no snapshot, or no table, can have that name. HBase's master lets snapshots have any.
    pub fn new(name: impl Into<String>, table: impl IntoTableName) -> Result<Self> {
        let (name, table) = (name.into(), named(table)?);
        check_qualifier(name.as_bytes())
            .map_err(|error| Error::Argument(format!("no name of a snapshot: {error}")))?;
        Ok(Self { name, table, kind: SnapshotType::Flush, ttl: None, max_file_size: None })
    }

    /// How it is taken: without what is in memstores, for one.
    #[must_use]
    pub fn kind(mut self, kind: SnapshotType) -> Self {
        self.kind = kind;
        self
    }

    /// How long it is kept. Default: for ever.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }

    /// MAX_FILESIZE of tables that are made of it, in bytes.
    #[must_use]
    pub fn max_file_size(mut self, bytes: u64) -> Self {
        self.max_file_size = Some(bytes);
        self
    }

    fn description(&self) -> pb::SnapshotDescription {
        pb::SnapshotDescription {
            name: self.name.clone(),
            table: Some(self.table.to_string()),
            r#type: Some(self.kind.into()),
            ttl: self.ttl.map(|ttl| i64::try_from(ttl.as_secs()).unwrap_or(i64::MAX)),
            max_file_size: self.max_file_size.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
            ..Default::default()
        }
    }
}

impl Admin {
    /// Takes a snapshot.
    ///
    /// # Errors
    /// As of all operations; `SnapshotExistsException`, `SnapshotCreationException`.
    pub async fn snapshot(&self, request: &SnapshotRequest) -> Result<()> {
        const METHOD: &str = "Snapshot";
        let description = request.description();
        let Nonces { group: nonce_group, nonce } = self.nonces();
        let question = pb::SnapshotRequest { snapshot: description.clone(), nonce_group, nonce };
        let answer: pb::SnapshotResponse = self.ask_master(METHOD, &question).await?;
        if let Some(proc_id) = answer.proc_id.and_then(|id| u64::try_from(id).ok()).filter(|&id| id > 0) {
            return self.done(METHOD, Some(proc_id)).await;
        }
        let started = Instant::now();
        for look in 0.. {
            let question = pb::IsSnapshotDoneRequest { snapshot: Some(description.clone()) };
            let answer: pb::IsSnapshotDoneResponse = self.ask_master("IsSnapshotDone", &question).await?;
            if answer.done() {
                break;
            }
            self.pause(METHOD, look, started).await?;
        }
        Ok(())
    }

    /// All snapshots.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn snapshots(&self) -> Result<Vec<pb::SnapshotDescription>> {
        let answer: pb::GetCompletedSnapshotsResponse =
            self.ask_master("GetCompletedSnapshots", &pb::GetCompletedSnapshotsRequest {}).await?;
        Ok(answer.snapshots)
    }

    /// Deletes a snapshot.
    ///
    /// # Errors
    /// As of all operations; `SnapshotDoesNotExistException`.
    pub async fn delete_snapshot(&self, name: &str) -> Result<()> {
        let snapshot = pb::SnapshotDescription { name: name.to_owned(), ..Default::default() };
        let question = pb::DeleteSnapshotRequest { snapshot };
        let _: pb::DeleteSnapshotResponse = self.ask_master("DeleteSnapshot", &question).await?;
        Ok(())
    }

    /// Makes a table of a snapshot.
    ///
    /// # Errors
    /// As of all operations; `SnapshotDoesNotExistException`, `TableExistsException`.
    pub async fn clone_snapshot(&self, name: &str, table: impl IntoTableName) -> Result<()> {
        let table = named(table)?;
        if self.table_exists(&table).await? {
            return Err(Error::refused("RestoreSnapshot", exceptions::table_exists(table.to_string())));
        }
        self.restore_to(name, &table).await
    }

    /// Makes a table, which must be disabled, what it was when the snapshot was taken. Before that, `failsafe` takes another
    /// snapshot of it, which is restored if this fails, and deleted if not.
    ///
    /// # Errors
    /// As of all operations; `SnapshotDoesNotExistException`, `TableNotDisabledException`.
    pub async fn restore_snapshot(&self, name: &str, failsafe: bool) -> Result<()> {
        let table = self.table_of(name).await?;
        if !self.table_exists(&table).await? {
            return self.restore_to(name, &table).await;
        }
        // HBase's master would say something else, as if it were worth another try.
        if self.table_state(&table).await? != TableState::Disabled {
            return Err(Error::refused("RestoreSnapshot", exceptions::table_not_disabled(table.to_string())));
        }
        if !failsafe {
            return self.restore_to(name, &table).await;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
        let keep = format!("hbase-failsafe-{name}-{now}");
        self.snapshot(&SnapshotRequest::new(keep.as_str(), &table)?).await?;
        let restored = self.restore_to(name, &table).await;
        if restored.is_err() {
            // The error of the first is told in any case; the other snapshot stays if it could not be restored.
            self.restore_to(&keep, &table).await?;
        }
        self.delete_snapshot(&keep).await?;
        restored
    }

    /// The table of which a snapshot is.
    async fn table_of(&self, name: &str) -> Result<TableName> {
        let snapshots = self.snapshots().await?;
        let table = snapshots
            .iter()
            .find(|snapshot| snapshot.name == name)
            .map(|snapshot| snapshot.table().to_owned());
        let missing = || exceptions::snapshot_does_not_exist(format!("Snapshot {name} does not exist"));
        named(&table.ok_or_else(|| Error::refused("RestoreSnapshot", missing()))?)
    }

    async fn restore_to(&self, name: &str, table: &TableName) -> Result<()> {
        let Nonces { group: nonce_group, nonce } = self.nonces();
        let snapshot = pb::SnapshotDescription {
            name: name.to_owned(),
            table: Some(table.to_string()),
            ..Default::default()
        };
        let question = pb::RestoreSnapshotRequest {
            snapshot,
            nonce_group,
            nonce,
            restore_acl: Some(false),
            ..Default::default()
        };
        let answer: pb::RestoreSnapshotResponse = self.ask_master("RestoreSnapshot", &question).await?;
        self.done("RestoreSnapshot", Some(answer.proc_id)).await?;
        self.shared.locator.forget(table);
        Ok(())
    }
}
