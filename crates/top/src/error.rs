//! What can go wrong.

use std::io;

/// Why it ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TopError {
    /// There is no screen to show anything on.
    #[error("{0}; finback top -b prints without a screen")]
    NoScreen(String),
    /// The terminal, or standard output, takes nothing more.
    #[error("the terminal: {0}")]
    Io(#[from] io::Error),
    /// The cluster could not be asked.
    #[error(transparent)]
    Client(#[from] finback_client::Error),
}

/// What comes of what can go wrong.
pub type Result<T, E = TopError> = std::result::Result<T, E>;
