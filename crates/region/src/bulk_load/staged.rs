//! Files on their way from the client's directory into the stores.

use super::BulkLoadFile;
use crate::error::RegionError;
use crate::region::Region;
use crate::store_file::StoreFile;
use finback_fs::{FileSystem, NextRead};
use finback_layout::new_store_file_name;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How much of a file is copied at once, in bytes.
const COPY_BYTES: usize = 1 << 20;

/// One file under way.
#[derive(Debug)]
pub(crate) struct StagedFile {
    pub(crate) family: Vec<u8>,
    /// Where the client has it.
    pub(crate) source: PathBuf,
    /// `.bulk_load/<family>/<hex>`
    pub(crate) staged: PathBuf,
    /// `<family>/<hex>` or `<family>/<hex>_SeqId_<n>_`
    pub(crate) served: PathBuf,
}

/// The files of a load under way. Dropped, it removes what is staged.
pub(crate) struct Staged<'a> {
    region: &'a Region,
    files: Vec<StagedFile>,
}

/// The name under which a store file waits: what comes before the sequence id.
pub(super) fn staged_name(served: &str) -> &str {
    served.split_once('_').map_or(served, |(hex, _)| hex)
}

impl<'a> Staged<'a> {
    /// Gives each file a second name in the region's directory, or copies it there: durably.
    pub(super) fn stage(region: &'a Region, files: &[BulkLoadFile], copy: bool) -> Result<Self, RegionError> {
        let root = &region.environment.root;
        let (table, name) = (&region.info.table, &region.encoded_name);
        // From here on an early return removes what was staged.
        let mut staged = Self { region, files: Vec::with_capacity(files.len()) };
        for file in files {
            let dir = root.family_bulk_load_dir(table, name, &file.family);
            at(&dir, root.fs().create_dir_all(&dir))?;
            let hex = new_store_file_name()?;
            staged.files.push(StagedFile {
                family: file.family.clone(),
                source: file.path.clone(),
                staged: dir.join(&hex),
                served: root.family_dir(table, name, &file.family).join(hex),
            });
            if let Some(file) = staged.files.last() {
                at(&file.source, bring(&**root.fs(), &file.source, &file.staged, copy))?;
            }
        }
        staged.sync_dirs()?;
        Ok(staged)
    }

    /// Files that an earlier load left.
    pub(super) fn attach(region: &'a Region, files: Vec<StagedFile>) -> Self {
        Self { region, files }
    }

    /// Gives the files up without touching them.
    pub(super) fn detach(&mut self) -> Vec<StagedFile> {
        std::mem::take(&mut self.files)
    }

    /// The files have their places: nothing is left to be removed.
    pub(super) fn keep(&mut self) {
        self.files.clear();
    }

    pub(super) fn files(&self) -> &[StagedFile] {
        &self.files
    }

    /// Puts the sequence id into the names.
    pub(super) fn name(&mut self, sequence_id: Option<u64>) {
        let Some(sequence_id) = sequence_id else { return };
        for file in &mut self.files {
            file.served.as_mut_os_string().push(format!("_SeqId_{sequence_id}_"));
        }
    }

    pub(super) fn create_family_dirs(&self) -> Result<(), RegionError> {
        let dirs: BTreeSet<&Path> = self.files.iter().filter_map(|file| file.served.parent()).collect();
        dirs.into_iter().try_for_each(|dir| at(dir, self.fs().create_dir_all(dir)))
    }

    /// Opens the files as what they are going to be.
    pub(super) fn open(&self, sequence_id: Option<u64>) -> Result<Vec<Arc<StoreFile>>, RegionError> {
        let open = |file: &StagedFile| StoreFile::open_as(self.fs(), &file.staged, &file.served, sequence_id);
        self.files.iter().map(open).collect()
    }

    /// Renames the files into their stores.
    pub(super) fn place(&self) -> Result<(), RegionError> {
        self.files.iter().try_for_each(|file| at(&file.served, self.fs().rename(&file.staged, &file.served)))
    }

    /// Renames those that are in their stores back, all before any is removed: an opening that finds one in its store takes
    /// the load for decided. Then removes them, durably: an opening that finds all of them would carry the load out.
    pub(super) fn take_back(&mut self) -> Result<(), RegionError> {
        for file in &self.files {
            // With a list that names a file which is gone no region opens.
            self.region.settle_list(self.region.store(&file.family)?)?;
        }
        for file in &self.files {
            if self.fs().exists(&file.served).map_err(|error| RegionError::io(&file.served, &error))? {
                at(&file.served, self.fs().rename(&file.served, &file.staged))?;
            }
        }
        for file in &self.files {
            match self.fs().remove_file(&file.staged) {
                Err(error) if error.kind() != ErrorKind::NotFound => at(&file.staged, Err(error))?,
                _ => {}
            }
        }
        self.sync_dirs()?;
        self.files.clear();
        Ok(())
    }

    fn fs(&self) -> &dyn FileSystem {
        &**self.region.environment.root.fs()
    }

    fn sync_dirs(&self) -> Result<(), RegionError> {
        let dirs: BTreeSet<&Path> = self.files.iter().filter_map(|file| file.staged.parent()).collect();
        dirs.into_iter().try_for_each(|dir| at(dir, self.fs().sync_dir(dir)))
    }
}

impl Drop for Staged<'_> {
    /// Best effort: an opening of the region sweeps what stays.
    fn drop(&mut self) {
        if self.files.is_empty() {
            return;
        }
        for file in &self.files {
            let _ = self.fs().remove_file(&file.staged);
        }
        let _ = self.sync_dirs();
    }
}

fn at<T>(path: &Path, result: std::io::Result<T>) -> Result<T, RegionError> {
    result.map_err(|error| RegionError::io(path, &error))
}

/// Sees to it that what is done under another name of a file, the client's, is not done to this one. Whether it was copied for that; `dir`
/// is of the same device.
pub(super) fn make_own(fs: &dyn FileSystem, path: &Path, dir: &Path) -> Result<bool, RegionError> {
    if !at(path, fs.has_other_names(path))? {
        return Ok(false);
    }
    at(dir, fs.create_dir_all(dir))?;
    let copy = dir.join(new_store_file_name()?);
    at(path, bring(fs, path, &copy, true).and_then(|()| fs.rename(&copy, path)))?;
    Ok(true)
}

/// A second name for `from`, durable but for the name; a copy where that is asked for, or is all that there is.
fn bring(fs: &dyn FileSystem, from: &Path, to: &Path, copy: bool) -> std::io::Result<()> {
    // Whoever wrote it may not have: the load is answered only when it survives a crash.
    fs.sync_file(from)?;
    if !copy {
        // A file that is somebody else's cannot be given its time when it goes to the archive.
        match fs.hard_link(from, to).and_then(|()| fs.touch(to)) {
            // No links here, or not of other people's files.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::Unsupported | ErrorKind::CrossesDevices | ErrorKind::PermissionDenied
                ) => {}
            done => return done,
        }
        match fs.remove_file(to) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    let source = fs.open(from)?;
    let mut target = fs.create_large(to, NextRead::Later)?;
    let mut buffer = vec![0; COPY_BYTES];
    loop {
        let read = source.read_at(target.len(), &mut buffer)?;
        if read == 0 {
            return target.sync_data();
        }
        target.append(&buffer[..read])?;
    }
}
