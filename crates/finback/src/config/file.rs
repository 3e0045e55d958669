//! Reads a configuration file, of either form.

use super::error::ConfigError;
use super::setting::TomlForm;
use super::{site_file, toml_file};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Longest configuration file, in bytes. HBase's own with all defaults written out has about 100 KB.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// One setting of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Line of the value, from 1.
    pub(super) line: usize,
    pub(super) name: String,
    pub(super) value: String,
    pub(super) place: Place,
}

/// Where in which form of file an entry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a file in which names are HBase's or Finback's, and values are texts. So on the command line.
    Plain,
    /// In `finback.toml`, with what its value is there.
    Toml(TomlForm),
    /// In the section of `finback.toml` that has the defaults of tables.
    TomlTables,
}

impl Entry {
    pub(super) fn plain(line: usize, name: String, value: String) -> Self {
        Self { line, name, value, place: Place::Plain }
    }
}

/// Reads all settings of a file, in order: TOML if its name ends so, else an `hbase-site.xml`, or lines of `name = value`.
pub(super) fn read(path: &Path) -> Result<Vec<Entry>, ConfigError> {
    let unreadable = |error| ConfigError::Unreadable { file: path.to_owned(), error };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(ConfigError::TooLong { file: path.to_owned(), limit: MAX_FILE_BYTES });
    }
    let malformed = |(line, problem)| ConfigError::Malformed { file: path.to_owned(), line, problem };
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        malformed((line, "not UTF-8".to_owned()))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_toml = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    if is_toml { toml_file::parse(text) } else { site_file::parse(text) }.map_err(malformed)
}

#[cfg(test)]
mod tests;
