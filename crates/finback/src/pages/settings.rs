//! The settings in effect, and where each came from, for the pages.

use crate::config::{PROPERTIES, Property};
use crate::reconfiguration::ConfigurationFile;
use finback_pages::model::Setting;

/// As they are when the server starts.
pub(crate) fn effective_settings(file: &ConfigurationFile) -> Vec<Setting> {
    let sources = &file.sources;
    let of_file = sources.file.as_ref().and_then(|path| {
        let entries = crate::config::site_settings(path).ok()?;
        Some((path.display().to_string(), entries))
    });
    let (origin, entries) = of_file.unwrap_or_default();
    let from_file = entries.iter().map(|(name, value)| (name.as_str(), value.as_str(), origin.as_str()));
    let from_line = sources.overrides.iter().map(|(name, value)| (name.as_str(), value.as_str(), "-D"));
    let given: Vec<_> = from_file.chain(from_line).collect();
    PROPERTIES.iter().map(|property| setting(property, &given, file)).collect()
}

/// Of those that are given the last counts.
fn setting(property: &Property, given: &[(&str, &str, &str)], file: &ConfigurationFile) -> Setting {
    let is_it = |name: &str| property.name == name || property.aliases.contains(&name);
    let found = given.iter().rfind(|(name, ..)| is_it(name));
    let (value, origin) = found.map_or((property.default, "default"), |(_, value, origin)| (*value, *origin));
    let of_line = file.data.as_ref().filter(|_| property.name == "hbase.rootdir");
    let (value, origin) = match of_line {
        Some(data) => (data.display().to_string(), "--data"),
        None => (value.to_owned(), origin),
    };
    Setting {
        name: property.name.to_owned(),
        value,
        default: property.default.to_owned(),
        origin: origin.to_owned(),
        unit: property.unit.to_owned(),
        meaning: property.meaning.trim().to_owned(),
    }
}
