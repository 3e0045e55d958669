//! HBase's shell without Ruby: its literals, its commands, its output, on top of `finback-client`; so it works against Apache HBase
//! and against Finback.
//!
//! A [`Shell`] runs statements and writes what HBase's shell would; [`Session`] feeds it: from a terminal, a script, standard
//! input, or text. [`GROUPS`] is the table of commands from which help, completion and `docs/shell.md` come.
//!
//! Whatever is typed, nothing panics: what cannot be read is told with its place, and what needs Ruby is told to do so.
//! It does not know about command lines or configuration: those are the binary's.

mod arguments;
mod command;
mod commands;
mod error;
mod failure;
mod format;
mod help;
mod language;
mod output;
mod session;
mod shell;
mod value;

pub use command::{Command, Group};
pub use commands::{GROUPS, all};
pub use error::{Result, ShellError};
pub use language::{Action, Argument, Statement, parse};
pub use session::{Session, Source, terminal_width};
pub use shell::Shell;
pub use value::Value;
