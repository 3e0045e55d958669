//! What can be wrong with a configuration.

use super::origin::Origin;
use super::sources::{HBASE_FILE, OWN_FILE};
use std::fmt;
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
    /// The directory has none of the files that are looked for.
    #[error("{} has neither a {OWN_FILE} nor an {HBASE_FILE}", directory.display())]
    NoFile {
        /// The directory, as given.
        directory: PathBuf,
    },
    /// Nobody knows these.
    #[error("{}", lines(.0))]
    UnknownNames(Vec<UnknownName>),
    /// The file is no TOML, if it is called so; or neither an hbase-site.xml nor lines of `name = value`.
    #[error("{}:{line}: {problem}", file.display())]
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
        /// The setting, as given.
        name: String,
        /// Its value, as given.
        value: String,
        /// Where it was given.
        origin: Origin,
        /// What it can be.
        expected: String,
    },
    /// What is asked for does not fit into the memory of the process.
    #[error(
        "memstores ({memstores} bytes) and block cache ({block_cache} bytes) take more than {} % of memory.limit ({limit} \
         bytes)",
        super::memory::FILLED_PERCENT
    )]
    TooMuchMemory {
        /// `memory.memstores`, in bytes.
        memstores: u64,
        /// `memory.block-cache`, in bytes.
        block_cache: u64,
        /// The memory of the process, in bytes.
        limit: u64,
    },
    /// A server with so little would be ready and refuse every request.
    #[error(
        "{what} is {bytes} bytes; it takes at least {least} (a number without a unit is bytes: 4g is four gibibytes)"
    )]
    TooLittleMemory {
        /// The setting.
        what: &'static str,
        /// What it comes to.
        bytes: u64,
        /// The least.
        least: u64,
    },
}

/// A name that is of no setting.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownName {
    /// As given.
    pub name: String,
    /// Where it was given.
    pub origin: Origin,
    /// What to do about it.
    pub advice: String,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, origin, advice } = self;
        write!(f, "there is no setting {name:?} ({origin}); {advice}")
    }
}

/// Each in a line.
fn lines(names: &[UnknownName]) -> String {
    names.iter().map(UnknownName::to_string).collect::<Vec<_>>().join("\n")
}
