//! What is written, made into one value for each setting.

use super::error::{ConfigError, UnknownName};
use super::file::Place;
use super::names::{self, Named};
use super::origin::Origin;
use super::protection;
use super::setting::{Setting, TomlForm};
use super::sources::Written;
use super::toml_file::TABLES;
use super::translate::Translate;
use super::value::Kind;
use super::warning::Warning;
use std::collections::HashMap;

/// The value of one setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) text: String,
    pub(super) origin: Origin,
}

/// Values by the name of their setting, each of which makes sense.
#[derive(Debug, Default)]
pub(super) struct Values {
    given: HashMap<&'static str, Value>,
    pub(super) warnings: Vec<Warning>,
}

impl Values {
    /// Understands what is written; later ones win.
    pub(super) fn of(written: &[Written]) -> Result<Self, ConfigError> {
        protection::check(written)?;
        let sorted = Sorted::of(written)?;
        let mut values = Self { given: HashMap::new(), warnings: sorted.warnings };
        for setting in names::all() {
            let Some(written) = sorted.by_setting.get(setting.name) else { continue };
            if let Some(value) = value_of(setting, written, &mut values.warnings)? {
                values.given.insert(setting.name, value);
            }
        }
        Ok(values)
    }

    /// What somebody has said about a setting.
    pub(super) fn given(&self, name: &str) -> Option<&Value> {
        self.given.get(name)
    }

    /// Says something about a setting that wins over what was said.
    pub(super) fn set(&mut self, name: &'static str, text: String, origin: Origin) {
        self.given.insert(name, Value { text, origin });
    }

    /// The value of a setting, or its default.
    pub(super) fn parse<K: Kind>(&self, name: &'static str) -> Result<K::Value, ConfigError> {
        let setting = names::all().find(|setting| setting.name == name).expect("a setting of the table");
        let text = self.given.get(name).map_or(setting.default, |value| value.text.as_str());
        let bad = |expected: &str| ConfigError::BadValue {
            name: name.to_owned(),
            value: text.to_owned(),
            origin: self.given.get(name).map_or(Origin::Default, |value| value.origin.clone()),
            expected: expected.to_owned(),
        };
        // A directory would be made that is called so.
        if text.contains("${") {
            return Err(bad(UNEXPANDED));
        }
        K::parse(text).ok_or_else(|| bad(setting.expected))
    }
}

/// What a value must be in which a name has no meaning.
const UNEXPANDED: &str =
    "without ${...}, or its names those of other properties of an hbase-site.xml, or env.NAME";

/// Names that are told of those that nobody knows. To look for what was meant takes time, and who has as many has another file
/// in hand than was meant.
pub(super) const MOST_UNKNOWN: usize = 10;

/// What is written, by setting, and what has no effect.
struct Sorted<'a> {
    by_setting: HashMap<&'static str, Vec<&'a Written>>,
    warnings: Vec<Warning>,
}

impl<'a> Sorted<'a> {
    fn of(written: &'a [Written]) -> Result<Self, ConfigError> {
        let mut by_setting: HashMap<&'static str, Vec<&Written>> = HashMap::new();
        let mut unknown = Vec::new();
        let mut foreign = Vec::new();
        let mut without_effect: Vec<(&'static str, Vec<(String, Origin)>)> = Vec::new();
        for entry in written {
            if unknown.len() == MOST_UNKNOWN {
                break;
            }
            match known(entry) {
                Ok(Named::Setting(setting)) => by_setting.entry(setting.name).or_default().push(entry),
                Ok(Named::Foreign) => foreign.push(entry.name.clone()),
                Ok(Named::WithoutEffect(reason)) => {
                    let name = (entry.name.clone(), entry.origin.clone());
                    match without_effect.iter_mut().find(|(other, _)| *other == reason) {
                        Some((_, names)) => names.push(name),
                        None => without_effect.push((reason, vec![name])),
                    }
                }
                Err(name) => unknown.push(name),
            }
        }
        if !unknown.is_empty() {
            return Err(ConfigError::UnknownNames(unknown));
        }
        let without_effect = without_effect.into_iter();
        let mut warnings: Vec<Warning> =
            without_effect.map(|(instead, names)| Warning::WithoutEffect { names, instead }).collect();
        if !foreign.is_empty() {
            warnings.push(Warning::Foreign { names: foreign });
        }
        Ok(Self { by_setting, warnings })
    }
}

/// What the name of an entry is, where it stands.
fn known(entry: &Written) -> Result<Named, UnknownName> {
    let named = names::look_up(&entry.name).ok_or_else(|| UnknownName::of(entry))?;
    let setting = match (entry.place, named) {
        (Place::Plain, named) => return Ok(named),
        (_, Named::Setting(setting)) => setting,
        (_, Named::WithoutEffect(instead)) => return Err(UnknownName::with(entry, instead.to_owned())),
        (_, Named::Foreign) => return Err(UnknownName::with(entry, "it is not HBase's".to_owned())),
    };
    match (entry.place == Place::TomlTables, names::is_of_tables(setting)) {
        (true, true) => Ok(Named::Setting(setting)),
        (false, false) if setting.name == entry.name => Ok(Named::Setting(setting)),
        (false, true) => {
            Err(UnknownName::with(entry, format!("a default of tables belongs to the section [{TABLES}]")))
        }
        (_, false) => Err(UnknownName::with(entry, format!("in this file it is {}", setting.name))),
    }
}

impl UnknownName {
    /// With the name that may have been meant.
    pub(super) fn of(entry: &Written) -> Self {
        let nearest = names::nearest(&entry.name).map(|nearest| format!("did you mean {nearest}?"));
        Self::with(entry, nearest.unwrap_or_else(|| "finback config lists what there is".to_owned()))
    }

