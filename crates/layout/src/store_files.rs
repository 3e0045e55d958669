use std::path::PathBuf;

use finback_cell::TableName;

use crate::{LayoutError, Result, RootDir, StoreFileName};

/// A store file that a region serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFileEntry {
    /// File name.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Length in bytes.
    pub len: u64,
    /// The sequence id in the name of a bulk-loaded file.
    pub bulk_sequence_id: Option<u64>,
}

impl RootDir {
    /// The store files of a family, in order of name. Empty files and names that are none of a store file's are left out,
    /// as HBase does.
    ///
    /// # Errors
    /// [`LayoutError::Unsupported`] for references, links and families whose files are listed in `.filelist`: leaving
    /// them out would hide data. The storage's.
    pub fn list_store_files(
        &self,
        table: &TableName,
        region: &str,
        family: &[u8],
    ) -> Result<Vec<StoreFileEntry>> {
        let dir = self.family_dir(table, region, family);
        let mut files = Vec::new();
        for entry in self.list_if_exists(&dir)? {
            let path = dir.join(&entry.name);
            let unsupported = |what| Err(LayoutError::Unsupported { path: path.clone(), what });
            if entry.is_dir {
                if entry.name == ".filelist" {
                    return unsupported("a list of store files (store file tracker FILE)");
                }
                continue;
            }
            let bulk_sequence_id = match StoreFileName::parse(&entry.name) {
                Some(StoreFileName::Reference) => return unsupported("a reference to another region's file"),
                Some(StoreFileName::Link) => return unsupported("a link to another table's file"),
                Some(StoreFileName::Plain) => None,
                Some(StoreFileName::BulkLoaded { sequence_id }) => Some(sequence_id),
                None => continue,
            };
            if entry.len == 0 {
                tracing::warn!(path = %path.display(), "empty store file, ignored");
                continue;
            }
            files.push(StoreFileEntry { name: entry.name, path, len: entry.len, bulk_sequence_id });
        }
        Ok(files)
    }
}
