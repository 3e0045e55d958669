//! A table as a list of everything ever written: slow, and plain to see that it is right.
//!
//! What a read sees of it does not depend on what was flushed when, as long as deletes of single versions, and reads of
//! a part of time, are left to a family that keeps all its versions. It does depend on compactions of all files: a put
//! that is written after a marker, with an older timestamp, is hidden until the marker goes.
//!
//! In families with NEW_VERSION_BEHAVIOR nothing depends on flushes or compactions: see [`crate::new_version_model`].

use crate::column_test::{ColumnTest, Kind};
use crate::new_version_model;
use crate::world::Plain;
use finback_cell::{Bytes, CellType};
use std::collections::{BTreeMap, BTreeSet};

/// Cells in the order of writing. A reader's snapshot is how many of them there were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) written: Vec<Plain>,
    /// For each of them, which write it came with.
    writes: Vec<usize>,
    /// Numbers of the cells that compactions dropped.
    dropped: BTreeSet<usize>,
    /// How many had been written when the family was last flushed.
    flushed: BTreeMap<Vec<u8>, usize>,
}

/// A family, and the qualifiers wanted of it.
pub(crate) type Wanted = (Vec<u8>, Option<Vec<Vec<u8>>>);

/// A read of the model.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    /// Families with the qualifiers wanted; `None` is all.
    pub(crate) families: Vec<Wanted>,
    /// `min..max`.
    pub(crate) times: (i64, i64),
    /// A family of which other times are wanted.
    pub(crate) own_times: Option<(Vec<u8>, (i64, i64))>,
    pub(crate) versions: usize,
    pub(crate) store_offset: usize,
    pub(crate) store_limit: Option<usize>,
    /// Lowest and highest row.
    pub(crate) from: std::ops::Bound<Vec<u8>>,
    pub(crate) to: std::ops::Bound<Vec<u8>>,
    pub(crate) reversed: bool,
    /// Only values that do not begin with this byte.
    pub(crate) without_value: Option<u8>,
    /// Only rows with an even number of cells.
    pub(crate) even_rows: bool,
    /// So many rows.
    pub(crate) page: Option<usize>,
    /// Only what passes a test of a column.
    pub(crate) column: Option<ColumnTest>,
    /// Whether families that the filter does not need are loaded on demand, if it says.
    pub(crate) on_demand: Option<bool>,
}

/// Versions kept by a family.
pub(crate) fn family_versions(family: &[u8]) -> usize {
    if family == b"b" { 1000 } else { 2 }
}

/// Whether a family has NEW_VERSION_BEHAVIOR.
pub(crate) fn has_new_versions(family: &[u8]) -> bool {
    matches!(family, b"c" | b"d")
}

pub(crate) fn is_marker(cell: &Plain) -> bool {
    cell.type_code != CellType::Put.code()
}

impl Read {
    /// All rows and versions of some families.
    pub(crate) fn everything(families: Vec<Wanted>) -> Self {
        Self {
            families,
            times: (0, i64::MAX),
            own_times: None,
            versions: usize::MAX,
            store_offset: 0,
            store_limit: None,
            from: std::ops::Bound::Unbounded,
            to: std::ops::Bound::Unbounded,
            reversed: false,
            without_value: None,
            even_rows: false,
            page: None,
            column: None,
            on_demand: None,
        }
    }

    /// What counts for a family: `min..max`.
    fn times_of(&self, family: &[u8]) -> (i64, i64) {
        let own = self.own_times.as_ref().filter(|(name, _)| name == family);
        own.map_or(self.times, |(_, times)| *times)
    }

    /// Whether a row is in the range.
    pub(crate) fn has_row(&self, row: &[u8]) -> bool {
        use std::ops::Bound::{Excluded, Included, Unbounded};
        let after = match &self.from {
            Unbounded => true,
            Included(from) => row >= &from[..],
            Excluded(from) => row > &from[..],
        };
        let before = match &self.to {
            Unbounded => true,
            Included(to) => row <= &to[..],
            Excluded(to) => row < &to[..],
        };
        after && before
    }

