//! What can go wrong, with the evidence.

use finback_rpc::RpcException;
use std::fmt;
use std::time::Duration;

/// One try of a call, and why it was none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Method of the call, or what was being done instead of a call (`locate`).
    pub method: &'static str,
    /// `host:port` of the server that was asked.
    pub server: Option<String>,
    /// Name of the region that was asked for, as HBase prints it.
    pub region: Option<String>,
    /// Which try it was; the first is 1.
    pub number: u32,
    /// What the server said; or what this client says in its place, in a Java class as well.
    pub exception: RpcException,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.method)?;
        if let Some(region) = &self.region {
            write!(f, " in region {region}")?;
        }
        if let Some(server) = &self.server {
            write!(f, " at {server}")?;
        }
        if self.number > 1 {
            write!(f, ", attempt {}", self.number)?;
        }
        write!(f, ": {}: {}", self.exception.simple_class(), first_lines(&self.exception.message))
    }
}

/// The message without the stack trace that HBase's servers put behind it.
fn first_lines(message: &str) -> &str {
    message.split("\n\tat ").next().unwrap_or(message).trim_end()
}

/// Why an operation failed.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The answer was no, and asking again would not change it (HBase's DoNotRetryIOException and its children).
    #[error("{0}")]
    Refused(Box<Attempt>),
    /// Each of as many attempts as are allowed failed; the last one is told.
    #[error("gave up after {attempts} attempts; the last: {last}")]
    RetriesExhausted {
        /// How many.
        attempts: u32,
        /// The last of them.
        last: Box<Attempt>,
    },
    /// The time for the whole operation is over.
    #[error("{method}: not done within {after:?}, in {attempts} attempts{}", told(last.as_deref()))]
    TimedOut {
        /// Method of the call.
        method: &'static str,
        /// The time that there was.
        after: Duration,
        /// Attempts that failed in that time.
        attempts: u32,
        /// The last of them.
        last: Option<Box<Attempt>>,
    },
    /// What was asked for cannot be sent: a row too long, columns of another row, a filter that cannot be read.
    #[error("{0}")]
    Argument(String),
    /// A setting that is none, or has a value that is none.
    #[error("{0}")]
    Setting(String),
    /// What was at work in the background came to no end: its runtime was shut down, or it panicked.
    #[error("{0} came to no end: its runtime was shut down, or it panicked")]
    Interrupted(&'static str),
    /// An answer that makes no sense.
    #[error("malformed answer of {method}: {reason}")]
    Malformed {
        /// Method of the call.
        method: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

fn told(last: Option<&Attempt>) -> String {
    last.map_or_else(String::new, |last| format!("; the last: {last}"))
}

impl Error {
    pub(crate) fn refused(method: &'static str, exception: RpcException) -> Self {
        Self::Refused(Box::new(Attempt { method, server: None, region: None, number: 1, exception }))
    }

    /// The failed attempt that decided, if there was one.
    pub fn attempt(&self) -> Option<&Attempt> {
        match self {
            Self::Refused(attempt) | Self::RetriesExhausted { last: attempt, .. } => Some(attempt),
            Self::TimedOut { last, .. } => last.as_deref(),
            _ => None,
        }
    }

    /// What the server said, if it said something.
    pub fn exception(&self) -> Option<&RpcException> {
        self.attempt().map(|attempt| &attempt.exception)
    }

    /// The server's message, without a stack trace.
    pub fn message(&self) -> Option<&str> {
        self.exception().map(|exception| first_lines(&exception.message))
    }

    /// Whether the Java class of the exception has this simple name: `TableNotFoundException`.
    pub fn is(&self, simple_class: &str) -> bool {
        self.exception().is_some_and(|exception| exception.simple_class() == simple_class)
    }
}

/// What [`crate`] gives back.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[cfg(test)]
mod tests;
