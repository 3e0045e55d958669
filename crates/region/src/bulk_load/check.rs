//! What a load must be like.

use super::{BulkLoadFile, MAX_FILES};
use crate::error::RegionError;
use crate::region::Region;
use crate::store_file::StoreFile;
use finback_cell::Shortened;
use finback_cell::key::Key;
use finback_hfile::{HFileScanner, ScanInterrupt};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Of a file that keeps its own: the region's go on from the highest, and must not come to an end.
const HIGHEST_SEQUENCE_ID: u64 = i64::MAX as u64 / 2;
/// Unknown families that an error names.
const MAX_NAMES: usize = 10;

impl Region {
    /// What is to be seen without opening a file.
    pub(super) fn check_bulk_load(&self, files: &[BulkLoadFile]) -> Result<(), RegionError> {
        let unknown: BTreeSet<&[u8]> =
            files.iter().map(|file| &file.family[..]).filter(|family| self.store(family).is_err()).collect();
        if !unknown.is_empty() {
            let names = unknown.iter().take(MAX_NAMES).map(|family| Shortened(family).to_string());
            let names: Vec<String> = names.collect();
            return Err(RegionError::NoSuchFamily {
                family: names.join(", "),
                region: self.name.escape_ascii().to_string(),
                table: self.info.table.to_string(),
            });
        }
        if files.is_empty() || files.len() > MAX_FILES {
            let what = format!("a bulk load of {} files: at least 1, at most {MAX_FILES}", files.len());
            return Err(RegionError::Invalid(what));
        }
        let paths: BTreeSet<&Path> = files.iter().map(|file| file.path.as_path()).collect();
        if paths.len() < files.len() {
            return Err(RegionError::Invalid("a bulk load names a file twice".into()));
        }
        Ok(())
    }

    /// Whether the file at `staged` is an HFile for this family of this region; `source` is its name for the client. Whether it is to get a
    /// sequence id decides about those of its cells.
    pub(super) fn check_hfile(
        &self,
        family: &[u8],
        (source, staged): (&Path, &Path),
        gets_sequence_id: bool,
    ) -> Result<(), RegionError> {
        let invalid =
            |what: &str| RegionError::Invalid(format!("Bulk load file {} {what}", source.display()));
        // Whatever it will be: only if it is one counts.
        let sequence_id = Some(u64::from(gets_sequence_id));
        let file = StoreFile::open_as(&**self.environment.root.fs(), staged, source, sequence_id)?;
        if file.reader().order() != self.order {
            return Err(invalid("has its cells in another order than the region"));
        }
        if file.keeps_ids_of_load() && file.max_cell_sequence_id() > HIGHEST_SEQUENCE_ID {
            return Err(invalid("has sequence ids above which there are none for what is written after it"));
        }
        let (first, last) = (file.reader().first_key(), file.reader().last_key());
        let (Some(first), Some(last)) = (first.map(Key::from_checked), last.map(Key::from_checked)) else {
            return Err(invalid("has no cells"));
        };
        for key in [&first, &last] {
            if key.family != family {
                let found = key.family.escape_ascii();
                return Err(invalid(&format!("is for family {}: it has {found}", family.escape_ascii())));
            }
            if self.check_row(key.row, "bulk load").is_err() {
                return Err(RegionError::OutsideRegion {
                    path: source.to_owned(),
                    first: first.row.escape_ascii().to_string(),
                    last: last.row.escape_ascii().to_string(),
                    region: self.name.escape_ascii().to_string(),
                });
            }
        }
        if self.environment.config.verify_bulk_loads {
            self.check_cells(&file, family).map_err(|error| match error {
                CellError::Region(error) => error,
                CellError::Wrong(what) => invalid(&what),
            })?;
        }
        Ok(())
    }

    /// Reads every cell: in order, and of the family. The rows between first and last are the region's then.
    fn check_cells(&self, file: &StoreFile, family: &[u8]) -> Result<(), CellError> {
        let mut scanner = HFileScanner::new(Arc::clone(file.reader()), None, false);
        let mut previous: Option<Vec<u8>> = None;
        reading(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(&[])))?;
        while let Some((cell, _)) = scanner.peek() {
            let key = Key::of(&cell);
            if cell.family() != family {
                return Err(CellError::Wrong(format!("has family {}", cell.family().escape_ascii())));
            }
            let before = previous.as_deref().map(Key::from_checked);
            if before.is_some_and(|before| self.order.compare_keys(&before, &key).is_gt()) {
                return Err(CellError::Wrong(format!("has row {} out of order", cell.row().escape_ascii())));
            }
            let flat = previous.get_or_insert_default();
            flat.clear();
            flat.extend_from_slice(cell.key());
            reading(&mut scanner, HFileScanner::advance)?;
        }
        Ok(())
    }
}

enum CellError {
    Region(RegionError),
    Wrong(String),
}

/// Repeats an operation until it has the blocks that it needs.
fn reading(
    scanner: &mut HFileScanner,
    mut operation: impl FnMut(&mut HFileScanner) -> Result<(), ScanInterrupt>,
) -> Result<(), CellError> {
    let failed = |error: finback_hfile::HFileError| CellError::Region(error.into());
    loop {
        match operation(scanner) {
            Ok(()) => return Ok(()),
            Err(ScanInterrupt::NeedBlock(request)) => scanner.provide(request.read().map_err(failed)?),
            Err(ScanInterrupt::Failed(error)) => return Err(failed(error)),
        }
    }
}
