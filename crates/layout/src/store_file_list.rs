//! The list of a store's files, where its tracker keeps one: two files of which the younger counts.
//!
//! ```text
//! <family>/.filelist/f1 or f2, or f1.N or f2.N    i32 length | StoreFileList | u32 CRC-32 of the StoreFileList
//! ```
//!
//! HBase 2.5 reads and writes the bare names only, 2.6 those with a [generation](ListName::generation) (HBASE-26791), and since
//! 2.6.2 it reads both (HBASE-29021). So a list keeps the form in which it is found.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crc_fast::{CrcAlgorithm, checksum};
use finback_cell::TableName;
use finback_proto::{Message, pb};

use crate::{LayoutError, Result, RootDir, StoreFileEntry, StoreFileName, error::At, small_file};
use list_name::ListName;

mod list_name;

/// Where the list is, in the directory of the family.
const DIRECTORY: &str = ".filelist";
/// A list before it has its place.
const TEMPORARY: &str = "f.tmp";
/// The format that is known.
const VERSION: u64 = 1;
/// The longest list, HBase's figure.
const MAX_LIST_BYTES: u32 = 16 << 20;
const LENGTH_BYTES: usize = 4;
const CRC_BYTES: usize = 4;

impl RootDir {
    /// Name and size of the files that a store has by its list; none where there is no list that its writer came to the end of.
    ///
    /// # Errors
    /// [`LayoutError::Corrupt`] for a list that is damaged, or of a later format; the storage's.
    pub fn read_store_file_list(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
    ) -> Result<Option<Vec<(String, u64)>>> {
        let dir = self.family_dir(table, region, family).join(DIRECTORY);
        let list = self.newest_list(&dir, &self.list_names(&dir)?)?.map(|(list, _)| list);
        Ok(list.map(|list| list.store_file.into_iter().map(|file| (file.name, file.size)).collect()))
    }

    /// Says which files a store has. When this returns, the list is durable and the only one.
    ///
    /// # Errors
    /// As [`read_store_file_list`](Self::read_store_file_list). The list is the old one or the new one then.
    pub fn write_store_file_list<'a>(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
        files: impl IntoIterator<Item = (&'a str, u64)>,
    ) -> Result<()> {
        self.write_store_file_list_as(table, region, family, files, None)
    }

    /// The same; where there is none yet it gets a name of that generation.
    pub(crate) fn write_store_file_list_as<'a>(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
        files: impl IntoIterator<Item = (&'a str, u64)>,
        generation: Option<u64>,
    ) -> Result<()> {
        let dir = self.family_dir(table, region, family).join(DIRECTORY);
        let fs = self.fs();
        fs.create_dir_all(&dir).at(&dir)?;
        let before = self.list_names(&dir)?;
        let (age, name) = match self.newest_list(&dir, &before)? {
            Some((list, name)) => (list.timestamp, name.other()),
            // A first one that came to no end shows the form as well.
            None => (0, before.first().map_or(ListName::first(generation), ListName::other)),
        };
        let entry = |(name, size): (&str, u64)| pb::StoreFileEntry { name: name.to_owned(), size };
        let list = pb::StoreFileList {
            timestamp: now_ms().max(age + 1),
            store_file: files.into_iter().map(entry).collect(),
            version: Some(VERSION),
        };
        let path = dir.join(name.to_string());
        // HBase writes it in its place; but the first of a store has no other one to fall back to.
        let temporary = dir.join(TEMPORARY);
        small_file::remove_if_exists(&**fs, &temporary)?;
        small_file::write_new(&**fs, &temporary, &encode(&list))?;
        small_file::remove_if_exists(&**fs, &path)?;
        fs.rename(&temporary, &path).at(&path)?;
        let mut older = before.iter().filter(|older| **older != name);
        older.try_for_each(|older| small_file::remove_if_exists(&**fs, &dir.join(older.to_string())))
    }

    /// Begins the list of a store that has neither files nor a list. From then on files that it does not have are garbage, and
    /// not those of a store whose list is lost.
    ///
    /// # Errors
    /// As [`write_store_file_list`](Self::write_store_file_list).
    pub fn begin_store_file_list(&self, table: &TableName, region: &str, family: &[u8]) -> Result<()> {
        match self.read_store_file_list(table, region, family)? {
            Some(_) => Ok(()),
            None => self.write_store_file_list(table, region, family, []),
        }
    }

    /// The greatest generation among the lists of a store; none where they have none.
    pub(crate) fn store_file_list_generation(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
    ) -> Result<Option<u64>> {
        let dir = self.family_dir(table, region, family).join(DIRECTORY);
        Ok(self.list_names(&dir)?.first().and_then(ListName::generation))
    }

    /// The files that are called as lists are, those of the latest opening first, and `f1` before `f2`.
    fn list_names(&self, dir: &Path) -> Result<Vec<ListName>> {
        let entries = self.list_if_exists(dir)?;
        let files = entries.iter().filter(|entry| !entry.is_dir);
        let mut names: Vec<_> = files.filter_map(|entry| ListName::parse(&entry.name)).collect();
        names.sort();
        Ok(names)
    }

