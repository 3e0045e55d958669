//! The error type of this crate.

use std::path::PathBuf;

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HFileError {
    /// The storage failed.
    #[error("{}: {what} at {offset}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        what: &'static str,
        /// Offset in the file, in bytes.
        offset: u64,
        /// What the storage said.
        source: std::io::Error,
    },
    /// The bytes are not what the format says.
    #[error("{}: corrupt {part} at {offset}: expected {expected}, found {found}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Which part of the file.
        part: &'static str,
        /// Offset of the part in the file, in bytes.
        offset: u64,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A valid file that needs what this version does not have.
    #[error("{}: {feature} is not supported", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What the file needs.
        feature: String,
    },
    /// The file, with the options that it is written with, cannot hold this.
    #[error("{}: cannot be written: {reason}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What, and why.
        reason: String,
    },
    /// The data block encoding cannot hold this; without one it can be written.
    #[error("{}: cannot be encoded: {reason}", path.display())]
    Unencodable {
        /// The file.
        path: PathBuf,
        /// What, and why.
        reason: String,
    },
    /// Cells were not written in their order.
    #[error("{}: cell {next} is written after {previous}", path.display())]
    OutOfOrder {
        /// The file.
        path: PathBuf,
        /// The last cell.
        previous: String,
        /// The cell that sorts before it.
        next: String,
    },
}
