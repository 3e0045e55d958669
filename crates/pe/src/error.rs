//! What can go wrong.

/// Why a run was not made, or not finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeError {
    /// What was asked for makes no sense; the text says what would.
    #[error("{0}")]
    Usage(String),
    /// The table is not one that the command can work on; the text says what to do.
    #[error("{0}")]
    Table(String),
    /// The cluster refused something, or is out of reach.
    #[error("{doing}: {source}")]
    Cluster {
        /// What was being done.
        doing: String,
        /// What it failed with.
        source: Box<finback_client::Error>,
    },
    /// What was read is not what was written.
    #[error("row {row}: {reason}")]
    Integrity {
        /// The row, with the escapes of HBase's shell.
        row: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Of the system: threads, timers, files.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: String,
        /// What the system says.
        source: std::io::Error,
    },
}

/// The result of something that can fail so.
pub type Result<T, E = PeError> = std::result::Result<T, E>;

impl PeError {
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    pub(crate) fn io(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}

/// Names what was being done when the cluster refused it.
pub(crate) trait Doing<T> {
    fn doing(self, what: &str) -> Result<T>;
}

impl<T> Doing<T> for Result<T, finback_client::Error> {
    fn doing(self, what: &str) -> Result<T> {
        self.map_err(|source| PeError::Cluster { doing: what.to_owned(), source: Box::new(source) })
    }
}
