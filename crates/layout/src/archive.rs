//! Files leave service by a rename into the archive: `archive/data/<ns>/<table>/<region>/<family>/<name>`.

use std::{path::Path, time::SystemTime};

use finback_cell::TableName;

use crate::{
    LayoutError, MobFileName, Result, RootDir, StoreFileName, error::At, mob_region,
    region_dir::is_encoded_name, small_file,
};

/// How often a file is moved whose directory the cleaner takes away meanwhile.
const MAX_MOVES: usize = 3;

impl RootDir {
    /// Moves one store file to the archive. A file of the same name and length that is there already gets its time of
    /// archiving as a suffix. No error if the file is gone from its place and in the archive.
    ///
    /// # Errors
    /// [`LayoutError::ArchiveConflict`] if the one there has another length, and is neither empty nor a reference; the storage's.
    pub fn archive_store_file(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
        name: &str,
    ) -> Result<()> {
        let from = self.family_dir(table, region, family).join(name);
        self.archive_file(&from, &self.archived_family_dir(table, region, family), name)
    }

    /// Moves all store files of a family of a region to the archive and removes the family's directory.
    ///
    /// # Errors
    /// As [`archive_store_file`](Self::archive_store_file); what was not moved stays.
    pub fn archive_family(&self, table: &TableName, region: &str, family: &[u8]) -> Result<()> {
        let from = self.family_dir(table, region, family);
        self.archive_family_dir(&from, &self.archived_family_dir(table, region, family))
    }

    /// Names of the family directories of a region.
    ///
    /// # Errors
    /// The storage's.
    pub fn list_families(&self, table: &TableName, region: &str) -> Result<Vec<String>> {
        let entries = self.list_if_exists(&self.region_dir(table, region))?;
        Ok(entries.into_iter().filter(is_family_dir).map(|entry| entry.name).collect())
    }

