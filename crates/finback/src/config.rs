//! The configuration: two tables, of the server's settings and of what tables go by, and how HBase's names map to them.
//!
//! `config/table.rs` and `config/table_defaults.rs` are the only places that name a setting. The typed [`ServerConfig`], the
//! help texts, `docs/configuration.md`, what `finback config` prints and the check for unknown names are made from them.
//!
//! Values come from defaults, files and the command line ([`Sources`]). [`ServerConfig::load`] makes of them a [`Loaded`]: the typed
//! settings, and [`Effective`], which says of each where it comes from.

mod cache_value;
mod caching;
mod checksum_value;
mod checksums;
mod codec_value;
mod compaction;
mod compaction_value;
mod effective;
mod error;
mod file;
mod host;
mod instead;
mod load;
mod log_value;
pub mod manual;
mod memory;
mod mob_value;
mod names;
mod origin;
mod otel_value;
mod protection;
mod quantity;
mod setting;
mod site_file;
mod sources;
mod table;
mod table_defaults;
mod template;
mod toml_file;
mod translate;
mod value;
mod values;
mod warning;

pub use effective::{Effective, EffectiveSetting, setting_named};
pub use error::{ConfigError, UnknownName};
pub use load::Loaded;
pub use memory::MemoryBudget;
pub use origin::Origin;
pub use setting::{Reach, Setting, TomlForm};
pub use sources::Sources;
pub use table::{SETTINGS, ServerConfig};
pub use table_defaults::{TABLE_DEFAULTS, TableDefaults};
pub use template::{converted, template};
pub use value::MemorySize;
pub use warning::Warning;

mod client_settings;
pub use client_settings::client_settings;
