//! What the tests of this crate share: cells, a scan by the contract of [`Filter`], and serialized messages.

use crate::{Filter, FilterCode};
use finback_cell::Cell;
use finback_cell::cell::CellParts;
use finback_cell::key::Key;
use finback_cell::{CellOrder, CellType};
use finback_proto::Message;

pub(crate) const PACKAGE: &str = "org.apache.hadoop.hbase.filter.";

/// A KeyValue of `row/family:qualifier@timestamp=value`.
pub(crate) fn cell_bytes(text: &str) -> Vec<u8> {
    let (key, value) = text.split_once('=').unwrap_or((text, ""));
    let (key, timestamp) = key.split_once('@').unwrap_or((key, "1"));
    let (row, column) = key.split_once('/').unwrap();
    let (family, qualifier) = column.split_once(':').unwrap();
    CellParts {
        row: row.as_bytes(),
        family: family.as_bytes(),
        qualifier: qualifier.as_bytes(),
        timestamp: timestamp.parse().unwrap(),
        type_code: CellType::Put.code(),
        value: value.as_bytes(),
        tags: &[],
    }
    .to_vec()
}

pub(crate) fn text_of(cell: &Cell<'_>) -> String {
    format!(
        "{}/{}:{}@{}={}",
        cell.row().escape_ascii(),
        cell.family().escape_ascii(),
        cell.qualifier().escape_ascii(),
        cell.timestamp(),
        cell.value().escape_ascii()
    )
}

/// What the filter says of each cell, asked without heeding the answers.
pub(crate) fn codes(filter: &mut dyn Filter, cells: &[&str]) -> Vec<FilterCode> {
    cells.iter().map(|text| filter.filter_cell(&Cell::from_checked(&cell_bytes(text))).unwrap()).collect()
}

/// Scans `cells`, which must be in order, as a region would: returns what is returned.
pub(crate) fn scan(filter: &mut dyn Filter, cells: &[&str], reversed: bool) -> Vec<String> {
    let cells: Vec<Vec<u8>> = cells.iter().map(|text| cell_bytes(text)).collect();
    let cells: Vec<Cell<'_>> = cells.iter().map(|bytes| Cell::from_checked(bytes)).collect();
    let mut rows: Vec<&[Cell<'_>]> = cells.chunk_by(Cell::same_row).collect();
    if reversed {
        rows.reverse();
    }
    filter.set_reversed(reversed);
    let (mut returned, mut at) = (Vec::new(), 0);
    while at < rows.len() && !filter.filter_all_remaining() {
        let row = rows[at];
        at += 1;
        if !filter.filter_row_key(row[0].row()).unwrap() {
            let (kept, seek_row) = scan_row(filter, row);
            finish_row(filter, &kept, &mut returned);
            if let Some(seek_row) = seek_row {
                while at < rows.len() && before(rows[at][0].row(), &seek_row, reversed) {
                    at += 1;
                }
            }
        }
        filter.reset();
    }
    returned
}

fn before(row: &[u8], target: &[u8], reversed: bool) -> bool {
    if reversed { row > target } else { row < target }
}

/// The kept cells of a row, transformed, and the row to go on with, if a hint left this one.
fn scan_row(filter: &mut dyn Filter, row: &[Cell<'_>]) -> (Vec<Vec<u8>>, Option<Vec<u8>>) {
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < row.len() {
        let cell = row[at];
        let code = filter.filter_cell(&cell).unwrap();
        if code.is_include() {
            let mut out = Vec::new();
            let changed = filter.transform_cell(&cell, &mut out);
            kept.push(if changed { out } else { cell.bytes().to_vec() });
        }
        at += 1;
        let skip_while = |at: usize, skip: &dyn Fn(&Cell<'_>) -> bool| {
            row[at..].iter().position(|next| !skip(next)).map_or(row.len(), |by| at + by)
        };
        match code {
            FilterCode::IncludeAndNextColumn | FilterCode::NextColumn => {
                at = skip_while(at, &|next| {
                    next.family() == cell.family() && next.qualifier() == cell.qualifier()
                });
            }
            FilterCode::IncludeAndSeekNextRow | FilterCode::NextRow => {
                at = skip_while(at, &|next| next.family() == cell.family());
            }
            FilterCode::SeekNextUsingHint => {
                let Some(hint) = filter.next_cell_hint(&cell) else { continue };
                let hint = hint.as_key();
                if hint.row != cell.row() {
                    return (kept, Some(hint.row.to_vec()));
                }
                at = skip_while(at, &|next| CellOrder::User.compare_keys(&Key::of(next), &hint).is_lt());
            }
            FilterCode::Include | FilterCode::Skip => {}
        }
    }
    (kept, None)
}

fn finish_row(filter: &mut dyn Filter, kept: &[Vec<u8>], returned: &mut Vec<String>) {
    let mut cells: Vec<Cell<'_>> = kept.iter().map(|bytes| Cell::from_checked(bytes)).collect();
    if cells.is_empty() {
        return;
    }
    if filter.has_filter_row() {
        filter.filter_row_cells(&mut cells);
    }
    if !cells.is_empty() && !filter.filter_row() {
        returned.extend(cells.iter().map(text_of));
    }
}

/// Rows of one cell each.
pub(crate) fn rows(rows: &[&str]) -> Vec<String> {
    rows.iter().map(|row| format!("{row}/f:q")).collect()
}

/// The rows that a filter returns of rows of one cell each.
pub(crate) fn scan_rows(filter: &mut dyn Filter, of: &[&str], reversed: bool) -> Vec<String> {
    let cells = rows(of);
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    let returned = scan(filter, &cells, reversed);
    returned.iter().map(|text| text.split('/').next().unwrap().to_owned()).collect()
}

/// Decodes the filter of simple name `name` from `message`.
pub(crate) fn filter(name: &str, message: &impl Message) -> Box<dyn Filter> {
    match crate::decode(&format!("{PACKAGE}{name}"), &message.encode_to_vec()) {
        Ok(filter) => filter,
        Err(error) => panic!("{name}: {error}"),
    }
}

/// A comparison with a `BinaryComparator`.
pub(crate) fn binary(operator: crate::CompareOperator, value: &'static str) -> crate::filters::Comparison {
    let comparator = crate::comparators::BinaryComparator::new(value.as_bytes().into());
    crate::filters::Comparison::new(operator, Box::new(comparator))
}
