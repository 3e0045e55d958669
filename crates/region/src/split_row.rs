//! Where a region may be split, and whether it may.

use crate::compaction_config::StoreEngine;
use crate::compaction_policy::stripes::{Division, Stripes};
use crate::error::RegionError;
use crate::region::Region;
use crate::store::Store;
use crate::store_file::StoreFile;
use finback_cell::Bytes;
use finback_cell::key::Key;
use std::sync::Arc;

impl Region {
    /// Whether it can be split now: as HBase, not hbase:meta, not before it has files of its own, and not where the split
    /// policy forbids it, not even when somebody asks for it.
    pub fn is_splittable(&self) -> bool {
        !self.info.is_meta() && !self.never_splits() && self.is_mergeable()
    }

    /// Whether it can be merged with others now.
    pub fn is_mergeable(&self) -> bool {
        !self.is_closing() && !self.stores.iter().any(Store::has_references)
    }

    /// The row that divides the largest store that has one, or what the split policy leaves of it: that of the middle of its largest
    /// file, or, with stripes, mostly that between two of them. Reads a block of a file's index, on the calling thread.
    ///
    /// # Errors
    /// The file's.
    pub fn split_row(&self) -> Result<Option<Bytes>, RegionError> {
        let mut best: Option<(u64, Bytes)> = None;
        for store in self.stores.iter().filter(|store| !store.has_references()) {
            let bytes = store.files().iter().map(|file| file.size_bytes()).sum();
            if best.as_ref().is_some_and(|(most, _)| bytes <= *most) {
                continue;
            }
            if let Some(row) = store.split_row()? {
                best = Some((bytes, row));
            }
        }
        // What a file says of its stripe may be of a larger region.
        Ok(best.map(|(_, row)| self.border(row)).filter(|row| self.info.contains_row(row)))
    }
}

impl Store {
    pub(crate) fn has_references(&self) -> bool {
        self.files().iter().any(|file| file.reference().is_some())
    }

    fn split_row(&self) -> Result<Option<Bytes>, RegionError> {
        let (files, config) = (self.files_oldest_first(), self.compaction());
        if config.engine != StoreEngine::Stripe {
            return middle_row(files.iter().rev());
        }
        let sizes: Vec<u64> = files.iter().map(|file| file.size_bytes()).collect();
        match Stripes::of_files(&files).division(&sizes, config.stripe.max_split_imbalance()) {
            Division::Between(row) => Ok(Some(row)),
            Division::Within(numbers) => middle_row(numbers.iter().map(|&number| &files[number])),
        }
    }
}

/// The row of the middle of the largest file, unless that is its first row, or its last.
fn middle_row<'a>(files: impl Iterator<Item = &'a Arc<StoreFile>>) -> Result<Option<Bytes>, RegionError> {
    let Some(largest) = files.max_by_key(|file| file.size_bytes()) else { return Ok(None) };
    let Some(middle) = largest.reader().mid_key()? else { return Ok(None) };
    let row = Key::from_checked(&middle).row;
    let divides = largest.row_range().is_some_and(|(first, last)| row != first && row != last);
    Ok(divides.then(|| Bytes::copy_from_slice(row)))
}
