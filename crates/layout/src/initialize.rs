//! ```text
//! hbase.version:  "PBUF" | HBaseVersionFileContent{version}
//! hbase.id:       "PBUF" | ClusterId{cluster_id}
//! ```

use finback_proto::{pb, pbuf};

use crate::{LayoutError, Result, RootDir, error::At, small_file};
use finback_fs::write_file_durably;

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
        let fresh = self.check_version()?;
        for dir in [
            self.temp_dir(),
            self.namespace_dir("default"),
            self.namespace_dir("hbase"),
            self.archive_dir(),
            self.wals_dir(),
            self.old_wals_dir(),
        ] {
            if fresh || !self.fs().exists(&dir).at(&dir)? {
                self.fs().create_dir_all(&dir).at(&dir)?;
            }
        }
        let id = match self.cluster_id() {
            Ok(id) => id,
            Err(e) if e.is_not_found() => self.write_cluster_id()?,
            Err(e) => return Err(e),
        };
        if fresh {
            let content = pb::HBaseVersionFileContent { version: LAYOUT_VERSION.to_owned() };
            let path = self.version_file();
            write_file_durably(&**self.fs(), &path, &pbuf::encode(&content)).at(&path)?;
        }
        Ok(id)
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

    /// Whether the directory is still to be initialised.
    fn check_version(&self) -> Result<bool> {
        let path = self.version_file();
        let bytes = match small_file::read(&**self.fs(), &path) {
            Ok(bytes) => bytes,
            Err(e) if e.is_not_found() => {
                let evidence = self.table_dir(&finback_cell::TableName::meta());
                return match self.fs().exists(&evidence).at(&evidence)? {
                    true => Err(LayoutError::VersionMissing { path, evidence }),
                    false => Ok(true),
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
