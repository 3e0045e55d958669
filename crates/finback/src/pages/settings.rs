//! The settings in effect, and where each came from, for the pages.

use crate::config::{Effective, EffectiveSetting, Origin};
use finback_pages::model::Setting;

/// The server's, then what tables go by.
pub(crate) fn shown(effective: &Effective) -> Vec<Setting> {
    effective.settings.iter().chain(&effective.tables).map(setting).collect()
}

fn setting(entry: &EffectiveSetting) -> Setting {
    let comes_to = entry.comes_to.as_deref();
    let (value, origin) = match (&entry.origin, comes_to) {
        (Origin::Derived, Some(derived)) => (derived, entry.origin.to_string()),
        (origin, Some(comes_to)) => (entry.value.as_str(), format!("{origin}, here {comes_to}")),
        (origin, None) => (entry.value.as_str(), origin.to_string()),
    };
    Setting {
        name: entry.setting.name.to_owned(),
        value: value.to_owned(),
        default: entry.setting.default.to_owned(),
        origin,
        unit: entry.setting.unit.to_owned(),
        meaning: entry.setting.meaning_in_one_line(),
    }
}
