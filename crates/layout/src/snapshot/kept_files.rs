//! Files that somebody needs who does not have them: snapshots, regions with links and references.

use std::{
    collections::{HashMap, hash_map::Entry},
    path::Path,
    sync::Arc,
};

use finback_cell::region_info::hex_md5;
use finback_fs::DirEntry;
use finback_proto::pb;

use super::info::SNAPSHOT_INFO;
use super::manifest::{DATA_MANIFEST, REGION_MANIFEST, RegionFiles, read};
use crate::{LayoutError, MobFileName, Result, RootDir, StoreFileName};

/// What stands for a file: its name's digits, which are random. Two that have them in common are both kept. With it the directory
/// that has all that leads there; none where a snapshot does.
#[derive(Debug, Default)]
pub struct KeptFiles(HashMap<u128, Option<Arc<Path>>>);

const DIGITS: usize = 32;
/// Of a MOB file's name these are random. The first ones are those of all files of regions that begin with the same row.
const MOB_DIGITS: std::ops::Range<usize> = 40..72;

fn key(name: &str) -> u128 {
    // Of two in the archive that have the same name the older one has its time behind it.
    let first = name.split_once('.').map_or(name, |(first, _)| first);
    let digits = match MobFileName::parse(first) {
        Some(_) => name.get(MOB_DIGITS),
        None => name.get(..DIGITS),
    };
    let digits = digits.and_then(|digits| u128::from_str_radix(digits, 16).ok());
    // Another name is as good as its hash.
    digits.or_else(|| u128::from_str_radix(&hex_md5(name.as_bytes()), 16).ok()).unwrap_or_default()
}

impl KeptFiles {
    /// Whether somebody may need a file of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(&key(name))
    }

    /// Whether somebody outside of a directory may need a file of that name.
    fn has_for_others(&self, name: &str, dir: &Path) -> bool {
        let is_other = |from: &Option<Arc<Path>>| from.as_ref().is_none_or(|from| !from.starts_with(dir));
        self.0.get(&key(name)).is_some_and(is_other)
    }

    /// Keeps a file for what is in the directory `from`, or for a snapshot.
    fn add(&mut self, name: &str, from: Option<&Arc<Path>>) {
        match self.0.entry(key(name)) {
            Entry::Vacant(entry) => {
                entry.insert(from.cloned());
            }
            Entry::Occupied(mut entry) => {
                let both = entry.get().as_ref().zip(from).map(|(before, from)| common(before, from));
                entry.insert(both);
            }
        }
    }

    /// Keeps what a store file of that name in the directory `from` leads to; if it is part of a snapshot, also itself.
    fn keep(&mut self, name: &str, from: Option<&Arc<Path>>) {
        if from.is_none() {
            self.add(name, from);
        }
        match StoreFileName::parse(name) {
            Some(StoreFileName::Link(link)) => self.add(link.file, from),
            Some(StoreFileName::Reference { file, .. }) => {
                self.add(file, from);
                self.keep(file, from);
            }
            _ => {}
        }
    }

    fn keep_region(&mut self, files: &RegionFiles) {
        let files = files.families.iter().flat_map(|family| &family.files);
        files.for_each(|file| self.keep(&file.name, None));
    }
}

/// The nearest directory that has both, or is one of them.
fn common(a: &Arc<Path>, b: &Path) -> Arc<Path> {
    if b.starts_with(a) {
        return Arc::clone(a);
    }
    a.ancestors().find(|dir| b.starts_with(dir)).unwrap_or(Path::new("")).into()
}

impl RootDir {
    /// Whether a directory among those of tables has a file that a snapshot names, or to which a link or a reference leads that is not
    /// below it: in the archive it would be found, elsewhere not. `kept`: what there is of [`kept_files`](Self::kept_files).
    ///
    /// # Errors
    /// The storage's.
    pub fn has_files_of_others(&self, dir: &Path, kept: &KeptFiles) -> Result<bool> {
        self.has_file_for_others(dir, dir, kept)
    }

