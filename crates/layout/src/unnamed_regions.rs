//! Regions that lay in a root directory, with cells, and without a row in hbase:meta, when it was taken over from HBase: they are nobody's
//! litter, but may be all that is left of what was lost.
//!
//! ```text
//! finback.unnamed:  ns:table 0123456789abcdef0123456789abcdef
//!                   table fedcba9876543210fedcba9876543210
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use finback_cell::TableName;
use finback_fs::write_file_durably;

use crate::{
    LayoutError, Result, RootDir, StoreFileName, error::At, region_dir::is_encoded_name, small_file,
};

/// Of a longer file nothing is read: a million regions.
const MAX_BYTES: u64 = 64 << 20;

/// Tables, and the encoded names of regions of them.
pub type RegionsOfTables = BTreeMap<TableName, BTreeSet<String>>;

impl RootDir {
    /// `finback.unnamed`.
    pub fn unnamed_regions_file(&self) -> PathBuf {
        self.path().join("finback.unnamed")
    }

    /// Notes, durably, which regions are there that `named` does not have, and have cells of their own.
    ///
    /// # Errors
    /// The storage's.
    pub fn note_unnamed_regions(&self, named: &RegionsOfTables) -> Result<RegionsOfTables> {
        let mut unnamed = RegionsOfTables::new();
        for table in self.list_tables()? {
            for region in self.list_regions(&table)? {
                let is_named = named.get(&table).is_some_and(|regions| regions.contains(&region));
                if !is_named && self.has_cells(&table, &region)? {
                    unnamed.entry(table.clone()).or_default().insert(region);
                }
            }
        }
        if !unnamed.is_empty() {
            let path = self.unnamed_regions_file();
            let lines = unnamed
                .iter()
                .flat_map(|(table, regions)| regions.iter().map(move |region| format!("{table} {region}\n")));
            write_file_durably(&**self.fs(), &path, lines.collect::<String>().as_bytes()).at(&path)?;
        }
        Ok(unnamed)
    }

    /// Those that were noted.
    ///
    /// # Errors
    /// [`LayoutError::Corrupt`], or the storage's.
    pub fn unnamed_regions(&self) -> Result<RegionsOfTables> {
        let path = self.unnamed_regions_file();
        let bytes = match small_file::read_at_most(&**self.fs(), &path, MAX_BYTES) {
            Err(error) if error.is_not_found() => return Ok(RegionsOfTables::new()),
            other => other?,
        };
        let mut unnamed = RegionsOfTables::new();
        let text = String::from_utf8_lossy(&bytes);
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let parts = line.split_once(' ').and_then(|(table, region)| {
                let region = Some(region).filter(|region| is_encoded_name(region))?;
                Some((TableName::parse(table.as_bytes()).ok()?, region.to_owned()))
            });
            let Some((table, region)) = parts else {
                return Err(LayoutError::Corrupt { path, reason: format!("no table and region: {line:?}") });
            };
            unnamed.entry(table).or_default().insert(region);
        }
        Ok(unnamed)
    }

    /// Whether a region has store files that do not stand for others, or edits that were split out of logs; by their names alone.
    fn has_cells(&self, table: &TableName, region: &str) -> Result<bool> {
        let edits = self.list_if_exists(&self.recovered_edits_dir(table, region))?;
        if edits.iter().any(|entry| !entry.is_dir && entry.len > 0) {
            return Ok(true);
        }
        for family in self.list_families(table, region)? {
            let dir = self.family_dir(table, region, family.as_bytes());
            let files = self
                .list_if_exists(&dir)?
                .into_iter()
                .chain(self.list_if_exists(&self.recovered_files_dir(table, region, family.as_bytes()))?);
            let has_cells = |name: &str| StoreFileName::parse(name).is_none_or(|name| name.has_cells());
            if files.into_iter().any(|entry| !entry.is_dir && entry.len > 0 && has_cells(&entry.name)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
