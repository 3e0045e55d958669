//! Files whose rows come one file after the other, as where a table is filled in the order of its keys.

use crate::store_file::StoreFile;
use finback_cell::CellOrder;
use finback_cell::key::Key;
use finback_hfile::HFileReader;
use std::sync::Arc;

/// Of each file no larger part may lie where another one is as well.
const SHARED: f64 = 0.25;

/// Whether a compaction of these files finds most of their blocks with nothing between their cells, as far as the first level of
/// their indexes tells: a part that may be shared counts as shared.
pub(crate) fn are_in_a_row(files: &[Arc<StoreFile>], order: CellOrder) -> bool {
    let mut files: Vec<InOrder<'_>> = files.iter().filter_map(|file| InOrder::of(file.reader())).collect();
    files.sort_by(|a, b| order.compare_keys(&a.first, &b.first));
    let Some((mut furthest, rest)) = files.split_first().map(|(first, rest)| (*first, rest)) else {
        return false;
    };
    for next in rest {
        let is_behind = order.compare_keys(&furthest.last, &next.first).is_lt();
        if !is_behind
            && (next.share_up_to(&furthest.last) > SHARED || furthest.share_from(&next.first) > SHARED)
        {
            return false;
        }
        if order.compare_keys(&furthest.last, &next.last).is_lt() {
            furthest = *next;
        }
    }
    !rest.is_empty()
}

/// A file with cells.
#[derive(Clone, Copy)]
struct InOrder<'a> {
    file: &'a HFileReader,
    first: Key<'a>,
    last: Key<'a>,
}

impl<'a> InOrder<'a> {
    fn of(file: &'a HFileReader) -> Option<Self> {
        let (first, last) = (Key::from_checked(file.first_key()?), Key::from_checked(file.last_key()?));
        Some(Self { file, first, last })
    }

    /// Which part of the file may be before a key or at it.
    fn share_up_to(&self, key: &Key<'_>) -> f64 {
        let (begun, of) = self.file.parts_begun_at(key);
        begun as f64 / of as f64
    }

    /// Which part of the file may be at a key or behind it.
    fn share_from(&self, key: &Key<'_>) -> f64 {
        let (begun, of) = self.file.parts_begun_at(key);
        (of + 1 - begun.max(1)) as f64 / of as f64
    }
}
