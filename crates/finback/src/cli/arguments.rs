//! A command line, taken apart by the table of its command.
//!
//! Options may stand anywhere: `-x`, several letters at once (`-xyz`), `-f FILE`, `-fFILE`, `--file FILE`,
//! `--file=FILE`, and a word behind one hyphen (`-file FILE`), as the scripts for HBase's tools have it. After `--`
//! everything is an operand.

use super::table::{Command, Kind, Opt};
use super::usage_error::UsageError;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::str::FromStr;

/// What a command was given.
#[derive(Debug)]
pub struct Arguments {
    command: &'static Command,
    /// With an empty value for a flag; in the order given.
    options: Vec<(&'static Opt, OsString)>,
    operands: Vec<OsString>,
    wants_help: bool,
}

impl Arguments {
    /// Takes apart what stands behind the name of a command.
    pub(super) fn parse(
        command: &'static Command,
        words: impl IntoIterator<Item = OsString>,
    ) -> Result<Self, UsageError> {
        let mut arguments = Self { command, options: Vec::new(), operands: Vec::new(), wants_help: false };
        let mut words = words.into_iter();
        let mut only_operands = false;
        while let Some(word) = words.next() {
            match word.as_bytes() {
                bytes if only_operands || bytes.len() < 2 || bytes[0] != b'-' => {
                    arguments.operands.push(word);
                }
                b"--" => only_operands = true,
                b"--help" => arguments.wants_help = true,
                b"-h" if !command.has_its_own_h() => arguments.wants_help = true,
                _ => arguments.take_option(&word, &mut words)?,
            }
        }
        if !arguments.wants_help {
            arguments.check_operands()?;
        }
        Ok(arguments)
    }

    fn take_option(
        &mut self,
        word: &OsStr,
        words: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), UsageError> {
        let bytes = word.as_bytes();
        let is_long = bytes.starts_with(b"--");
        let name = &bytes[if is_long { 2 } else { 1 }..];
        let (name, value) = match name.iter().position(|&byte| byte == b'=') {
            Some(at) => (&name[..at], Some(OsStr::from_bytes(&name[at + 1..]).to_owned())),
            None => (name, None),
        };
        let long = self.command.options.iter().find(|option| {
            option.long.is_some_and(|long| name == long.as_bytes() && (is_long || name.len() > 1))
        });
        match long {
            Some(option) => self.push(option, value, words),
            None if is_long => Err(self.unknown(word)),
            None => self.take_letters(word, words),
        }
    }

    /// `-x`, `-xyz`, `-fFILE`.
    fn take_letters(
        &mut self,
        word: &OsStr,
        words: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), UsageError> {
        let mut letters = &word.as_bytes()[1..];
        while let Some((&letter, rest)) = letters.split_first() {
            let of_letter = |option: &&Opt| option.short == Some(char::from(letter));
            let option = self.command.options.iter().find(of_letter).ok_or_else(|| self.unknown(word))?;
            if option.value.is_some() {
                let value = (!rest.is_empty()).then(|| OsString::from_vec(rest.to_vec()));
                return self.push(option, value, words);
            }
            self.push(option, None, words)?;
            letters = rest;
        }
        Ok(())
    }

    fn push(
        &mut self,
        option: &'static Opt,
        value: Option<OsString>,
        words: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), UsageError> {
        let command = self.command.name;
        let value = match (option.value, value) {
            (None, None) => OsString::new(),
            (None, Some(_)) => {
                return Err(UsageError::SurplusValue { option: option.spelling(), command });
            }
            (Some(_), Some(value)) => value,
            (Some((name, _)), None) => words.next().ok_or_else(|| UsageError::MissingValue {
                option: option.spelling(),
                value: name,
                command,
            })?,
        };
        self.options.push((option, value));
        if let Some((_, Kind::Words(known))) = option.value {
            let (_, given) = &self.options[self.options.len() - 1];
            if !known.iter().any(|known| given == known) {
                return Err(self.bad_value(option, given, &format!("one of {}", known.join(", "))));
            }
        }
        Ok(())
    }

    fn check_operands(&self) -> Result<(), UsageError> {
        let (table, command) = (self.command.operands, self.command.name);
        let missing = table.get(self.operands.len()).filter(|operand| operand.is_needed());
        if let Some(operand) = missing {
            return Err(UsageError::MissingOperand { operand: operand.name, command });
        }
        match self.operands.get(table.len()) {
            Some(surplus) if !table.last().is_some_and(super::table::Operand::repeats) => {
                Err(UsageError::SurplusOperand { given: surplus.to_string_lossy().into_owned(), command })
            }
            _ => Ok(()),
        }
    }

    fn unknown(&self, word: &OsStr) -> UsageError {
        let given = word.to_string_lossy().into_owned();
        let bare = given.split('=').next().unwrap_or_default();
        let spellings: Vec<String> = self.command.options.iter().flat_map(Opt::spellings).collect();
        let is_word = bare.trim_start_matches('-').len() > 1;
        let known = spellings.iter().map(String::as_str).filter(|known| known.starts_with("--"));
        let nearest = is_word.then(|| crate::nearest::nearest(bare, known, 2)).flatten().map(str::to_owned);
        UsageError::UnknownOption { given, nearest, command: self.command.name }
    }

    fn bad_value(&self, option: &Opt, given: &OsStr, expected: &str) -> UsageError {
        UsageError::BadValue {
            option: option.spelling(),
            given: given.to_string_lossy().into_owned(),
            expected: expected.to_owned(),
            command: self.command.name,
        }
    }

    /// Whether the help text is asked for, whatever else is.
    pub(super) fn wants_help(&self) -> bool {
        self.wants_help
    }

    /// The command whose arguments these are.
    pub(super) fn command(&self) -> &'static Command {
        self.command
    }

    /// Whether a flag is there.
    pub fn has(&self, name: &str) -> bool {
        self.values(name).next().is_some()
    }

    /// All values of an option, in the order given.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a OsStr> {
        let is_in_table = self.command.options.iter().any(|option| option.is_called(name));
        assert!(is_in_table, "finback {} has no option {name}", self.command.name);
        self.options
            .iter()
            .filter(move |(option, _)| option.is_called(name))
            .map(|(_, value)| value.as_os_str())
    }

    /// The value of an option: the last, if it is there several times.
    pub fn value<'a>(&'a self, name: &'a str) -> Option<&'a OsStr> {
        self.values(name).last()
    }

    /// The value of an option that is a path.
    pub fn path<'a>(&'a self, name: &'a str) -> Option<&'a Path> {
        self.value(name).map(Path::new)
    }

    /// The value of an option that is text.
    pub fn text(&self, name: &str) -> Result<Option<String>, UsageError> {
        self.parsed(name, "text in UTF-8")
    }

    /// The value of an option that is a number, or anything else that is written in letters.
    pub fn parsed<T: FromStr>(&self, name: &str, expected: &str) -> Result<Option<T>, UsageError> {
        let Some((option, value)) = self.options.iter().rev().find(|(option, _)| option.is_called(name))
        else {
            return Ok(None);
        };
        let parsed = value.to_str().and_then(|text| text.parse().ok());
        parsed.map(Some).ok_or_else(|| self.bad_value(option, value, expected))
    }

    /// What was named without an option.
    pub fn operands(&self) -> &[OsString] {
        &self.operands
    }

    /// The error that two options, or an option and an operand, do not go together.
    pub fn combination(&self, problem: impl Into<String>) -> UsageError {
        UsageError::Combination { problem: problem.into(), command: self.command.name }
    }
}

#[cfg(test)]
mod tests;
