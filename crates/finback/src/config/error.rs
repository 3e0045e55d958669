//! What can be wrong with a configuration.

use std::path::PathBuf;

/// A configuration that a server must not be started with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {}: {error}", file.display())]
    Unreadable {
        /// The file, as given.
        file: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The file has more bytes than a configuration has.
    #[error("the configuration {} has more than {limit} bytes", file.display())]
    TooLong {
        /// The file, as given.
        file: PathBuf,
        /// The accepted maximum in bytes.
        limit: u64,
    },
    /// The file is neither an hbase-site.xml nor lines of `name = value`.
    #[error("{}, line {line}: {problem}", file.display())]
    Malformed {
        /// The file, as given.
        file: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// What was expected, what was found.
        problem: String,
    },
    /// A known setting has a value that it cannot have.
    #[error("{name} = {value:?} ({origin}): must be {expected}")]
    BadValue {
        /// The setting.
        name: &'static str,
        /// Its value, as given.
        value: String,
        /// Where it was given.
        origin: String,
        /// What it can be.
        expected: &'static str,
    },
    /// What is asked for does not fit into the memory of the process.
    #[error(
        "memstores ({memstores} bytes) and block cache ({block_cache} bytes) take more than {} % of finback.memory.limit \
         ({limit} bytes)",
        super::memory::FILLED_PERCENT
    )]
    TooMuchMemory {
        /// `hbase.regionserver.global.memstore.size`, in bytes.
        memstores: u64,
        /// `hfile.block.cache.size`, in bytes.
        block_cache: u64,
        /// The memory of the process, in bytes.
        limit: u64,
    },
}
