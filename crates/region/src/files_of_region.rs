//! The store files of a region: which there are and which of them are served, and as administrators see them: where they are, and what
//! of them is cached.

use crate::error::RegionError;
use crate::region::Region;
use crate::store_file::StoreFile;
use finback_cell::{Bytes, ColumnFamilyDescriptor, RegionInfo, TableDescriptor};
use finback_fs::DirEntry;
use finback_layout::{RootDir, StoreFileEntry, StoreFileName, StoreFileTracker};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

impl Region {
    /// Paths of the files of some families, each once, in the order of the families; without any, of all.
    ///
    /// # Errors
    /// A family that the table does not have.
    pub fn store_file_paths(&self, families: &[Bytes]) -> Result<Vec<PathBuf>, RegionError> {
        let stores = match families {
            [] => self.stores.iter().collect(),
            _ => {
                let mut seen = HashSet::new();
                let different = families.iter().filter(|family| seen.insert(*family));
                different.map(|family| self.store(family)).collect::<Result<Vec<_>, _>>()?
            }
        };
        let files = stores.into_iter().flat_map(|store| store.files().to_vec());
        Ok(files.map(|file| file.path().to_owned()).collect())
    }

    /// Drops the cached blocks of all of the region's files; gives back how many there were. Whoever reads them next brings
    /// them back.
    pub fn clear_block_cache(&self) -> usize {
        let of_store = |store: &crate::store::Store| -> usize {
            store.files().iter().map(|file| store.cache.evict_file(file.reader().id())).sum()
        };
        self.stores.iter().map(of_store).sum()
    }

    /// Reads what the opening of a region would read of its store files, and leaves it at that: the system has it in memory
    /// then. Blocks the calling thread.
    ///
    /// # Errors
    /// A store file that cannot be read.
    pub fn warm_up(root: &RootDir, info: &RegionInfo, table: &TableDescriptor) -> Result<(), RegionError> {
        for family in &table.families {
            let tracker = StoreFileTracker::of(table, family).map_err(RegionError::Invalid)?;
            files_of(root, info, &family.name, tracker)?;
        }
        Ok(())
    }

    /// Names of the store files, by family, of a region that nobody serves, as it would serve them: without what compactions have
    /// left. Blocks the calling thread.
    ///
    /// # Errors
    /// A store file that cannot be read.
    pub fn served_files(
        root: &RootDir,
        info: &RegionInfo,
        table: &TableDescriptor,
    ) -> Result<Vec<(Bytes, Vec<String>)>, RegionError> {
        let of_family = |family: &ColumnFamilyDescriptor| {
            let tracker = StoreFileTracker::of(table, family).map_err(RegionError::Invalid)?;
            let mut files = files_of(root, info, &family.name, tracker)?;
            if !tracker.reads_list() {
                files = without_leftovers(files).1;
            }
            Ok((family.name.clone(), files.iter().map(|file| file.name()).collect()))
        };
        table.families.iter().map(of_family).collect()
    }
}

/// The files of a store, as its directory or its list has them.
pub(crate) fn files_of(
    root: &RootDir,
    info: &RegionInfo,
    family: &[u8],
    tracker: StoreFileTracker,
) -> Result<Vec<Arc<StoreFile>>, RegionError> {
    let region = info.encoded_name();
    let entries = match tracker.reads_list() {
        true => root.listed_store_files(&info.table, &region, family)?,
        false => root.list_store_files(&info.table, &region, family)?,
    };
    entries.into_iter().map(|entry| open(root, info, family, entry)).collect()
}

/// Opens a file that was found. One of another region may have gone to the archive since: from there it does not go back.
fn open(
    root: &RootDir,
    info: &RegionInfo,
    family: &[u8],
    mut entry: StoreFileEntry,
) -> Result<Arc<StoreFile>, RegionError> {
    let opened = StoreFile::open(&**root.fs(), entry.clone());
    let Some(place) = &entry.elsewhere else { return opened };
    if opened.is_ok() || !root.fs().exists(place).is_ok_and(|is_there| !is_there) {
        return opened;
    }
    let (place, _) = root.inspect_store_file(&info.table, &info.encoded_name(), family, &entry.name)?;
    entry.elsewhere = Some(place);
    StoreFile::open(&**root.fs(), entry)
}

