//! Who says which files a store has: its directory, or a list beside them. HBase's store file trackers.

use finback_cell::{ColumnFamilyDescriptor, TableDescriptor};

/// The setting of tables and families that names the tracker.
pub const TRACKER: &str = "hbase.store.file-tracker.impl";
/// Of a store that changes its tracker: the one that still counts.
pub const MIGRATION_SOURCE: &str = "hbase.store.file-tracker.migration.src.impl";
/// Of a store that changes its tracker: the one that is to count.
pub const MIGRATION_DESTINATION: &str = "hbase.store.file-tracker.migration.dst.impl";

const PACKAGE: &str = "org.apache.hadoop.hbase.regionserver.storefiletracker.";

/// HBase's trackers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFileTracker {
    /// What is in the directory is a file of the store.
    Default,
    /// What is in the list (`.filelist`) is a file of the store; the rest was never finished.
    File,
    /// On the way from one to another.
    Migration {
        /// Whether the list says which files there are.
        from_file: bool,
        /// Whether there is to be a list.
        to_file: bool,
    },
}

impl StoreFileTracker {
    /// The tracker of a family: its own, or else the table's, or else [`StoreFileTracker::Default`].
    ///
    /// # Errors
    /// The name that stands for none.
    pub fn of(table: &TableDescriptor, family: &ColumnFamilyDescriptor) -> Result<Self, String> {
        let setting = |key: &str| family.setting(key).or_else(|| table.attribute(key));
        Self::of_settings(setting)
    }

    /// The tracker that settings name.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn of_settings<'a>(setting: impl Fn(&str) -> Option<&'a str>) -> Result<Self, String> {
        let simple = |key: &str| match setting(key) {
            None => Err(format!("config {key} is not set")),
            Some(name) => match Self::named(name)? {
                Named::Default => Ok(false),
                Named::File => Ok(true),
                Named::Migration => {
                    Err(format!("Should not specify {key} as MIGRATION because it can not be nested"))
                }
            },
        };
        match setting(TRACKER).filter(|name| !name.is_empty()).map(Self::named) {
            None => Ok(Self::Default),
            Some(Err(name)) => Err(name),
            Some(Ok(Named::Default)) => Ok(Self::Default),
            Some(Ok(Named::File)) => Ok(Self::File),
            Some(Ok(Named::Migration)) => Ok(Self::Migration {
                from_file: simple(MIGRATION_SOURCE)?,
                to_file: simple(MIGRATION_DESTINATION)?,
            }),
        }
    }

    fn named(name: &str) -> Result<Named, String> {
        let upper = name.to_uppercase();
        match (upper.as_str(), name.strip_prefix(PACKAGE)) {
            ("DEFAULT", _) | (_, Some("DefaultStoreFileTracker")) => Ok(Named::Default),
            ("FILE", _) | (_, Some("FileBasedStoreFileTracker")) => Ok(Named::File),
            ("MIGRATION", _) | (_, Some("MigrationStoreFileTracker")) => Ok(Named::Migration),
            _ => Err(format!("{name} is no store file tracker")),
        }
    }

    /// Whether the list counts, and not the directory.
    pub fn reads_list(self) -> bool {
        matches!(self, Self::File | Self::Migration { from_file: true, .. })
    }

    /// Whether the list is to say at any time which files there are.
    pub fn writes_list(self) -> bool {
        self.reads_list() || matches!(self, Self::Migration { to_file: true, .. })
    }
}

enum Named {
    Default,
    File,
    Migration,
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_cell::{TableName, schema::set_entry};

    fn tracker(of_table: &[(&str, &str)], of_family: &[(&str, &str)]) -> Result<StoreFileTracker, String> {
        let mut table = TableDescriptor::new(TableName::parse(b"t").unwrap());
        let mut family = ColumnFamilyDescriptor::with_defaults(b"f");
        of_table.iter().for_each(|(key, value)| set_entry(&mut table.attributes, key, value));
        of_family.iter().for_each(|(key, value)| set_entry(&mut family.configuration, key, value));
        StoreFileTracker::of(&table, &family)
    }

    #[test]
    fn a_family_has_its_own_tracker_or_that_of_its_table() {
        assert_eq!(tracker(&[], &[]), Ok(StoreFileTracker::Default));
        assert_eq!(tracker(&[(TRACKER, "file")], &[]), Ok(StoreFileTracker::File));
        let class = format!("{PACKAGE}FileBasedStoreFileTracker");
        assert_eq!(tracker(&[(TRACKER, &class)], &[]), Ok(StoreFileTracker::File));
        assert_eq!(tracker(&[(TRACKER, "FILE")], &[(TRACKER, "DEFAULT")]), Ok(StoreFileTracker::Default));
        assert!(tracker(&[(TRACKER, "mine")], &[]).is_err());
    }

    #[test]
    fn a_migration_reads_the_one_and_writes_both() {
        let of = |source, destination| {
            let settings =
                [(TRACKER, "MIGRATION"), (MIGRATION_SOURCE, source), (MIGRATION_DESTINATION, destination)];
            tracker(&settings, &[]).map(|tracker| (tracker.reads_list(), tracker.writes_list()))
        };
        assert_eq!(of("DEFAULT", "FILE"), Ok((false, true)));
        assert_eq!(of("FILE", "DEFAULT"), Ok((true, true)));
        assert_eq!(of("DEFAULT", "DEFAULT"), Ok((false, false)));
        assert!(of("MIGRATION", "FILE").is_err());
        assert!(tracker(&[(TRACKER, "MIGRATION")], &[]).is_err());
    }
}
