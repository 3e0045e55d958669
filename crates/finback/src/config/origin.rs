//! Where a value comes from.

use std::fmt;
use std::path::PathBuf;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// Nobody has said anything.
    Default,
    /// Nobody has said anything, and it follows from other settings or from the machine.
    Derived,
    /// A configuration file.
    File {
        /// Which.
        path: PathBuf,
        /// Line of the value, from 1.
        line: usize,
    },
    /// An option of the command line.
    Option(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Derived => f.write_str("derived"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Option(option) => f.write_str(option),
        }
    }
}
