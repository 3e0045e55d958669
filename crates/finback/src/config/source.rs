//! Where settings come from: defaults, then a file, then the command line.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;

use super::error::ConfigError;
use super::site_file;
use super::table::{PROPERTIES, Property, ServerConfig};
use super::value::Kind;
use super::without_effect::is_known_to_hbase;

/// Where to look for settings besides the defaults. Later ones win.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// From `--config`.
    pub file: Option<PathBuf>,
    /// From `-D`, in the order given.
    pub overrides: Vec<(String, String)>,
}

/// Something that is probably not what its author meant, though a server can be started with it.
#[derive(Debug, PartialEq, Eq)]
pub struct Warning {
    name: String,
    origin: String,
    reason: Ignored,
}

/// Why a setting is ignored.
#[derive(Debug, PartialEq, Eq)]
enum Ignored {
    /// HBase obeys it; here there is nothing that it could change.
    WithoutEffect,
    /// Nobody knows the name; perhaps this one was meant.
    Unknown { nearest: Option<&'static str> },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, origin, reason } = self;
        match reason {
            Ignored::WithoutEffect => {
                write!(f, "{name} ({origin}) is known to HBase, has no effect in Finback")
            }
            Ignored::Unknown { nearest } => {
                write!(f, "{name} ({origin}) is no setting of Finback and is ignored")?;
                nearest.map_or(Ok(()), |nearest| write!(f, "; did you mean {nearest}?"))
            }
        }
    }
}

/// One value as it was written, and where.
struct Setting {
    value: String,
    origin: String,
}

/// Values by the (first) name of their setting.
#[derive(Default)]
pub(super) struct Settings {
    given: HashMap<&'static str, Setting>,
    warnings: Vec<Warning>,
}

impl ServerConfig {
    /// Collects and checks the settings. Unknown ones are told as warnings; real hbase-site.xml files have many.
    pub fn load(sources: &Sources) -> Result<(Self, Vec<Warning>), ConfigError> {
        let mut settings = Settings::default();
        if let Some(file) = &sources.file {
            for entry in site_file::read(file)? {
                let origin = format!("{}, line {}", file.display(), entry.line);
                settings.set(&entry.name, entry.value, origin);
            }
        }
        for (name, value) in &sources.overrides {
            settings.set(name, value.clone(), "-D".to_owned());
        }
        let config = Self::from_settings(&settings)?;
        config.memory()?;
        Ok((config, settings.warnings))
    }
}

impl Settings {
    fn set(&mut self, name: &str, value: String, origin: String) {
        match find(name) {
            Some(property) => {
                self.given.insert(property.name, Setting { value, origin });
            }
            None => self.warnings.push(Warning { name: name.to_owned(), origin, reason: why_ignored(name) }),
        }
    }

    /// The value given for a setting, or its default.
    pub(super) fn parse<K: Kind>(
        &self,
        name: &'static str,
        default: &'static str,
    ) -> Result<K::Value, ConfigError> {
        let given = self.given.get(name);
        let value = given.map_or(default, |setting| setting.value.as_str());
        K::parse(value).ok_or_else(|| ConfigError::BadValue {
            name,
            value: value.to_owned(),
            origin: given.map_or("the default", |setting| setting.origin.as_str()).to_owned(),
            expected: K::EXPECTED,
        })
    }
}

fn find(name: &str) -> Option<&'static Property> {
    PROPERTIES.iter().find(|property| property.name == name || property.aliases.contains(&name))
}

fn why_ignored(name: &str) -> Ignored {
    if is_known_to_hbase(name) { Ignored::WithoutEffect } else { Ignored::Unknown { nearest: nearest(name) } }
}

fn nearest(name: &str) -> Option<&'static str> {
    let known = PROPERTIES
        .iter()
        .flat_map(|property| std::iter::once(property.name).chain(property.aliases.iter().copied()));
    crate::nearest::nearest(name, known, 0)
}

#[cfg(test)]
mod tests;