    /// What the offset and the limit leave of a family's cells of a row.
    fn page_of(&self, cells: Vec<Plain>) -> impl Iterator<Item = Plain> {
        cells.into_iter().skip(self.store_offset).take(self.store_limit.unwrap_or(usize::MAX))
    }
}

impl Model {
    /// The cells of one write.
    pub(crate) fn write(&mut self, cells: Vec<Plain>) {
        let write = self.writes.last().map_or(0, |last| last + 1);
        self.writes.resize(self.written.len() + cells.len(), write);
        self.written.extend(cells);
    }

    /// A flush of a family.
    pub(crate) fn flush(&mut self, family: &[u8]) {
        self.flushed.insert(family.to_vec(), self.written.len());
    }

    /// A compaction of all files of these rows of a family, while somebody reads what there was when `stable` cells had been written:
    /// markers go that all see, with all that they hide.
    pub(crate) fn compact_all(&mut self, family: &[u8], stable: usize, (start, end): &(Bytes, Bytes)) {
        let flushed = self.flushed.get(family).copied().unwrap_or(0);
        let is_in = |row: &[u8]| row >= &start[..] && (end.is_empty() || row < &end[..]);
        let is_compacted = |cell: &Plain| cell.family == family && is_in(&cell.row);
        let cells = || self.written[..flushed].iter().enumerate().filter(|(_, cell)| is_compacted(cell));
        let goes_as_marker = |number: usize, cell: &Plain| is_marker(cell) && number < stable;
        let left = cells().filter(|(number, _)| !self.dropped.contains(number));
        let markers: Vec<&Plain> =
            left.filter(|(number, cell)| goes_as_marker(*number, cell)).map(|(_, cell)| cell).collect();
        let goes = |number: usize, cell: &Plain| {
            goes_as_marker(number, cell)
                || !is_marker(cell)
                    && !has_new_versions(family)
                    && markers.iter().any(|marker| marker.row == cell.row && hides(marker, cell))
        };
        let gone: Vec<usize> =
            cells().filter(|(number, cell)| goes(*number, cell)).map(|(number, _)| number).collect();
        self.dropped.extend(gone);
    }

    /// Markers that no compaction dropped.
    pub(crate) fn markers(&self) -> impl Iterator<Item = &Plain> {
        let left = self.written.iter().enumerate().filter(|(number, _)| !self.dropped.contains(number));
        left.map(|(_, cell)| cell).filter(|cell| is_marker(cell))
    }

    /// What the first `count` writes left to be seen, row by row.
    pub(crate) fn rows(&self, count: usize, read: &Read) -> Vec<Vec<Plain>> {
        let rows: BTreeSet<&Vec<u8>> = self.written[..count].iter().map(|cell| &cell.row).collect();
        let mut found: Vec<Vec<Plain>> = rows
            .into_iter()
            .filter(|row| read.has_row(row))
            .map(|row| {
                let cells = |family| (family, self.family_of_row(count, row, family, read));
                let families: Vec<_> = read.families.iter().map(cells).collect();
                if read.column.as_ref().is_some_and(|test| !test.passes_row(&families, read)) {
                    return Vec::new();
                }
                families.into_iter().flat_map(|(_, cells)| read.page_of(cells)).collect()
            })
            .collect();
        if let Some(test) = read.column.as_ref().filter(|test| test.kind == Kind::Exclude) {
            found.iter_mut().for_each(|row| row.retain(|cell| !test.is_of(cell)));
        }
        found.retain(|row: &Vec<Plain>| !row.is_empty());
        if read.even_rows {
            found.retain(|row| row.len() % 2 == 0);
        }
        if read.reversed {
            found.reverse();
        }
        found.truncate(read.page.unwrap_or(usize::MAX));
        found
    }

