//! Encodes cells for PREFIX, DIFF and FAST_DIFF; the records are drawn at the decoder.
//!
//! Where a record can be written in several ways it is HBase's, byte for byte.

use crate::data_block::CellLayout;
use crate::delta_decoder::{diff_flag, fast_diff_flag};
use crate::encoding::DataBlockEncoding;
use crate::tag_dictionary::TagEncoder;
use crate::{varint, vlong};
use finback_cell::Cell;

/// Writes the records of one block after the other.
#[derive(Debug)]
pub(crate) struct DeltaEncoder {
    encoding: DataBlockEncoding,
    layout: CellLayout,
    tags: Option<TagEncoder>,
    /// The cell before in this block; empty at its beginning.
    previous: Vec<u8>,
}

impl DeltaEncoder {
    pub(crate) fn new(encoding: DataBlockEncoding, layout: CellLayout, compress_tags: bool) -> Self {
        Self { encoding, layout, tags: compress_tags.then(TagEncoder::new), previous: Vec::new() }
    }

    /// Begins a block with what comes before its records: nothing is as before.
    pub(crate) fn begin(&mut self, out: &mut Vec<u8>, first: &Cell<'_>) {
        self.previous.clear();
        if let Some(tags) = &mut self.tags {
            tags.clear();
        }
        if self.encoding == DataBlockEncoding::Diff {
            out.push(first.family().len() as u8);
            out.extend_from_slice(first.family());
        }
    }

    /// Appends a cell of the same family as the one before, whose tags are well formed if they are compressed.
    pub(crate) fn write(&mut self, out: &mut Vec<u8>, cell: &Cell<'_>, sequence_id: u64) {
        let previous = (!self.previous.is_empty()).then(|| Cell::from_checked(&self.previous));
        match self.encoding {
            DataBlockEncoding::Prefix => write_prefix(out, previous, cell),
            DataBlockEncoding::Diff => write_diff(out, previous, cell),
            _ => write_fast_diff(out, previous, cell),
        }
        if self.layout.tags {
            varint::write(out, cell.tags().len() as u32);
            match &mut self.tags {
                Some(tags) => {
                    let written = tags.write(cell.tags(), out);
                    debug_assert!(written.is_some(), "malformed tags: {cell:?}");
                }
                None => out.extend_from_slice(cell.tags()),
            }
        }
        if self.layout.mvcc {
            vlong::write(out, sequence_id as i64);
        }
        self.previous.clear();
        self.previous.extend_from_slice(cell.bytes_without_tags());
    }
}

fn write_prefix(out: &mut Vec<u8>, previous: Option<Cell<'_>>, cell: &Cell<'_>) {
    let common = previous.map_or(0, |previous| common_with_timestamp(&previous, cell));
    varint::write(out, (cell.key_length() - common) as u32);
    varint::write(out, cell.value_length() as u32);
    varint::write(out, common as u32);
    out.extend_from_slice(&cell.key()[common..]);
    out.extend_from_slice(cell.value());
}

fn write_diff(out: &mut Vec<u8>, previous: Option<Cell<'_>>, cell: &Cell<'_>) {
    let timestamp = cell.timestamp();
    let mut flag = 0;
    let mut number = timestamp;
    if let Some(previous) = &previous {
        flag = same_flags(
            previous,
            cell,
            [diff_flag::SAME_KEY_LENGTH, diff_flag::SAME_VALUE_LENGTH, diff_flag::SAME_TYPE],
        );
        let difference = previous.timestamp().wrapping_sub(timestamp);
        if bytes_of(difference.unsigned_abs()) < bytes_of(timestamp.unsigned_abs()) {
            number = difference;
            flag |= diff_flag::TIMESTAMP_IS_DIFFERENCE;
        }
    }
    let magnitude = number.unsigned_abs();
    if number < 0 {
        flag |= diff_flag::NEGATIVE;
    }
    flag |= (bytes_of(magnitude) as u8 - 1) << diff_flag::TIMESTAMP_BYTES_SHIFT;
    out.push(flag);
    if flag & diff_flag::SAME_KEY_LENGTH == 0 {
        varint::write(out, cell.key_length() as u32);
    }
    if flag & diff_flag::SAME_VALUE_LENGTH == 0 {
        varint::write(out, cell.value_length() as u32);
    }
    write_key_fragment(out, previous, cell);
    out.extend_from_slice(&magnitude.to_le_bytes()[..bytes_of(magnitude)]);
    if flag & diff_flag::SAME_TYPE == 0 {
        out.push(cell.type_code());
    }
    out.extend_from_slice(cell.value());
}

