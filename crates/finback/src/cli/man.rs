//! Man pages, made from the table.

use super::commands::COMMANDS;
use super::table::{Command, Opt};
use std::fmt::Write;

/// A page, and the name of its file.
pub(super) struct ManPage {
    pub(super) file_name: String,
    pub(super) text: String,
}

/// All pages: that of the program first.
pub(super) fn pages() -> impl Iterator<Item = ManPage> {
    std::iter::once(of_program()).chain(COMMANDS.iter().map(of_command))
}

/// `finback(1)`
pub(super) fn of_program() -> ManPage {
    let mut text = head("finback", "HBase without the JVM");
    text.push_str(".SH SYNOPSIS\n.B finback\n.I COMMAND\n[\\fIOPTION\\fR]...\n.SH COMMANDS\n");
    for command in COMMANDS {
        let _ = writeln!(text, ".TP\n.BR finback\\-{} (1)\n{}.", command.name, escaped(command.summary));
    }
    text.push_str(
        ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf it is set to anything, nothing is bold or coloured.\n",
    );
    ManPage { file_name: "finback.1".to_owned(), text }
}

/// `finback-COMMAND(1)`
pub(super) fn of_command(command: &Command) -> ManPage {
    let name = format!("finback-{}", command.name);
    let mut text = head(&name, command.summary);
    let _ = write!(text, ".SH SYNOPSIS\n{}\n.SH DESCRIPTION\n", escaped(&command.usage()));
    for paragraph in command.about.trim_matches('\n').split("\n\n") {
        let is_literal = paragraph.starts_with(' ');
        let _ = match is_literal {
            true => writeln!(text, ".nf\n{}\n.fi", escaped(paragraph)),
            false => writeln!(text, ".PP\n{}", escaped(paragraph)),
        };
    }
    for operand in command.operands {
        let _ = writeln!(text, ".TP\n.I {}\n{}", operand.name, escaped(operand.meaning));
    }
    text.push_str(".SH OPTIONS\n");
    for option in command.options {
        let _ = writeln!(text, ".TP\n{}\n{}", label(option), escaped(option.meaning));
    }
    text.push_str(".TP\n\\fB\\-\\-help\\fR\nAll of this in short.\n");
    if !command.examples.is_empty() {
        text.push_str(".SH EXAMPLES\n");
        for (line, meaning) in command.examples {
            let _ = writeln!(text, ".TP\n.B {}\n{}", escaped(line), escaped(meaning));
        }
    }
    text.push_str(".SH EXIT STATUS\n.TP\n.B 0\nAll is well.\n");
    for (code, meaning) in command.exit_codes {
        let _ = writeln!(text, ".TP\n.B {code}\n{}", escaped(meaning));
    }
    text.push_str(".TP\n.B 2\nThe command line or the configuration makes no sense.\n");
    if let Some(more) = command.more {
        let _ = writeln!(text, ".SH MORE\n.nf\n{}\n.fi", escaped(more().trim_end()));
    }
    text.push_str(".SH SEE ALSO\n.BR finback (1)\n");
    ManPage { file_name: format!("{name}.1"), text }
}

fn head(name: &str, summary: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let (title, name, summary) = (escaped(&name.to_uppercase()), escaped(name), escaped(summary));
    format!(".TH {title} 1 \"\" \"Finback {version}\" \"Finback\"\n.SH NAME\n{name} \\- {summary}\n")
}

fn label(option: &Opt) -> String {
    let mut spellings: Vec<String> =
        option.spellings().map(|spelling| format!("\\fB{}\\fR", escaped(&spelling))).collect();
    if let (Some(last), Some((value, _))) = (spellings.last_mut(), option.value) {
        let _ = write!(last, " \\fI{}\\fR", escaped(value));
    }
    spellings.join(", ")
}

/// Backslashes and hyphens mean something to troff, as does a line that begins with a full stop or an apostrophe.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let lines = text.split('\n').map(|line| match line.as_bytes().first() {
        Some(b'.' | b'\'') => format!("\\&{line}"),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}