/// What compactions have left of the files of a store, and what is served. Inputs of a compaction whose output is there are
/// leftovers: with only some of them gone, deleted cells could come back. What a leftover names does not count: it may be the output of
/// a compaction that was given up, and the next did not have the same inputs. Files of a compaction that came to no end are leftovers,
/// too: all that is in them is in its inputs.
pub(crate) fn without_leftovers(files: Vec<Arc<StoreFile>>) -> (Vec<Arc<StoreFile>>, Vec<Arc<StoreFile>>) {
    let names = |files: &[Arc<StoreFile>]| -> HashSet<Vec<u8>> {
        files.iter().flat_map(|file| file.compacted_files()).collect()
    };
    let named_by_any = names(&files);
    let is_in = |set: &HashSet<Vec<u8>>, file: &StoreFile| set.contains(file.name().as_bytes());
    let unnamed: Vec<_> = files.iter().filter(|file| !is_in(&named_by_any, file)).cloned().collect();
    let compacted = names(&unnamed);
    let present: HashSet<Vec<u8>> = files.iter().map(|file| file.name().into_bytes()).collect();
    let is_served = |input: &Vec<u8>| present.contains(input) && !compacted.contains(input);
    let is_unfinished = |file: &StoreFile| {
        let inputs = file.inputs_of_part();
        !inputs.is_empty() && inputs.iter().all(is_served)
    };
    files.into_iter().partition(|file| is_in(&compacted, file) || is_unfinished(file))
}

/// Takes the files into a store that HBase has split logs into: they are all there is of these edits. An empty one was begun when its
/// writer died, and the log was split again.
pub(crate) fn take_recovered_files(
    root: &RootDir,
    info: &RegionInfo,
    family: &[u8],
    tracker: StoreFileTracker,
) -> Result<(), RegionError> {
    let (table, region) = (&info.table, info.encoded_name());
    let files = root.recovered_files(table, &region, family)?;
    let dir = root.recovered_files_dir(table, &region, family);
    for DirEntry { name, len, .. } in files {
        let path = dir.join(&name);
        if len == 0 {
            root.fs().remove_file(&path).map_err(|error| RegionError::io(&path, &error))?;
            continue;
        }
        if tracker.writes_list() || StoreFileName::parse(&name) != Some(StoreFileName::Plain) {
            return Err(RegionError::Invalid(format!(
                "{} has edits of a log and cannot be taken into its store: let HBase open the region once",
                path.display()
            )));
        }
        let entry = StoreFileEntry {
            name: name.clone(),
            path: path.clone(),
            len,
            bulk_sequence_id: None,
            elsewhere: None,
            reference: None,
        };
        StoreFile::open(&**root.fs(), entry)?;
        let served = root.family_dir(table, &region, family).join(&name);
        if root.fs().exists(&served).map_err(|error| RegionError::io(&served, &error))? {
            return Err(RegionError::Invalid(format!(
                "there are {} and {}",
                path.display(),
                served.display()
            )));
        }
        root.fs().rename(&path, &served).map_err(|error| RegionError::io(&path, &error))?;
        tracing::info!(file = %served.display(), "edits that HBase split into a store file are taken in");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_cell::TableName;
    use finback_fs::{MemFileSystem, write_file_durably};

    #[test]
    fn a_file_that_goes_to_the_archive_before_it_is_opened_is_found_there() {
        let root = RootDir::new(Arc::new(MemFileSystem::new()), "/hbase");
        let table = TableName::parse(b"t").unwrap();
        let info = RegionInfo::new(table.clone(), Bytes::new(), Bytes::new(), 1);
        let (other, file) = ("99999999999999999999999999999999", "0123456789abcdef0123456789abcdef");
        let own = root.family_dir(&table, &info.encoded_name(), b"f");
        let served = root.family_dir(&table, other, b"f");
        for dir in [&own, &served] {
            root.fs().create_dir_all(dir).unwrap();
        }
        write_file_durably(&**root.fs(), &served.join(file), b"no store file").unwrap();
        write_file_durably(&**root.fs(), &own.join(format!("t={other}-{file}")), b"").unwrap();
        let found = root.list_store_files(&table, &info.encoded_name(), b"f").unwrap().remove(0);
        root.archive_store_file(&table, other, b"f", file).unwrap();
        let error = open(&root, &info, b"f", found.clone()).unwrap_err().to_string();
        assert!(error.contains("archive"), "{error}");
        // What is nowhere is looked for in vain.
        let archived = root.inspect_store_file(&table, &info.encoded_name(), b"f", &found.name).unwrap().0;
        root.fs().remove_file(&archived).unwrap();
        assert!(open(&root, &info, b"f", found).is_err());
    }
}
