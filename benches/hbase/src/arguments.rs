//! The command line: a command, then `--name VALUE`, `--name=VALUE` or `--name`.

use crate::error::{BenchError, Result};
use std::str::FromStr;

/// The words of a command line that nobody has asked for yet.
#[derive(Debug)]
pub(crate) struct Arguments {
    words: Vec<String>,
}

impl Arguments {
    /// Those of this process.
    pub(crate) fn of_process() -> Self {
        Self::new(std::env::args().skip(1))
    }

    /// These words.
    pub(crate) fn new(words: impl IntoIterator<Item = String>) -> Self {
        Self { words: words.into_iter().collect() }
    }

    /// The command; none if there is nothing, or only options.
    pub(crate) fn command(&mut self) -> Option<String> {
        let is_command = self.words.first().is_some_and(|word| !word.starts_with('-'));
        is_command.then(|| self.words.remove(0))
    }

    /// Whether `--name` is there.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word.strip_prefix("--") != Some(name));
        self.words.len() < before
    }

    /// The value of `--name`; none if it is not there.
    pub(crate) fn value<T: FromStr>(&mut self, name: &str) -> Result<Option<T>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match text.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(BenchError::Usage(format!("--{name} cannot be {text}"))),
        }
    }

    /// The values of `--name A,B,…`; none if it is not there.
    pub(crate) fn list(&mut self, name: &str) -> Result<Option<Vec<String>>> {
        Ok(self.text(name)?.map(|text| text.split(',').map(str::to_owned).collect()))
    }

    /// Ends the reading: nothing may be left.
    pub(crate) fn end(self) -> Result<()> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(BenchError::Usage(format!("{word}: there is no such option"))),
        }
    }

    fn text(&mut self, name: &str) -> Result<Option<String>> {
        let of = |word: &str| {
            word.strip_prefix("--").and_then(|word| word.strip_prefix(name)).map(|rest| match rest {
                "" => Some(None),
                _ => rest.strip_prefix('=').map(|value| Some(value.to_owned())),
            })
        };
        let found = self.words.iter().enumerate().find_map(|(at, word)| Some((at, of(word)??)));
        match found {
            None => Ok(None),
            Some((at, Some(value))) => {
                self.words.remove(at);
                Ok(Some(value))
            }
            Some((at, None)) if at + 1 < self.words.len() => {
                self.words.remove(at);
                Ok(Some(self.words.remove(at)))
            }
            Some((_, None)) => Err(BenchError::Usage(format!("--{name} needs a value"))),
        }
    }
}

#[cfg(test)]
mod tests;
