//! The script for fish.

use super::{command_names, quoted, setting_names};
use crate::cli::commands::COMMANDS;
use crate::cli::table::{Command, Kind, Opt};
use std::fmt::Write;

pub(super) fn script() -> String {
    let mut script = "# Completions of finback for fish.\ncomplete -c finback -f\n".to_owned();
    for command in COMMANDS {
        let _ = writeln!(
            script,
            "complete -c finback -n __fish_use_subcommand -a {} -d {}",
            command.name,
            quoted(command.summary)
        );
    }
    COMMANDS.iter().for_each(|command| push_command(&mut script, command));
    script
}

fn push_command(script: &mut String, command: &Command) {
    let condition = quoted(&format!("__fish_seen_subcommand_from {}", command.name));
    for option in command.options {
        let _ = write!(script, "complete -c finback -n {condition}");
        push_names(script, option);
        if let Some((_, kind)) = option.value {
            let _ = write!(script, " -r {}", candidates(kind));
        }
        let _ = writeln!(script, " -d {}", quoted(option.short_meaning()));
    }
    if let Some(operand) = command.operands.last() {
        let _ = writeln!(script, "complete -c finback -n {condition} {}", candidates(operand.kind));
    }
}

fn push_names(script: &mut String, option: &Opt) {
    if let Some(short) = option.short {
        let _ = write!(script, " -s {short}");
    }
    if let Some(long) = option.long {
        let _ = write!(script, " -l {long}");
    }
}

fn candidates(kind: Kind) -> String {
    match kind {
        Kind::Text => "-f".to_owned(),
        Kind::File => "-F".to_owned(),
        Kind::Directory => "-f -a '(__fish_complete_directories)'".to_owned(),
        Kind::Words(words) => format!("-f -a '{}'", words.join(" ")),
        Kind::Setting => {
            let names: Vec<String> = setting_names().iter().map(|name| format!("{name}=")).collect();
            format!("-f -a '{}'", names.join(" "))
        }
        Kind::Command => format!("-f -a '{}'", command_names().join(" ")),
    }
}
