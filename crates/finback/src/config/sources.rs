//! Where settings come from: a file or a directory of files, and the command line.

use super::error::ConfigError;
use super::file::{self, Place};
use super::origin::Origin;
use super::value::{Kind, LocalDirectory};
use std::path::{Path, PathBuf};

/// What HBase calls its file.
pub(super) const HBASE_FILE: &str = "hbase-site.xml";
/// What Finback calls its.
pub(super) const OWN_FILE: &str = "finback.toml";
/// Where a server's files are if they are nowhere nearer.
const SYSTEM: &str = "/etc/finback";

/// Where to look for settings besides the defaults. Later ones win.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// Directories, of which the first counts that has an `hbase-site.xml` or a `finback.toml`, if there is no `file`.
    pub places: Vec<PathBuf>,
    /// From `--config`: a file, or a directory with an `hbase-site.xml`, a `finback.toml`, or both.
    pub file: Option<PathBuf>,
    /// From `-D`, in the order given.
    pub overrides: Vec<(String, String)>,
    /// From `--data`.
    pub data: Option<PathBuf>,
}

/// A setting as somebody has written it.
#[derive(Debug, Clone)]
pub(super) struct Written {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) origin: Origin,
    pub(super) place: Place,
}

impl Sources {
    /// These, with the directories in which a server looks: the one of its data, and the system's.
    #[must_use]
    pub fn of_a_server(self) -> Self {
        let mut given = self.overrides.iter().rev();
        let overridden = given.find(|(name, _)| matches!(name.as_str(), "data" | "hbase.rootdir"));
        let data = self.data.clone().or_else(|| LocalDirectory::parse(&overridden?.1));
        let data = data.unwrap_or_else(|| super::table::default_data_dir().into());
        Self { places: vec![data, SYSTEM.into()], ..self }
    }

    /// These, with the directories in which a client looks: the one that HBase's scripts name, and the system's.
    #[must_use]
    pub fn of_a_client(self) -> Self {
        let hbase = std::env::var_os("HBASE_CONF_DIR").filter(|directory| !directory.is_empty());
        Self { places: hbase.map(PathBuf::from).into_iter().chain([SYSTEM.into()]).collect(), ..self }
    }

    /// The files that are read, in this order.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>, ConfigError> {
        match &self.file {
            Some(directory) if directory.is_dir() => {
                let files = files_in(directory);
                if files.is_empty() {
                    return Err(ConfigError::NoFile { directory: directory.clone() });
                }
                Ok(files)
            }
            Some(file) => Ok(vec![file.clone()]),
            None => {
                let places = self.places.iter().map(|place| files_in(place));
                Ok(places.into_iter().find(|files| !files.is_empty()).unwrap_or_default())
            }
        }
    }

    /// What is written in all of them, in the order in which later ones win.
    pub(super) fn read(&self, files: &[PathBuf]) -> Result<Vec<Written>, ConfigError> {
        let mut written = Vec::new();
        for path in files {
            written.extend(file::read(path)?.into_iter().map(|entry| Written {
                name: entry.name,
                value: entry.value,
                origin: Origin::File { path: path.clone(), line: entry.line },
                place: entry.place,
            }));
        }
        written.extend(self.overrides.iter().map(|(name, value)| Written {
            name: name.clone(),
            value: value.clone(),
            origin: Origin::Option("-D"),
            place: Place::Plain,
        }));
        Ok(written)
    }
}

fn files_in(directory: &Path) -> Vec<PathBuf> {
    let files = [HBASE_FILE, OWN_FILE].map(|name| directory.join(name));
    files.into_iter().filter(|file| file.is_file()).collect()
}

#[cfg(test)]
mod tests;
