//! How wide columns are, and what stands in them.

use crate::field::{Field, FieldType};
use crate::mode::Mode;
use crate::record::Record;
use std::collections::HashMap;

/// A column of names is made no narrower, to have others beside it.
const NARROWEST_NAME: usize = 8;
/// The last column that is worth making names narrower for, where not all have room.
const LAST_OF_WORTH: Field = Field::Writes;

/// The widths of columns. They grow with what stands in them, and do not shrink by themselves: a table that moves cannot be
/// read.
#[derive(Debug, Default)]
pub(crate) struct Widths {
    mode: Option<Mode>,
    /// Of the values and the heading.
    needed: HashMap<Field, usize>,
}

/// A column, and how wide it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SizedColumn {
    /// Its field.
    pub(crate) field: Field,
    /// Columns of the terminal.
    pub(crate) width: usize,
}

impl Widths {
    /// Makes room for records of a mode.
    pub(crate) fn fit(&mut self, mode: Mode, fields: &[Field], records: &[Record]) {
        if self.mode.replace(mode) != Some(mode) {
            self.needed.clear();
        }
        for &field in fields {
            let width = |record: &Record| {
                record.value(field).map_or(0, |value| width_of(&printable(&value.to_string())))
            };
            let widest = records.iter().map(width).max().unwrap_or(0);
            let needed = self.needed.entry(field).or_insert(field.heading().len());
            *needed = widest.max(*needed);
        }
    }

    /// Forgets what room was made.
    pub(crate) fn forget(&mut self) {
        self.mode = None;
    }

    /// The columns as wide as HBase has them, or wider.
    pub(crate) fn natural(&self, fields: &[Field]) -> Vec<SizedColumn> {
        let own = self.mode.map(Mode::fields).unwrap_or_default();
        let column = |&field: &Field| {
            let width = own.iter().find(|known| known.field == field).map_or(0, |known| known.width);
            SizedColumn { field, width: self.needed(field).max(width) }
        };
        fields.iter().map(column).collect()
    }

    /// The columns that have room in a line. Where it is short of room, numbers get what they need, and the widest names are
    /// cut, so that as much as possible is seen at once.
    pub(crate) fn within(&self, fields: &[Field], room: usize) -> Vec<SizedColumn> {
        let mut columns = self.natural(fields);
        if total(&columns) > room {
            for column in &mut columns {
                column.width = self.needed(column.field);
            }
            cut_names(&mut columns, room);
        }
        let mut end = 0;
        let mut is_first = true;
        columns.retain_mut(|column| {
            if std::mem::take(&mut is_first) {
                // Rather a part of it than nothing.
                column.width = column.width.min(room);
            }
            end += column.width + 1;
            end <= room + 1
        });
        columns
    }

    fn needed(&self, field: Field) -> usize {
        self.needed.get(&field).copied().unwrap_or(0).max(field.heading().len())
    }
}

/// Columns, with a space between them.
fn total(columns: &[SizedColumn]) -> usize {
    columns.iter().map(|column| column.width + 1).sum::<usize>().saturating_sub(1)
}

fn cut_names(columns: &mut [SizedColumn], room: usize) {
    let narrowest = |column: &SizedColumn| match column.field.kind() {
        FieldType::Text => column.width.min(NARROWEST_NAME.max(column.field.heading().len())),
        _ => column.width,
    };
    let narrowed =
        |columns: &[SizedColumn]| columns.iter().map(|column| narrowest(column) + 1).sum::<usize>();
    let worth = columns.iter().rposition(|column| column.field == LAST_OF_WORTH).map_or(0, |at| at + 1);
    let wanted = if narrowed(columns) <= room + 1 { columns.len() } else { worth };
    let wanted = &mut columns[..wanted];
    // Each turn takes one column of the terminal from one name.
    while total(wanted) > room {
        let can_give = wanted.iter_mut().filter(|column| column.width > narrowest(column));
        match can_give.max_by_key(|column| column.width) {
            Some(widest) => widest.width -= 1,
            None => return,
        }
    }
}

/// Columns of the terminal that text takes.
pub(crate) fn width_of(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { ratatui_core::text::Span::raw(text).width() }
}

/// A value in its column. Of what has no room the end is cut, and a `+` says so.
pub(crate) fn cell(record: &Record, column: SizedColumn) -> String {
    let text = record.value(column.field).map(|value| value.to_string()).unwrap_or_default();
    padded(&text, column)
}

/// A heading in its column.
pub(crate) fn heading(column: SizedColumn) -> String {
    padded(column.field.heading(), column)
}

fn padded(text: &str, SizedColumn { field, width }: SizedColumn) -> String {
    let text = cut(printable(text), width);
    let space = " ".repeat(width.saturating_sub(width_of(&text)));
    if field.is_left_justified() { text + &space } else { space + &text }
}

/// What servers send may hold anything. In place of what moves a terminal's cursor, changes its state or the direction of text, or
/// is not to be seen, stands a `?`.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|letter| if is_printable(letter) { letter } else { '?' }).collect()
}

pub(crate) fn is_printable(letter: char) -> bool {
    !letter.is_control() && !is_invisible(letter)
}

/// Whether somebody sees nothing of it: what Unicode calls ignorable by default (DerivedCoreProperties.txt), marks of direction
/// among it; separators of lines and paragraphs; marks of annotations.
fn is_invisible(letter: char) -> bool {
    matches!(
        u32::from(letter),
        0xad | 0x34f
            | 0x61c
            | 0x115f..=0x1160
            | 0x17b4..=0x17b5
            | 0x180b..=0x180f
            | 0x200b..=0x200f
            | 0x2028..=0x202e
            | 0x2060..=0x206f
            | 0x3164
            | 0xfe00..=0xfe0f
            | 0xfeff
            | 0xffa0
            | 0xfff0..=0xfffb
            | 0x1_bca0..=0x1_bca3
            | 0x1_d173..=0x1_d17a
            | 0xe_0000..=0xe_0fff
    )
}

/// Text within so many columns of the terminal. Where the end is cut, a `+` says so.
pub(crate) fn cut(text: String, width: usize) -> String {
    if width_of(&text) <= width {
        return text;
    }
    let mut kept = String::new();
    let mut taken = 1;
    for letter in text.chars() {
        taken += width_of(letter.encode_utf8(&mut [0; 4]));
        if taken > width {
            break;
        }
        kept.push(letter);
    }
    if width > 0 {
        kept.push('+');
    }
    kept
}

#[cfg(test)]
mod tests;
