//! The configuration: one table of settings, under HBase's names where HBase has one.
//!
//! The table in `config/table.rs` is the only place that names a setting. The typed [`ServerConfig`], the help
//! text, `docs/configuration.md` and the check for unknown names are made from it.

mod cache_value;
mod caching;
mod compaction;
mod compaction_value;
mod error;
mod host;
mod live;
pub mod manual;
mod memory;
mod site_file;
mod source;
mod table;
mod value;
mod without_effect;

pub use error::ConfigError;
pub use live::Reach;
pub use memory::MemoryBudget;
pub use source::{Sources, Warning};
pub use table::{PROPERTIES, Property, ServerConfig};
pub use value::MemorySize;

/// Names and values of a file, whoever they are for.
pub(crate) fn site_settings(file: &std::path::Path) -> Result<Vec<(String, String)>, ConfigError> {
    let entries = site_file::read(file)?;
    Ok(entries.into_iter().map(|entry| (entry.name, entry.value)).collect())
}
