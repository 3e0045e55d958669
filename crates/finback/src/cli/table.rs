//! What a command is: the table from which parsing, help, completions and man pages are made.

use super::arguments::Arguments;
use super::stop::Stop;
use std::process::ExitCode;

/// One command of the program.
#[derive(Debug)]
pub struct Command {
    /// What it is called by.
    pub name: &'static str,
    /// What it does, in one line without a full stop.
    pub summary: &'static str,
    /// What it teaches: paragraphs, with an empty line between them. Lines that begin with a space stay as they are.
    pub about: &'static str,
    /// What is named without an option. Only the last may be there more than once.
    pub operands: &'static [Operand],
    /// In the order of the help text. `--help` is not among them: every command has it.
    pub options: &'static [Opt],
    /// Command lines, and what they do.
    pub examples: &'static [(&'static str, &'static str)],
    /// Exit codes with a meaning of their own, besides 0, and 2 for a command line that makes no sense.
    pub exit_codes: &'static [(u8, &'static str)],
    /// What else belongs into the help text, made when it is asked for.
    pub more: Option<fn() -> String>,
    /// Does it.
    pub run: fn(&Arguments) -> Result<ExitCode, Stop>,
}

/// Something that is named on the command line without an option.
#[derive(Debug)]
pub struct Operand {
    /// As it stands in the usage line.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// How often it has to be, and may be, there.
    pub count: Count,
    /// What it means.
    pub meaning: &'static str,
}

/// How often an operand is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Once.
    One,
    /// Once or not at all.
    Optional,
    /// Once or more.
    Many,
    /// Any number of times.
    Any,
}

/// An option: a letter, a word, or both.
#[derive(Debug)]
pub struct Opt {
    /// `-x`
    pub short: Option<char>,
    /// `--xyz`
    pub long: Option<&'static str>,
    /// What the value is called, and is; none for a flag.
    pub value: Option<(&'static str, Kind)>,
    /// What it does. The first sentence is shown where there is little room.
    pub meaning: &'static str,
}

/// What a value or an operand is; shells complete accordingly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing that a shell could know.
    Text,
    /// A file, or a directory.
    File,
    /// A directory.
    Directory,
    /// One of these.
    Words(&'static [&'static str]),
    /// The name of a command.
    Command,
    /// `NAME=VALUE`, of a setting.
    Setting,
}

impl Command {
    /// Whether it uses `-h` for something else than help.
    pub(super) fn has_its_own_h(&self) -> bool {
        self.options.iter().any(|option| option.short == Some('h'))
    }

    /// `finback hfile [OPTION]... FILE...`
    pub(super) fn usage(&self) -> String {
        let mut usage = format!("finback {}", self.name);
        if !self.options.is_empty() {
            usage.push_str(" [OPTION]...");
        }
        for Operand { name, count, .. } in self.operands {
            usage.push_str(&match count {
                Count::One => format!(" {name}"),
                Count::Optional => format!(" [{name}]"),
                Count::Many => format!(" {name}..."),
                Count::Any => format!(" [{name}]..."),
            });
        }
        usage
    }
}

impl Operand {
    pub(super) fn is_needed(&self) -> bool {
        matches!(self.count, Count::One | Count::Many)
    }

    pub(super) fn repeats(&self) -> bool {
        matches!(self.count, Count::Many | Count::Any)
    }
}

impl Opt {
    /// `-x`, `--xyz` without a value.
    pub const fn flag(short: char, long: &'static str, meaning: &'static str) -> Self {
        Self { short: Some(short), long: Some(long), value: None, meaning }
    }

    /// `--xyz` without a value.
    pub const fn long_flag(long: &'static str, meaning: &'static str) -> Self {
        Self { short: None, long: Some(long), value: None, meaning }
    }

    /// `-x VALUE`, `--xyz VALUE`.
    pub const fn value(
        short: char,
        long: &'static str,
        value: (&'static str, Kind),
        meaning: &'static str,
    ) -> Self {
        Self { short: Some(short), long: Some(long), value: Some(value), meaning }
    }

    /// `--xyz VALUE`.
    pub const fn long_value(long: &'static str, value: (&'static str, Kind), meaning: &'static str) -> Self {
        Self { short: None, long: Some(long), value: Some(value), meaning }
    }

    /// The word, or the letter if it has none: by this a command asks for it.
    pub(super) fn is_called(&self, name: &str) -> bool {
        match (self.long, self.short) {
            (Some(long), _) => long == name,
            (None, Some(short)) => name.chars().eq([short]),
            (None, None) => false,
        }
    }

    /// `-x`, `--xyz`: every way to write it.
    pub(super) fn spellings(&self) -> impl Iterator<Item = String> {
        let short = self.short.map(|short| format!("-{short}"));
        short.into_iter().chain(self.long.map(|long| format!("--{long}")))
    }

    /// The longest of its spellings.
    pub(super) fn spelling(&self) -> String {
        self.spellings().last().unwrap_or_default()
    }

    /// The meaning up to its first full stop.
    pub(super) fn short_meaning(&self) -> &'static str {
        let end = self.meaning.find(". ").unwrap_or(self.meaning.len());
        self.meaning[..end].trim_end_matches('.')
    }
}
