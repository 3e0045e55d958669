//! ```text
//! data/<ns>/<table>/.tabledesc/.tableinfo.<seq, ten digits>.<length of the content, decimal>
//! "PBUF" | TableSchema
//! ```
//! The highest sequence number is current. A file whose length is not the one in its name is a torn write and is not
//! valid. Older releases wrote `.tableinfo.<seq>` and `.tableinfo` (sequence number 0).

use std::path::{Path, PathBuf};

use finback_cell::{TableDescriptor, TableName};
use finback_fs::DirEntry;
use finback_proto::{pb, pbuf};

use crate::{LayoutError, Result, RootDir, error::At, initialize::random_bytes, small_file};

const PREFIX: &str = ".tableinfo";
const DIRECTORY: &str = ".tabledesc";

impl RootDir {
    /// Reads a table's current descriptor.
    ///
    /// # Errors
    /// [`LayoutError::NotFound`] if there is no valid one, [`LayoutError::Corrupt`], or the storage's.
    pub fn read_table_descriptor(&self, table: &TableName) -> Result<TableDescriptor> {
        let dir = self.table_dir(table).join(DIRECTORY);
        let Some(current) = current(&self.list_if_exists(&dir)?) else {
            return Err(LayoutError::NotFound { what: "table descriptor", path: dir });
        };
        self.read_descriptor_file(table, &dir.join(current.name))
    }

    /// All files of a table's descriptors, current or not, by name.
    ///
    /// # Errors
    /// The storage's.
    pub fn table_descriptor_files(&self, table: &TableName) -> Result<Vec<PathBuf>> {
        let dir = self.table_dir(table).join(DIRECTORY);
        let entries = self.list_if_exists(&dir)?.into_iter();
        Ok(entries.filter(|entry| !entry.is_dir).map(|entry| dir.join(entry.name)).collect())
    }

    /// The descriptors of a table that can be read, current or not, the newest first.
    ///
    /// # Errors
    /// The storage's.
    pub fn readable_table_descriptors(&self, table: &TableName) -> Result<Vec<TableDescriptor>> {
        let sequence = |path: &PathBuf| Some(parse(path.file_name()?.to_str()?)?.sequence);
        let mut files: Vec<(u64, PathBuf)> = self
            .table_descriptor_files(table)?
            .into_iter()
            .filter_map(|path| Some((sequence(&path)?, path)))
            .collect();
        files.sort_by(|a, b| b.cmp(a));
        Ok(files.iter().filter_map(|(_, path)| self.read_descriptor_file(table, path).ok()).collect())
    }

    fn read_descriptor_file(&self, table: &TableName, path: &Path) -> Result<TableDescriptor> {
        let corrupt = |reason: String| LayoutError::Corrupt { path: path.to_owned(), reason };
        let bytes = small_file::read(&**self.fs(), path)?;
        let schema: pb::TableSchema =
            pbuf::decode(&bytes, "TableSchema").map_err(|e| corrupt(e.to_string()))?;
        let descriptor = TableDescriptor::try_from(&schema).map_err(|e| corrupt(e.to_string()))?;
        if descriptor.name != *table {
            return Err(corrupt(format!("it describes {}", descriptor.name)));
        }
        Ok(descriptor)
    }

    /// Makes a descriptor the current one of an existing table: the new file gets the next sequence number by a rename,
    /// then older ones go.
    ///
    /// # Errors
    /// The storage's; the old descriptor is then still current, or the new one is.
    pub fn write_table_descriptor(&self, descriptor: &TableDescriptor) -> Result<()> {
        let dir = self.table_dir(&descriptor.name).join(DIRECTORY);
        self.fs().create_dir_all(&dir).at(&dir)?;
        let old = self.list_if_exists(&dir)?;
        let sequence = old.iter().filter_map(|e| parse(&e.name)).map(|f| f.sequence).max().unwrap_or(0) + 1;
        let content = content(descriptor);
        let random = u128::from_be_bytes(random_bytes()?);
        let temporary = self.temp_dir().join(format!("tableinfo-{random:032x}"));
        small_file::write_new(&**self.fs(), &temporary, &content)?;
        let path = dir.join(file_name(sequence, content.len()));
        self.fs().rename(&temporary, &path).at(&path)?;
        for entry in old {
            // It is over: the highest number counts.
            let path = dir.join(entry.name);
            if let Err(error) = small_file::remove_if_exists(&**self.fs(), &path) {
                tracing::warn!(path = %path.display(), %error, "an older descriptor was not removed");
            }
        }
        self.fs().sync_dir(&dir).at(&dir)
    }

    /// As [`RootDir::write_table_descriptor`], but one that is current already is not written again, for which a full disk has
    /// no room: it is only made sure that it stays.
    ///
    /// # Errors
    /// The storage's.
    pub fn make_table_descriptor_current(&self, descriptor: &TableDescriptor) -> Result<()> {
        match self.read_table_descriptor(&descriptor.name) {
            Ok(current) if current == *descriptor => {
                let dir = self.table_dir(&descriptor.name).join(DIRECTORY);
                self.fs().sync_dir(&dir).at(&dir)
            }
            _ => self.write_table_descriptor(descriptor),
        }
    }
}

/// The file of a table's first descriptor, below its directory.
pub(crate) fn first_descriptor_file(table_dir: &Path, table: &TableDescriptor) -> (PathBuf, Vec<u8>) {
    let content = content(table);
    (table_dir.join(DIRECTORY).join(file_name(1, content.len())), content)
}

fn content(descriptor: &TableDescriptor) -> Vec<u8> {
    pbuf::encode(&pb::TableSchema::from(descriptor))
}

fn file_name(sequence: u64, len: usize) -> String {
    format!("{PREFIX}.{sequence:010}.{len}")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileName {
    sequence: u64,
    len: Option<u64>,
}

fn parse(name: &str) -> Option<FileName> {
    let rest = name.strip_prefix(PREFIX)?;
    if rest.is_empty() {
        return Some(FileName { sequence: 0, len: None });
    }
    let digits = |text: &str| match text.bytes().all(|b| b.is_ascii_digit()) {
        true => text.parse::<u64>().ok(),
        false => None,
    };
    match rest.strip_prefix('.')?.split_once('.') {
        None => Some(FileName { sequence: digits(&rest[1..])?, len: None }),
        Some((sequence, len)) => Some(FileName { sequence: digits(sequence)?, len: Some(digits(len)?) }),
    }
}

fn current(entries: &[DirEntry]) -> Option<DirEntry> {
    let valid = |entry: &&DirEntry| {
        !entry.is_dir && parse(&entry.name).is_some_and(|file| file.len.is_none_or(|len| len == entry.len))
    };
    entries.iter().filter(valid).max_by_key(|entry| parse(&entry.name).map(|file| file.sequence)).cloned()
}

#[cfg(test)]
mod tests;
