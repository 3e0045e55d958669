//! ```text
//! hbase.version:  "PBUF" | HBaseVersionFileContent{version}
//! hbase.id:       "PBUF" | ClusterId{cluster_id}
//! ```

use std::path::PathBuf;

use finback_cell::{RegionInfo, TableDescriptor};
use finback_fs::write_file_durably;
use finback_proto::{pb, pbuf};

use crate::{
    LayoutError, Result, RootDir, error::At, region_dir::region_info_file, small_file,
    table_descriptor::first_descriptor_file,
};

/// The layout version of HBase 1 to 3.
pub const LAYOUT_VERSION: &str = "8";

impl RootDir {
    /// Makes an empty directory a root directory, or checks an existing one; the cluster's id.
    ///
    /// The version file is written last, so a start that was cut off is simply repeated.
    ///
    /// # Errors
    /// [`LayoutError::Version`], [`LayoutError::VersionMissing`], [`LayoutError::Corrupt`], or the storage's.
    pub fn initialize(&self) -> Result<String> {
        match self.check_version()? {
            true => self.fill(None),
            false => self.complete(),
        }
    }

    /// As [`initialize`](Self::initialize), and makes sure of the directory of hbase:meta, with this descriptor if it is new.
    ///
    /// # Errors
    /// As [`initialize`](Self::initialize).
    pub fn initialize_with_meta(&self, meta: &TableDescriptor) -> Result<String> {
        if self.check_version()? {
            return self.fill(Some(meta));
        }
        let id = self.complete()?;
        self.create_region_dir(&RegionInfo::meta())?;
        match self.read_table_descriptor(&meta.name) {
            Err(e) if e.is_not_found() => self.write_table_descriptor(meta)?,
            other => drop(other?),
        }
        Ok(id)
    }

    fn dirs(&self) -> Vec<PathBuf> {
        let namespaces = ["default", "hbase"].map(|namespace| self.namespace_dir(namespace));
        let others = [self.temp_dir(), self.archive_dir(), self.wals_dir(), self.old_wals_dir()];
        namespaces.into_iter().chain(others).collect()
    }

    /// Fills a directory that is not initialised. What an earlier attempt left is replaced: nobody has seen it.
    fn fill(&self, meta: Option<&TableDescriptor>) -> Result<String> {
        let id = new_uuid()?;
        let mut files =
            vec![(self.cluster_id_file(), pbuf::encode(&pb::ClusterId { cluster_id: id.clone() }))];
        if let Some(meta) = meta {
            let dir = self.table_dir(&meta.name);
            files.push(region_info_file(&dir, &RegionInfo::meta()));
            files.push(first_descriptor_file(&dir, meta));
        }
        let parents = files.iter().filter_map(|(path, _)| path.parent().map(Into::into));
        let dirs: Vec<PathBuf> = self.dirs().into_iter().chain(parents).collect();
        self.fs().create_dirs_all(&dirs).at(self.path())?;
        for (path, _) in &files {
            small_file::remove_if_exists(&**self.fs(), path)?;
        }
        small_file::write_all_new(&**self.fs(), &files)?;
        let content = pb::HBaseVersionFileContent { version: LAYOUT_VERSION.to_owned() };
        let path = self.version_file();
        write_file_durably(&**self.fs(), &path, &pbuf::encode(&content)).at(&path)?;
        Ok(id)
    }

    /// Adds what is missing in an initialised directory, perhaps one of HBase's.
    fn complete(&self) -> Result<String> {
        for dir in self.dirs() {
            if !self.fs().exists(&dir).at(&dir)? {
                self.fs().create_dir_all(&dir).at(&dir)?;
            }
        }
        match self.cluster_id() {
            Err(e) if e.is_not_found() => self.write_cluster_id(),
            other => other,
        }
    }

    /// The cluster's id.
    ///
    /// # Errors
    /// [`LayoutError::Io`] with `NotFound` before the first start; [`LayoutError::Corrupt`].
    pub fn cluster_id(&self) -> Result<String> {
        let path = self.cluster_id_file();
        let bytes = small_file::read(&**self.fs(), &path)?;
        // Very old versions wrote the bare text.
        if !bytes.starts_with(pbuf::MAGIC) {
            let text = String::from_utf8(bytes).ok().map(|text| text.trim().to_owned());
            return text
                .filter(|text| !text.is_empty())
                .ok_or_else(|| LayoutError::Corrupt { path, reason: "neither PBUF nor text".into() });
        }
        let id: pb::ClusterId = pbuf::decode(&bytes, "ClusterId")
            .map_err(|e| LayoutError::Corrupt { path: path.clone(), reason: e.to_string() })?;
        if id.cluster_id.is_empty() {
            return Err(LayoutError::Corrupt { path, reason: "no id in it".into() });
        }
        Ok(id.cluster_id)
    }

    fn write_cluster_id(&self) -> Result<String> {
        let id = new_uuid()?;
        let path = self.cluster_id_file();
        let content = pbuf::encode(&pb::ClusterId { cluster_id: id.clone() });
        write_file_durably(&**self.fs(), &path, &content).at(&path)?;
        Ok(id)
    }

    /// Something that only an initialised directory has: a table, or a family of hbase:meta.
    fn evidence_of_data(&self) -> Result<Option<PathBuf>> {
        let meta = RegionInfo::meta();
        for table in self.list_tables()? {
            if table != meta.table {
                return Ok(Some(self.table_dir(&table)));
            }
        }
        let families = self.list_families(&meta.table, &meta.encoded_name())?;
        Ok(families
            .first()
            .map(|family| self.family_dir(&meta.table, &meta.encoded_name(), family.as_bytes())))
    }

    /// Whether the directory is still to be initialised.
    fn check_version(&self) -> Result<bool> {
        let path = self.version_file();
        let bytes = match small_file::read(&**self.fs(), &path) {
            Ok(bytes) => bytes,
            Err(e) if e.is_not_found() => {
                return match self.evidence_of_data()? {
                    Some(evidence) => Err(LayoutError::VersionMissing { path, evidence }),
                    None => Ok(true),
                };
            }
            Err(e) => return Err(e),
        };
        let version: pb::HBaseVersionFileContent = pbuf::decode(&bytes, "HBaseVersionFileContent")
            .map_err(|e| LayoutError::Corrupt { path: path.clone(), reason: e.to_string() })?;
        match version.version == LAYOUT_VERSION {
            true => Ok(false),
            false => Err(LayoutError::Version { path, found: version.version }),
        }
    }
}

/// Sixteen random bytes.
pub(crate) fn random_bytes() -> Result<[u8; 16]> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|e| LayoutError::Random(e.to_string()))?;
    Ok(bytes)
}

/// A random UUID (version 4) as text.
fn new_uuid() -> Result<String> {
    let mut bytes = random_bytes()?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]))
}
