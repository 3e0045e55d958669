//! Which messages are written.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use tracing::Metadata;
use tracing::level_filters::LevelFilter;

/// The names of levels, from nothing to everything.
pub const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Targets that may have a level of their own: whoever looks for something has a few.
const MOST_TARGETS: usize = 64;
/// Bytes of a target.
const LONGEST_TARGET: usize = 128;

/// A level, and others for some parts: `info`, or `info,finback_wal=debug,finback_rpc::connection=trace`. A target is a path of
/// modules; what is said of it is said of all below it, unless more is said of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    default: LevelFilter,
    targets: BTreeMap<String, LevelFilter>,
}

impl Default for Levels {
    /// From `info` on.
    fn default() -> Self {
        Self { default: LevelFilter::INFO, targets: BTreeMap::new() }
    }
}

/// Why levels make no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadLevels {
    /// Not a level.
    #[error("{0:?} is no level; there are off, error, warn, info, debug and trace")]
    Level(String),
    /// Not the path of a module.
    #[error("{0:?} is no part of the server, such as finback_wal or finback_rpc::connection")]
    Target(String),
    /// Too many.
    #[error("at most {MOST_TARGETS} parts of the server can have a level of their own")]
    TooManyTargets,
}

/// A level by its name, in any case. HBase's `FATAL` and `ALL` are taken too.
///
/// # Errors
/// It is none.
pub fn parse_level(name: &str) -> Result<LevelFilter, BadLevels> {
    match name.trim().to_ascii_lowercase().as_str() {
        "off" => Ok(LevelFilter::OFF),
        "error" | "fatal" => Ok(LevelFilter::ERROR),
        "warn" => Ok(LevelFilter::WARN),
        "info" => Ok(LevelFilter::INFO),
        "debug" => Ok(LevelFilter::DEBUG),
        "trace" | "all" => Ok(LevelFilter::TRACE),
        _ => Err(BadLevels::Level(shortened(name))),
    }
}

/// As much of a text as an error repeats.
fn shortened(text: &str) -> String {
    text.chars().take(LONGEST_TARGET).collect()
}

fn check_target(target: &str) -> Result<(), BadLevels> {
    let is_of_path = |c: char| c.is_ascii_alphanumeric() || "_:.-".contains(c);
    if target.is_empty() || target.len() > LONGEST_TARGET || !target.chars().all(is_of_path) {
        return Err(BadLevels::Target(shortened(target)));
    }
    Ok(())
}

impl FromStr for Levels {
    type Err = BadLevels;

    fn from_str(text: &str) -> Result<Self, BadLevels> {
        let mut levels = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                None => levels.default = parse_level(part)?,
                Some((target, level)) => levels.set(target.trim(), Some(parse_level(level)?))?,
            }
        }
        Ok(levels)
    }
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.default)?;
        self.targets.iter().try_for_each(|(target, level)| write!(f, ",{target}={level}"))
    }
}

impl Levels {
    /// The level of what has none of its own.
    pub fn default_level(&self) -> LevelFilter {
        self.default
    }

    /// Sets it.
    pub fn set_default(&mut self, level: LevelFilter) {
        self.default = level;
    }

    /// The parts that have a level of their own.
    pub fn targets(&self) -> impl Iterator<Item = (&str, LevelFilter)> {
        self.targets.iter().map(|(target, level)| (target.as_str(), *level))
    }

    /// Gives a part a level of its own, or takes it away.
    ///
    /// # Errors
    /// The target is no path of modules, or too many have a level.
    pub fn set(&mut self, target: &str, level: Option<LevelFilter>) -> Result<(), BadLevels> {
        check_target(target)?;
        match level {
            None => {
                self.targets.remove(target);
            }
            Some(_) if self.targets.len() >= MOST_TARGETS && !self.targets.contains_key(target) => {
                return Err(BadLevels::TooManyTargets);
            }
            Some(level) => {
                self.targets.insert(target.to_owned(), level);
            }
        }
        Ok(())
    }

    /// The level that counts for a target: of what it is called, or of the nearest above it.
    pub fn level_of(&self, target: &str) -> LevelFilter {
        let mut path = target;
        loop {
            if let Some(level) = self.targets.get(path) {
                return *level;
            }
            match path.rsplit_once("::") {
                Some((above, _)) => path = above,
                None => return self.default,
            }
        }
    }

    pub(crate) fn wants(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level_of(metadata.target())
    }

    /// The level beyond which nothing is wanted.
    pub(crate) fn most(&self) -> LevelFilter {
        self.targets.values().copied().fold(self.default, LevelFilter::max)
    }
}

#[cfg(test)]
mod tests;
