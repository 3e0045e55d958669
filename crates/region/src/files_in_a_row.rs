//! Files whose rows come one file after the other, as where a table is filled in the order of its keys.

use crate::store_file::StoreFile;
use finback_cell::CellOrder;
use finback_cell::key::Key;
use finback_hfile::HFileReader;
use std::sync::Arc;

/// Of all bytes no larger part may be in blocks that have cells of another file between theirs.
const SHARED: f64 = 0.25;

/// Whether a compaction of these files finds most of their blocks with nothing between their cells, as far as the first level of
/// their indexes tells: of a part that may be shared all counts as shared, but no more blocks of `block_bytes` than the other file has
/// cells. Of a file by itself that is no question, unless it is read in part: halves of a file that was split are in a row.
pub(crate) fn are_in_a_row(files: &[Arc<StoreFile>], order: CellOrder, block_bytes: u32) -> bool {
    let mut sorted: Vec<InOrder<'_>> = files.iter().filter_map(|file| InOrder::of(file)).collect();
    sorted.sort_by(|a, b| order.compare_keys(&a.first, &b.first));
    let Some((mut furthest, rest)) = sorted.split_first().map(|(first, rest)| (*first, rest)) else {
        return false;
    };
    let mut shared = 0.0;
    for next in rest {
        if order.compare_keys(&furthest.last, &next.first).is_ge() {
            shared += next.shared_with(&furthest, order, block_bytes)
                + furthest.shared_with(next, order, block_bytes);
        }
        if order.compare_keys(&furthest.last, &next.last).is_lt() {
            furthest = *next;
        }
    }
    let all: f64 = sorted.iter().map(|each| each.bytes_between(&each.first, &each.last)).sum();
    let is_part = || files.iter().any(|file| file.reference().is_some());
    shared <= SHARED * all && (!rest.is_empty() || is_part())
}

/// A file with cells, or the half of it that counts.
#[derive(Clone, Copy)]
struct InOrder<'a> {
    file: &'a HFileReader,
    first: Key<'a>,
    last: Key<'a>,
}

impl<'a> InOrder<'a> {
    fn of(file: &'a StoreFile) -> Option<Self> {
        let reader = file.reader();
        let mut all = Self {
            file: reader,
            first: Key::from_checked(reader.first_key()?),
            last: Key::from_checked(reader.last_key()?),
        };
        // Of a half, keys are those between which its rows are.
        let (first, last) = file.row_range()?;
        if first != all.first.row {
            all.first = Key::first_on_row(first);
        }
        if last != all.last.row {
            all.last = Key::first_on_row(last);
        }
        Some(all)
    }

    /// About how many of its bytes are in blocks with cells of another file, which overlaps with it, between theirs.
    fn shared_with(&self, other: &Self, order: CellOrder, block_bytes: u32) -> f64 {
        let first = std::cmp::max_by(self.first, other.first, |a, b| order.compare_keys(a, b));
        let last = std::cmp::min_by(self.last, other.last, |a, b| order.compare_keys(a, b));
        let by_cells = other.file.entry_count() as f64 * f64::from(block_bytes);
        self.bytes_between(&first, &last).min(by_cells)
    }

    /// Bytes of the parts in which keys between these are.
    fn bytes_between(&self, first: &Key<'_>, last: &Key<'_>) -> f64 {
        let ((before, _), (up_to, of)) = (self.file.parts_begun_at(first), self.file.parts_begun_at(last));
        let parts = (up_to + 1).saturating_sub(before.max(1)) as f64 / of as f64;
        parts * self.file.data_bytes() as f64
    }
}
