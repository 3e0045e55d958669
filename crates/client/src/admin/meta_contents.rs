//! All of `hbase:meta`.

use super::{Admin, TableState};
use crate::error::Result;
use crate::meta::MetaRegion;
use crate::row::Row;
use crate::scan::{ReadType, Scan};
use finback_cell::TableName;
use finback_proto::{Message, pb};

/// What `hbase:meta` says.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct MetaContents {
    /// All regions, in the order of their names; those too that were split.
    pub regions: Vec<MetaRegion>,
    /// The states of tables.
    pub tables: Vec<(TableName, TableState)>,
    /// The keys of rows that are about a region or a table, and cannot be read.
    pub malformed: Vec<Vec<u8>>,
}

impl Admin {
    /// Reads all of `hbase:meta`, rather than what of it is about one table.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn meta_contents(&self) -> Result<MetaContents> {
        let scan = Scan::new().family("info").family("table").caching(1000).read_type(ReadType::Pread);
        let mut rows = self.table(&TableName::meta()).scan(scan)?;
        let mut contents = MetaContents::default();
        while let Some(row) = rows.next().await? {
            contents.take(&row);
        }
        Ok(contents)
    }
}

impl MetaContents {
    fn take(&mut self, row: &Row) {
        let mut is_readable = true;
        if row.family("info").next().is_some() {
            // The row of a region has its name: whatever else says so is not it.
            match MetaRegion::of_row(row).filter(|region| &region.region.name()[..] == row.key()) {
                Some(region) => self.regions.push(region),
                None => is_readable = false,
            }
        }
        if let Some(state) = row.value("table", "state") {
            match table_state(row.key(), state) {
                Some(state) => self.tables.push(state),
                None => is_readable = false,
            }
        }
        if !is_readable {
            self.malformed.push(row.key().to_vec());
        }
    }
}

fn table_state(row: &[u8], value: &[u8]) -> Option<(TableName, TableState)> {
    let message = pb::TableState::decode(value).ok()?;
    Some((TableName::parse(row).ok()?, TableState::try_from(message.state).ok()?))
}

#[cfg(test)]
mod tests;
