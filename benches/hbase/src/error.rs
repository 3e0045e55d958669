//! Why a benchmark ends early, with the evidence.

use std::path::PathBuf;
use std::time::Duration;

/// Why a benchmark ends early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum BenchError {
    /// The command line makes no sense.
    #[error("{0}")]
    Usage(String),
    /// Something that has to be there before is not.
    #[error("{0}")]
    Missing(String),
    /// The system refused something.
    #[error("cannot {what}: {source}")]
    System {
        /// What was tried.
        what: String,
        /// Why not.
        source: std::io::Error,
    },
    /// A server ended, or did not do what it was to do in time.
    #[error("{server}: {what}; the end of {}:\n{log_end}", log.display())]
    Server {
        /// Which of them.
        server: &'static str,
        /// What happened.
        what: String,
        /// Its log.
        log: PathBuf,
        /// The last lines of it.
        log_end: String,
    },
    /// The server refused an operation.
    #[error("{what}: {source}")]
    Client {
        /// What was asked for.
        what: String,
        /// The answer.
        source: finback_client::Error,
    },
    /// A client failed at its load.
    #[error("{client}, {command}: {why}")]
    Load {
        /// Which client.
        client: &'static str,
        /// What it was to do.
        command: &'static str,
        /// How it failed.
        why: String,
    },
    /// Something did not come to its end.
    #[error("{what} is not done after {after:?}")]
    TooLong {
        /// What it is.
        what: String,
        /// How long it had.
        after: Duration,
    },
}

pub(crate) type Result<T, E = BenchError> = std::result::Result<T, E>;

/// Says what the system refused.
pub(crate) trait Doing<T> {
    /// `what` completes "cannot …".
    fn doing(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T> Doing<T> for std::io::Result<T> {
    fn doing(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|source| BenchError::System { what: what(), source })
    }
}

/// Says what was asked of a server.
pub(crate) trait Asking<T> {
    /// `what` is the operation.
    fn asking(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T> Asking<T> for finback_client::Result<T> {
    fn asking(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|source| BenchError::Client { what: what(), source })
    }
}
