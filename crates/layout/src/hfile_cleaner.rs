//! Takes out of the archive what nothing needs any more, as HBase's HFileCleaner does: files that have been there for a while,
//! which no snapshot names and no link or reference leads to; back references whose links are gone; directories that are
//! empty then.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use finback_cell::TableName;
use finback_fs::DirEntry;

use crate::{
    FileLink, Result, RootDir, error::At, file_links::LINKS_PREFIX, small_file, snapshot::KeptFiles,
};

/// What was taken out of the archive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Files, back references among them.
    pub files: u64,
    /// Their lengths together.
    pub bytes: u64,
}

/// A look through the archive.
struct Cleaner<'a> {
    root: &'a RootDir,
    kept: KeptFiles,
    now: SystemTime,
    ttl: Duration,
    cleaned: Cleaned,
}

/// A family's directory in the archive.
struct Family<'a> {
    table: TableName,
    region: &'a str,
    name: &'a str,
    dir: PathBuf,
}

impl RootDir {
    /// Takes out of the archive what nothing needs, and what came there more than `ttl` ago. Nobody may take a snapshot or
    /// make a table of one meanwhile; regions may be opened, flushed and compacted, and tables dropped. What stays after a
    /// failure goes at the next call.
    ///
    /// # Errors
    /// A snapshot that cannot be read: nothing is taken out then, since nobody knows what it needs; the storage's.
    pub fn clean_archive(&self, now: SystemTime, ttl: Duration) -> Result<Cleaned> {
        let data = self.archive_dir().join("data");
        let namespaces = self.list_if_exists(&data)?;
        if namespaces.is_empty() {
            return Ok(Cleaned::default());
        }
        let kept = self.kept_files()?;
        let mut cleaner = Cleaner { root: self, kept, now, ttl, cleaned: Cleaned::default() };
        for namespace in dirs(&namespaces) {
            cleaner.clean_namespace(&data.join(&namespace.name), &namespace.name)?;
        }
        Ok(cleaner.cleaned)
    }
}

fn dirs(entries: &[DirEntry]) -> impl Iterator<Item = &DirEntry> {
    entries.iter().filter(|entry| entry.is_dir)
}

impl Cleaner<'_> {
    fn clean_namespace(&mut self, dir: &Path, namespace: &str) -> Result<()> {
        for table in dirs(&self.root.list_if_exists(dir)?) {
            // What can be no table is not ours.
            let Ok(name) = TableName::new(namespace.as_bytes(), table.name.as_bytes()) else { continue };
            let table_dir = dir.join(&table.name);
            for region in dirs(&self.root.list_if_exists(&table_dir)?) {
                let region_dir = table_dir.join(&region.name);
                for family in dirs(&self.root.list_if_exists(&region_dir)?) {
                    self.clean_family(&Family {
                        table: name.clone(),
                        region: &region.name,
                        name: &family.name,
                        dir: region_dir.join(&family.name),
                    })?;
                }
                self.remove_if_empty(&region_dir)?;
            }
            self.remove_if_empty(&table_dir)?;
        }
        self.remove_if_empty(dir)
    }

    fn clean_family(&mut self, family: &Family<'_>) -> Result<()> {
        let entries = self.root.list_if_exists(&family.dir)?;
        for dir in dirs(&entries) {
            let path = family.dir.join(&dir.name);
            match dir.name.strip_prefix(LINKS_PREFIX) {
                Some(file) => self.clean_back_references(family, file, &path)?,
                None => self.clean_unserved(&path)?,
            }
        }
        for file in entries.iter().filter(|entry| !entry.is_dir) {
            let links = family.dir.join(format!("{LINKS_PREFIX}{}", file.name));
            let is_needed = self.kept.has(&file.name) || !self.root.list_if_exists(&links)?.is_empty();
            if !is_needed {
                self.remove_if_old(&family.dir, file)?;
            }
        }
        self.remove_if_empty(&family.dir)
    }

    /// HBase archives a family with the directories in it: the list of its files, and what was split out of logs.
    fn clean_unserved(&mut self, dir: &Path) -> Result<()> {
        for entry in self.root.list_if_exists(dir)? {
            if entry.is_dir {
                self.clean_unserved(&dir.join(&entry.name))?;
            } else {
                self.remove_if_old(dir, &entry)?;
            }
        }
        self.remove_if_empty(dir)
    }

    /// Of those that have links to a file, those that have none any more are forgotten.
    fn clean_back_references(&mut self, family: &Family<'_>, file: &str, dir: &Path) -> Result<()> {
        let link = FileLink { table: family.table.clone(), region: family.region, file }.to_string();
        for entry in self.root.list_if_exists(dir)?.iter().filter(|entry| !entry.is_dir) {
            if !self.is_linked(&entry.name, family.name, &link)? {
                self.remove_if_old(dir, entry)?;
            }
        }
        self.remove_if_empty(dir)
    }

    /// Whether the region that a back reference names has the link, or a reference to what it leads to.
    fn is_linked(&self, back_reference: &str, family: &str, link: &str) -> Result<bool> {
        let parsed = back_reference.split_once('.').and_then(|(region, table)| {
            Some((region, TableName::parse(table.replace('=', ":").as_bytes()).ok()?))
        });
        let Some((region, table)) = parsed else { return Ok(false) };
        let served = self.root.family_dir(&table, region, family.as_bytes());
        let below_root = served.strip_prefix(self.root.path()).unwrap_or(&served);
        let places =
            [served.clone(), self.root.temp_dir().join(below_root), self.root.mob_dir().join(below_root)];
        for place in places {
            let leads = |entry: &DirEntry| {
                entry.name.strip_prefix(link).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            if self.root.list_if_exists(&place)?.iter().any(leads) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn remove_if_old(&mut self, dir: &Path, entry: &DirEntry) -> Result<()> {
        let age = self.now.duration_since(entry.modified).unwrap_or_default();
        if age <= self.ttl {
            return Ok(());
        }
        small_file::remove_if_exists(&**self.root.fs(), &dir.join(&entry.name))?;
        self.cleaned.files += 1;
        self.cleaned.bytes += entry.len;
        Ok(())
    }

    /// Not if something comes into it at the same time.
    fn remove_if_empty(&self, dir: &Path) -> Result<()> {
        if !self.root.list_if_exists(dir)?.is_empty() {
            return Ok(());
        }
        use std::io::ErrorKind::{DirectoryNotEmpty, NotFound, Unsupported};
        match self.root.fs().remove_empty_dir(dir) {
            Err(error) if matches!(error.kind(), DirectoryNotEmpty | NotFound | Unsupported) => Ok(()),
            removed => removed.at(dir),
        }
    }
}

#[cfg(test)]
mod tests;
