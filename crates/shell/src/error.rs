//! What can go wrong with a statement.

use std::io;

/// Why a statement was not carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShellError {
    /// The text is not what the shell can read.
    #[error("syntax error at line {line}, column {column}: {problem}")]
    Syntax {
        /// Line of the statement or script, from 1.
        line: usize,
        /// Byte of the line, from 1.
        column: usize,
        /// What was found, and what was expected.
        problem: String,
    },
    /// The text goes on in the next line: a bracket or a string is open.
    #[error("the statement is not complete: {0}")]
    Incomplete(&'static str),
    /// The text needs Ruby.
    #[error("line {line}, column {column}: this shell is not Ruby: it has no {construct}. {instead}")]
    NotRuby {
        /// Line of the statement or script, from 1.
        line: usize,
        /// Byte of the line, from 1.
        column: usize,
        /// What was found.
        construct: String,
        /// What to do.
        instead: &'static str,
    },
    /// Arguments that a command cannot take, or that name what is not there.
    #[error("{0}")]
    Argument(String),
    /// HBase has the command; here it is not.
    #[error("{command} is not there: {reason}")]
    NotThere {
        /// The command.
        command: &'static str,
        /// Why, and what to do instead.
        reason: &'static str,
    },
    /// A server, or the way to it, failed.
    #[error(transparent)]
    Client(#[from] finback_client::Error),
    /// What was to be read or written by the shell itself could not be.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Ctrl-C ended the statement.
    #[error("interrupted")]
    Interrupted,
}

/// What [`crate`] gives back.
pub type Result<T, E = ShellError> = std::result::Result<T, E>;

impl ShellError {
    pub(crate) fn argument(problem: impl Into<String>) -> Self {
        Self::Argument(problem.into())
    }

    /// The same in a text that has as many lines before the one that was read.
    pub(crate) fn after_lines(mut self, lines: usize) -> Self {
        if let Self::Syntax { line, .. } | Self::NotRuby { line, .. } = &mut self {
            *line += lines;
        }
        self
    }
}
