//! The descriptor of a table, and where else it may be known from.

use super::Check;
use super::finding::{Finding, FindingKind as Kind};
use super::repair::{DescriptorSource, Repair};
use crate::error::InspectError;
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor, TableName};
use finback_layout::TRACKER;
use std::collections::BTreeMap;

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

    /// The best that is known of a table without its current descriptor. It has all families that there are directories of: a server
    /// removes those of others.
    fn known_descriptor(&self, table: &TableName) -> Option<(TableDescriptor, DescriptorSource)> {
        let older = self.root.readable_table_descriptors(table).ok()?.into_iter().next();
        let (mut descriptor, source) = older
            .map(|older| (older, DescriptorSource::Older))
            .or_else(|| {
                let (descriptor, name) = self.descriptor_of_a_snapshot(table)?;
                Some((descriptor, DescriptorSource::Snapshot(name)))
            })
            .unwrap_or_else(|| (TableDescriptor::new(table.clone()), DescriptorSource::Directories));
        for family in self.families_with_directories(table)? {
            if descriptor.families.iter().all(|known| known.name != family.name) {
                descriptor.families.push(family);
            }
        }
        descriptor.families.sort_by(|a, b| a.name.cmp(&b.name));
        (!descriptor.families.is_empty()).then_some((descriptor, source))
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

    /// With settings under which nothing goes that may have been kept, and nothing comes back that was left out. None where they
    /// cannot be looked at.
    fn families_with_directories(&self, table: &TableName) -> Option<Vec<ColumnFamilyDescriptor>> {
        let mut has_lists: BTreeMap<String, bool> = BTreeMap::new();
        for region in self.root.list_regions(table).ok()? {
            for name in self.root.list_families(table, &region).ok()? {
                let list = self.root.family_dir(table, &region, name.as_bytes()).join(".filelist");
                *has_lists.entry(name).or_default() |= self.root.fs().exists(&list).ok()?;
            }
        }
        let with_mob_files = self.root.list_mob_families(table).ok()?;
        let family = |(name, has_list): (String, bool)| {
            let mut family = ColumnFamilyDescriptor::with_defaults(name.as_bytes())
                .with("VERSIONS", &i32::MAX.to_string())
                .with("KEEP_DELETED_CELLS", "TRUE");
            if with_mob_files.contains(&name) {
                family = family.with("IS_MOB", "true");
            }
            if has_list { family.with(TRACKER, "FILE") } else { family }
        };
        Some(has_lists.into_iter().map(family).collect())
    }
}
