//! A few bytes of each row of a block, side by side.
//!
//! A search by halves over the cells themselves waits for memory at every step: each cell is in another cache line. Four
//! bytes of each row, behind what all rows of the block begin with, decide most steps, and are sixteen to a cache line.

use std::ops::Range;

/// The hints of a block's cells, in their order.
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

    /// Of the cells from number `from` on: those among which the first of `row`, or behind it, is found. It is the end of
    /// the range if it is none of them. `None`: the hints cannot tell. `any_row` is some row of the block.
    #[inline]
    pub(crate) fn range(&self, any_row: &[u8], row: &[u8], from: usize) -> Option<Range<usize>> {
        let hints = self.hints.get(from..).filter(|hints| !hints.is_empty())?;
        let hint = first_four(row.strip_prefix(any_row.get(..self.common)?)?);
        let start = hints.partition_point(|&other| other < hint);
        let equal = hints[start..].partition_point(|&other| other == hint);
        Some(from + start..from + start + equal)
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
