//! The error type of this crate, and the interrupt of reads.

use crate::mob::FileRequest;
use finback_filter::FilterError;
use finback_hfile::{BlockRequest, HFileError, ScanInterrupt};
use finback_wal::WalError;
use std::path::PathBuf;

/// Why a region could not do what it was asked.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RegionError {
    /// The region is closing or closed.
    #[error("region {0} is closing")]
    Closing(String),
    /// A compaction was cancelled.
    #[error("a compaction of region {0} was cancelled")]
    Cancelled(String),
    /// A row outside the region.
    #[error("Requested row out of range for {operation} on region {region}, startKey='{start}', row='{row}'")]
    WrongRegion {
        /// What was asked.
        operation: &'static str,
        /// Region name.
        region: String,
        /// Its first row.
        start: String,
        /// The row.
        row: String,
    },
    /// A file of a bulk load that has rows of other regions.
    #[error("Bulk load file {} with rows '{first}' to '{last}' does not fit inside region {region}", path.display())]
    OutsideRegion {
        /// The file.
        path: PathBuf,
        /// Its first row.
        first: String,
        /// Its last row.
        last: String,
        /// Region name.
        region: String,
    },
    /// A family that the table does not have.
    #[error("Column family {family} does not exist in region {region} in table {table}")]
    NoSuchFamily {
        /// The family.
        family: String,
        /// Region name.
        region: String,
        /// Table name.
        table: String,
    },
    /// The request contradicts itself or what is stored.
    #[error("{0}")]
    Invalid(String),
    /// A cell larger than `hbase.server.keyvalue.maxsize`.
    #[error("Cell[{cell}] with size {size} exceeds limit of {limit} bytes")]
    CellTooLarge {
        /// The cell's key.
        cell: String,
        /// Its size in bytes.
        size: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// A row larger than `hbase.table.max.rowsize` was to be read as a whole.
    #[error("Max row size allowed: {limit}, but the row is bigger than that.")]
    RowTooBig {
        /// The limit in bytes.
        limit: usize,
    },
    /// A put further in the future than `hbase.hregion.keyvalue.timestamp.slop.millisecs` allows.
    #[error("Timestamp for KV out of range {cell} (too.new={slop_ms})")]
    TooNew {
        /// The cell's key.
        cell: String,
        /// How far in the future it may be, in milliseconds.
        slop_ms: i64,
    },
    /// The table takes no writes.
    #[error("region {0} is read only")]
    ReadOnly(String),
    /// The memstore is full.
    #[error("{0}")]
    TooBusy(String),
    /// A row lock was not to be had in time.
    #[error("Timed out waiting for lock for row: {row} in region {region}")]
    RowLockTimeout {
        /// The row, as HBase prints it.
        row: String,
        /// The region's encoded name.
        region: String,
        /// Whether the time was the client's, which then waits no longer; else it was `hbase.rowlock.wait.duration`.
        is_of_client: bool,
    },
    /// A read that a write was to be built upon took longer than the client waits.
    #[error("Timed out reading a locked row in region {0}")]
    ReadTimeout(String),
    /// A filter could not be applied.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// A store file could not be read or written.
    #[error("{0}")]
    StoreFile(std::sync::Arc<HFileError>),
    /// The log could not be written or read.
    #[error("{0}")]
    Wal(std::sync::Arc<WalError>),
    /// A value is in a MOB file that is nowhere.
    #[error("MOB file {name} is at none of {places:?}")]
    MissingMobFile {
        /// Its name.
        name: String,
        /// Where it was looked for.
        places: Vec<PathBuf>,
    },
    /// A MOB file cannot be opened for what is in it.
    #[error("{0}")]
    DamagedMobFile(std::sync::Arc<HFileError>),
    /// A MOB file does not have the cell to which a store file refers.
    #[error("{}: there is no cell {cell}, to which a store file refers", path.display())]
    MissingMobCell {
        /// The file.
        path: PathBuf,
        /// The cell's key.
        cell: String,
    },
    /// The file system failed.
    #[error("{path}: {message}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        message: String,
    },
}

impl RegionError {
    /// An I/O error at `path`.
    pub fn io(path: impl Into<PathBuf>, error: &std::io::Error) -> Self {
        Self::Io { path: path.into(), message: error.to_string() }
    }
}

impl From<HFileError> for RegionError {
    fn from(error: HFileError) -> Self {
        Self::StoreFile(std::sync::Arc::new(error))
    }
}

impl From<WalError> for RegionError {
    fn from(error: WalError) -> Self {
        Self::Wal(std::sync::Arc::new(error))
    }
}

/// Why a read stopped before its end.
#[derive(Debug)]
pub enum Interrupt {
    /// A block is needed that is not in memory: fetch it, give it to the scanner, and call again.
    NeedBlock(BlockRequest),
    /// A file is needed that is not open: have it opened, and call again.
    NeedFile(FileRequest),
    /// The read failed.
    Failed(RegionError),
}

impl From<ScanInterrupt> for Interrupt {
    fn from(interrupt: ScanInterrupt) -> Self {
        match interrupt {
            ScanInterrupt::NeedBlock(request) => Self::NeedBlock(request),
            ScanInterrupt::Failed(error) => Self::Failed(error.into()),
        }
    }
}

impl From<FilterError> for Interrupt {
    fn from(error: FilterError) -> Self {
        Self::Failed(error.into())
    }
}
