//! The store files of a region, by its name or its directory.

use crate::error::InspectError;
use finback_cell::region_info::hex_md5;
use finback_cell::{TableName, region_info};
use finback_fs::FileSystem;
use finback_layout::RootDir;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is in the directory of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionFiles {
    /// The directory.
    pub directory: PathBuf,
    /// The files in the directories of its families, in order.
    pub files: Vec<PathBuf>,
}

/// Finds the store files of `region`: its directory, or its name (`table,start key,id`, or with the encoded name behind
/// that) in the root directory `root`.
///
/// # Errors
/// No such region; the storage's.
pub fn store_files_of_region(
    fs: &Arc<dyn FileSystem>,
    root: &Path,
    region: &str,
) -> Result<RegionFiles, InspectError> {
    let is_directory = fs.metadata(region.as_ref()).is_ok_and(|found| found.is_dir);
    let directory = if is_directory { PathBuf::from(region) } else { directory_of(fs, root, region)? };
    let mut files = Vec::new();
    let entries = |path: &Path| {
        let mut entries = fs.list(path).map_err(InspectError::io(path))?;
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok::<_, InspectError>(entries)
    };
    // What begins with a full stop, and recovered.edits, is not a family's.
    let is_family = |name: &str| !name.starts_with('.') && name != "recovered.edits";
    for family in entries(&directory)?.into_iter().filter(|entry| entry.is_dir && is_family(&entry.name)) {
        let family = directory.join(&family.name);
        let found = entries(&family)?.into_iter().filter(|entry| !entry.is_dir);
        files.extend(found.map(|file| family.join(&file.name)));
    }
    Ok(RegionFiles { directory, files })
}

fn directory_of(fs: &Arc<dyn FileSystem>, root: &Path, name: &str) -> Result<PathBuf, InspectError> {
    let table = name.split(',').next().filter(|table| table.len() < name.len());
    let table = table.and_then(|table| TableName::parse(table.as_bytes()).ok());
    let table = table.ok_or_else(|| InspectError::NoRegion { name: name.to_owned() })?;
    Ok(RootDir::new(Arc::clone(fs), root).region_dir(&table, &encoded_name(&table, name)))
}

/// The name of the directory: at the end of a name, or the MD5 of one that has none there.
fn encoded_name(table: &TableName, name: &str) -> String {
    let at_the_end =
        name.strip_suffix('.').and_then(|name| name.rsplit_once('.')).map(|(_, encoded)| encoded);
    match at_the_end {
        Some(encoded) => encoded.to_owned(),
        None if table.is_meta() => region_info::META_ENCODED_NAME.to_owned(),
        None => hex_md5(name.as_bytes()),
    }
}
