use std::{io, path::PathBuf};

/// What can be wrong with a root directory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// The storage failed.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory at hand.
        path: PathBuf,
        /// What the storage said.
        source: io::Error,
    },
    /// The directory was written by an HBase with another layout.
    #[error(
        "{path} says that this directory has HBase layout version {found:?}; only version \"8\" is supported"
    )]
    Version {
        /// The version file.
        path: PathBuf,
        /// The version in it.
        found: String,
    },
    /// There is data, but no version file.
    #[error("{path} is missing although {evidence} exists: not a complete HBase root directory")]
    VersionMissing {
        /// The version file.
        path: PathBuf,
        /// What shows that the directory is not empty.
        evidence: PathBuf,
    },
    /// A file's content is not what it should be.
    #[error("{path} is corrupt: {reason}")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Something is not there.
    #[error("{what} not found: {path}")]
    NotFound {
        /// What was looked for.
        what: &'static str,
        /// Where.
        path: PathBuf,
    },
    /// Something is there that should not be.
    #[error("{what} exists: {path}")]
    Exists {
        /// What it is.
        what: &'static str,
        /// Where.
        path: PathBuf,
    },
    /// Something cannot be called like this.
    #[error("{reason}: {name:?}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file that HBase may write and Finback cannot serve yet.
    #[error("{path} is {what}, which is not supported yet")]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// Its kind.
        what: &'static str,
    },
    /// The archive has another file of this name.
    #[error("cannot archive {path} ({len} bytes): {archived} exists with {archived_len} bytes")]
    ArchiveConflict {
        /// The file to move.
        path: PathBuf,
        /// Its length in bytes.
        len: u64,
        /// The file in its way.
        archived: PathBuf,
        /// That file's length in bytes.
        archived_len: u64,
    },
    /// The directory is in use.
    #[error(transparent)]
    Locked(#[from] finback_fs::FsError),
    /// No randomness to be had from the system.
    #[error("the system gives no random numbers: {0}")]
    Random(String),
}

impl LayoutError {
    /// Whether the thing looked for does not exist.
    pub fn is_not_found(&self) -> bool {
        match self {
            Self::NotFound { .. } => true,
            Self::Io { source, .. } => source.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }

    /// Whether the thing is there, and damaged.
    pub fn is_corrupt(&self) -> bool {
        matches!(self, Self::Corrupt { .. })
    }
}

/// Adds the path to an I/O error.
pub(crate) trait At<T> {
    fn at(self, path: &std::path::Path) -> crate::Result<T>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &std::path::Path) -> crate::Result<T> {
        self.map_err(|source| LayoutError::Io { path: path.to_owned(), source })
    }
}
