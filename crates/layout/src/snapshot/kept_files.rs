//! Files that somebody needs who does not have them: snapshots, regions with links and references.

use std::{collections::HashSet, path::Path};

use finback_cell::region_info::hex_md5;
use finback_fs::DirEntry;
use finback_proto::pb;

use super::info::SNAPSHOT_INFO;
use super::manifest::{DATA_MANIFEST, REGION_MANIFEST, RegionFiles, read};
use crate::{LayoutError, Result, RootDir, StoreFileName};

/// What stands for a file: its name's digits, which are random. Two that have them in common are both kept.
#[derive(Debug, Default)]
pub(crate) struct KeptFiles(HashSet<u128>);

const DIGITS: usize = 32;

fn key(name: &str) -> u128 {
    let digits = name.get(..DIGITS).and_then(|digits| u128::from_str_radix(digits, 16).ok());
    // Another name is as good as its hash.
    digits.or_else(|| u128::from_str_radix(&hex_md5(name.as_bytes()), 16).ok()).unwrap_or_default()
}

impl KeptFiles {
    /// Whether somebody may need a file of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(&key(name))
    }

    /// Keeps what a store file of that name leads to; if it is part of a snapshot, also itself.
    fn keep(&mut self, name: &str, itself: bool) {
        if itself {
            self.0.insert(key(name));
        }
        match StoreFileName::parse(name) {
            Some(StoreFileName::Link(link)) => {
                self.0.insert(key(link.file));
            }
            Some(StoreFileName::Reference { file, .. }) => {
                self.0.insert(key(file));
                self.keep(file, false);
            }
            _ => {}
        }
    }

    fn keep_region(&mut self, files: &RegionFiles) {
        let files = files.families.iter().flat_map(|family| &family.files);
        files.for_each(|file| self.keep(&file.name, true));
    }
}

impl RootDir {
    /// All such files. Nobody may take a snapshot or make a table of one meanwhile.
    ///
    /// # Errors
    /// A snapshot that cannot be read: nobody knows what it needs; the storage's.
    pub(crate) fn kept_files(&self) -> Result<KeptFiles> {
        self.files_kept_for_others(None)
    }

    /// Whether a directory among those of tables has a file that a snapshot names, or to which a link or a reference leads that is not
    /// below it: in the archive it would be found, elsewhere not.
    ///
    /// # Errors
    /// A snapshot that cannot be read: nobody knows what it needs; the storage's.
    pub fn has_files_of_others(&self, dir: &Path) -> Result<bool> {
        let kept = self.files_kept_for_others(Some(dir))?;
        self.has_kept_file(dir, &kept)
    }

    fn has_kept_file(&self, dir: &Path, kept: &KeptFiles) -> Result<bool> {
        for entry in self.list_if_exists(dir)? {
            let is_kept = match entry.is_dir {
                true => self.has_kept_file(&dir.join(&entry.name), kept)?,
                false => kept.has(&entry.name),
            };
            if is_kept {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What is below `own` needs nothing.
    fn files_kept_for_others(&self, own: Option<&Path>) -> Result<KeptFiles> {
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
            self.keep_referred_to(&root.join("data"), own, &mut kept)?;
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

    /// What the store files below a directory of namespaces lead to, but for those below `own`.
    fn keep_referred_to(&self, data: &Path, own: Option<&Path>, kept: &mut KeptFiles) -> Result<()> {
        if own == Some(data) {
            return Ok(());
        }
        let below = |dir: &Path| -> Result<Vec<_>> {
            let entries = self.list_if_exists(dir)?.into_iter().filter(|entry| entry.is_dir);
            let mut dirs: Vec<_> = entries.map(|entry| dir.join(entry.name)).collect();
            dirs.retain(|dir| own != Some(dir.as_path()));
            Ok(dirs)
        };
        for namespace in below(data)? {
            for table in below(&namespace)? {
                for region in below(&table)? {
                    for family in below(&region)? {
                        for file in self.list_if_exists(&family)? {
                            kept.keep(&file.name, false);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
