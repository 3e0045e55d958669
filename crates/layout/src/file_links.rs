//! Links to store files, and how the file knows of them:
//!
//! ```text
//! data/<ns>/<table>/<region>/<family>/[<ns>=]<table>=<region>-<file>                 a link: empty
//! archive/data/<ns>/<table>/<region>/<family>/.links-<file>/<region>.[<ns>=]<table>  its back reference: empty
//! ```

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use finback_cell::TableName;

use crate::{FileLink, Result, RootDir, error::At};

/// What back references to a file are below, in the archive.
pub(crate) const LINKS_PREFIX: &str = ".links-";

impl RootDir {
    /// Where a file is told that a region has a link to it. It is told before the link is there.
    pub(crate) fn back_reference(
        &self,
        link: &FileLink<'_>,
        family: &[u8],
        (table, region): (&TableName, &str),
    ) -> PathBuf {
        let archived = self.archived_family_dir(&link.table, link.region, family);
        let table = table.to_string().replace(':', "=");
        archived.join(format!("{LINKS_PREFIX}{}", link.file)).join(format!("{region}.{table}"))
    }

    /// Makes empty files, durably; those that are there stay.
    pub(crate) fn create_empty(&self, paths: &[PathBuf]) -> Result<()> {
        let dirs: BTreeSet<&Path> = paths.iter().filter_map(|path| path.parent()).collect();
        let dirs: Vec<PathBuf> = dirs.into_iter().map(Path::to_owned).collect();
        if let Some(first) = dirs.first() {
            self.fs().create_dirs_all(&dirs).at(first)?;
        }
        for path in paths {
            match self.fs().create_new(path) {
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                    return Err(error).at(path);
                }
                _ => {}
            }
        }
        dirs.iter().try_for_each(|dir| self.fs().sync_dir(dir).at(dir))
    }
}
