//! Verifies all store files of directory trees, one after the other, to the end.

use crate::error::InspectError;
use crate::store_file_tree::{StoreFile, StoreFileTree};
use finback_cell::{RegionInfo, TableName};
use finback_fs::FileSystem;
use finback_hfile::{RowBounds, Verification, verify};
use finback_layout::RootDir;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Who is told how a verification goes on.
pub trait TreeWatcher {
    /// So many bytes of all are done. Says whether to go on.
    fn progress(&mut self, done: u64, total: u64) -> bool;

    /// A file was looked at.
    ///
    /// # Errors
    /// It cannot be told; that ends the verification.
    fn file(&mut self, path: &Path, found: &Verification) -> Result<(), InspectError>;

    /// A directory, or a file, could not even be looked at.
    ///
    /// # Errors
    /// It cannot be told; that ends the verification.
    fn unreadable(&mut self, error: &InspectError) -> Result<(), InspectError>;
}

/// The sums.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct TreeVerification {
    /// Files that were looked at.
    pub files: u64,
    /// Those of them that are damaged.
    pub damaged: u64,
    /// Files and directories that could not be read.
    pub unreadable: u64,
    /// Blocks that are sound.
    pub blocks: u64,
    /// Cells in them.
    pub cells: u64,
    /// Bytes of the files.
    pub bytes: u64,
    /// Whether it was ended before the end.
    pub was_interrupted: bool,
}

impl TreeVerification {
    /// Whether everything was looked at and nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.damaged == 0 && self.unreadable == 0 && !self.was_interrupted
    }
}

/// Verifies the store files among `paths`, and all under those that are directories. A file in the directory of a region
/// must have no rows of others.
///
/// # Errors
/// One of `paths` is not there; or what `watcher` answers.
pub fn verify_tree(
    fs: &Arc<dyn FileSystem>,
    paths: &[PathBuf],
    watcher: &mut dyn TreeWatcher,
) -> Result<TreeVerification, InspectError> {
    // The names are not kept: there may be many.
    let total: u64 = StoreFileTree::new(&**fs, paths)?.flatten().map(|file| file.len).sum();
    let mut sums = TreeVerification::default();
    for file in StoreFileTree::new(&**fs, paths)? {
        let file = match file {
            Ok(file) => file,
            Err(error) => {
                sums.unreadable += 1;
                watcher.unreadable(&error)?;
                continue;
            }
        };
        match verify_file(fs, &file, sums.bytes, total, watcher) {
            Ok(found) => {
                sums.files += 1;
                sums.blocks += found.blocks;
                sums.cells += found.cells;
                sums.was_interrupted = found.was_interrupted;
                sums.damaged += u64::from(!found.problems.is_empty());
                watcher.file(&file.path, &found)?;
            }
            Err(error) => {
                sums.unreadable += 1;
                watcher.unreadable(&error)?;
            }
        }
        sums.bytes += file.len;
        sums.was_interrupted = sums.was_interrupted || !watcher.progress(sums.bytes.min(total), total);
        if sums.was_interrupted {
            break;
        }
    }
    Ok(sums)
}

fn verify_file(
    fs: &Arc<dyn FileSystem>,
    file: &StoreFile,
    before: u64,
    total: u64,
    watcher: &mut dyn TreeWatcher,
) -> Result<Verification, InspectError> {
    let opened = fs.open(&file.path).map_err(InspectError::io(&file.path))?;
    let region = region_of(fs, &file.path);
    let bounds = region.as_ref().map_or_else(RowBounds::default, |region| RowBounds {
        start: &region.start_key,
        end: &region.end_key,
    });
    let mut watch = |done: u64| watcher.progress((before + done.min(file.len)).min(total), total);
    Ok(verify(opened, &file.path, bounds, &mut watch))
}

/// The region whose store file a path is: `ROOT/data/NAMESPACE/TABLE/REGION/FAMILY/FILE`. None where it is no such path,
/// and for hbase:meta, whose rows are not all that bytes can be.
fn region_of(fs: &Arc<dyn FileSystem>, file: &Path) -> Option<RegionInfo> {
    let path = std::path::absolute(file).ok()?;
    let mut ancestors = path.ancestors().skip(2);
    let (region, table, namespace) = (ancestors.next()?, ancestors.next()?, ancestors.next()?);
    let (data, root) = (ancestors.next()?, ancestors.next()?);
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    if name(data)? != "data" {
        return None;
    }
    let table = TableName::new(name(namespace)?.as_bytes(), name(table)?.as_bytes()).ok()?;
    let region = RootDir::new(Arc::clone(fs), root).read_region_info(&table, &name(region)?).ok()?;
    (!table.is_meta()).then_some(region)
}
