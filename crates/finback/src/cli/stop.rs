//! How a command ends that does not end well.

use super::usage_error::UsageError;
use crate::config::ConfigError;
use finback_inspect::InspectError;
use std::io;
use std::process::ExitCode;

/// Exit code of a command that failed, or that found what it looked for to be wrong.
pub const EXIT_FAILED: u8 = 1;
/// Exit code of a command line or configuration that makes no sense.
pub const EXIT_USAGE: u8 = 2;
/// Exit code of a command that Ctrl-C has ended: 128 and the number of the signal, as shells have it.
pub const EXIT_INTERRUPTED: u8 = 130;

/// Why a command ends before its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Stop {
    /// The command line makes no sense.
    #[error(transparent)]
    Usage(#[from] UsageError),
    /// The configuration makes no sense.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// What is wrong, in one line.
    #[error("{0}")]
    Failed(String),
    /// Standard output takes nothing more.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
}

impl Stop {
    /// Tells on standard error what is wrong. Whoever closes a pipe early (`finback server --help | head`) has seen
    /// enough: that is no failure.
    pub(super) fn tell(&self) -> ExitCode {
        match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            _ => eprintln!("finback: {self}"),
        }
        match self {
            Self::Usage(_) | Self::Config(_) => ExitCode::from(EXIT_USAGE),
            Self::Failed(_) | Self::Output(_) => ExitCode::from(EXIT_FAILED),
        }
    }
}

impl From<InspectError> for Stop {
    fn from(error: InspectError) -> Self {
        match error {
            InspectError::Output(error) => Self::Output(error),
            error => Self::Failed(error.to_string()),
        }
    }
}
