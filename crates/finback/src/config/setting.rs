//! What a setting is, for people and for the program: one entry of the table.

use super::translate::Translate;

/// One setting.
#[derive(Debug)]
#[non_exhaustive]
pub struct Setting {
    /// `section.name` in `finback.toml`; of the defaults of tables, HBase's name.
    pub name: &'static str,
    /// HBase's names that are understood as this setting.
    pub hbase_names: &'static [&'static str],
    /// The value unless told otherwise, as it would be written. Empty: it is derived from others, or there is none.
    pub default: &'static str,
    /// What the value counts.
    pub unit: &'static str,
    /// What it does. Lines of one paragraph, each with a leading space.
    pub meaning: &'static str,
    /// From when on a change of it counts.
    pub reach: Reach,
    /// What its value is in TOML.
    pub(super) form: TomlForm,
    /// Completes the sentence "must be …".
    pub(super) expected: &'static str,
    /// A value as it would be written by default, with units; `None` for one that the setting cannot have.
    pub(super) canonical: fn(&str) -> Option<String>,
    /// How values under HBase's names become its own.
    pub(super) translate: Translate,
}

/// From when on a changed setting counts, when the configuration is read again (`update_config` in HBase's shell).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// At once.
    Now,
    /// For regions that are opened from then on.
    Opening,
    /// After a restart.
    Restart,
}

impl Reach {
    /// Completes the sentence "A change counts …".
    pub fn when(self) -> &'static str {
        match self {
            Self::Now => "at once",
            Self::Opening => "for regions that are opened from then on",
            Self::Restart => "after a restart",
        }
    }
}

/// What a value is in TOML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TomlForm {
    /// `"text"`
    Text,
    /// `7`
    Integer,
    /// `true`
    Boolean,
    /// `0.5`
    Float,
    /// `"64k"` or `65536`
    TextOrInteger,
    /// `"64m"` or `0.25`
    TextOrFloat,
}

impl TomlForm {
    /// A value as it stands in TOML.
    pub(super) fn write(self, value: &str) -> String {
        let bare = match self {
            Self::Text => false,
            Self::Boolean => return value.to_ascii_lowercase(),
            Self::Integer | Self::TextOrInteger => value.parse::<i64>().is_ok(),
            Self::Float | Self::TextOrFloat => value.contains('.') && value.parse::<f64>().is_ok(),
        };
        if bare { value.to_owned() } else { quoted(value) }
    }
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => {
                quoted.push_str(&format!("\\u{:04X}", u32::from(control)));
            }
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

impl Setting {
    /// The part of its name before the last dot: the section of `finback.toml`. None: it stands before all sections.
    pub fn section(&self) -> Option<&'static str> {
        self.name.split_once('.').map(|(section, _)| section)
    }

    /// Its name within its section.
    pub fn short_name(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(_, name)| name)
    }

    /// What it does, in one line.
    pub fn meaning_in_one_line(&self) -> String {
        self.meaning.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Its own name and HBase's.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.hbase_names.iter().copied())
    }
}

/// Makes from one list a typed structure and the descriptions of its settings.
macro_rules! settings {
    (
        $(#[doc = $about:literal])* $config:ident, $table:ident $(, with $more:ident: $more_type:ty)?;
        $(
            $(#[doc = $meaning:literal])+
            $field:ident: $kind:ty = $default:literal, $name:literal, $reach:ident, $from:expr;
        )+
    ) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub struct $config {
            $(
                $(#[doc = $meaning])+
                #[doc = concat!("\n\nSetting: `", $name, "`, default: `", $default, "`.")]
                pub $field: <$kind as Kind>::Value,
            )+
            $(
                /// What tables go by that do not say otherwise.
                pub $more: $more_type,
            )?
        }

        #[doc = concat!("The settings of [`", stringify!($config), "`].")]
        pub const $table: &[Setting] = &[$({
            const FROM: FromHBase = $from;
            Setting {
                name: $name,
                hbase_names: FROM.names,
                default: $default,
                unit: <$kind as Kind>::UNIT,
                meaning: concat!($($meaning),+),
                reach: Reach::$reach,
                form: <$kind as Kind>::FORM,
                expected: <$kind as Kind>::EXPECTED,
                canonical: canonical::<$kind>,
                translate: FROM.translate,
            }
        },)+];

        impl $config {
            pub(super) fn from_values(values: &Values) -> Result<Self, ConfigError> {
                Ok(Self {
                    $($field: values.parse::<$kind>($name)?,)+
                    $($more: <$more_type>::from_values(values)?,)?
                })
            }

            /// Names of the settings in which `other` differs.
            pub(crate) fn differences(&self, other: &Self) -> Vec<&'static str> {
                let mut names = Vec::new();
                $(if self.$field != other.$field { names.push($name); })+
                $(names.extend(self.$more.differences(&other.$more));)?
                names
            }

            /// Takes the values of these settings from `other`.
            pub(crate) fn keep(&mut self, other: &Self, names: &[&str]) {
                $(if names.contains(&$name) { self.$field.clone_from(&other.$field); })+
                $(self.$more.keep(&other.$more, names);)?
            }
        }
    };
}

pub(super) use settings;
