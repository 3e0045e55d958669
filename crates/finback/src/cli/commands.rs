//! The commands: a file for each, with its entry in the table and what joins its options to what does the work.

mod check;
mod compact;
mod completions;
mod config;
mod help;
mod hfile;
mod man;
mod pe;
mod server;
mod shell;
mod top;
mod version;
mod wal;

use super::table::Command;

/// All commands, in the order of the help text.
pub(super) const COMMANDS: &[Command] = &[
    server::COMMAND,
    shell::COMMAND,
    top::COMMAND,
    pe::COMMAND,
    compact::COMMAND,
    hfile::COMMAND,
    wal::COMMAND,
    check::COMMAND,
    config::COMMAND,
    completions::COMMAND,
    man::COMMAND,
    help::COMMAND,
    version::COMMAND,
];

/// The command of this name.
pub(super) fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

#[cfg(test)]
mod tests;
