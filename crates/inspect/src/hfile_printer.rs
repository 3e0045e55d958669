//! What HBase's HFilePrettyPrinter prints of a store file, line by line.
//!
//! Standard output is the same to the byte but for two things: object identities of Java (`@1b2c3d`), which differ from
//! run to run, are left out; and the percentiles of more than 1,028 values are those of all of them, where HBase draws a
//! sample at random.

mod block_headers;
mod checks;
mod meta;
mod mob_files;
mod statistics;

use crate::cell_text::CellText;
use crate::error::InspectError;
use checks::{CellChecks, PreviousCell};
use finback_cell::key::Key;
use finback_cell::tag::tags;
use finback_cell::{Cell, StringBinary};
use finback_fs::RandomAccessFile;
use finback_hfile::{HFileReader, HFileScanner, read_through};
pub use mob_files::MobFiles;
use statistics::Statistics;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// What is printed and checked: the options of HBase's printer.
#[derive(Debug, Clone, Default)]
pub struct HFilePrinterOptions {
    /// `-v`: says which file is read, and how many cells it has.
    pub verbose: bool,
    /// `-e`, `-p`: every key.
    pub keys: bool,
    /// `-p`: every value, and the tags.
    pub values: bool,
    /// `-m`: what the file says of itself.
    pub meta: bool,
    /// `-b`: the root of the block index.
    pub block_index: bool,
    /// `-h`: the header of every block among the data blocks.
    pub block_headers: bool,
    /// `-s`: statistics of the lengths of keys, values and rows.
    pub statistics: bool,
    /// `-d`: and how many are in ranges of lengths.
    pub ranges: bool,
    /// `-k`: whether rows are in order.
    pub check_rows: bool,
    /// `-a`: whether cells are of the family that the path names.
    pub check_families: bool,
    /// `-w`: only this row.
    pub row: Option<Vec<u8>>,
    /// `-i`: whether the files are there that cells of a family with MOB lead to.
    pub mob_files: Option<MobFiles>,
}

impl HFilePrinterOptions {
    /// Whether the cells are read at all.
    fn reads_cells(&self) -> bool {
        self.verbose
            || self.keys
            || self.check_rows
            || self.check_families
            || self.statistics
            || self.mob_files.is_some()
    }
}

/// Prints files, one after the other.
pub struct HFilePrinter<'a> {
    options: HFilePrinterOptions,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    cells: u64,
    warnings: u64,
}

impl<'a> HFilePrinter<'a> {
    /// Prints to `out`; what is wrong with cells, to `err`.
    pub fn new(options: HFilePrinterOptions, out: &'a mut dyn Write, err: &'a mut dyn Write) -> Self {
        Self { options, out, err, cells: 0, warnings: 0 }
    }

    /// Prints a file. `path`: how it is called.
    ///
    /// # Errors
    /// The file cannot be read, or nothing more be written.
    pub fn print(&mut self, file: Arc<dyn RandomAccessFile>, path: &Path) -> Result<(), InspectError> {
        if self.options.verbose {
            writeln!(self.out, "Scanning -> {}", path.display())?;
        }
        let reader = HFileReader::open_to_inspect(file, path)?;
        let mut statistics = Statistics::new(self.options.ranges);
        if self.options.reads_cells() {
            self.print_cells(&reader, &mut statistics)?;
        }
        if self.options.meta {
            meta::print(&reader, self.out)?;
        }
        if self.options.block_index {
            meta::print_block_index(&reader, self.out)?;
        }
        if self.options.block_headers {
            block_headers::print(&reader, self.out)?;
        }
        if self.options.statistics {
            statistics.print(self.out)?;
        }
        Ok(())
    }

    /// Prints what concerns all files; says how many cells were found to be wrong.
    ///
    /// # Errors
    /// Nothing more can be written.
    pub fn finish(self) -> Result<u64, InspectError> {
        if self.options.verbose || self.options.keys {
            writeln!(self.out, "Scanned kv count -> {}", self.cells)?;
        }
        Ok(self.warnings)
    }

    fn print_cells(
        &mut self,
        reader: &Arc<HFileReader>,
        statistics: &mut Statistics,
    ) -> Result<(), InspectError> {
        let mut scanner = HFileScanner::new(Arc::clone(reader), None, false);
        let row = self.options.row.clone();
        let first = Key::first_on_row(row.as_deref().unwrap_or_default());
        read_through(&mut scanner, |scanner| scanner.seek(&first))?;
        let mut previous = PreviousCell::default();
        let mut checks = CellChecks::new(&self.options, reader.path());
        while let Some((cell, sequence_id)) = scanner.peek() {
            if row.as_ref().is_some_and(|row| cell.row() != row) {
                break;
            }
            if self.options.statistics {
                statistics.collect(&cell);
            }
            if self.options.keys {
                print_cell(&cell, sequence_id, self.options.values, self.out)?;
            }
            self.warnings += checks.check(&cell, sequence_id, &previous, self.err)?;
            if checks.need_previous() {
                previous.set(&cell, sequence_id);
            }
            self.cells += 1;
            read_through(&mut scanner, HFileScanner::advance)?;
        }
        statistics.finish();
        Ok(())
    }
}

fn print_cell(cell: &Cell<'_>, sequence_id: u64, values: bool, out: &mut dyn Write) -> std::io::Result<()> {
    write!(out, "K: {}", CellText(cell, sequence_id))?;
    if values {
        write!(out, " V: {}", StringBinary(cell.value()))?;
        for (number, tag) in tags(cell.tags()).enumerate() {
            // Java's bytes are signed.
            let (tag_type, value) = (tag.tag_type as i8, StringBinary(tag.value));
            write!(out, " T[{number}]: [Tag type : {tag_type}, value : {value}]")?;
        }
    }
    writeln!(out)
}
