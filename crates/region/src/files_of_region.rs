//! The store files of a region as administrators see them: where they are, and what of them is cached.

use crate::error::RegionError;
use crate::region::Region;
use crate::store_file::StoreFile;
use finback_cell::{Bytes, RegionInfo, TableDescriptor};
use finback_layout::{RootDir, StoreFileTracker};
use std::path::PathBuf;

impl Region {
    /// Paths of the files of some families, in the order of the families; without any, of all.
    ///
    /// # Errors
    /// A family that the table does not have.
    pub fn store_file_paths(&self, families: &[Bytes]) -> Result<Vec<PathBuf>, RegionError> {
        let stores = match families {
            [] => self.stores.iter().collect(),
            _ => families.iter().map(|family| self.store(family)).collect::<Result<Vec<_>, _>>()?,
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
            let (region, name) = (info.encoded_name(), &family.name);
            let tracker = StoreFileTracker::of(table, family).map_err(RegionError::Invalid)?;
            let entries = match tracker.reads_list() {
                true => root.listed_store_files(&info.table, &region, name)?,
                false => root.list_store_files(&info.table, &region, name)?,
            };
            for entry in entries {
                StoreFile::open(&**root.fs(), entry)?;
            }
        }
        Ok(())
    }
}
