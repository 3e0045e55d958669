//! What is beside the tables in the root directory.

use super::Check;
use super::finding::{Finding, FindingKind as Kind};
use crate::error::InspectError;
use finback_cell::TableName;
use std::path::Path;

impl Check<'_> {
    /// What was begun and never finished: tables, descriptors, snapshots; and what lies among the tables.
    pub(super) fn leftovers(&mut self) -> Result<(), InspectError> {
        let temporary = self.root.temp_dir();
        for entry in self.entries(&temporary)? {
            let path = temporary.join(&entry.name);
            // HBase's guard against a second hbck stays there.
            let is_left = entry.name != "hbase-hbck.lock" && (!entry.is_dir || self.has_a_file(&path, 0)?);
            if is_left {
                let message = "left behind by a table that was to be made or dropped";
                let finding = Finding::new(Kind::Leftover, path, message);
                self.note(if entry.is_dir { self.aside_unless_needed(finding) } else { finding.aside() })?;
            }
        }
        let working = self.root.working_snapshots_dir();
        for entry in self.entries(&working)? {
            let message = "left behind by a snapshot that was to be taken or removed";
            self.note(Finding::new(Kind::Leftover, working.join(&entry.name), message).aside())?;
        }
        self.strangers()
    }

    /// What in `data` is no namespace, and what in a namespace is no table.
    fn strangers(&mut self) -> Result<(), InspectError> {
        let data = self.root.data_dir();
        for namespace in self.entries(&data)? {
            let path = data.join(&namespace.name);
            if !namespace.is_dir {
                let message = "a file where namespaces are";
                self.note(Finding::new(Kind::Stray, path, message).aside())?;
                continue;
            }
            for table in self.entries(&path)? {
                let is_table =
                    table.is_dir && TableName::new(namespace.name.as_bytes(), table.name.as_bytes()).is_ok();
                if !is_table {
                    let message = "nothing that a table is called";
                    self.note(Finding::new(Kind::Stray, path.join(&table.name), message).aside())?;
                }
            }
        }
        Ok(())
    }

    /// Whether there is any file below a directory.
    fn has_a_file(&mut self, path: &Path, depth: usize) -> Result<bool, InspectError> {
        /// Deeper than any table.
        const MOST_LEVELS: usize = 32;
        for entry in self.entries(path)? {
            if !entry.is_dir
                || (depth < MOST_LEVELS && self.has_a_file(&path.join(&entry.name), depth + 1)?)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
