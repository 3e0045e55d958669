//! Which sources of a store matter to a read: by rows, by timestamps, by Bloom filter.

use crate::family_rules::FamilyRules;
use crate::heap::OneColumn;
use crate::row_range::RowRange;
use crate::store_file::StoreFile;
use finback_cell::{Bytes, CellOrder, Scan, TimeRange};
use finback_hfile::{AskedRow, BlockCache, BloomProbe, BloomType};
use std::sync::Arc;

/// What a Bloom filter says.
pub(crate) enum BloomAnswer {
    /// The file has nothing of what is read.
    No,
    /// It may have, or there is no filter to ask.
    Perhaps,
    /// To be asked when the read comes to the file: the answer takes a block.
    Ask(BloomProbe),
}

/// What a source must overlap with to matter to a scan of one family.
pub(crate) struct Relevant<'a> {
    /// The row of a read of a single row, and its column, if it is a single one too.
    single: Option<(&'a [u8], Option<&'a [u8]>)>,
    /// That row, or none, for the filters of all files.
    asked: AskedRow<'a>,
    order: CellOrder,
    lower: &'a [u8],
    upper: &'a [u8],
    include_upper: bool,
    reversed: bool,
    time_range: TimeRange,
    /// Sources with nothing newer have expired.
    oldest: i64,
    /// Whether it is of the present, for which files of history do not matter.
    of_present: bool,
}

impl<'a> Relevant<'a> {
    /// For a read of `rows` of the family that has this name and these rules. `now` is asked only if something expires.
    pub(crate) fn new(
        scan: &'a Scan,
        rows: &RowRange<&'a Bytes>,
        (family, rules): (&[u8], &FamilyRules),
        order: CellOrder,
        now: &dyn Fn() -> i64,
    ) -> Self {
        let (lower, upper) = if rows.reversed { (rows.stop, rows.start) } else { (rows.start, rows.stop) };
        let expires = !scan.raw && rules.min_versions == 0 && rules.ttl_ms.is_some();
        let single = rows.single();
        let time_range = scan.time_range_of(family);
        Self {
            single: single.map(|row| (row, single_column(scan, family))),
            asked: AskedRow::new(single.unwrap_or_default()),
            order,
            lower,
            upper,
            include_upper: if rows.reversed { rows.include_start } else { rows.include_stop },
            reversed: rows.reversed,
            time_range,
            oldest: if expires { rules.oldest_unexpired(now()) } else { i64::MIN },
            of_present: !scan.raw && time_range.max == TimeRange::ALL.max,
        }
    }

    /// The column, of a read of a single one of a single row.
    pub(crate) fn one_column(&self) -> Option<OneColumn> {
        let (row, column) = self.single?;
        let qualifier = Bytes::copy_from_slice(column?);
        Some(OneColumn { row: Bytes::copy_from_slice(row), qualifier })
    }

    /// What the file's Bloom filter says about this read, as far as that is in memory.
    pub(crate) fn bloom(&self, file: &StoreFile, cache: &Arc<dyn BlockCache>) -> BloomAnswer {
        let (asked, row, column) = match (self.single, file.reader().bloom_type()) {
            (Some((row, column)), Some(_)) => (&self.asked, row, column),
            // From its end a file is not asked for.
            (None, Some(BloomType::RowPrefix(length))) if !self.reversed => {
                let Some(prefix) = self.prefix().get(..length as usize) else { return BloomAnswer::Perhaps };
                (&AskedRow::new(prefix), prefix, None)
            }
            _ => return BloomAnswer::Perhaps,
        };
        match BloomProbe::answer_of_cache(file.reader(), &**cache, asked, column) {
            Some(true) => return BloomAnswer::Perhaps,
            Some(false) => return BloomAnswer::No,
            None => {}
        }
        let (reader, cache) = (Arc::clone(file.reader()), Some(Arc::clone(cache)));
        BloomAnswer::Ask(match column {
            Some(column) => BloomProbe::column(reader, cache, row, column),
            None => BloomProbe::row(reader, cache, row),
        })
    }

    /// What all rows of the read begin with.
    fn prefix(&self) -> &'a [u8] {
        let (lower, upper) = (self.lower, self.upper);
        let mut length = lower.iter().zip(upper).take_while(|(a, b)| a == b).count();
        // Before what comes next after all rows with one byte more.
        let next = lower.get(length).and_then(|byte| byte.checked_add(1));
        if !self.include_upper && next.is_some_and(|next| upper[length..] == [next]) {
            length += 1;
            length += lower[length..].iter().take_while(|byte| **byte == u8::MAX).count();
        }
        &lower[..length]
    }

    /// Whether this is a read of the present: not raw, and of all times up to the last.
    pub(crate) fn is_of_present(&self) -> bool {
        self.of_present
    }

    /// Whether a source with timestamps from `min` to `max` matters.
    pub(crate) fn times(&self, min: i64, max: i64) -> bool {
        self.time_range.overlaps(min, max) && max >= self.oldest
    }

    /// Whether a file matters.
    pub(crate) fn file(&self, file: &StoreFile) -> bool {
        let Some((first, last)) = file.row_range() else { return false };
        let below = !self.upper.is_empty() && self.order.compare_rows(first, self.upper).is_gt();
        let above = !self.lower.is_empty() && self.order.compare_rows(last, self.lower).is_lt();
        !below && !above && file.time_range().is_none_or(|(min, max)| self.times(min, max))
    }
}

/// The column of the family, if the read names just one.
fn single_column<'a>(scan: &'a Scan, family: &[u8]) -> Option<&'a [u8]> {
    let selection = scan.families.iter().find(|selection| selection.family == family)?;
    match selection.qualifiers.as_deref()? {
        [column] => Some(column),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
