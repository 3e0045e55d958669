//! Blocks that a closed region has left in the cache: for its next opening, unless there will be none.

use crate::region::Region;
use finback_hfile::{BlockCache, FileId};
use finback_layout::RootDir;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a closed region has left.
pub struct LeftBlocks {
    root: RootDir,
    directory: PathBuf,
    files: Vec<(Arc<dyn BlockCache>, FileId)>,
}

impl Region {
    /// What a close leaves in the cache.
    pub fn left_blocks(&self) -> LeftBlocks {
        let root = self.environment.root.clone();
        let directory = root.region_dir(&self.info.table, &self.encoded_name);
        let of_store = |store: &crate::store::Store| -> Vec<(Arc<dyn BlockCache>, FileId)> {
            let files = store.files();
            // Of a file that is elsewhere others may be reading the same blocks.
            let own = files.iter().filter(|file| !file.is_elsewhere());
            own.map(|file| (Arc::clone(&store.cache), file.reader().id())).collect()
        };
        let files = self.stores.iter().flat_map(of_store).collect();
        LeftBlocks { root, directory, files }
    }
}

impl LeftBlocks {
    /// Where the region's files are, or were.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Frees the cache if the region's directory is gone, as with a table that was dropped; whether it is. Does I/O.
    ///
    /// # Errors
    /// The file system cannot tell.
    pub fn free_if_gone(&self) -> io::Result<bool> {
        let is_gone = !self.root.fs().exists(&self.directory)?;
        if is_gone {
            for (cache, file) in &self.files {
                cache.evict_file(*file);
            }
        }
        Ok(is_gone)
    }
}

impl std::fmt::Debug for LeftBlocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let files = self.files.len();
        f.debug_struct("LeftBlocks").field("directory", &self.directory).field("files", &files).finish()
    }
}
