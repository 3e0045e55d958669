use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::Arc,
};

use finback_cell::{ServerName, TableName};
use finback_fs::{FileSystem, LockGuard};

use crate::{Result, error::At};

/// Suffix of a WAL directory whose server is dead and whose logs are being split.
const SPLITTING: &str = "-splitting";

/// HBase's root directory (`hbase.rootdir`).
///
/// ```text
/// hbase.version  hbase.id  finback.lock  finback.procedures  finback.switches  finback.unnamed
/// .tmp/data/<ns>/<table>/                     tables being created
/// data/<ns>/<table>/.tabledesc/.tableinfo.<seq>.<len>
/// data/<ns>/<table>/<region>/.regioninfo
/// data/<ns>/<table>/<region>/<family>/<store file>
/// data/<ns>/<table>/<region>/recovered.edits/
/// archive/data/<ns>/<table>/<region>/<family>/<store file>
/// WALs/<host,port,startcode>[-splitting]/     oldWALs/     corrupt/
/// ```
#[derive(Debug, Clone)]
pub struct RootDir {
    fs: Arc<dyn FileSystem>,
    path: PathBuf,
}

/// A server's directory of write-ahead logs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalDir {
    /// Whose logs these are.
    pub server: ServerName,
    /// Whether the directory was already renamed for splitting.
    pub splitting: bool,
    /// Where it is.
    pub path: PathBuf,
}

impl RootDir {
    /// The root directory at `path`; nothing is touched.
    pub fn new(fs: Arc<dyn FileSystem>, path: impl Into<PathBuf>) -> Self {
        Self { fs, path: path.into() }
    }

    /// The storage it is on.
    pub fn fs(&self) -> &Arc<dyn FileSystem> {
        &self.fs
    }

    /// The root itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the directory for this process, making it if it is missing.
    ///
    /// # Errors
    /// [`crate::LayoutError::Locked`] while another process has it.
    pub fn lock(&self) -> Result<LockGuard> {
        self.fs.create_dir_all(&self.path).at(&self.path)?;
        Ok(self.fs.lock_exclusive(&self.path.join("finback.lock"))?)
    }

    /// `hbase.version`.
    pub fn version_file(&self) -> PathBuf {
        self.path.join("hbase.version")
    }

    /// `hbase.id`.
    pub fn cluster_id_file(&self) -> PathBuf {
        self.path.join("hbase.id")
    }

    /// `data`.
    pub fn data_dir(&self) -> PathBuf {
        self.path.join("data")
    }

    /// `.tmp`: what is being made and is not yet valid.
    pub fn temp_dir(&self) -> PathBuf {
        self.path.join(".tmp")
    }

    /// `archive`.
    pub fn archive_dir(&self) -> PathBuf {
        self.path.join("archive")
    }

    /// `mobdir`: files of large values (MOB), below it as in the root directory.
    pub(crate) fn mob_dir(&self) -> PathBuf {
        self.path.join("mobdir")
    }

    /// `WALs`.
    pub fn wals_dir(&self) -> PathBuf {
        self.path.join("WALs")
    }

    /// `oldWALs`.
    pub fn old_wals_dir(&self) -> PathBuf {
        self.path.join("oldWALs")
    }

    /// `corrupt`: logs that could not be read.
    pub fn corrupt_dir(&self) -> PathBuf {
        self.path.join("corrupt")
    }

    /// `data/<namespace>`.
    pub fn namespace_dir(&self, namespace: &str) -> PathBuf {
        self.data_dir().join(namespace)
    }

    /// `data/<ns>/<table>`.
    pub fn table_dir(&self, table: &TableName) -> PathBuf {
        self.namespace_dir(table.namespace()).join(table.qualifier())
    }

    /// `.tmp/data/<ns>/<table>`: a table being created.
    pub fn staged_table_dir(&self, table: &TableName) -> PathBuf {
        self.temp_dir().join("data").join(table.namespace()).join(table.qualifier())
    }

