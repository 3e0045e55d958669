//! ```text
//! <32 hex>                                  output of a flush or a compaction
//! <32 hex>_SeqId_<n>_                       bulk loaded
//! <store file>.<encoded region>             reference to (half of) a file of another region
//! [<ns>=]<table>=<encoded region>-<file>    link to a file of another table
//! ```

use crate::{Result, initialize::random_bytes};

/// What the name of a file in a family's directory says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFileName {
    /// Output of a flush or a compaction.
    Plain,
    /// Bulk loaded: all its cells take this sequence id.
    BulkLoaded {
        /// The number in the name.
        sequence_id: u64,
    },
    /// A reference to another region's file.
    Reference,
    /// A link to another table's file.
    Link,
}

impl StoreFileName {
    /// Reads a name; `None` if it is not that of a store file (HBase ignores such files).
    pub fn parse(name: &str) -> Option<Self> {
        if let Some((file, region)) = name.rsplit_once('.') {
            let referred = Self::parse(file)?;
            let valid = crate::region_dir::is_encoded_name(region) && referred != Self::Reference;
            return valid.then_some(Self::Reference);
        }
        if name.contains('=') {
            return is_link(name).then_some(Self::Link);
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

fn is_link(name: &str) -> bool {
    let Some((table, rest)) = name.rsplit_once('=') else { return false };
    let Some((region, file)) = rest.split_once('-') else { return false };
    let target = matches!(StoreFileName::parse(file), Some(StoreFileName::Plain | StoreFileName::BulkLoaded { .. }))
        // A file of the MOB region: <md5><date><uuid>_<region>.
        || file.split_once('_').is_some_and(|(head, tail)| is_hex(head) && is_hex(tail));
    !table.is_empty() && crate::region_dir::is_encoded_name(region) && target
}

#[cfg(test)]
mod tests;
