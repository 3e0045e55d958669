//! Which table, or region, a directory is.

use super::Failure;
use finback_cell::TableName;
use finback_fs::FileSystem;
use finback_layout::RootDir;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `<root>/data/<namespace>/<table>[/<region>]`.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) root: RootDir,
    pub(super) table: TableName,
    /// Encoded name.
    pub(super) region: Option<String>,
}

impl Target {
    /// Understands a directory by its place in HBase's layout.
    pub(super) fn find(fs: &Arc<dyn FileSystem>, directory: &Path) -> Result<Self, Failure> {
        let path = std::fs::canonicalize(directory)
            .map_err(|error| format!("cannot find {}: {error}", directory.display()))?;
        let is_table = |path: &Path| path.join(".tabledesc").is_dir();
        let (table_dir, region) = match path.parent() {
            _ if is_table(&path) => (path.clone(), None),
            Some(parent) if is_table(parent) && path.join(".regioninfo").is_file() => {
                (parent.to_owned(), Some(name(&path)))
            }
            _ => return Err(format!("{} is no directory of a table or region", path.display())),
        };
        let root = root_of(&table_dir)
            .ok_or_else(|| format!("{} does not lie in ROOT/data/NAMESPACE", table_dir.display()))?;
        let namespace = table_dir.parent().map(name).unwrap_or_default();
        let full_name = format!("{namespace}:{}", name(&table_dir));
        let table = TableName::parse(full_name.as_bytes()).map_err(|error| error.to_string())?;
        Ok(Self { root: RootDir::new(Arc::clone(fs), root), table, region })
    }
}

fn root_of(table_dir: &Path) -> Option<PathBuf> {
    let data = table_dir.parent()?.parent()?;
    (data.file_name()? == "data").then(|| data.parent().map(Path::to_owned))?
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
