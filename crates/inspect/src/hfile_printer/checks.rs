//! What the printer finds wrong with single cells, in HBase's words.

use super::{HFilePrinterOptions, MobFiles};
use crate::cell_text::CellText;
use finback_cell::Cell;
use std::io::{self, Write};
use std::path::Path;

/// A copy of the cell before.
#[derive(Default)]
pub(super) struct PreviousCell {
    bytes: Vec<u8>,
    sequence_id: u64,
}

impl PreviousCell {
    /// The value is of no interest.
    pub(super) fn set(&mut self, cell: &Cell<'_>, sequence_id: u64) {
        self.bytes.clear();
        self.bytes.extend_from_slice(cell.bytes_without_tags());
        self.sequence_id = sequence_id;
    }

    fn get(&self) -> Option<(Cell<'_>, u64)> {
        (!self.bytes.is_empty()).then(|| (Cell::from_checked(&self.bytes), self.sequence_id))
    }
}

/// The checks that are asked for.
pub(super) struct CellChecks<'a> {
    rows: bool,
    families: bool,
    mob_files: Option<&'a MobFiles>,
    path: &'a Path,
    /// As text, in which a family is looked for.
    path_text: String,
}

impl<'a> CellChecks<'a> {
    pub(super) fn new(options: &'a HFilePrinterOptions, path: &'a Path) -> Self {
        Self {
            rows: options.check_rows,
            families: options.check_families,
            mob_files: options.mob_files.as_ref(),
            path,
            path_text: path.to_string_lossy().into_owned(),
        }
    }

    pub(super) fn need_previous(&self) -> bool {
        self.rows || self.families
    }

    /// Tells what is wrong with a cell. How much that is.
    pub(super) fn check(
        &mut self,
        cell: &Cell<'_>,
        sequence_id: u64,
        previous: &PreviousCell,
        err: &mut dyn Write,
    ) -> io::Result<u64> {
        let mut wrong = 0;
        let (path, current) = (self.path.display(), CellText(cell, sequence_id));
        let previous = previous.get();
        if let Some((before, id)) =
            previous.as_ref().filter(|(before, _)| self.rows && before.row() > cell.row())
        {
            let before = CellText(before, *id);
            writeln!(
                err,
                "WARNING, previous row is greater then current row\n\tfilename -> {path}\n\tprevious -> {before}\n\tcurrent  -> {current}"
            )?;
            wrong += 1;
        }
        if self.families && !self.path_text.contains(&*String::from_utf8_lossy(cell.family())) {
            writeln!(
                err,
                "WARNING, filename does not match kv family,\n\tfilename -> {path}\n\tkeyvalue -> {current}"
            )?;
            wrong += 1;
        }
        if let Some((before, id)) =
            previous.as_ref().filter(|(before, _)| self.families && before.family() != cell.family())
        {
            let before = CellText(before, *id);
            writeln!(
                err,
                "WARNING, previous kv has different family compared to current key\n\tfilename -> {path}\n\tprevious -> {before}\n\tcurrent  -> {current}"
            )?;
            wrong += 1;
        }
        if let Some(problem) = self.mob_files.and_then(|files| files.problem_of(cell)) {
            writeln!(err, "ERROR, {problem} cell {current}")?;
            wrong += 1;
        }
        Ok(wrong)
    }
}