    /// As HBase does: of the latest opening of which there is a whole list, the younger one.
    fn newest_list(&self, dir: &Path, names: &[ListName]) -> Result<Option<(pb::StoreFileList, ListName)>> {
        for same_opening in names.chunk_by(ListName::is_of_same_opening) {
            if same_opening.len() > 2 {
                let reason = format!("{} lists of one opening of a store", same_opening.len());
                return Err(LayoutError::Corrupt { path: dir.to_owned(), reason });
            }
            let mut newest: Option<(pb::StoreFileList, ListName)> = None;
            for name in same_opening {
                let path = dir.join(name.to_string());
                let Some(list) = decode(&small_file::read(&**self.fs(), &path)?, &path)? else {
                    // Of an HBase that died while it wrote: the other one counts.
                    tracing::warn!(path = %path.display(), "a list of store files that ends too early is left out");
                    continue;
                };
                // HBase takes f1 of two that are as old.
                if newest.as_ref().is_none_or(|(newest, _)| newest.timestamp < list.timestamp) {
                    newest = Some((list, name.clone()));
                }
            }
            if newest.is_some() {
                return Ok(newest);
            }
        }
        Ok(None)
    }

    /// The store files of a family by its list: what else is in the directory is left out.
    ///
    /// # Errors
    /// As [`list_store_files`](Self::list_store_files), and [`LayoutError::NotFound`] for a file of the list that is not
    /// there; [`LayoutError::Corrupt`] where there is no list, and there are files that one should have.
    pub fn listed_store_files(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
    ) -> Result<Vec<StoreFileEntry>> {
        let Some(listed) = self.read_store_file_list(table, region, family)? else {
            let files = self.list_store_files(table, region, family)?;
            return self.without_list(table, region, family, files);
        };
        let names: HashSet<&str> = listed.iter().map(|(name, _)| name.as_str()).collect();
        let files = self.store_files_where(table, region, family, |name| names.contains(name))?;
        let is_there = |name: &String| files.iter().any(|file| file.name == *name);
        // HBase lists what leads to another file with a size of 0, too.
        let is_empty = |name: &str, size: u64| {
            size == 0 && StoreFileName::parse(name).is_some_and(|name| name.has_cells())
        };
        let mut lost = listed.iter().filter(|(name, size)| !is_there(name) && !is_empty(name, *size));
        if let Some((name, _)) = lost.next() {
            let path = self.family_dir(table, region, family).join(name);
            return Err(LayoutError::NotFound { what: "a file of the list of a store", path });
        }
        Ok(files)
    }

    /// HBase takes a store without a list for an empty one. Files that are there anyway may be all that it has: the list is
    /// lost, or has a name that is not known.
    fn without_list(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
        files: Vec<StoreFileEntry>,
    ) -> Result<Vec<StoreFileEntry>> {
        let Some(first) = files.first() else { return Ok(files) };
        let path = self.family_dir(table, region, family).join(DIRECTORY);
        let (number, first) = (files.len(), &first.name);
        let reason = format!(
            "by its tracker the store has the files of its list, and there is no list that is whole, but {number} \
             files, {first} among them"
        );
        Err(LayoutError::Corrupt { path, reason })
    }
}

fn encode(list: &pb::StoreFileList) -> Vec<u8> {
    let message = list.encode_to_vec();
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes()[..], &message, &crc(&message).to_be_bytes()].concat()
}

/// None for a list that ends too early. What is wrong otherwise is nothing that a writer's death leaves: an older list in
/// its place would bring back what compactions took away.
fn decode(bytes: &[u8], path: &Path) -> Result<Option<pb::StoreFileList>> {
    let corrupt = |reason: String| LayoutError::Corrupt { path: PathBuf::from(path), reason };
    let Some((length, rest)) = bytes.split_first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
    let length = u32::from_be_bytes(*length);
    if !(1..=MAX_LIST_BYTES).contains(&length) {
        return Err(corrupt(format!("a list of {length} bytes is announced")));
    }
    let Some((message, rest)) = rest.split_at_checked(length as usize) else { return Ok(None) };
    let Some(stored) = rest.first_chunk::<CRC_BYTES>() else { return Ok(None) };
    if *stored != crc(message).to_be_bytes() {
        return Err(corrupt("the checksum of the list is another one".to_owned()));
    }
    let list = pb::StoreFileList::decode(message).map_err(|error| corrupt(error.to_string()))?;
    match list.version() {
        ..=VERSION => Ok(Some(list)),
        later => Err(corrupt(format!("a list of version {later}, and {VERSION} is known"))),
    }
}

fn crc(bytes: &[u8]) -> u32 {
    // The low half of what is returned for every width; a CRC-32 has no other.
    (checksum(CrcAlgorithm::Crc32IsoHdlc, bytes) & u64::from(u32::MAX)) as u32
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
