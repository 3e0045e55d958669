//! Statistics of the lengths of keys, values and rows.

mod distribution;

use distribution::Distribution;
use finback_cell::{Cell, StringBinary};
use std::io::{self, Write};

/// The four figures of HBase's printer.
pub(super) struct Statistics {
    keys: Distribution,
    values: Distribution,
    row_bytes: Distribution,
    row_columns: Distribution,
    shows_ranges: bool,
    row: Option<RowSoFar>,
    /// The row of the most bytes, and those.
    biggest: Option<(Vec<u8>, u64)>,
}

/// The row that the cells are of.
struct RowSoFar {
    row: Vec<u8>,
    bytes: u64,
    columns: u64,
    /// Of its last cell: HBase counts the lengths of keys once a row.
    key_length: u64,
}

impl Statistics {
    pub(super) fn new(shows_ranges: bool) -> Self {
        let [keys, values, row_bytes, row_columns] = std::array::from_fn(|_| Distribution::default());
        Self { keys, values, row_bytes, row_columns, shows_ranges, row: None, biggest: None }
    }

    pub(super) fn collect(&mut self, cell: &Cell<'_>) {
        self.values.add(cell.value_length() as u64);
        if self.row.as_ref().is_some_and(|row| row.row != cell.row()) {
            self.finish();
        }
        let row = self.row.get_or_insert_with(|| RowSoFar {
            row: cell.row().to_vec(),
            bytes: 0,
            columns: 0,
            key_length: 0,
        });
        row.bytes += cell.bytes().len() as u64;
        row.columns += 1;
        row.key_length = cell.key_length() as u64;
    }

    /// The last row has ended.
    pub(super) fn finish(&mut self) {
        let Some(RowSoFar { row, bytes, columns, key_length }) = self.row.take() else { return };
        self.row_bytes.add(bytes);
        self.row_columns.add(columns);
        self.keys.add(key_length);
        if self.biggest.as_ref().is_none_or(|(_, most)| bytes > *most) {
            self.biggest = Some((row, bytes));
        }
    }

    pub(super) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "Stats:")?;
        let Some((biggest, _)) = &self.biggest else {
            return writeln!(out, "no data available for statistics");
        };
        for (name, figures) in [
            ("Key length", &self.keys),
            ("Val length", &self.values),
            ("Row size (bytes)", &self.row_bytes),
            ("Row size (columns)", &self.row_columns),
        ] {
            writeln!(out, "   {name}:")?;
            figures.print(self.shows_ranges, out)?;
        }
        writeln!(out, "\n\nKey of biggest row: {}", StringBinary(biggest))
    }
}
