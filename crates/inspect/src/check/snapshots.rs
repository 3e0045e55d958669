//! Snapshots, and whether their files are there.

use super::Check;
use super::finding::{Finding, FindingKind as Kind};
use crate::error::InspectError;
use finback_layout::LayoutError;

impl Check<'_> {
    pub(super) fn snapshots(&mut self) -> Result<(), InspectError> {
        let root = self.root;
        let names = match root.snapshot_names() {
            Ok(names) => names,
            Err(error) => return self.note_unreadable(root.snapshots_dir(), error),
        };
        for name in names {
            self.report.snapshots += 1;
            let verified = root.read_snapshot_manifest(&name).and_then(|manifest| {
                let table = manifest.table.name.clone();
                root.verify_snapshot(&name, &table, &manifest)
            });
            match verified {
                Ok(()) => {}
                // Of HBase's first format nothing is known.
                Err(LayoutError::Unsupported { .. }) => {}
                Err(error) => {
                    let path = root.snapshots_dir().join(&name);
                    self.note(Finding::new(Kind::SnapshotIncomplete, path, error.to_string()))?;
                }
            }
        }
        Ok(())
    }
}
