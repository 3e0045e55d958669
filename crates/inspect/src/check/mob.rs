//! MOB files: whether those are there that store files refer to, and where links to those of other tables lead. Such as nobody
//! refers to are no finding: servers put them away.

use super::Check;
use super::finding::{Finding, FindingKind as Kind};
use crate::error::InspectError;
use finback_cell::{TableDescriptor, TableName};
use finback_hfile::HFileReader;
use finback_layout::{MOB_FILE_REFS, StoreFileName, mob_file_refs, mob_region};
use std::path::Path;

impl Check<'_> {
    /// Whether the MOB files are there that the store file at `path` refers to, whose cells are at `cells`.
    pub(super) fn mob_file_refs(
        &mut self,
        descriptor: &TableDescriptor,
        family: &str,
        path: &Path,
        cells: &Path,
    ) -> Result<(), InspectError> {
        let family_descriptor = descriptor.family(family.as_bytes());
        if family_descriptor.is_none_or(|family| family.mob_threshold_bytes().is_none()) {
            return Ok(());
        }
        // That of a damaged file is told elsewhere.
        let file = self.root.fs().open(cells).ok();
        let reader = file.and_then(|file| HFileReader::open_to_inspect(file, cells).ok());
        let refs = reader.as_ref().and_then(|reader| mob_file_refs(reader.file_info(MOB_FILE_REFS)?));
        let refs = refs.unwrap_or_default();
        for (table, name) in
            refs.iter().flat_map(|(table, names)| names.iter().map(move |name| (table, name)))
        {
            if !self.has_mob_file(table, family, name)? {
                let message = format!(
                    "has values in MOB file {name} of table {table}, which is neither in mobdir nor in the archive: \
                     rows with these cannot be read"
                );
                self.note(Finding::new(Kind::MissingMobFile, path, message))?;
            }
        }
        Ok(())
    }

    fn has_mob_file(&mut self, table: &TableName, family: &str, name: &str) -> Result<bool, InspectError> {
        let (root, family) = (self.root, family.as_bytes());
        for dir in [root.mob_family_dir(table, family), root.archived_mob_family_dir(table, family)] {
            if !self.mob_files.contains_key(&dir) {
                let files = self.entries(&dir)?.into_iter().filter(|entry| !entry.is_dir && entry.len > 0);
                self.mob_files.insert(dir.clone(), files.map(|entry| entry.name).collect());
            }
            if self.mob_files.get(&dir).is_some_and(|names| names.contains(name)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Links of a table to MOB files.
    pub(super) fn mob_links(&mut self, table: &TableName) -> Result<(), InspectError> {
        let root = self.root;
        let families = match root.list_mob_families(table) {
            Ok(families) => families,
            Err(error) => return self.note_unreadable(root.mob_table_dir(table), error),
        };
        let region = mob_region(table);
        for family in families {
            let directory = root.mob_family_dir(table, family.as_bytes());
            for entry in self.entries(&directory)? {
                let path = directory.join(&entry.name);
                if !matches!(StoreFileName::parse(&entry.name), Some(StoreFileName::Link(_))) {
                    continue;
                }
                match root.inspect_store_file(table, &region, family.as_bytes(), &entry.name) {
                    Ok(_) => {}
                    Err(error) if error.is_not_found() => {
                        let message = format!("leads nowhere: {error}");
                        self.note(Finding::new(Kind::DanglingLink, path, message).aside())?;
                    }
                    Err(error) => self.note(Finding::new(Kind::DanglingLink, path, error.to_string()))?,
                }
            }
        }
        Ok(())
    }
}
