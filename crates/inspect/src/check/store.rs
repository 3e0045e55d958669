//! The directory of a family: files, references, links, and the list of them.

use super::Check;
use super::finding::{Finding, FindingKind as Kind};
use crate::error::InspectError;
use crate::offline_meta::tracker;
use finback_cell::TableDescriptor;
use finback_layout::StoreFileName;
use std::collections::HashSet;

/// Where the list of a store's files is.
const LIST_DIRECTORY: &str = ".filelist";

impl Check<'_> {
    pub(super) fn store(
        &mut self,
        descriptor: &TableDescriptor,
        region: &str,
        family: &str,
    ) -> Result<(), InspectError> {
        let (root, table) = (self.root, &descriptor.name);
        let directory = root.family_dir(table, region, family.as_bytes());
        let mut names = HashSet::new();
        for entry in self.entries(&directory)? {
            let path = directory.join(&entry.name);
            if entry.is_dir {
                if path == root.recovered_files_dir(table, region, family.as_bytes()) {
                    let message = "edits of a log, which HBase has split into store files, wait for the region to be opened";
                    self.note(Finding::new(Kind::RecoveredEdits, path, message))?;
                } else if entry.name != LIST_DIRECTORY {
                    let message = "a directory where store files are";
                    self.note(Finding::new(Kind::Stray, path, message).aside())?;
                }
                continue;
            }
            let Some(name) = StoreFileName::parse(&entry.name) else {
                let message = "nothing that a store file is called";
                self.note(Finding::new(Kind::Stray, path, message).aside())?;
                continue;
            };
            if entry.len == 0 && !matches!(name, StoreFileName::Link(_)) {
                let message = "empty, and ignored by servers";
                self.note(Finding::new(Kind::EmptyStoreFile, path, message).aside())?;
                continue;
            }
            names.insert(entry.name.clone());
            let kind = match name {
                StoreFileName::Reference { .. } => Kind::LingeringReference,
                StoreFileName::Link(_) => Kind::DanglingLink,
                StoreFileName::Plain | StoreFileName::BulkLoaded { .. } => {
                    self.mob_file_refs(descriptor, family, &path, &path)?;
                    continue;
                }
            };
            match root.inspect_store_file(table, region, family.as_bytes(), &entry.name) {
                Ok((cells, _)) => self.mob_file_refs(descriptor, family, &path, &cells)?,
                Err(error) if error.is_not_found() => {
                    let message = format!("leads nowhere: {error}");
                    self.note(Finding::new(kind, path, message).aside())?;
                }
                Err(error) => self.note(Finding::new(kind, path, error.to_string()))?,
            }
        }
        self.store_file_list(descriptor, region, family, &names)
    }

    fn store_file_list(
        &mut self,
        descriptor: &TableDescriptor,
        region: &str,
        family: &str,
        there: &HashSet<String>,
    ) -> Result<(), InspectError> {
        if !tracker(descriptor, family.as_bytes()).reads_list() {
            return Ok(());
        }
        let directory = self.root.family_dir(&descriptor.name, region, family.as_bytes());
        let list = match self.root.read_store_file_list(&descriptor.name, region, family.as_bytes()) {
            Ok(Some(list)) => list,
            Ok(None) => return self.lost_list(descriptor, region, family),
            Err(error) => {
                let path = directory.join(LIST_DIRECTORY);
                return self.note(Finding::new(Kind::StoreFileList, path, error.to_string()));
            }
        };
        for (name, size) in &list {
            let parsed = StoreFileName::parse(name);
            if there.contains(name) || *size == 0 && parsed.as_ref().is_some_and(StoreFileName::has_cells) {
                continue;
            }
            let mut message = "the list of the store has it, and it is not there".to_owned();
            let cells = || self.root.inspect_store_file(&descriptor.name, region, family.as_bytes(), name);
            if matches!(parsed, Some(StoreFileName::Link(_))) && cells().is_ok() {
                message += "; an empty file of that name leads to its cells again";
            }
            self.note(Finding::new(Kind::StoreFileList, directory.join(name), message))?;
        }
        let listed: HashSet<&str> = list.iter().map(|(name, _)| name.as_str()).collect();
        let mut unlisted: Vec<&String> =
            there.iter().filter(|name| !listed.contains(name.as_str())).collect();
        unlisted.sort();
        for name in unlisted {
            let message = "not in the list of the store, and ignored by servers";
            self.note(Finding::new(Kind::UnlistedFile, directory.join(name), message))?;
        }
        Ok(())
    }

    /// A store without a list has no files yet, or its region is not opened.
    fn lost_list(
        &mut self,
        descriptor: &TableDescriptor,
        region: &str,
        family: &str,
    ) -> Result<(), InspectError> {
        match self.root.listed_store_files(&descriptor.name, region, family.as_bytes()) {
            Err(error) if error.is_corrupt() => {
                let directory = self.root.family_dir(&descriptor.name, region, family.as_bytes());
                let path = directory.join(LIST_DIRECTORY);
                self.note(Finding::new(Kind::StoreFileList, path, error.to_string()))
            }
            _ => Ok(()),
        }
    }
}
