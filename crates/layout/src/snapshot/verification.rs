//! Whether the files are there that a snapshot names.

use std::path::Path;

use finback_cell::TableName;

use super::manifest::SnapshotManifest;
use crate::{LayoutError, Result, RootDir, StoreFileName};

impl RootDir {
    /// Checks that all files of a snapshot are there, in their places or in the archive, each as long as it was. Of a link to a MOB
    /// file the snapshot says how long the link was: what it leads to is there.
    ///
    /// # Errors
    /// [`LayoutError::Corrupt`] with the first that is not; the storage's.
    pub fn verify_snapshot(&self, name: &str, table: &TableName, manifest: &SnapshotManifest) -> Result<()> {
        self.verify_snapshot_files(&self.snapshot_dir(name)?, table, manifest)
    }

    pub(super) fn verify_snapshot_files(
        &self,
        dir: &Path,
        table: &TableName,
        manifest: &SnapshotManifest,
    ) -> Result<()> {
        for files in &manifest.regions {
            let (encoded, are_mob_files) = (files.region.encoded_name(), files.are_mob_files());
            for family in &files.families {
                for file in &family.files {
                    let corrupt = |reason| LayoutError::Corrupt { path: dir.to_owned(), reason };
                    let found = match self.length_of_cells(table, &encoded, &family.name, &file.name) {
                        Err(error) if error.is_not_found() => {
                            return Err(corrupt(format!("Can't find hfile: {}: {error}", file.name)));
                        }
                        found => found?,
                    };
                    let is_link = matches!(StoreFileName::parse(&file.name), Some(StoreFileName::Link(_)));
                    if are_mob_files && is_link {
                        continue;
                    }
                    if let Some(expected) = file.size.filter(|expected| *expected != found) {
                        return Err(corrupt(format!(
                            "hfile: {} size does not match with the expected one.  found={found} expected={expected}",
                            file.name
                        )));
                    }
                }
            }
        }
        Ok(())
    }
}
