//! The order of the cells, the rows they are of, and what trailer and file info say of them.

use super::{RowBounds, Verification};
use crate::block::{Block, BlockRef};
use crate::error::HFileError;
use crate::file_info::keys;
use crate::plain_cells::{self, is_plain_behind};
use crate::reader::HFileReader;
use finback_cell::key::Key;
use finback_cell::{Cell, CellType, StringBinary};

/// So many bytes of a row are shown.
const SHOWN_BYTES: usize = 100;

/// The cells of a file, one after the other.
pub(super) struct CellCheck<'a> {
    reader: &'a HFileReader,
    bounds: RowBounds<'a>,
    /// Flat key of the last cell of the block before.
    last: Option<Vec<u8>>,
    cells: u64,
    family_deletes: i64,
    newest_sequence_id: u64,
    /// Whether each column had one cell so far, a put without tags; bytes of all keys, and of all values.
    is_plain: bool,
    key_bytes: u64,
    value_bytes: u64,
}

impl<'a> CellCheck<'a> {
    pub(super) fn new(reader: &'a HFileReader, bounds: RowBounds<'a>) -> Self {
        Self {
            reader,
            bounds,
            last: None,
            cells: 0,
            family_deletes: 0,
            newest_sequence_id: 0,
            is_plain: true,
            key_bytes: 0,
            value_bytes: 0,
        }
    }

    /// What comes next is not beside what was before.
    pub(super) fn gap(&mut self) {
        self.last = None;
    }

    /// At most one problem of each kind is noted of a block.
    pub(super) fn data_block(&mut self, block: &Block, found: &mut Verification) {
        let Some(cells) = block.cells.as_ref() else { return };
        let (order, payload, place) = (self.reader.order(), block.payload(), block.place());
        let mut previous: Option<Cell<'_>> = None;
        let (mut disorder, mut stranger, mut time) = (None, None, None);
        let time_range = self.reader.time_range().filter(|(from, to)| from <= to);
        for number in 0..cells.len() {
            let Some((cell, sequence_id)) = cells.get(payload, number) else { break };
            let key = Key::of(&cell);
            let is_before = match (&previous, &self.last) {
                (Some(previous), _) => order.compare(previous, &cell).is_gt(),
                (None, Some(last)) => order.compare_flat_to_key(last, &key).is_gt(),
                (None, None) => false,
            };
            if is_before {
                let before = previous.map(|cell| shown(cell.row()));
                let before =
                    before.or_else(|| self.last.as_ref().map(|key| shown(Key::from_checked(key).row)));
                disorder.get_or_insert((before.unwrap_or_default(), shown(cell.row())));
            }
            if !self.contains(cell.row()) {
                stranger.get_or_insert_with(|| shown(cell.row()));
            }
            if time_range.is_some_and(|(from, to)| !(from..=to).contains(&cell.timestamp())) {
                time.get_or_insert(cell.timestamp());
            }
            self.family_deletes += i64::from(is_family_delete(&cell));
            self.newest_sequence_id = self.newest_sequence_id.max(sequence_id);
            let last = previous.as_ref().map(Cell::key).or(self.last.as_deref());
            self.is_plain = self.is_plain && is_plain_behind(last.unwrap_or_default(), &cell);
            self.key_bytes += cell.key().len() as u64;
            self.value_bytes += cell.value().len() as u64;
            previous = Some(cell);
        }
        self.cells += cells.len() as u64;
        self.last = previous.map(|cell| cell.key().to_vec());
        found.has_misplaced_cells |= disorder.is_some() || stranger.is_some();
        if let Some((before, row)) = disorder {
            found.note(self.wrong(place, &format!("a cell behind row {before}"), format!("row {row}")));
        }
        if let Some(row) = stranger {
            let RowBounds { start, end } = self.bounds;
            let expected = format!("rows from \"{}\" to before \"{}\"", shown(start), shown(end));
            found.note(self.wrong(place, &expected, format!("row {row}")));
        }
        if let (Some(time), Some((from, to))) = (time, time_range) {
            found.note(self.wrong(place, &format!("timestamps from {from} to {to}"), time.to_string()));
        }
    }

    fn contains(&self, row: &[u8]) -> bool {
        let RowBounds { start, end } = self.bounds;
        row >= start && (end.is_empty() || row < end)
    }

    fn wrong(&self, place: BlockRef, expected: &str, there: String) -> HFileError {
        self.reader.corrupt("data block", place.offset, expected, there)
    }

    /// The totals.
    pub(super) fn finish(self, found: &mut Verification) {
        let at = self.reader.trailer_offset();
        let stated = self.reader.entry_count();
        if stated != self.cells {
            let there = format!("{} cells in the file", self.cells);
            found.note(self.reader.corrupt("trailer", at, &format!("{stated} cells"), there));
        }
        let info_at = self.reader.trailer().fields.file_info_offset();
        // Whoever believes this looks at no cell.
        if let Some(sums) = self.reader.file_info(keys::PLAIN)
            && stated == self.cells
            && !(self.is_plain && sums == plain_cells::encode(self.key_bytes, self.value_bytes))
        {
            let expected = if self.is_plain { "other sums" } else { "no word of plain cells" };
            let there = String::from_utf8_lossy(keys::PLAIN).into_owned();
            found.note(self.reader.corrupt("file info block", info_at, expected, there));
        }
        let mut compare = |what: &str, stated: Option<i64>, counted: i64| {
            if let Some(stated) = stated.filter(|stated| *stated != counted) {
                let expected = format!("{what} {counted}");
                found.note(self.reader.corrupt("file info block", info_at, &expected, stated.to_string()));
            }
        };
        compare("DELETE_FAMILY_COUNT", self.reader.family_deletes(), self.family_deletes);
        let stated = self.reader.file_info_long(keys::MAX_MEMSTORE_TS);
        if self.reader.includes_mvcc()
            && stated.is_some_and(|stated| (stated as u64) < self.newest_sequence_id)
        {
            compare("MAX_MEMSTORE_TS_KEY", stated, self.newest_sequence_id as i64);
        }
        if let (Some(stated), Some(last)) = (self.reader.last_key(), &self.last)
            && stated != last
        {
            let (expected, there) =
                (shown(Key::from_checked(last).row), shown(Key::from_checked(stated).row));
            let expected = format!("a last key of row {expected}");
            found.note(self.reader.corrupt("file info block", info_at, &expected, format!("row {there}")));
        }
    }
}

fn is_family_delete(cell: &Cell<'_>) -> bool {
    [CellType::DeleteFamily.code(), CellType::DeleteFamilyVersion.code()].contains(&cell.type_code())
}

fn shown(row: &[u8]) -> String {
    let (cut, more) = if row.len() > SHOWN_BYTES { (&row[..SHOWN_BYTES], "…") } else { (row, "") };
    format!("{}{more}", StringBinary(cut))
}
