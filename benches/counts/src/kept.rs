//! The file of the counts that are kept: a line with what they were made with, and one for each path, its name and its count
//! with a tab between them.

use crate::Result;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Counts, and what they were made with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) made_with: String,
    /// Instructions by name of the path.
    pub(crate) counts: Vec<(String, u64)>,
}

impl Kept {
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        Self::parse(&text).ok_or_else(|| format!("{}: not a file of counts", file.display()).into())
    }

    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        Ok(fs::write(file, self.to_text())?)
    }

    /// What was kept for the path of this name.
    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        self.counts.iter().find(|(of, _)| of == name).map(|&(_, count)| count)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let made_with = lines.next()?.strip_prefix("# ")?.to_owned();
        let counts = lines.map(|line| {
            let (name, count) = line.split_once('\t')?;
            Some((name.to_owned(), count.parse().ok()?))
        });
        Some(Self { made_with, counts: counts.collect::<Option<_>>()? })
    }

    fn to_text(&self) -> String {
        let mut text = format!("# {}\n", self.made_with);
        for (name, count) in &self.counts {
            // A String takes everything.
            let _ = writeln!(text, "{name}\t{count}");
        }
        text
    }
}

#[cfg(test)]
mod tests;
