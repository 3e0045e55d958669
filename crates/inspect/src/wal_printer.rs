//! What HBase's WALPrettyPrinter prints of a log, line by line.
//!
//! The same to the byte, in text and in what HBase calls JSON, which is none: its entries stand among lines of text. For
//! programs there is a form of our own, one JSON object a line.

mod entry;
mod java_map;
mod json;

use crate::error::InspectError;
use entry::{Action, PrintedEntry};
use finback_cell::StringBinary;
use finback_fs::FileSystem;
use finback_wal::{TornTail, WalEntry, WalReader};
use jiff::tz::TimeZone;
use std::io::Write;
use std::path::Path;

/// How entries are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WalForm {
    /// Lines of text.
    #[default]
    Text,
    /// `-j`: as HBase does it.
    HBaseJson,
    /// One JSON object a line, and nothing else.
    JsonLines,
}

/// What is printed: the options of HBase's printer.
#[derive(Debug, Clone, Default)]
pub struct WalPrinterOptions {
    /// `-j`, and ours.
    pub form: WalForm,
    /// `-p`: values.
    pub values: bool,
    /// `-k`: rows alone.
    pub only_rows: bool,
    /// `-t`: only entries of these tables; empty: of all.
    pub tables: Vec<String>,
    /// `-r`: only entries of the region of this encoded name.
    pub region: Option<String>,
    /// `-s`: only entries of this sequence id.
    pub sequence: Option<u64>,
    /// `-w`: only cells of this row, written as it is printed.
    pub row: Option<String>,
    /// `-f`: only cells whose row, as it is printed, begins with this.
    pub row_prefix: Option<String>,
    /// `-g`: where in the file to begin.
    pub position: u64,
    /// In which zone times are printed; none: that of the machine.
    pub time_zone: Option<TimeZone>,
}

/// A time as Java prints a `Date` on this machine.
pub fn java_date(time_ms: u64) -> String {
    entry::java_date(time_ms, &TimeZone::system())
}

/// The unfinished end of a log that was printed up to there.
pub type Torn = TornTail;

/// Prints logs, one after the other.
pub struct WalPrinter<'a> {
    options: WalPrinterOptions,
    zone: TimeZone,
    out: &'a mut dyn Write,
    /// Whether an entry was printed that a comma has to follow.
    has_entries: bool,
}

impl<'a> WalPrinter<'a> {
    /// Prints to `out`.
    ///
    /// # Errors
    /// Nothing can be written.
    pub fn new(options: WalPrinterOptions, out: &'a mut dyn Write) -> Result<Self, InspectError> {
        let zone = options.time_zone.clone().unwrap_or_else(TimeZone::system);
        if options.form == WalForm::HBaseJson {
            write!(out, "[")?;
        }
        Ok(Self { options, zone, out, has_entries: false })
    }

    /// Prints a log up to its end, or to where it was torn.
    ///
    /// # Errors
    /// The log is damaged or cannot be read, or nothing more be written. What comes before the damage is printed.
    pub fn print(&mut self, fs: &dyn FileSystem, path: &Path) -> Result<Option<Torn>, InspectError> {
        let mut reader = WalReader::open(fs, path)?;
        if self.options.form != WalForm::JsonLines {
            // What can be read has these, and no others.
            writeln!(self.out, "Writer Classes: ProtobufLogWriter AsyncProtobufLogWriter")?;
            writeln!(self.out, "Cell Codec Class: org.apache.hadoop.hbase.regionserver.wal.WALCellCodec")?;
        }
        if self.options.position > 0 {
            reader.seek(self.options.position)?;
        }
        while let Some(entry) = reader.next_entry()? {
            let Some(printed) = self.select(&entry) else { continue };
            let position = reader.position();
            self.print_entry(&printed, position)?;
        }
        Ok(reader.torn_tail().cloned())
    }

    /// Prints what belongs behind the last log.
    ///
    /// # Errors
    /// Nothing more can be written.
    pub fn finish(self) -> Result<(), InspectError> {
        if self.options.form == WalForm::HBaseJson {
            write!(self.out, "]")?;
        }
        Ok(())
    }

    /// What of an entry is to be printed, if anything is.
    fn select(&self, entry: &WalEntry<'_>) -> Option<PrintedEntry> {
        let options = &self.options;
        let table = String::from_utf8_lossy(entry.key.table()).into_owned();
        // The default namespace is not printed.
        let table = table.strip_prefix("default:").map_or(table.clone(), str::to_owned);
        let region = StringBinary(entry.key.region()).to_string();
        let is_wanted = (options.tables.is_empty() || options.tables.contains(&table))
            && options.sequence.is_none_or(|sequence| sequence == entry.key.sequence_id())
            && options.region.as_ref().is_none_or(|wanted| *wanted == region);
        if !is_wanted {
            return None;
        }
        let mut heap_size = entry::HEAP_SIZE_OF_LIST;
        let mut actions = Vec::new();
        for cell in entry.cells() {
            heap_size += entry::heap_size(&cell);
            let row = StringBinary(cell.row()).to_string();
            let is_row = |wanted: &String| wanted.is_empty() || *wanted == row;
            let has_prefix = |prefix: &String| row.starts_with(prefix.as_str());
            if options.row.as_ref().is_none_or(is_row) && options.row_prefix.as_ref().is_none_or(has_prefix) {
                actions.push(Action::of(&cell, row, options.only_rows, options.values));
            }
        }
        let attributes = entry
            .key
            .attributes()
            .map(|(key, value)| (String::from_utf8_lossy(key).into_owned(), StringBinary(value).to_string()));
        (!actions.is_empty()).then(|| PrintedEntry {
            table,
            region,
            sequence_id: entry.key.sequence_id(),
            write_time_ms: entry.key.write_time_ms(),
            attributes: attributes.collect(),
            actions,
            heap_size,
            offset: entry.offset,
        })
    }

    fn print_entry(&mut self, entry: &PrintedEntry, position: u64) -> Result<(), InspectError> {
        match self.options.form {
            WalForm::JsonLines => {
                writeln!(self.out, "{}", json::line(entry, position))?;
                return Ok(());
            }
            WalForm::HBaseJson => {
                let comma = if std::mem::replace(&mut self.has_entries, true) { "," } else { "" };
                write!(self.out, "{comma}{}", json::as_hbase(entry))?;
            }
            WalForm::Text => self.print_text(entry)?,
        }
        if !self.options.only_rows {
            writeln!(self.out, "edit heap size: {}\nposition: {position}", entry.heap_size)?;
        }
        Ok(())
    }

    fn print_text(&mut self, entry: &PrintedEntry) -> Result<(), InspectError> {
        let PrintedEntry { sequence_id, table, region, write_time_ms, .. } = entry;
        if !self.options.only_rows {
            let time = entry::java_date(*write_time_ms, &self.zone);
            writeln!(
                self.out,
                "Sequence={sequence_id}, table={table}, region={region}, at write timestamp={time}"
            )?;
        }
        for Action { row, rest } in &entry.actions {
            let Some(rest) = rest else {
                writeln!(self.out, "row={row}")?;
                continue;
            };
            writeln!(
                self.out,
                "row={row}, column={}:{}, timestamp={}, type={}",
                rest.family, rest.qualifier, rest.timestamp, rest.cell_type
            )?;
            if !rest.tags.is_empty() {
                writeln!(self.out, "    tag: [{}]", rest.tags.join(", "))?;
            }
            if let Some(value) = &rest.value {
                writeln!(self.out, "    value: {value}")?;
            }
            writeln!(self.out, "cell total size sum: {}", rest.heap_size)?;
        }
        Ok(())
    }
}
