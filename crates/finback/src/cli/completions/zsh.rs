//! The script for zsh.

use super::{command_names, quoted, setting_names};
use crate::cli::commands::COMMANDS;
use crate::cli::table::{Command, Kind, Opt};
use std::fmt::Write;

pub(super) fn script() -> String {
    let mut script = format!(
        "#compdef finback
# Completions of finback for zsh.
_finback_settings() {{
  compadd -S = -- {}
}}
_finback() {{
  local -a commands=(
",
        setting_names().join(" ")
    );
    for command in COMMANDS {
        let _ = writeln!(script, "    {}", quoted(&format!("{}:{}", command.name, command.summary)));
    }
    script.push_str(
        "  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
",
    );
    COMMANDS.iter().for_each(|command| push_command(&mut script, command));
    script.push_str("  esac\n}\n_finback \"$@\"\n");
    script
}

fn push_command(script: &mut String, command: &Command) {
    let _ = write!(script, "    {}) _arguments -s", command.name);
    let mut push = |specification: String| {
        let _ = write!(script, " \\\n        {}", quoted(&specification));
    };
    for option in command.options {
        for spelling in option.spellings() {
            push(format!("*{spelling}{}", meaning(option)));
        }
    }
    push("--help[shows all options]".to_owned());
    for (number, operand) in command.operands.iter().enumerate() {
        let place = if operand.repeats() { "*".to_owned() } else { (number + 1).to_string() };
        push(format!("{place}:{}:{}", operand.name, action(operand.kind)));
    }
    script.push_str(" ;;\n");
}

/// `[meaning]:VALUE:action`
fn meaning(option: &Opt) -> String {
    let escaped = option.short_meaning().replace('\\', "\\\\").replace(':', "\\:");
    let mut text = format!("[{}]", escaped.replace('[', "\\[").replace(']', "\\]"));
    if let Some((value, kind)) = option.value {
        let _ = write!(text, ":{value}:{}", action(kind));
    }
    text
}

fn action(kind: Kind) -> String {
    match kind {
        Kind::Text => String::new(),
        Kind::File => "_files".to_owned(),
        Kind::Directory => "_files -/".to_owned(),
        Kind::Words(words) => format!("({})", words.join(" ")),
        Kind::Setting => "_finback_settings".to_owned(),
        Kind::Command => format!("({})", command_names().join(" ")),
    }
}
