//! The command line.
//!
//! One table ([`table::Command`], filled in `cli/commands/`) says which commands there are, what they take, and what that
//! means; parsing, help texts, completions of shells and man pages are made from it. A new command is a file in
//! `cli/commands/` and a line in `cli/commands.rs`.

mod amounts;
mod arguments;
mod commands;
mod completions;
mod file_kind;
mod help;
mod interrupt;
mod local_file;
mod man;
mod settings;
mod stop;
mod style;
pub mod table;
mod usage_error;
pub(crate) mod wrap;

pub use arguments::Arguments;
pub use stop::{EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, Stop};
pub use style::Style;
pub use usage_error::UsageError;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use table::Command;

/// Runs the command that `arguments` (without the program's name) ask for.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    run(arguments).unwrap_or_else(|stop| stop.tell())
}

fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<ExitCode, Stop> {
    let arguments = parse(arguments)?;
    if arguments.wants_help() {
        let help = help::of_command(arguments.command(), Style::of_stdout());
        std::io::stdout().write_all(help.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    (arguments.command().run)(&arguments)
}

/// Understands a command line.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Arguments, UsageError> {
    let mut arguments = arguments.into_iter();
    let name = arguments.next().unwrap_or_else(|| "help".into());
    let name = match name.to_string_lossy().into_owned().as_str() {
        "--help" | "-h" => "help".to_owned(),
        "--version" | "-V" => "version".to_owned(),
        name => name.to_owned(),
    };
    Arguments::parse(known(&name)?, arguments)
}

/// The command of this name.
fn known(name: &str) -> Result<&'static Command, UsageError> {
    commands::find(name).ok_or_else(|| {
        let names = commands::COMMANDS.iter().map(|command| command.name);
        let nearest = crate::nearest::nearest(name, names, 2);
        UsageError::UnknownCommand { given: name.to_owned(), nearest }
    })
}
