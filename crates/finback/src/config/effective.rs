//! What a server goes by: each setting with its value, and where that comes from.

use super::memory::MemoryBudget;
use super::names;
use super::origin::Origin;
use super::quantity::bytes_with_unit;
use super::setting::Setting;
use super::table::{SETTINGS, ServerConfig};
use super::table_defaults::TABLE_DEFAULTS;
use super::values::Values;
use std::path::PathBuf;

/// One setting, as a server has it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EffectiveSetting {
    /// What it is: name, default, unit, meaning.
    pub setting: &'static Setting,
    /// Its value, as it would be written.
    pub value: String,
    /// Where the value comes from.
    pub origin: Origin,
    /// What the value comes to on this machine, where that is not seen from it.
    pub comes_to: Option<String>,
}

/// All settings, as a server has them.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Effective {
    /// Those of the server, in the order of the table.
    pub settings: Vec<EffectiveSetting>,
    /// What tables go by that do not say otherwise.
    pub tables: Vec<EffectiveSetting>,
    /// The files that were read, later ones winning.
    pub files: Vec<PathBuf>,
}

impl EffectiveSetting {
    /// Whether somebody has said something about it.
    pub fn is_given(&self) -> bool {
        !matches!(self.origin, Origin::Default | Origin::Derived)
    }
}

impl Effective {
    pub(super) fn of(
        values: &Values,
        config: &ServerConfig,
        memory: &MemoryBudget,
        files: Vec<PathBuf>,
    ) -> Self {
        let all = |table: &'static [Setting]| {
            table.iter().map(|setting| effective(setting, values, config, memory)).collect()
        };
        Self { settings: all(SETTINGS), tables: all(TABLE_DEFAULTS), files }
    }

    /// A setting by its name, or by one of HBase's names for it.
    pub fn get(&self, name: &str) -> Option<&EffectiveSetting> {
        let mut all = self.settings.iter().chain(&self.tables);
        all.find(|entry| entry.setting.names().any(|known| known == name))
    }

    /// These settings, those named as in `other`.
    #[must_use]
    pub(crate) fn keeping(mut self, other: &Self, names: &[&str]) -> Self {
        for entry in self.settings.iter_mut().chain(&mut self.tables) {
            if let Some(kept) = other.get(entry.setting.name).filter(|_| names.contains(&entry.setting.name))
            {
                entry.clone_from(kept);
            }
        }
        self
    }
}

fn effective(
    setting: &'static Setting,
    values: &Values,
    config: &ServerConfig,
    memory: &MemoryBudget,
) -> EffectiveSetting {
    let given = values.given(setting.name);
    let comes_to = comes_to(setting.name, config, memory);
    let origin = match given {
        Some(value) => value.origin.clone(),
        None if setting.default.is_empty() && comes_to.is_some() => Origin::Derived,
        None => Origin::Default,
    };
    let value = given.map_or(setting.default, |value| value.text.as_str()).to_owned();
    let comes_to = comes_to.filter(|derived| *derived != value);
    EffectiveSetting { setting, value, origin, comes_to }
}

/// What follows from other settings, and from the machine.
fn comes_to(name: &str, config: &ServerConfig, memory: &MemoryBudget) -> Option<String> {
    Some(match name {
        "data" => std::path::absolute(&config.data_dir).ok()?.display().to_string(),
        "listen.advertised-host" => config.host_name(),
        "memory.limit" => bytes_in_short(memory.limit),
        "memory.memstores" => bytes_in_short(memory.memstores),
        "memory.block-cache" => bytes_in_short(memory.block_cache),
        "rpc.max-request-size" => bytes_in_short(config.max_request_bytes.min(memory.requests)),
        "hbase.hregion.memstore.flush.size" => memory.flush.to_string(),
        _ => return None,
    })
}

/// In MiB, if it is that much.
fn bytes_in_short(bytes: u64) -> String {
    /// Beyond it, bytes are not looked at.
    const MUCH: u64 = 16 << 20;
    if bytes < MUCH { bytes_with_unit(bytes) } else { bytes_with_unit(bytes >> 20 << 20) }
}

/// Everything that is known of a name, for whoever asks.
pub fn setting_named(name: &str) -> Result<&'static Setting, String> {
    match names::look_up(name) {
        Some(names::Named::Setting(setting)) => Ok(setting),
        Some(names::Named::WithoutEffect(instead)) => {
            Err(format!("{name} is HBase's, and has no effect in Finback: {instead}"))
        }
        Some(names::Named::Foreign) => Err(format!("{name} is not HBase's, and has no effect in Finback")),
        None => {
            let meant = names::nearest(name).map(|nearest| format!(", did you mean {nearest}?"));
            Err(format!(
                "there is no setting {name:?}{}; finback config lists them",
                meant.unwrap_or_default()
            ))
        }
    }
}

#[cfg(test)]
mod tests;