    /// Moves all store files of a region to the archive and removes its directory.
    ///
    /// # Errors
    /// As [`archive_store_file`](Self::archive_store_file); what was not moved stays.
    pub fn archive_region(&self, table: &TableName, region: &str) -> Result<()> {
        let from = self.region_dir(table, region);
        self.archive_region_dir(&from, table, region)?;
        let parent = self.table_dir(table);
        match self.fs().sync_dir(&parent) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
            other => other.at(&parent),
        }
    }

    /// Moves all store files of a table to the archive and removes its directory, descriptor included; so too its MOB files,
    /// which are in a directory of their own. No error if there is no such directory.
    ///
    /// # Errors
    /// As [`archive_store_file`](Self::archive_store_file); what was not moved stays.
    pub fn archive_table(&self, table: &TableName) -> Result<()> {
        self.archive_table_dir(&self.mob_table_dir(table), table)?;
        self.archive_table_dir(&self.table_dir(table), table)
    }

    /// Names of the families of a table that have a directory for MOB files.
    ///
    /// # Errors
    /// The storage's.
    pub fn list_mob_families(&self, table: &TableName) -> Result<Vec<String>> {
        let entries = self.list_if_exists(&self.mob_table_dir(table).join(mob_region(table)))?;
        Ok(entries.into_iter().filter(is_family_dir).map(|entry| entry.name).collect())
    }

    /// Moves the MOB files of a table to the archive, and its links to those of others, but for those that regions of these
    /// encoded names have written.
    ///
    /// # Errors
    /// As [`archive_store_file`](Self::archive_store_file); what was not moved stays.
    pub fn archive_other_mob_files(&self, table: &TableName, keep: &[String]) -> Result<()> {
        self.archive_mob_files(table, |_, name| is_written_by(name, keep))
    }

    /// The same, but for those that `is_kept` says, by family and name.
    pub(crate) fn archive_mob_files(
        &self,
        table: &TableName,
        is_kept: impl Fn(&str, &str) -> bool,
    ) -> Result<()> {
        for family in self.list_mob_families(table)? {
            for entry in self.list_mob_files(table, family.as_bytes())? {
                if !is_kept(&family, &entry.name) {
                    self.archive_mob_file(table, family.as_bytes(), &entry.name)?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn archive_table_dir(&self, dir: &Path, table: &TableName) -> Result<()> {
        let entries = self.list_if_exists(dir)?;
        for entry in entries.iter().filter(|entry| entry.is_dir && is_encoded_name(&entry.name)) {
            self.archive_region_dir(&dir.join(&entry.name), table, &entry.name)?;
        }
        self.remove_dir(dir)
    }

    fn archive_region_dir(&self, dir: &Path, table: &TableName, region: &str) -> Result<()> {
        for entry in self.list_if_exists(dir)?.iter().filter(|entry| is_family_dir(entry)) {
            let to = self.archived_region_dir(table, region).join(&entry.name);
            self.archive_family_dir(&dir.join(&entry.name), &to)?;
        }
        small_file::remove_dir_if_exists(&**self.fs(), dir)
    }

    pub(crate) fn archive_family_dir(&self, from: &Path, to: &Path) -> Result<()> {
        for entry in self.list_if_exists(from)?.iter().filter(|entry| !entry.is_dir) {
            if entry.len > 0 || StoreFileName::parse(&entry.name).is_some() {
                self.archive_file(&from.join(&entry.name), to, &entry.name)?;
            }
        }
        small_file::remove_dir_if_exists(&**self.fs(), from)
    }

    pub(crate) fn archive_file(&self, from: &Path, dir: &Path, name: &str) -> Result<()> {
        let to = dir.join(name);
        let fs = self.fs();
        let archived = match fs.metadata(&to) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            found => Some(found.at(&to)?),
        };
        let len = match (fs.metadata(from), &archived) {
            (Err(e), Some(_)) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            (found, _) => found.at(from)?.len,
        };
        match archived {
            None => {}
            // What stands for another file may have been torn by a crash, and whoever needs it knows what it says.
            Some(old) if old.len == len || old.len == 0 || stands_for_another(name) => {
                let aside = dir.join(format!("{name}.{}", millis(old.modified)));
                fs.rename(&to, &aside).at(&to)?;
            }
            Some(old) => {
                return Err(LayoutError::ArchiveConflict {
                    path: from.to_owned(),
                    len,
                    archived: to,
                    archived_len: old.len,
                });
            }
        }
        // From now on it is in the archive: the cleaner goes by that. One that is somebody else's, as after a bulk load of another
        // server's, has the time that it has.
        match fs.touch(from) {
            Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => {}
            touched => touched.at(from)?,
        }
        for _ in 1..MAX_MOVES {
            fs.create_dir_all(dir).at(dir)?;
            match fs.rename(from, &to) {
                Err(e) if e.kind() == std::io::ErrorKind::NotFound && fs.exists(from).at(from)? => {}
                moved => return moved.at(from),
            }
        }
        fs.create_dir_all(dir).at(dir)?;
        fs.rename(from, &to).at(from)
    }

    fn remove_dir(&self, dir: &Path) -> Result<()> {
        small_file::remove_dir_if_exists(&**self.fs(), dir)?;
        match dir.parent() {
            Some(parent) if self.fs().exists(parent).at(parent)? => self.fs().sync_dir(parent).at(parent),
            _ => Ok(()),
        }
    }
}

/// Whether one of these regions has written the MOB file of that name.
pub(crate) fn is_written_by(name: &str, regions: &[String]) -> bool {
    let region = MobFileName::parse(name).and_then(|name| name.region);
    region.is_some_and(|region| regions.iter().any(|known| known == region))
}

fn stands_for_another(name: &str) -> bool {
    matches!(StoreFileName::parse(name), Some(StoreFileName::Reference { .. } | StoreFileName::Link(_)))
}

/// Everything in a region's directory that is not one of its own files belongs to a family.
fn is_family_dir(entry: &finback_fs::DirEntry) -> bool {
    entry.is_dir
        && !entry.name.starts_with('.')
        && entry.name != "recovered.edits"
        && entry.name != "recovered.hfiles"
}

fn millis(time: SystemTime) -> u128 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_millis())
}
