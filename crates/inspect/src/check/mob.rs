//! MOB files: whether those are there that store files refer to, and where links to those of other tables lead. Such as nobody
//! refers to are no finding: servers put them away.

use super::Check;
use super::finding::{Finding, FindingKind as Kind};
use crate::error::InspectError;
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor, TableName};
use finback_hfile::HFileReader;
use finback_layout::{MOB_FILE_REFS, MobFileName, StoreFileName, mob_file_refs, mob_region};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::path::Path;

/// A day: local time differs from UTC by less.
const MAX_OFFSET_SECONDS: i64 = 86_400;

impl Check<'_> {
    /// Whether the MOB files are there that the store file at `path` refers to, whose cells are at `cells`.
    pub(super) fn mob_file_refs(
        &mut self,
        descriptor: &TableDescriptor,
        family: &str,
        path: &Path,
        cells: &Path,
    ) -> Result<(), InspectError> {
        let first_kept = descriptor.family(family.as_bytes()).and_then(first_kept_day);
        // Whether or not the family has IS_MOB still: what it had stays readable without. That of a damaged file is told elsewhere.
        let file = self.root.fs().open(cells).ok();
        let reader = file.and_then(|file| HFileReader::open_to_inspect(file, cells).ok());
        let refs = reader.as_ref().and_then(|reader| mob_file_refs(reader.file_info(MOB_FILE_REFS)?));
        let refs = refs.unwrap_or_default();
        for (table, name) in
            refs.iter().flat_map(|(table, names)| names.iter().map(move |name| (table, name)))
        {
            let day = MobFileName::parse(name).map(|name| name.date);
            if first_kept.as_deref().zip(day).is_some_and(|(first_kept, day)| day < first_kept) {
                continue;
            }
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

/// The day, as in names of MOB files, before which all cells have outlived the family's time to live, wherever the server stood
/// that gave the names: files of earlier days have been put away, and nobody reads what referred to them. Under
/// NEW_VERSION_BEHAVIOR there is no such day.
fn first_kept_day(family: &ColumnFamilyDescriptor) -> Option<String> {
    let ttl_seconds =
        family.ttl_seconds().filter(|_| family.min_versions() == 0 && !family.new_version_behavior())?;
    let moment = Timestamp::now().as_second() - i64::from(ttl_seconds) - MAX_OFFSET_SECONDS;
    let moment = Timestamp::from_second(moment).ok()?;
    Some(moment.to_zoned(TimeZone::UTC).strftime("%Y%m%d").to_string())
}