    fn with(entry: &Written, advice: String) -> Self {
        Self { name: entry.name.clone(), origin: entry.origin.clone(), advice }
    }
}

/// The value of a setting, of what is written about it in this order.
fn value_of(
    setting: &Setting,
    written: &[&Written],
    warnings: &mut Vec<Warning>,
) -> Result<Option<Value>, ConfigError> {
    let Some(last) = written.last() else { return Ok(None) };
    let bad = |entry: &Written, expected: &str| ConfigError::BadValue {
        name: entry.name.clone(),
        value: entry.value.clone(),
        origin: entry.origin.clone(),
        expected: expected.to_owned(),
    };
    if let Place::Toml(form) = last.place {
        let fits = setting.form.takes(form);
        if !fits {
            return Err(bad(last, &format!("{} ({})", setting.expected, setting.form.in_words())));
        }
    }
    let of_hbase = last.name != setting.name;
    let translated = match setting.translate {
        Translate::Each(translate) if of_hbase => {
            Some(translate(&last.value).map_err(|expected| bad(last, expected))?)
        }
        Translate::Together(translate) if of_hbase => {
            let last_of = |name: &&str| written.iter().rev().find(|entry| entry.name == **name).copied();
            let entries: Vec<_> = setting.hbase_names.iter().map(last_of).collect();
            let texts: Vec<_> = entries.iter().map(|entry| entry.map(|entry| entry.value.as_str())).collect();
            translate(&texts)
                .map_err(|(at, expected)| bad(entries.get(at).copied().flatten().unwrap_or(last), expected))?
        }
        _ => Some(last.value.clone()),
    };
    let Some(text) = translated else { return Ok(None) };
    let canonical = (setting.canonical)(&text).ok_or_else(|| bad(last, setting.expected))?;
    // Attributes of tables stay as HBase would have them.
    let text = if names::is_of_tables(setting) { text } else { canonical };
    if of_hbase && !matches!(setting.translate, Translate::Together(_)) {
        warnings.extend(passed_over(setting, written, last));
    }
    Ok(Some(Value { text, origin: last.origin.clone() }))
}

/// Another of HBase's names for the same setting, with another value.
fn passed_over(setting: &Setting, written: &[&Written], counts: &Written) -> Option<Warning> {
    let same = |left: &str, right: &str| {
        left == right
            || (setting.canonical)(left).is_some_and(|left| (setting.canonical)(right) == Some(left))
    };
    let other = written.iter().rev().find(|entry| entry.name != counts.name && entry.name != setting.name)?;
    let told = |entry: &Written| (entry.name.clone(), entry.value.clone(), entry.origin.clone());
    (!same(&other.value, &counts.value)).then(|| Warning::OneOfSeveral {
        setting: setting.name,
        counts: told(counts),
        passed_over: told(other),
    })
}

impl TomlForm {
    /// Whether a value that is `found` is of this form.
    fn takes(self, found: Self) -> bool {
        match self {
            Self::TextOrInteger => matches!(found, Self::Text | Self::Integer),
            Self::TextOrFloat => matches!(found, Self::Text | Self::Float | Self::Integer),
            form => form == found,
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::Text => "in quotes",
            Self::Integer => "a number, without quotes",
            Self::Boolean => "without quotes",
            Self::Float => "a number with a point, without quotes",
            Self::TextOrInteger => "a number without quotes, or a text in quotes",
            Self::TextOrFloat => "a fraction without quotes, or a number of bytes in quotes",
        }
    }
}

#[cfg(test)]
mod tests;
