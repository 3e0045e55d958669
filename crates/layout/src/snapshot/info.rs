//! What snapshots there are.

use std::path::PathBuf;

use finback_cell::{TableName, region_info::hex_md5};
use finback_proto::pb;

use super::manifest;
use crate::{LayoutError, Result, RootDir, error::At, small_file};

pub(super) const SNAPSHOT_INFO: &str = ".snapshotinfo";
/// HBase's first format had one directory a region; this one has a manifest.
pub(super) const VERSION: i32 = 2;
/// Of a directory that is being removed: no snapshot has such a name. Before it stands a hash: names are as long as the storage
/// takes them.
const REMOVED: &str = "~removed";

impl RootDir {
    /// `.hbase-snapshot`.
    pub fn snapshots_dir(&self) -> PathBuf {
        self.path().join(".hbase-snapshot")
    }

    /// `.hbase-snapshot/<name>`.
    ///
    /// # Errors
    /// [`LayoutError::Name`] for what can be no snapshot's name.
    pub fn snapshot_dir(&self, name: &str) -> Result<PathBuf> {
        check_name(name)?;
        Ok(self.snapshots_dir().join(name))
    }

    /// `.hbase-snapshot/.tmp/<name>`: a snapshot that is being taken.
    ///
    /// # Errors
    /// As [`snapshot_dir`](Self::snapshot_dir).
    pub fn working_snapshot_dir(&self, name: &str) -> Result<PathBuf> {
        check_name(name)?;
        Ok(self.working_snapshots_dir().join(name))
    }

    /// Where snapshots are taken, and removed.
    pub fn working_snapshots_dir(&self) -> PathBuf {
        self.snapshots_dir().join(".tmp")
    }

    /// Whether there is a snapshot of that name, complete.
    ///
    /// # Errors
    /// As [`snapshot_dir`](Self::snapshot_dir); the storage's.
    pub fn snapshot_exists(&self, name: &str) -> Result<bool> {
        let dir = self.snapshot_dir(name)?;
        self.fs().exists(&dir).at(&dir)
    }

    /// What is said of a snapshot.
    ///
    /// # Errors
    /// [`LayoutError::Corrupt`]; the storage's, `NotFound` among them.
    pub fn read_snapshot_info(&self, name: &str) -> Result<pb::SnapshotDescription> {
        manifest::read(&**self.fs(), &self.snapshot_dir(name)?.join(SNAPSHOT_INFO))
    }

    /// All complete snapshots, in order of their names. What cannot be read is left out, as HBase does.
    ///
    /// # Errors
    /// The storage's.
    pub fn list_snapshots(&self) -> Result<Vec<pb::SnapshotDescription>> {
        Ok(self.snapshots_by_directory()?.into_iter().map(|(_, info)| info).collect())
    }

    /// The same, with the names of their directories: one that somebody has copied says the name of the other.
    fn snapshots_by_directory(&self) -> Result<Vec<(String, pb::SnapshotDescription)>> {
        let mut snapshots = Vec::new();
        for name in self.snapshot_names()? {
            match self.read_snapshot_info(&name) {
                Ok(info) => snapshots.push((name, info)),
                // Removed meanwhile, or nothing that a snapshot would be.
                Err(error) if error.is_not_found() => {}
                Err(error) => tracing::warn!(snapshot = name, "left out: {error}"),
            }
        }
        Ok(snapshots)
    }

    /// Names of the directories of complete snapshots.
    ///
    /// # Errors
    /// The storage's.
    pub fn snapshot_names(&self) -> Result<Vec<String>> {
        let entries = self.list_if_exists(&self.snapshots_dir())?;
        let is_snapshot = |entry: &finback_fs::DirEntry| entry.is_dir && check_name(&entry.name).is_ok();
        Ok(entries.into_iter().filter(is_snapshot).map(|entry| entry.name).collect())
    }

    /// Removes a snapshot; the files that it names are the archive's. A crash leaves it, or it is gone.
    ///
    /// # Errors
    /// [`LayoutError::NotFound`] if there is none; the storage's.
    pub fn delete_snapshot(&self, name: &str) -> Result<()> {
        let dir = self.snapshot_dir(name)?;
        if !self.fs().exists(&dir).at(&dir)? {
            return Err(LayoutError::NotFound { what: "snapshot", path: dir });
        }
        let working = self.working_snapshots_dir();
        self.fs().create_dir_all(&working).at(&working)?;
        let removed = working.join(format!("{}{REMOVED}", hex_md5(name.as_bytes())));
        small_file::remove_dir_if_exists(&**self.fs(), &removed)?;
        self.fs().rename(&dir, &removed).at(&dir)?;
        small_file::remove_dir_if_exists(&**self.fs(), &removed)
    }

    /// Removes the snapshots that have outlived their time to live; gives back how many. Nobody may complete one meanwhile:
    /// it might have the name of one that is being removed.
    ///
    /// # Errors
    /// The storage's: the first, when all of them have been tried.
    pub fn remove_expired_snapshots(&self, now_ms: u64) -> Result<usize> {
        let (mut removed, mut failure) = (0, None);
        for (name, _) in self.snapshots_by_directory()?.iter().filter(|(_, info)| is_expired(info, now_ms)) {
            match self.delete_snapshot(name) {
                Ok(()) => {
                    tracing::info!(snapshot = name, "removed: it has outlived its time");
                    removed += 1;
                }
                // Its owner was quicker.
                Err(LayoutError::NotFound { .. }) => {}
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        failure.map_or(Ok(removed), Err)
    }
}

/// Snapshots are named as tables are.
pub(super) fn check_name(name: &str) -> Result<()> {
    let checked = TableName::new(TableName::DEFAULT_NAMESPACE.as_bytes(), name.as_bytes());
    checked.map(drop).map_err(|error| LayoutError::Name { name: name.to_owned(), reason: error.to_string() })
}

/// Whether a snapshot has outlived its time to live. One without a time of creation never does, as in HBase.
pub fn is_expired(snapshot: &pb::SnapshotDescription, now_ms: u64) -> bool {
    let (ttl, created) = (snapshot.ttl(), snapshot.creation_time());
    let (Ok(ttl), Ok(created)) = (u64::try_from(ttl), u64::try_from(created)) else { return false };
    let lives_ms = ttl.checked_mul(1000).filter(|ms| *ms > 0 && i64::try_from(*ms).is_ok());
    created > 0 && lives_ms.is_some_and(|lives_ms| created.saturating_add(lives_ms) < now_ms)
}
