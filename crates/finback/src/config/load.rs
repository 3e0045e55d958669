//! From what is written to what a server goes by.

use super::effective::Effective;
use super::error::ConfigError;
use super::origin::Origin;
use super::protection;
use super::sources::Sources;
use super::table::ServerConfig;
use super::values::Values;
use super::warning::Warning;

/// Settings that make sense.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Loaded {
    /// Checked and typed.
    pub config: ServerConfig,
    /// For people: with where each of them comes from.
    pub effective: Effective,
    /// What is probably not what its author meant.
    pub warnings: Vec<Warning>,
}

impl ServerConfig {
    /// Collects and checks the settings.
    ///
    /// # Errors
    /// A file cannot be read or makes no sense, nobody knows a name, or a setting cannot have its value.
    pub fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
        let files = sources.files()?;
        let written = sources.read(&files)?;
        let mut values = Values::of(&written)?;
        if let Some(data) = &sources.data {
            values.set("data", data.to_string_lossy().into_owned(), Origin::Option("--data"));
        }
        let mut config = Self::from_values(&values)?;
        if let Some(data) = &sources.data {
            // As it is: the text of one that is not UTF-8 is another.
            config.data_dir.clone_from(data);
        }
        protection::check_logs(&written, &config.data_dir)?;
        let memory = config.memory()?;
        let effective = Effective::of(&values, &config, &memory, files);
        Ok(Loaded { config, effective, warnings: values.warnings })
    }
}

#[cfg(test)]
mod tests;