    /// What passes of a family, without regard to the offset and the limit.
    fn family_of_row(&self, count: usize, row: &[u8], (family, columns): &Wanted, read: &Read) -> Vec<Plain> {
        let of_family = |at: &usize| self.written[*at].row == row && self.written[*at].family == *family;
        let cells: Vec<usize> = (0..count).filter(of_family).collect();
        let standing = if has_new_versions(family) {
            let written = cells.iter().map(|&at| (self.writes[at], &self.written[at]));
            new_version_model::standing(written.collect(), family_versions(family))
        } else {
            let left = cells.iter().filter(|at| !self.dropped.contains(at));
            by_timestamp(&left.map(|&at| &self.written[at]).collect::<Vec<_>>())
        };
        // A filter chooses among all versions that the family keeps; under NEW_VERSION_BEHAVIOR among those asked for.
        let shown = if has_new_versions(family) { read.versions } else { usize::MAX };
        let mut found: Vec<Plain> = Vec::new();
        let (mut seen, mut passed, mut column) = (0, 0, None);
        let (from, to) = read.times_of(family);
        let wanted = |put: &&Plain| {
            columns.as_ref().is_none_or(|columns| columns.contains(&put.qualifier))
                && (from..to).contains(&put.timestamp)
        };
        for put in standing.iter().filter(wanted) {
            if column != Some(&put.qualifier) {
                (seen, passed, column) = (0, 0, Some(&put.qualifier));
            }
            seen += 1;
            let passes = read.without_value.is_none_or(|byte| put.value.first() != Some(&byte))
                && read.column.as_ref().is_none_or(|test| test.passes_cell(put));
            if seen <= family_versions(family).min(shown) && passes {
                passed += 1;
                if passed <= read.versions {
                    found.push(put.clone());
                }
            }
        }
        found
    }

    /// Whether a put was written at a place.
    pub(crate) fn has_put(&self, (row, family, qualifier): (&[u8], &[u8], &[u8]), timestamp: i64) -> bool {
        let at = |cell: &Plain| {
            (&cell.row[..], &cell.family[..], &cell.qualifier[..]) == (row, family, qualifier)
                && cell.timestamp == timestamp
                && !is_marker(cell)
        };
        self.written.iter().any(at)
    }

    /// The visible versions of one column, newest first.
    pub(crate) fn column(&self, row: &[u8], family: &[u8], qualifier: &[u8]) -> Vec<Plain> {
        let row = || std::ops::Bound::Included(row.to_vec());
        let column = (family.to_vec(), Some(vec![qualifier.to_vec()]));
        let read = Read { from: row(), to: row(), ..Read::everything(vec![column]) };
        self.rows(self.written.len(), &read).into_iter().flatten().collect()
    }
}

/// Under a marker a put cannot be seen, whichever was written first.
fn by_timestamp(written: &[&Plain]) -> Vec<Plain> {
    let markers = || written.iter().filter(|cell| is_marker(cell));
    // Of puts at the same place the last one written counts.
    let mut puts = BTreeMap::new();
    for cell in written.iter().filter(|cell| !is_marker(cell)) {
        puts.insert((cell.qualifier.clone(), std::cmp::Reverse(cell.timestamp)), *cell);
    }
    puts.into_values().filter(|put| !markers().any(|marker| hides(marker, put))).cloned().collect()
}

pub(crate) fn hides(marker: &Plain, put: &Plain) -> bool {
    let same_column = marker.qualifier == put.qualifier;
    match CellType::from_code(marker.type_code) {
        Some(CellType::DeleteFamily) => marker.timestamp >= put.timestamp,
        Some(CellType::DeleteFamilyVersion) => marker.timestamp == put.timestamp,
        Some(CellType::DeleteColumn) => same_column && marker.timestamp >= put.timestamp,
        Some(CellType::Delete) => same_column && marker.timestamp == put.timestamp,
        other => panic!("{other:?} is no marker"),
    }
}
