use std::{io, path::PathBuf};

/// What taking a lock can fail with; every other operation fails with [`io::Error`] alone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FsError {
    /// Somebody else holds the lock.
    #[error("{path} is locked by {}", holder(.pid))]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// Process id that the holder wrote into the lock file, if it is readable.
        pid: Option<u32>,
    },
    /// The storage failed.
    #[error("{path}: {source}")]
    Io {
        /// The file at hand.
        path: PathBuf,
        /// What the storage said.
        source: io::Error,
    },
}

fn holder(pid: &Option<u32>) -> String {
    match pid {
        Some(pid) => format!("process {pid}"),
        None => "another process".to_owned(),
    }
}
