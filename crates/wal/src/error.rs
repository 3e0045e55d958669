use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// What can go wrong with a log. Clones are cheap: one failed sync answers many writers.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum WalError {
    /// The storage failed.
    #[error("{path}: cannot {action}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the storage said.
        source: Arc<io::Error>,
    },
    /// The bytes are not what was written. Never skipped: what follows may have been acknowledged.
    #[error("{path}: corrupt at offset {offset}: {reason}")]
    Corrupt {
        /// The log file.
        path: PathBuf,
        /// Where the damaged part begins.
        offset: u64,
        /// Expected and found.
        reason: String,
    },
    /// A valid log of HBase that this version cannot read.
    #[error("{path}: {feature} is not supported yet")]
    Unsupported {
        /// The log file.
        path: PathBuf,
        /// What it uses.
        feature: String,
    },
    /// A position that no entry begins at.
    #[error("{path}: no entry begins at offset {offset}")]
    NoEntryAt {
        /// The log file.
        path: PathBuf,
        /// As asked for.
        offset: u64,
    },
    /// The log could not be written and no other could be opened; later writes try again.
    #[error("the write-ahead log is unavailable: {0}")]
    Unavailable(Arc<WalError>),
    /// The log was closed.
    #[error("the write-ahead log is closed")]
    Closed,
    /// One entry above [`crate::MAX_ENTRY_BYTES`], or a region or table name too long for a key.
    #[error("a log entry of {bytes} bytes is above the limit of {limit}")]
    TooLarge {
        /// Size asked for.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The cells of an entry, or their tags, are not whole: they cannot be compressed.
    #[error("a log entry with cells or tags whose lengths disagree")]
    Malformed,
    /// The callback of a replay refused an edit.
    #[error("replay of {path} stopped at offset {offset}: {reason}")]
    Refused {
        /// The recovered edits file.
        path: PathBuf,
        /// Offset of the entry.
        offset: u64,
        /// What the callback said.
        reason: String,
    },
}

impl WalError {
    pub(crate) fn io(path: &Path, action: &'static str, source: io::Error) -> Self {
        WalError::Io { path: path.to_owned(), action, source: Arc::new(source) }
    }

    pub(crate) fn corrupt(path: &Path, offset: u64, reason: impl Into<String>) -> Self {
        WalError::Corrupt { path: path.to_owned(), offset, reason: reason.into() }
    }

    /// The storage is full (`ENOSPC`, or over quota).
    pub fn is_storage_full(&self) -> bool {
        match self {
            WalError::Io { source, .. } => {
                matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            WalError::Unavailable(inner) => inner.is_storage_full(),
            _ => false,
        }
    }
}
