//! The list of a store's files, where its tracker keeps one: two files of which the younger counts.
//!
//! ```text
//! <family>/.filelist/f1 or f2    i32 length | StoreFileList | u32 CRC-32 of the StoreFileList
//! ```

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crc_fast::{CrcAlgorithm, checksum};
use finback_cell::TableName;
use finback_proto::{Message, pb};

use crate::{LayoutError, Result, RootDir, StoreFileEntry, error::At, small_file};

/// Where the list is, in the directory of the family.
const DIRECTORY: &str = ".filelist";
/// Its files.
const FILES: [&str; 2] = ["f1", "f2"];
/// A list before it has its place.
const TEMPORARY: &str = "f.tmp";
/// The format that is known.
const VERSION: u64 = 1;
const LENGTH_BYTES: usize = 4;
const CRC_BYTES: usize = 4;

impl RootDir {
    /// Name and size of the files that a store has by its list; none where there is no list.
    ///
    /// # Errors
    /// [`LayoutError::Corrupt`] for a list that is not whole, where there is no older one in its place, or of a later
    /// format; the storage's.
    pub fn read_store_file_list(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
    ) -> Result<Option<Vec<(String, u64)>>> {
        let dir = self.family_dir(table, region, family).join(DIRECTORY);
        let list = self.newest_list(&dir)?.map(|(list, _)| list);
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
        let dir = self.family_dir(table, region, family).join(DIRECTORY);
        let fs = self.fs();
        fs.create_dir_all(&dir).at(&dir)?;
        let before = self.newest_list(&dir)?;
        let (age, old) = before.map_or((0, None), |(list, number)| (list.timestamp, Some(number)));
        let entry = |(name, size): (&str, u64)| pb::StoreFileEntry { name: name.to_owned(), size };
        let list = pb::StoreFileList {
            timestamp: now_ms().max(age + 1),
            store_file: files.into_iter().map(entry).collect(),
            version: Some(VERSION),
        };
        let path = dir.join(FILES[old.map_or(0, |number| 1 - number)]);
        // HBase writes it in its place; but the first of a store has no other one to fall back to.
        let temporary = dir.join(TEMPORARY);
        small_file::remove_if_exists(&**fs, &temporary)?;
        small_file::write_new(&**fs, &temporary, &encode(&list))?;
        small_file::remove_if_exists(&**fs, &path)?;
        fs.rename(&temporary, &path).at(&path)?;
        match old {
            Some(number) => small_file::remove_if_exists(&**fs, &dir.join(FILES[number])),
            None => Ok(()),
        }
    }

    /// The younger of the two lists, and which of the files it is.
    fn newest_list(&self, dir: &Path) -> Result<Option<(pb::StoreFileList, usize)>> {
        let mut found: Vec<(pb::StoreFileList, usize)> = Vec::new();
        let mut torn = None;
        for (number, name) in FILES.into_iter().enumerate() {
            let path = dir.join(name);
            if !self.fs().exists(&path).at(&path)? {
                continue;
            }
            match decode(&small_file::read(&**self.fs(), &path)?, &path) {
                Ok(list) => found.push((list, number)),
                // Of an HBase that died while it wrote: the other one counts.
                Err(error) => torn = Some(error),
            }
        }
        match (found.into_iter().max_by_key(|(list, _)| list.timestamp), torn) {
            (None, Some(error)) => Err(error),
            (found, _) => Ok(found),
        }
    }

    /// The store files of a family by its list: what else is in the directory is left out.
    ///
    /// # Errors
    /// As [`list_store_files`](Self::list_store_files), and [`LayoutError::NotFound`] for a file of the list that is not
    /// there.
    pub fn listed_store_files(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
    ) -> Result<Vec<StoreFileEntry>> {
        let listed = self.read_store_file_list(table, region, family)?.unwrap_or_default();
        let mut files = self.list_store_files(table, region, family)?;
        files.retain(|file| listed.iter().any(|(name, _)| *name == file.name));
        let is_there = |name: &String| files.iter().any(|file| file.name == *name);
        if let Some((name, _)) = listed.iter().find(|(name, size)| *size > 0 && !is_there(name)) {
            let path = self.family_dir(table, region, family).join(name);
            return Err(LayoutError::NotFound { what: "a file of the list of a store", path });
        }
        Ok(files)
    }
}

fn encode(list: &pb::StoreFileList) -> Vec<u8> {
    let message = list.encode_to_vec();
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes()[..], &message, &crc(&message).to_be_bytes()].concat()
}

fn decode(bytes: &[u8], path: &Path) -> Result<pb::StoreFileList> {
    let corrupt = |reason: String| LayoutError::Corrupt { path: PathBuf::from(path), reason };
    let rest = bytes.split_first_chunk::<LENGTH_BYTES>();
    let (length, rest) = rest.ok_or_else(|| corrupt(format!("a list of {} bytes", bytes.len())))?;
    let length = u32::from_be_bytes(*length) as usize;
    if length == 0 || rest.len() < length.saturating_add(CRC_BYTES) {
        let there = rest.len();
        return Err(corrupt(format!("a list of {length} bytes is announced, and {there} follow")));
    }
    let (message, rest) = rest.split_at(length);
    if rest.first_chunk() != Some(&crc(message).to_be_bytes()) {
        return Err(corrupt("the checksum of the list is another one".to_owned()));
    }
    let list = pb::StoreFileList::decode(message).map_err(|error| corrupt(error.to_string()))?;
    match list.version() {
        ..=VERSION => Ok(list),
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
