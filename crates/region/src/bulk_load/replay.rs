//! After a crash: loads that were decided are finished, others are removed.

use super::staged::{make_own, staged_name};
use crate::error::RegionError;
use crate::region::Region;
use crate::store_file::StoreFile;
use finback_cell::RegionInfo;
use finback_fs::FileSystem;
use finback_layout::{RootDir, StoreFileName};
use finback_proto::{Message, pb};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that a marker names.
struct Named {
    family: Vec<u8>,
    name: String,
    sequence_id: Option<u64>,
    staged: PathBuf,
    served: PathBuf,
    archived: PathBuf,
}

/// Where it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Staged,
    /// In its store, or past it: a compaction archived it.
    Placed,
    Missing,
}

impl Region {
    /// Carries out what the log says of a load. The renames begin when the marker is durable, and a load that fails is
    /// taken back file by file before any is removed. So:
    ///
    /// * one file is in its store: the load was decided, and those that wait are to follow;
    /// * none is, and all wait: it was decided, or nobody was told that it was not;
    /// * none is, and some are gone: it was taken back.
    pub(crate) fn replay_bulk_load(&self, descriptor: &[u8]) -> Result<(), RegionError> {
        let descriptor = pb::BulkLoadDescriptor::decode(descriptor)
            .map_err(|error| RegionError::Invalid(error.to_string()))?;
        let fs = self.environment.root.fs();
        let mut files = Vec::new();
        for store in &descriptor.stores {
            // A family that was dropped since takes no files.
            if self.store(&store.family_name).is_ok() {
                for name in &store.store_file {
                    let file = self.named(&store.family_name, name)?;
                    files.push((file.place(&self.environment.root)?, file));
                }
            }
        }
        let is = |place: Place| move |(at, _): &(Place, Named)| *at == place;
        self.serve_unlisted(&files)?;
        if !files.iter().any(is(Place::Staged)) {
            return Ok(());
        }
        if files.iter().any(is(Place::Missing)) && !files.iter().any(is(Place::Placed)) {
            tracing::warn!(region = %self.encoded_name, "a bulk load in the log was taken back");
            return Ok(());
        }
        for (_, file) in files.into_iter().filter(is(Place::Staged)) {
            let io =
                |result: std::io::Result<()>| result.map_err(|error| RegionError::io(&file.served, &error));
            io(file.served.parent().map_or(Ok(()), |dir| fs.create_dir_all(dir)))?;
            file.make_own(&**fs, &file.staged)?;
            let opened = StoreFile::open_as(&**fs, &file.staged, &file.served, file.sequence_id)?;
            io(fs.rename(&file.staged, &file.served))?;
            let store = self.store(&file.family)?;
            self.track(store, &[], std::slice::from_ref(&opened))?;
            store.add_file(opened);
            tracing::info!(region = %self.encoded_name, file = file.name, "bulk loaded as the log says");
        }
        Ok(())
    }

    /// Files that had their places when the server died, and were not in the lists of their stores yet, or had their old names still. One
    /// that a served file is the compaction of is in the list no more: it waits for the archive.
    fn serve_unlisted(&self, files: &[(Place, Named)]) -> Result<(), RegionError> {
        let fs = self.environment.root.fs();
        for (_, file) in files.iter().filter(|(place, _)| *place == Place::Placed) {
            let store = self.store(&file.family)?;
            let has_its_cells = |served: &Arc<StoreFile>| {
                served.name() == file.name
                    || served.compacted_files().iter().any(|input| input == file.name.as_bytes())
            };
            let is_there = fs.exists(&file.served).map_err(|error| RegionError::io(&file.served, &error))?;
            if is_there && file.make_own(&**fs, &file.served)? {
                let before = store.remove_files(std::slice::from_ref(&file.name));
                if !before.is_empty() {
                    store.add_file(StoreFile::open_as(&**fs, &file.served, &file.served, file.sequence_id)?);
                }
            }
            let is_served = store.files().iter().any(has_its_cells);
            if !is_served && is_there {
                let opened = StoreFile::open_as(&**fs, &file.served, &file.served, file.sequence_id)?;
                self.track(store, &[], std::slice::from_ref(&opened))?;
                store.add_file(opened);
                tracing::info!(region = %self.encoded_name, file = file.name, "bulk loaded, and not listed yet");
            }
        }
        Ok(())
    }

    fn named(&self, family: &[u8], name: &str) -> Result<Named, RegionError> {
        let sequence_id = match StoreFileName::parse(name) {
            Some(name @ (StoreFileName::Plain | StoreFileName::BulkLoaded { .. })) => name.bulk_sequence_id(),
            _ => return Err(RegionError::Invalid(format!("a bulk load in the log has the file {name:?}"))),
        };
        let root = &self.environment.root;
        let (table, region) = (&self.info.table, &self.encoded_name);
        Ok(Named {
            family: family.to_vec(),
            name: name.to_owned(),
            sequence_id,
            staged: root.family_bulk_load_dir(table, region, family).join(staged_name(name)),
            served: root.family_dir(table, region, family).join(name),
            archived: root.archived_family_dir(table, region, family).join(name),
        })
    }
}

impl Named {
    fn make_own(&self, fs: &dyn FileSystem, path: &Path) -> Result<bool, RegionError> {
        make_own(fs, path, self.staged.parent().unwrap_or(path))
    }

    fn place(&self, root: &RootDir) -> Result<Place, RegionError> {
        let is_at = |path: &PathBuf| root.fs().exists(path).map_err(|error| RegionError::io(path, &error));
        Ok(if is_at(&self.served)? || is_at(&self.archived)? {
            Place::Placed
        } else if is_at(&self.staged)? {
            Place::Staged
        } else {
            Place::Missing
        })
    }
}

/// Removes what loads left that were not decided. To be called after the replay.
pub(crate) fn sweep_staged(root: &RootDir, info: &RegionInfo) -> Result<(), RegionError> {
    let dir = root.region_bulk_load_dir(&info.table, &info.encoded_name());
    match root.fs().remove_dir_all(&dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(RegionError::io(dir, &error)),
        _ => Ok(()),
    }
}
