//! The descriptor of a table, and where else it may be known from.

use super::Check;
use super::finding::{Finding, FindingKind as Kind};
use super::repair::{DescriptorSource, Repair};
use crate::error::InspectError;
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor, TableName};
use std::collections::BTreeSet;

impl Check<'_> {
    /// The descriptor, or what can be told of the table without it.
    pub(super) fn descriptor(&mut self, table: &TableName) -> Result<Option<TableDescriptor>, InspectError> {
        let path = self.root.table_dir(table).join(".tabledesc");
        match self.root.read_table_descriptor(table) {
            Ok(descriptor) => Ok(Some(descriptor)),
            Err(error) => {
                let finding = Finding::new(Kind::DescriptorMissing, path, error.to_string());
                let can_be_written = error.is_not_found() || error.is_corrupt();
                let known = if can_be_written { self.known_descriptor(table) } else { None };
                let finding = match known {
                    Some((descriptor, source)) => {
                        finding.repaired_by(Repair::WriteDescriptor { descriptor, source })
                    }
                    None => finding,
                };
                self.note(finding).map(|()| None)
            }
        }
    }

    /// The best that is known of a table without its current descriptor.
    fn known_descriptor(&self, table: &TableName) -> Option<(TableDescriptor, DescriptorSource)> {
        if let Some(older) = self.root.readable_table_descriptors(table).ok()?.into_iter().next() {
            return Some((older, DescriptorSource::Older));
        }
        if let Some((descriptor, name)) = self.descriptor_of_a_snapshot(table) {
            return Some((descriptor, DescriptorSource::Snapshot(name)));
        }
        let families = self.families_with_directories(table);
        let descriptor = TableDescriptor { families, ..TableDescriptor::new(table.clone()) };
        (!descriptor.families.is_empty()).then_some((descriptor, DescriptorSource::Directories))
    }

    /// That of the newest snapshot of the table.
    fn descriptor_of_a_snapshot(&self, table: &TableName) -> Option<(TableDescriptor, String)> {
        let mut snapshots = self.root.list_snapshots().ok()?;
        snapshots.sort_by_key(|snapshot| std::cmp::Reverse(snapshot.creation_time()));
        snapshots.into_iter().find_map(|snapshot| {
            let manifest = self.root.read_snapshot_manifest(&snapshot.name).ok()?;
            (manifest.table.name == *table).then_some((manifest.table, snapshot.name))
        })
    }

    fn families_with_directories(&self, table: &TableName) -> Vec<ColumnFamilyDescriptor> {
        let mut names = BTreeSet::new();
        for region in self.root.list_regions(table).unwrap_or_default() {
            names.extend(self.root.list_families(table, &region).unwrap_or_default());
        }
        names.iter().map(|name| ColumnFamilyDescriptor::with_defaults(name.as_bytes())).collect()
    }
}
