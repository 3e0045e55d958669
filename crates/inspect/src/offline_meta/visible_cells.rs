//! Which cells of a region a reader would see: the newest of each column that nothing deletes.

use crate::error::InspectError;
use finback_cell::{Cell, CellType};
use std::collections::BTreeMap;

/// More cells than this are not taken into memory: the regions of a thousand servers have fewer.
const MOST_CELLS: usize = 20_000_000;

/// Row, family and qualifier.
type Column = (Vec<u8>, Vec<u8>, Vec<u8>);

/// The columns of a row (`family:qualifier`) and their values.
pub(super) type Columns<'a> = BTreeMap<Vec<u8>, &'a [u8]>;

/// Cells, put and deleted, in whatever order they are found.
#[derive(Debug, Default)]
pub(super) struct VisibleCells {
    columns: BTreeMap<Column, Versions>,
    /// Row and family: what deletes all of its columns.
    families: BTreeMap<(Vec<u8>, Vec<u8>), Deletes>,
    count: usize,
}

#[derive(Debug, Default)]
struct Versions {
    /// Timestamp, sequence id, value.
    puts: Vec<(i64, u64, Vec<u8>)>,
    deletes: Deletes,
}

/// What deletes: everything up to a time, and single versions.
#[derive(Debug, Default)]
struct Deletes {
    up_to: Option<i64>,
    at: Vec<i64>,
}

impl Deletes {
    fn add_up_to(&mut self, timestamp: i64) {
        self.up_to = self.up_to.max(Some(timestamp));
    }

    fn hide(&self, timestamp: i64) -> bool {
        self.up_to.is_some_and(|up_to| timestamp <= up_to) || self.at.contains(&timestamp)
    }
}

impl VisibleCells {
    pub(super) fn add(&mut self, cell: &Cell<'_>, sequence_id: u64) -> Result<(), InspectError> {
        self.count += 1;
        if self.count > MOST_CELLS {
            return Err(InspectError::TooManyCells { limit: MOST_CELLS });
        }
        let (row, family, timestamp) = (cell.row().to_vec(), cell.family().to_vec(), cell.timestamp());
        match CellType::from_code(cell.type_code()) {
            Some(CellType::DeleteFamily) => {
                self.families.entry((row, family)).or_default().add_up_to(timestamp);
            }
            Some(CellType::DeleteFamilyVersion) => {
                self.families.entry((row, family)).or_default().at.push(timestamp);
            }
            kind => {
                let column = self.columns.entry((row, family, cell.qualifier().to_vec())).or_default();
                match kind {
                    Some(CellType::Put) => column.puts.push((timestamp, sequence_id, cell.value().to_vec())),
                    Some(CellType::DeleteColumn) => column.deletes.add_up_to(timestamp),
                    Some(CellType::Delete) => column.deletes.at.push(timestamp),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// The rows that are seen, each with the newest values of its columns.
    pub(super) fn rows(&self) -> Vec<(Vec<u8>, Columns<'_>)> {
        let mut rows: Vec<(Vec<u8>, Columns<'_>)> = Vec::new();
        for ((row, family, qualifier), versions) in &self.columns {
            let of_family = self.families.get(&(row.clone(), family.clone()));
            let is_seen = |timestamp: i64| {
                !versions.deletes.hide(timestamp) && !of_family.is_some_and(|deletes| deletes.hide(timestamp))
            };
            let seen = versions.puts.iter().filter(|(timestamp, ..)| is_seen(*timestamp));
            let Some((_, _, value)) =
                seen.max_by_key(|(timestamp, sequence_id, _)| (*timestamp, *sequence_id))
            else {
                continue;
            };
            if rows.last().is_none_or(|(last, _)| last != row) {
                rows.push((row.clone(), Columns::new()));
            }
            if let Some((_, columns)) = rows.last_mut() {
                columns.insert([family, &b":"[..], qualifier].concat(), value);
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_cell::cell::CellParts;

    fn add(cells: &mut VisibleCells, qualifier: &[u8], timestamp: i64, kind: CellType, sequence: u64) {
        let value = [sequence as u8];
        let bytes = CellParts {
            row: b"r",
            family: b"info",
            qualifier,
            timestamp,
            type_code: kind.code(),
            value: &value,
            tags: &[],
        }
        .to_vec();
        cells.add(&Cell::parse(&bytes).unwrap(), sequence).unwrap();
    }

    fn seen(cells: &VisibleCells) -> Vec<(Vec<u8>, u8)> {
        let rows = cells.rows();
        rows.iter().flat_map(|(_, row)| row.iter().map(|(name, value)| (name.clone(), value[0]))).collect()
    }

    #[test]
    fn the_newest_version_is_seen_that_nothing_deletes() {
        let mut cells = VisibleCells::default();
        add(&mut cells, b"a", 5, CellType::Put, 1);
        add(&mut cells, b"a", 5, CellType::Put, 3);
        add(&mut cells, b"a", 4, CellType::Put, 9);
        assert_eq!(seen(&cells), [(b"info:a".to_vec(), 3)]);
        add(&mut cells, b"a", 5, CellType::Delete, 4);
        assert_eq!(seen(&cells), [(b"info:a".to_vec(), 9)]);
        add(&mut cells, b"a", 4, CellType::DeleteColumn, 10);
        assert!(seen(&cells).is_empty());
        add(&mut cells, b"b", 6, CellType::Put, 11);
        add(&mut cells, b"c", 7, CellType::Put, 12);
        add(&mut cells, b"", 6, CellType::DeleteFamily, 13);
        assert_eq!(seen(&cells), [(b"info:c".to_vec(), 12)]);
        add(&mut cells, b"", 7, CellType::DeleteFamilyVersion, 14);
        assert!(seen(&cells).is_empty());
    }
}