    /// `data/<ns>/<table>/<region>`.
    pub fn region_dir(&self, table: &TableName, encoded_region: &str) -> PathBuf {
        self.table_dir(table).join(encoded_region)
    }

    /// `data/<ns>/<table>/<region>/<family>`.
    pub fn family_dir(&self, table: &TableName, encoded_region: &str, family: &[u8]) -> PathBuf {
        self.region_dir(table, encoded_region).join(family_component(family).as_ref())
    }

    /// `data/<ns>/<table>/<region>/.tmp`: store files being written.
    pub fn region_temp_dir(&self, table: &TableName, encoded_region: &str) -> PathBuf {
        self.region_dir(table, encoded_region).join(".tmp")
    }

    /// `data/<ns>/<table>/<region>/.tmp/<family>`.
    pub fn family_temp_dir(&self, table: &TableName, encoded_region: &str, family: &[u8]) -> PathBuf {
        self.region_temp_dir(table, encoded_region).join(family_component(family).as_ref())
    }

    /// `data/<ns>/<table>/<region>/.bulk_load`: files being bulk loaded, before they are store files.
    pub fn region_bulk_load_dir(&self, table: &TableName, encoded_region: &str) -> PathBuf {
        self.region_dir(table, encoded_region).join(".bulk_load")
    }

    /// `data/<ns>/<table>/<region>/.bulk_load/<family>`.
    pub fn family_bulk_load_dir(&self, table: &TableName, encoded_region: &str, family: &[u8]) -> PathBuf {
        self.region_bulk_load_dir(table, encoded_region).join(family_component(family).as_ref())
    }

    /// `staging`: where clients put the files of bulk loads.
    pub fn staging_dir(&self) -> PathBuf {
        self.path.join("staging")
    }

    /// `data/<ns>/<table>/<region>/recovered.edits`.
    pub fn recovered_edits_dir(&self, table: &TableName, encoded_region: &str) -> PathBuf {
        self.region_dir(table, encoded_region).join("recovered.edits")
    }

    /// `archive/data/<ns>/<table>/<region>`.
    pub fn archived_region_dir(&self, table: &TableName, encoded_region: &str) -> PathBuf {
        let archived = self.archive_dir().join("data").join(table.namespace());
        archived.join(table.qualifier()).join(encoded_region)
    }

    /// `archive/data/<ns>/<table>/<region>/<family>`.
    pub fn archived_family_dir(&self, table: &TableName, encoded_region: &str, family: &[u8]) -> PathBuf {
        self.archived_region_dir(table, encoded_region).join(family_component(family).as_ref())
    }

    /// `WALs/<server>`.
    pub fn wal_dir(&self, server: &ServerName) -> PathBuf {
        self.wals_dir().join(server.to_string())
    }

    /// `WALs/<server>-splitting`.
    pub fn splitting_wal_dir(&self, server: &ServerName) -> PathBuf {
        self.wals_dir().join(format!("{server}{SPLITTING}"))
    }

    /// The directories below `WALs` that belong to servers, in order of name; others are left out.
    ///
    /// # Errors
    /// The storage's.
    pub fn list_wal_dirs(&self) -> Result<Vec<WalDir>> {
        let wals = self.wals_dir();
        let mut found = Vec::new();
        for entry in self.list_if_exists(&wals)?.into_iter().filter(|entry| entry.is_dir) {
            let splitting = entry.name.ends_with(SPLITTING);
            match ServerName::parse(entry.name.strip_suffix(SPLITTING).unwrap_or(&entry.name)) {
                Some(server) => found.push(WalDir { server, splitting, path: wals.join(&entry.name) }),
                None => tracing::warn!(name = entry.name, "not a server's log directory, ignored"),
            }
        }
        Ok(found)
    }

    /// The entries of a directory, or none if there is no such directory.
    pub(crate) fn list_if_exists(&self, dir: &Path) -> Result<Vec<finback_fs::DirEntry>> {
        match self.fs.list(dir) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            other => other.at(dir),
        }
    }
}

/// A family as a directory's name. Families that are not UTF-8 are refused when a table is created.
pub(crate) fn family_component(family: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(family)
}
