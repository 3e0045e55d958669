//! The error type of this crate.

use finback_hfile::HFileError;
use finback_layout::LayoutError;
use finback_wal::WalError;
use std::io;
use std::path::PathBuf;

/// Why something could not be printed or checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InspectError {
    /// A store file cannot be read.
    #[error(transparent)]
    HFile(#[from] HFileError),
    /// A log cannot be read.
    #[error(transparent)]
    Wal(#[from] WalError),
    /// A descriptor, a list or a snapshot cannot be read.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// hbase:meta is larger than anything that could be hbase:meta.
    #[error("hbase:meta has more than {limit} cells")]
    TooManyCells {
        /// What is taken into memory.
        limit: usize,
    },
    /// The storage failed.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Neither a directory nor the name of a region.
    #[error("{name:?} is no directory, and no name of a region such as 'table,start key,id.encoded name.'")]
    NoRegion {
        /// As given.
        name: String,
    },
    /// A file that is not what it was when the repair was planned.
    #[error("{}: it has changed since it was checked, or reads differently: nothing was done about it; check again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Whoever watches wanted no more.
    #[error("interrupted before the end")]
    Interrupted,
    /// A repair that only a master can do.
    #[error("region {region} can be assigned by a master only")]
    OnlyByMaster {
        /// Its encoded name.
        region: String,
    },
    /// What was found cannot be told.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

impl InspectError {
    /// For `map_err`: the storage's error about a path.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}
