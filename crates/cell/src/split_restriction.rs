//! Where a table may be split at all: HBase's `RegionSplitRestriction`, which keeps rows of one prefix in one region.

use crate::{Bytes, TableDescriptor};

const TYPE: &str = "hbase.regionserver.region.split_restriction.type";
const PREFIX_LENGTH: &str = "hbase.regionserver.region.split_restriction.prefix_length";
const DELIMITER: &str = "hbase.regionserver.region.split_restriction.delimiter";

/// A server's settings of HBase's names; each may be a table's own, as an attribute of the same name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitRestriction {
    /// `hbase.regionserver.region.split_restriction.type`: `KeyPrefix`, `DelimitedKeyPrefix`; whatever else is none.
    pub kind: String,
    /// `hbase.regionserver.region.split_restriction.prefix_length`: bytes of a prefix.
    pub prefix_length: String,
    /// `hbase.regionserver.region.split_restriction.delimiter`: what a prefix ends before.
    pub delimiter: String,
}

impl SplitRestriction {
    /// The border that a split of the table at `row` gets: the row's prefix, or the row where there is none. A restriction that
    /// lacks what it needs is none.
    pub fn border(&self, table: &TableDescriptor, row: Bytes) -> Bytes {
        let own = |key: &str, servers: &str| table.attribute(key).unwrap_or(servers).to_owned();
        let length = match &own(TYPE, &self.kind)[..] {
            "KeyPrefix" => {
                own(PREFIX_LENGTH, &self.prefix_length).parse().ok().filter(|length: &usize| *length > 0)
            }
            "DelimitedKeyPrefix" => {
                let own = table.attribute(DELIMITER).filter(|delimiter| !delimiter.is_empty());
                let delimiter = own.unwrap_or(&self.delimiter).as_bytes();
                // Windows of nothing there are none.
                (!delimiter.is_empty())
                    .then(|| row.windows(delimiter.len()).position(|part| part == delimiter))
                    .flatten()
            }
            _ => None,
        };
        row.slice(..length.unwrap_or(row.len()).min(row.len()))
    }
}

#[cfg(test)]
mod tests;