    /// Whether there is such a file in `dir`, for who is not below `own`.
    fn has_file_for_others(&self, dir: &Path, own: &Path, kept: &KeptFiles) -> Result<bool> {
        for entry in self.list_if_exists(dir)? {
            let is_kept = match entry.is_dir {
                true => self.has_file_for_others(&dir.join(&entry.name), own, kept)?,
                false => kept.has_for_others(&entry.name, own),
            };
            if is_kept {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// All such files, by a walk through all tables. Nobody may take a snapshot or make a table of one meanwhile.
    ///
    /// # Errors
    /// A snapshot that cannot be read: nobody knows what it needs; the storage's.
    pub fn kept_files(&self) -> Result<KeptFiles> {
        let mut kept = KeptFiles::default();
        for name in self.snapshot_names()? {
            match self.read_snapshot_manifest(&name) {
                Ok(manifest) => manifest.regions.iter().for_each(|files| kept.keep_region(files)),
                // It was removed meanwhile.
                Err(error) if error.is_not_found() && !self.snapshot_exists(&name)? => {}
                Err(_) if !self.has_a_snapshot(&name)? => {
                    tracing::warn!(directory = %self.snapshot_dir(&name)?.display(), "no snapshot, and nothing is kept for it");
                }
                Err(error) => return Err(error),
            }
        }
        for snapshot in self.list_if_exists(&self.working_snapshots_dir())? {
            if snapshot.is_dir {
                self.keep_working(&self.working_snapshots_dir().join(snapshot.name), &mut kept)?;
            }
        }
        for root in [self.path().to_owned(), self.temp_dir(), self.mob_dir()] {
            self.keep_referred_to(&root.join("data"), &mut kept)?;
        }
        Ok(kept)
    }

    /// Whether the directory has anything of a snapshot. One that was made by mistake is not to keep the archive from being cleaned.
    fn has_a_snapshot(&self, name: &str) -> Result<bool> {
        let dir = self.snapshot_dir(name)?;
        let is_part = |entry: &DirEntry| {
            entry.is_dir
                || [SNAPSHOT_INFO, DATA_MANIFEST].contains(&&entry.name[..])
                || entry.name.starts_with(REGION_MANIFEST)
        };
        Ok(self.list_if_exists(&dir)?.iter().any(is_part))
    }

    /// What there is of a snapshot that is being taken.
    fn keep_working(&self, dir: &Path, kept: &mut KeptFiles) -> Result<()> {
        for entry in self.list_if_exists(dir)? {
            let path = dir.join(&entry.name);
            let regions = if entry.name == DATA_MANIFEST {
                read::<pb::SnapshotDataManifest>(&**self.fs(), &path).map(|all| all.region_manifests)
            } else if entry.name.starts_with(REGION_MANIFEST) {
                read::<pb::SnapshotRegionManifest>(&**self.fs(), &path).map(|region| vec![region])
            } else {
                continue;
            };
            let regions = match regions {
                Err(error) if error.is_not_found() => continue,
                read => read?,
            };
            for region in regions {
                let files = RegionFiles::of(&region);
                let files = files.map_err(|reason| LayoutError::Corrupt { path: path.clone(), reason })?;
                kept.keep_region(&files);
            }
        }
        Ok(())
    }

    /// What the store files below a directory of namespaces lead to.
    fn keep_referred_to(&self, data: &Path, kept: &mut KeptFiles) -> Result<()> {
        let below = |dir: &Path| -> Result<Vec<_>> {
            let entries = self.list_if_exists(dir)?.into_iter().filter(|entry| entry.is_dir);
            Ok(entries.map(|entry| dir.join(entry.name)).collect())
        };
        for namespace in below(data)? {
            for table in below(&namespace)? {
                for region in below(&table)? {
                    for family in below(&region)? {
                        let family: Arc<Path> = family.into();
                        for file in self.list_if_exists(&family)? {
                            kept.keep(&file.name, Some(&family));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
