//! Where a region may be split, and whether it may.

use crate::error::RegionError;
use crate::region::Region;
use crate::store::Store;
use finback_cell::Bytes;
use finback_cell::key::Key;

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

    /// The row that divides the largest store that has one: that of the middle of its largest file, or what the split policy
    /// leaves of it. Reads a block of the
    /// file's index, on the calling thread.
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
        Ok(best.map(|(_, row)| self.border(row)))
    }
}

impl Store {
    fn has_references(&self) -> bool {
        self.files().iter().any(|file| file.reference().is_some())
    }

    /// The row of the middle of the largest file, unless that is its first row, or its last.
    fn split_row(&self) -> Result<Option<Bytes>, RegionError> {
        let files = self.files();
        let Some(largest) = files.iter().max_by_key(|file| file.size_bytes()) else { return Ok(None) };
        let Some(middle) = largest.reader().mid_key()? else { return Ok(None) };
        let row = Key::from_checked(&middle).row;
        let divides = largest.row_range().is_some_and(|(first, last)| row != first && row != last);
        Ok(divides.then(|| Bytes::copy_from_slice(row)))
    }
}