fn write_fast_diff(out: &mut Vec<u8>, previous: Option<Cell<'_>>, cell: &Cell<'_>) {
    let Some(previous) = previous else {
        out.push(0);
        varint::write(out, cell.key_length() as u32);
        varint::write(out, cell.value_length() as u32);
        out.push(0);
        out.extend_from_slice(cell.key());
        return out.extend_from_slice(cell.value());
    };
    let mut flag = same_flags(
        &previous,
        cell,
        [fast_diff_flag::SAME_KEY_LENGTH, fast_diff_flag::SAME_VALUE_LENGTH, fast_diff_flag::SAME_TYPE],
    );
    let timestamp = cell.timestamp().to_be_bytes();
    let same_bytes = common(&previous.timestamp().to_be_bytes(), &timestamp).min(7);
    flag |= same_bytes as u8;
    if previous.value() == cell.value() {
        flag |= fast_diff_flag::SAME_VALUE;
    }
    out.push(flag);
    if flag & fast_diff_flag::SAME_KEY_LENGTH == 0 {
        varint::write(out, cell.key_length() as u32);
    }
    if flag & fast_diff_flag::SAME_VALUE_LENGTH == 0 {
        varint::write(out, cell.value_length() as u32);
    }
    write_key_fragment(out, Some(previous), cell);
    out.extend_from_slice(&timestamp[same_bytes..]);
    if flag & fast_diff_flag::SAME_TYPE == 0 {
        out.push(cell.type_code());
    }
    if flag & fast_diff_flag::SAME_VALUE == 0 {
        out.extend_from_slice(cell.value());
    }
}

/// The flags for key length, value length and type.
fn same_flags(previous: &Cell<'_>, cell: &Cell<'_>, [key_length, value_length, cell_type]: [u8; 3]) -> u8 {
    let flag = |same: bool, flag: u8| if same { flag } else { 0 };
    flag(previous.key_length() == cell.key_length(), key_length)
        | flag(previous.value_length() == cell.value_length(), value_length)
        | flag(previous.type_code() == cell.type_code(), cell_type)
}

/// Appends how many bytes of the key, without timestamp and type, are as before, and the row and qualifier from there on.
fn write_key_fragment(out: &mut Vec<u8>, previous: Option<Cell<'_>>, cell: &Cell<'_>) {
    let row = cell.row();
    let common = previous.map_or(0, |previous| common_key(&previous, cell));
    varint::write(out, common as u32);
    if common < 2 + row.len() {
        let length = (row.len() as u16).to_be_bytes();
        out.extend_from_slice(&length[common.min(2)..]);
        out.extend_from_slice(&row[common.saturating_sub(2)..]);
        out.extend_from_slice(cell.qualifier());
    } else {
        out.extend_from_slice(&cell.qualifier()[common - (2 + row.len() + 1 + cell.family().len())..]);
    }
}

/// Number of leading bytes of the flat keys that are the same, up to the end of the qualifier. Of rows of different
/// lengths only the first byte of the length can be; families are the same.
fn common_key(previous: &Cell<'_>, cell: &Cell<'_>) -> usize {
    let (before, row) = (previous.row(), cell.row());
    if before.len() != row.len() {
        return usize::from(before.len() >> 8 == row.len() >> 8);
    }
    let common_row = common(before, row);
    if common_row < row.len() {
        return 2 + common_row;
    }
    2 + row.len() + 1 + cell.family().len() + common(previous.qualifier(), cell.qualifier())
}

/// The same, through timestamp and type if all before them is the same.
fn common_with_timestamp(previous: &Cell<'_>, cell: &Cell<'_>) -> usize {
    let common_key = common_key(previous, cell);
    let timestamp_at = cell.key_length() - 9;
    if common_key < timestamp_at || previous.key_length() != cell.key_length() {
        return common_key;
    }
    timestamp_at + common(&previous.key()[timestamp_at..], &cell.key()[timestamp_at..])
}

/// Number of leading bytes that are the same.
fn common(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(left, right)| left == right).count()
}

/// Bytes that a number needs, at least 1.
fn bytes_of(number: u64) -> usize {
    (8 - number.leading_zeros() as usize / 8).max(1)
}
