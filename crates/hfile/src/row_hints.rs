//! A few bytes of each row of a block, of data or of the index, side by side.
//!
//! A search by halves over the cells themselves waits for memory at every step: each cell is in another cache line. Four
//! bytes of each row, behind what all rows of the block begin with, decide most steps, and are sixteen to a cache line.

use std::ops::Range;

/// The hints of a block's cells or entries, in their order.
#[derive(Debug, Default)]
pub(crate) struct RowHints {
    /// How many bytes all rows have in common at their beginnings.
    common: usize,
    /// Empty if there are none.
    hints: Box<[u32]>,
}

impl RowHints {
    /// Of cells with these rows, which ascend by their bytes.
    pub(crate) fn of<'a>(rows: impl DoubleEndedIterator<Item = &'a [u8]> + Clone) -> Self {
        let (Some(first), Some(last)) = (rows.clone().next(), rows.clone().next_back()) else {
            return Self::default();
        };
        let common = first.iter().zip(last).take_while(|(a, b)| a == b).count();
        let hints = rows.map(|row| first_four(row.get(common..).unwrap_or_default())).collect();
        Self { common, hints }
    }

    /// Asks for their memory, if they are few.
    #[inline]
    pub(crate) fn prefetch(&self) {
        finback_cell::prefetch_searched(&self.hints);
    }

    /// The cells among which the first of `row`, or behind it, is found. It is the end of the range if it is none of them.
    /// `None`: the hints cannot tell. `row_near` gives the row of a cell that will be looked at if the range begins there:
    /// all rows have the same beginning, and looking at one more would be waiting for memory once more.
    #[inline]
    pub(crate) fn range<'a>(
        &self,
        row: &[u8],
        row_near: impl FnOnce(usize) -> Option<&'a [u8]>,
    ) -> Option<Range<usize>> {
        if self.hints.is_empty() {
            return None;
        }
        let (head, rest) = row.split_at_checked(self.common)?;
        let hint = first_four(rest);
        let start = self.hints.partition_point(|&other| other < hint);
        let equal = self.hints[start..].partition_point(|&other| other == hint);
        row_near(start)?.starts_with(head).then_some(start..start + equal)
    }

    /// Bytes of memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&self.hints[..])
    }
}

/// Pads with zeros: rows with the same number are compared in full.
#[inline]
fn first_four(rest: &[u8]) -> u32 {
    match rest.first_chunk::<4>() {
        Some(first) => u32::from_be_bytes(*first),
        None => {
            let mut padded = [0; 4];
            padded[..rest.len()].copy_from_slice(rest);
            u32::from_be_bytes(padded)
        }
    }
}

#[cfg(test)]
mod tests;
