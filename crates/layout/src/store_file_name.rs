//! ```text
//! <32 hex>                                  output of a flush or a compaction
//! <32 hex>_SeqId_<n>_                       bulk loaded
//! <store file>.<encoded region>             reference to (half of) a file of another region
//! [<ns>=]<table>=<encoded region>-<file>    link to a file of another table, or of another region
//! ```

use finback_cell::TableName;

use crate::{MobFileName, Result, initialize::random_bytes, region_dir::is_encoded_name};

/// What the name of a file in a family's directory says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreFileName<'a> {
    /// Output of a flush or a compaction.
    Plain,
    /// Bulk loaded: all its cells take this sequence id.
    BulkLoaded {
        /// The number in the name.
        sequence_id: u64,
    },
    /// A reference to another region's file.
    Reference {
        /// Name of the file there: plain, bulk loaded, or a link's.
        file: &'a str,
        /// Encoded name of the other region of the table.
        region: &'a str,
    },
    /// A link to another table's file, or another region's.
    Link(FileLink<'a>),
}

/// Where the file of a link is, or was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLink<'a> {
    /// The table.
    pub table: TableName,
    /// Encoded name of the region.
    pub region: &'a str,
    /// Name of the file.
    pub file: &'a str,
}

impl<'a> StoreFileName<'a> {
    /// Reads a name; `None` if it is not that of a store file (HBase ignores such files).
    pub fn parse(name: &'a str) -> Option<Self> {
        if let Some((file, region)) = name.rsplit_once('.').filter(|(_, region)| is_encoded_name(region)) {
            let is_reference = matches!(Self::parse(file)?, Self::Reference { .. });
            return (!is_reference).then_some(Self::Reference { file, region });
        }
        if name.contains('=') {
            return FileLink::parse(name).map(Self::Link);
        }
        match name.split_once('_') {
            None => is_hex(name).then_some(Self::Plain),
            Some((hex, "del")) => is_hex(hex).then_some(Self::Plain),
            Some((hex, rest)) if is_hex(hex) => {
                let number = rest.strip_prefix("SeqId_")?.strip_suffix('_')?;
                let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
                let sequence_id = number.parse().ok().filter(|_| digits)?;
                Some(Self::BulkLoaded { sequence_id })
            }
            Some(_) => None,
        }
    }

    /// Whether its cells are in the file itself: one that is empty has none, then.
    pub fn has_cells(&self) -> bool {
        matches!(self, Self::Plain | Self::BulkLoaded { .. })
    }

    /// The sequence id of all cells of a file that was bulk loaded, also where it is referred to.
    pub fn bulk_sequence_id(&self) -> Option<u64> {
        match self {
            Self::Plain => None,
            Self::BulkLoaded { sequence_id } => Some(*sequence_id),
            Self::Reference { file, .. } => Self::parse(file)?.bulk_sequence_id(),
            Self::Link(link) => Self::parse(link.file)?.bulk_sequence_id(),
        }
    }
}

impl<'a> FileLink<'a> {
    fn parse(name: &'a str) -> Option<Self> {
        let (table, rest) = name.rsplit_once('=')?;
        let (region, file) = rest.split_once('-')?;
        let is_file = matches!(
            StoreFileName::parse(file),
            Some(StoreFileName::Plain | StoreFileName::BulkLoaded { .. })
        ) || MobFileName::parse(file).is_some();
        let (namespace, qualifier) = table.split_once('=').unwrap_or(("default", table));
        let table = TableName::new(namespace.as_bytes(), qualifier.as_bytes()).ok()?;
        (is_encoded_name(region) && is_file).then_some(Self { table, region, file })
    }
}

impl std::fmt::Display for FileLink<'_> {
    /// The name of the link.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.table.namespace() != "default" {
            write!(f, "{}=", self.table.namespace())?;
        }
        write!(f, "{}={}-{}", self.table.qualifier(), self.region, self.file)
    }
}

/// A new random name for a store file: 32 hexadecimal digits.
///
/// # Errors
/// [`crate::LayoutError::Random`].
pub fn new_store_file_name() -> Result<String> {
    Ok(format!("{:032x}", u128::from_be_bytes(random_bytes()?)))
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
mod tests;
