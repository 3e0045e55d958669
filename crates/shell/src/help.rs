//! The help texts, made of the table of commands.

use crate::command::{Command, Group};
use crate::commands::{self, GROUPS};

/// What `help` shows: about a command, a group, or everything.
pub(crate) fn about(topic: Option<&str>) -> String {
    let Some(topic) = topic else { return overview() };
    if let Some(command) = commands::find(topic) {
        return of_command(command);
    }
    match GROUPS.iter().find(|group| group.name == topic) {
        Some(group) => group.commands.iter().map(of_group_member).collect(),
        None => format!("ERROR: Invalid command or command group name: {topic}\n\n{}", overview()),
    }
}

fn of_command(command: &Command) -> String {
    match command.missing() {
        Some(reason) => format!("{} is not there: {reason}.\n", command.name),
        None => format!("{}\n", command.help),
    }
}

fn of_group_member(command: &Command) -> String {
    format!("Command: {}\n{}\n", command.name, of_command(command))
}

fn overview() -> String {
    let mut text = format!(
        "finback shell {}: the commands of HBase's shell, without Ruby.\n\
         Type 'help \"COMMAND\"' (the quotes are needed) for help on a command, 'help \"GROUP\"' for that of a group.\n\n\
         COMMAND GROUPS:\n",
        env!("CARGO_PKG_VERSION")
    );
    for group in GROUPS {
        text += &of_group(group);
    }
    text + "\
SHELL USAGE:
Names of tables, columns and rows are written in quotes; commas stand between arguments. Settings are hashes:

  {'key1' => 'value1', 'key2' => 'value2', ...}

whose keys are mostly constants such as NAME, VERSIONS, COMPRESSION, which need no quotes. Bytes are written in double
quotes, in hexadecimal or octal:

  hbase> get 't1', \"key\\x03\\x3f\\xcd\"
  hbase> get 't1', \"key\\003\\023\\011\"
  hbase> put 't1', \"test\\xef\\xff\", 'f1:', \"\\x01\\x33\\x40\"

'exit' or Ctrl-D ends the shell.
"
}

fn of_group(group: &Group) -> String {
    let mut names: Vec<&str> = group
        .commands
        .iter()
        .filter(|command| command.missing().is_none())
        .map(|command| command.name)
        .collect();
    names.sort_unstable();
    let names = if names.is_empty() { "(none)".to_owned() } else { names.join(", ") };
    format!("  Group name: {}\n  Commands: {names}\n\n", group.name)
}
