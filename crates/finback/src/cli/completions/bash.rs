//! The script for bash.

use super::{command_names, setting_names};
use crate::cli::commands::COMMANDS;
use crate::cli::table::{Command, Kind, Opt};
use std::fmt::Write;

pub(super) fn script() -> String {
    let mut script = format!(
        "# Completions of finback for bash.
_finback() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  COMPREPLY=()
  if [ \"$COMP_CWORD\" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- \"$current\"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
",
        command_names().join(" ")
    );
    COMMANDS.iter().for_each(|command| push_command(&mut script, command));
    script.push_str("  esac\n}\ncomplete -o filenames -F _finback finback\n");
    script
}

fn push_command(script: &mut String, command: &Command) {
    let _ = writeln!(script, "    {})", command.name);
    let with_value: Vec<(&Opt, Kind)> =
        command.options.iter().filter_map(|option| option.value.map(|(_, kind)| (option, kind))).collect();
    if !with_value.is_empty() {
        script.push_str("      case $previous in\n");
        for (option, kind) in with_value {
            let spellings: Vec<String> = option.spellings().collect();
            let _ = writeln!(script, "        {}) {}; return ;;", spellings.join(" | "), replies(kind));
        }
        script.push_str("      esac\n");
    }
    let spellings: Vec<String> = command.options.iter().flat_map(Opt::spellings).collect();
    let operand = command.operands.last().map_or("true".to_owned(), |operand| replies(operand.kind));
    let _ = write!(
        script,
        "      case $current in
        -*) COMPREPLY=($(compgen -W '{} --help' -- \"$current\")) ;;
        *) {operand} ;;
      esac
      ;;
",
        spellings.join(" ")
    );
}

/// The command that finds what may stand there.
fn replies(kind: Kind) -> String {
    let compgen = |what: &str| format!("COMPREPLY=($(compgen {what} -- \"$current\"))");
    match kind {
        Kind::Text => "true".to_owned(),
        Kind::File => compgen("-f"),
        Kind::Directory => compgen("-d"),
        Kind::Words(words) => compgen(&format!("-W '{}'", words.join(" "))),
        // A value follows: no space behind the sign.
        Kind::Setting => {
            format!("{}; compopt -o nospace", compgen(&format!("-S = -W '{}'", setting_names().join(" "))))
        }
        Kind::Command => compgen(&format!("-W '{}'", command_names().join(" "))),
    }
}
