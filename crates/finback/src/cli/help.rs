//! Help texts, made from the table.

use super::commands::COMMANDS;
use super::style::Style;
use super::table::{Command, Opt};
use super::wrap::{wrap, wrap_paragraphs};
use std::fmt::Write;

/// Where the meaning of an option begins, if what stands before it is not longer.
const MEANING_COLUMN: usize = 26;

const INTRODUCTION: &str = "Finback: HBase without the JVM.

A server that HBase's clients talk to, and tools for it and for the files that it and HBase write.";

const FIRST_STEPS: &[(&str, &str)] = &[
    ("finback server --data ./finback-data", "starts a server on HBase's usual ports"),
    ("finback config", "says what can be set, and what it is now"),
];

/// What `finback --help` says.
pub(super) fn overview(style: Style) -> String {
    let mut text = String::new();
    wrap_paragraphs(&mut text, INTRODUCTION);
    let _ = write!(
        text,
        "\n{} finback COMMAND [OPTION]...\n\n{}\n",
        style.bold("usage:"),
        style.bold("commands:")
    );
    let names = COMMANDS.iter().map(|command| command.name.len()).max().unwrap_or_default();
    for command in COMMANDS {
        let _ = write!(text, "  {}", command.name);
        wrap(&mut text, command.summary, names + 4, command.name.len() + 2);
    }
    push_examples(&mut text, "to begin:", FIRST_STEPS, style);
    text.push_str("\nfinback help COMMAND, or finback COMMAND --help, says more about each.\n");
    text
}

/// What `finback COMMAND --help` says.
pub(super) fn of_command(command: &Command, style: Style) -> String {
    let mut text = String::new();
    wrap(&mut text, &format!("finback {}: {}.", command.name, command.summary), 0, 0);
    let _ = write!(text, "\n{} {}\n\n", style.bold("usage:"), command.usage());
    wrap_paragraphs(&mut text, command.about);
    if !command.operands.is_empty() {
        text.push('\n');
        for operand in command.operands {
            push_meaning(&mut text, operand.name, operand.meaning);
        }
    }
    let _ = write!(text, "\n{}\n", style.bold("options:"));
    for option in command.options {
        push_meaning(&mut text, &label(option), option.meaning);
    }
    let help = if command.has_its_own_h() { "    --help" } else { "-h, --help" };
    push_meaning(&mut text, help, "This text.");
    push_examples(&mut text, "examples:", command.examples, style);
    if !command.exit_codes.is_empty() {
        let _ = write!(text, "\n{}\n", style.bold("exit codes:"));
        for (code, meaning) in command.exit_codes {
            let _ = write!(text, "  {code}");
            wrap(&mut text, meaning, 6, 2 + code.to_string().len());
        }
    }
    if let Some(more) = command.more {
        let _ = write!(text, "\n{}", more());
    }
    text
}

/// `-f, --file FILE`
pub(super) fn label(option: &Opt) -> String {
    let mut label = match (option.short, option.long) {
        (Some(short), Some(long)) => format!("-{short}, --{long}"),
        (Some(short), None) => format!("-{short}"),
        (None, long) => format!("    --{}", long.unwrap_or_default()),
    };
    if let Some((value, _)) = option.value {
        let _ = write!(label, " {value}");
    }
    label
}

fn push_meaning(text: &mut String, label: &str, meaning: &str) {
    let _ = write!(text, "  {label}");
    let column = label.len() + 2;
    if column + 2 > MEANING_COLUMN {
        text.push('\n');
        wrap(text, meaning, MEANING_COLUMN, 0);
    } else {
        wrap(text, meaning, MEANING_COLUMN, column);
    }
}

fn push_examples(text: &mut String, heading: &str, examples: &[(&str, &str)], style: Style) {
    if !examples.is_empty() {
        let _ = write!(text, "\n{}\n", style.bold(heading));
    }
    for (line, meaning) in examples {
        let _ = writeln!(text, "  {line}");
        wrap(text, meaning, 6, 0);
    }
}
