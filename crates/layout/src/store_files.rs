use std::path::PathBuf;

use finback_cell::TableName;
use finback_fs::DirEntry;

use crate::{FileLink, LayoutError, Reference, Result, RootDir, StoreFileName, error::At};

/// A directory of a family, of which nothing is served before its files are taken into the store.
const RECOVERED_FILES: &str = "recovered.hfiles";

/// A store file that a region serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFileEntry {
    /// File name.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Length in bytes.
    pub len: u64,
    /// The sequence id in the name of a bulk-loaded file.
    pub bulk_sequence_id: Option<u64>,
    /// Where the cells are, if they are in a file of another region, or another table: this one then refers to it, or is
    /// a link to it.
    pub elsewhere: Option<PathBuf>,
    /// Which of its cells are this region's, if not all.
    pub reference: Option<Reference>,
}

impl RootDir {
    /// The store files of a family, in order of name. Files and references that are empty, and names that are none of a
    /// store file's, are left out, as HBase does. This is what the directory says: see
    /// [`StoreFileTracker`](crate::StoreFileTracker).
    ///
    /// # Errors
    /// [`LayoutError::NotFound`] where the file that is referred to is in no place where it can be;
    /// [`LayoutError::Corrupt`] for a reference that says nothing; the storage's.
    pub fn list_store_files(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
    ) -> Result<Vec<StoreFileEntry>> {
        self.store_files_where(table, region, family, |_| true)
    }

    /// The same of those that have a name which is wanted: whether others lead anywhere does not matter.
    pub(crate) fn store_files_where(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<StoreFileEntry>> {
        let dir = self.family_dir(table, region, family);
        let mut files = Vec::new();
        for entry in self.list_if_exists(&dir)? {
            let path = dir.join(&entry.name);
            if entry.is_dir || !is_wanted(&entry.name) {
                continue;
            }
            let Some(name) = StoreFileName::parse(&entry.name) else { continue };
            if !counts(&entry, &name) {
                tracing::warn!(path = %path.display(), "empty store file, ignored");
                continue;
            }
            let elsewhere = self.place_of_cells(table, family, &name)?;
            let reference = match name {
                StoreFileName::Reference { .. } => Some(Reference::read(&**self.fs(), &path)?),
                _ => None,
            };
            let bulk_sequence_id = name.bulk_sequence_id();
            let (name, len) = (entry.name, entry.len);
            files.push(StoreFileEntry { name, path, len, bulk_sequence_id, elsewhere, reference });
        }
        Ok(files)
    }

    /// Names of the store files that the directory of a family has, wherever they lead.
    ///
    /// # Errors
    /// The storage's.
    pub fn store_file_names(&self, table: &TableName, region: &str, family: &[u8]) -> Result<Vec<String>> {
        let mut entries = self.list_if_exists(&self.family_dir(table, region, family))?;
        entries.retain(|entry| {
            !entry.is_dir && StoreFileName::parse(&entry.name).is_some_and(|name| counts(entry, &name))
        });
        Ok(entries.into_iter().map(|entry| entry.name).collect())
    }

    /// Where HBase puts the store files into which it splits logs with `hbase.wal.split.to.hfile`, until their region opens.
    pub fn recovered_files_dir(&self, table: &TableName, region: &str, family: &[u8]) -> PathBuf {
        self.family_dir(table, region, family).join(RECOVERED_FILES)
    }

    /// The files there.
    ///
    /// # Errors
    /// The storage's.
    pub fn recovered_files(&self, table: &TableName, region: &str, family: &[u8]) -> Result<Vec<DirEntry>> {
        let mut files = self.list_if_exists(&self.recovered_files_dir(table, region, family))?;
        files.retain(|entry| !entry.is_dir);
        Ok(files)
    }

    /// Where the cells are of one store file, for those who look at each by itself: in its own place, or where it leads to, or
    /// in the archive. Second, what it says if it is a reference.
    ///
    /// # Errors
    /// As [`list_store_files`](Self::list_store_files).
    pub fn inspect_store_file(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
        name: &str,
    ) -> Result<(PathBuf, Option<Reference>)> {
        let cells = self.cells_of(table, region, family, name)?;
        let is_reference = matches!(StoreFileName::parse(name), Some(StoreFileName::Reference { .. }));
        let path = self.family_dir(table, region, family).join(name);
        Ok((cells, is_reference.then(|| Reference::read(&**self.fs(), &path)).transpose()?))
    }

    /// Where the cells are of a store file of that name: its own place, or where it leads to, or the archive.
    pub(crate) fn cells_of(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
        name: &str,
    ) -> Result<PathBuf> {
        let parsed = StoreFileName::parse(name);
        match parsed.map(|parsed| self.place_of_cells(table, family, &parsed)).transpose()?.flatten() {
            Some(elsewhere) => Ok(elsewhere),
            None => self.served_or_archived(table, region, family, name),
        }
    }

    /// Length in bytes of the file that has the cells of a store file of that name.
    pub(crate) fn length_of_cells(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
        name: &str,
    ) -> Result<u64> {
        let length = || {
            let cells = self.cells_of(table, region, family, name)?;
            Ok(self.fs().metadata(&cells).at(&cells)?.len)
        };
        match length() {
            // Between the two looks it may have been archived, once.
            Err(error) if LayoutError::is_not_found(&error) => length(),
            found => found,
        }
    }

    /// A file of a region, wherever it is. Files go from the one place to the other, and never back.
    pub(crate) fn served_or_archived(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
        name: &str,
    ) -> Result<PathBuf> {
        self.find_linked(&FileLink { table: table.clone(), region, file: name }, family)
    }

    /// The file that a reference or a link leads to. None for files that have their cells themselves.
    fn place_of_cells(
        &self,
        table: &TableName,
        family: &[u8],
        name: &StoreFileName<'_>,
    ) -> Result<Option<PathBuf>> {
        let found = match name {
            StoreFileName::Plain | StoreFileName::BulkLoaded { .. } => return Ok(None),
            StoreFileName::Link(link) => self.find_linked(link, family)?,
            // A reference to a link goes by the link's name: the link itself may be gone.
            StoreFileName::Reference { file, region } => match StoreFileName::parse(file) {
                Some(StoreFileName::Link(link)) => self.find_linked(&link, family)?,
                _ => self.find_linked(&FileLink { table: table.clone(), region, file }, family)?,
            },
        };
        Ok(Some(found))
    }

    /// Looks for a file where it was when it was linked, and where it goes from there, in HBase's order.
    fn find_linked(&self, link: &FileLink<'_>, family: &[u8]) -> Result<PathBuf> {
        let served = self.family_dir(&link.table, link.region, family).join(link.file);
        let below_data = served.strip_prefix(self.path()).unwrap_or(&served);
        let places = [
            served.clone(),
            self.temp_dir().join(below_data),
            self.mob_dir().join(below_data),
            self.archived_family_dir(&link.table, link.region, family).join(link.file),
        ];
        for place in places {
            if self.fs().exists(&place).at(&place)? {
                return Ok(place);
            }
        }
        Err(LayoutError::NotFound { what: "the file that a store file refers to", path: served })
    }
}

/// Whether there is anything in it; a link has its name alone.
fn counts(entry: &DirEntry, name: &StoreFileName<'_>) -> bool {
    entry.len > 0 || matches!(name, StoreFileName::Link(_))
}
