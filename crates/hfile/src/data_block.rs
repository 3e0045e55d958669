//! The cells of a data block.
//!
//! ```text
//! ┌────────┬──────────┬─────┬───────┬────────────────────┬─────────────────┐
//! │ keyLen │ valueLen │ key │ value │ tagsLen u16 │ tags │ sequence id     │ … the next cell
//! │  i32   │   i32    │     │       │ if the file has    │ vlong, if the   │
//! │        │          │     │       │ tags               │ file has mvcc   │
//! └────────┴──────────┴─────┴───────┴────────────────────┴─────────────────┘
//! ```

use crate::row_hints::RowHints;
use crate::vlong;
use finback_cell::cell::LENGTHS_SIZE;
use finback_cell::key::Key;
use finback_cell::{Cell, CellOrder};
use std::cell::Cell as MemoryCell;
use std::cmp::Ordering;

/// More of a cell than this comes by itself, since it is read in order.
const PREFETCHED_BYTES: usize = 1 << 10;

/// Memory for so many offsets is kept by a thread that has found as many.
const MOST_KEPT: usize = 16 << 10;

thread_local! {
    /// Where offsets are gathered, as nobody knows before how many there are.
    static FOUND: MemoryCell<Vec<u32>> = const { MemoryCell::new(Vec::new()) };
}

/// What each cell of a file carries besides key and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct CellLayout {
    pub(crate) tags: bool,
    pub(crate) mvcc: bool,
}

/// Where the cells of a data block begin: found when the block is checked, kept to search it by halves.
#[derive(Debug)]
pub(crate) struct CellOffsets {
    layout: CellLayout,
    /// At least one.
    offsets: Box<[u32]>,
    hints: RowHints,
}

impl CellOffsets {
    /// Walks a payload and checks every cell. `Err` is the offset of the first malformed one.
    pub(crate) fn find(payload: &[u8], layout: CellLayout, order: CellOrder) -> Result<Self, usize> {
        let mut offsets = FOUND.take();
        offsets.clear();
        let mut at = 0;
        while at < payload.len() {
            let parsed = layout.parse(&payload[at..]).ok_or(at)?;
            Cell::parse(parsed.cell).map_err(|_| at)?;
            offsets.push(at as u32);
            at += parsed.length;
        }
        if offsets.is_empty() {
            return Err(0);
        }
        let rows = offsets.iter().map(|&at| row_at(payload, at as usize).unwrap_or_default());
        let hints = match order {
            CellOrder::User => RowHints::of(rows),
            // The rows of hbase:meta do not compare as bytes.
            CellOrder::Meta => RowHints::default(),
        };
        let exact = offsets[..].into();
        if offsets.capacity() <= MOST_KEPT {
            FOUND.set(offsets);
        }
        Ok(Self { layout, offsets: exact, hints })
    }

    /// Number of cells.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.offsets.len()
    }

    /// A cell and its sequence id.
    #[inline]
    pub(crate) fn get<'a>(&self, payload: &'a [u8], number: usize) -> Option<(Cell<'a>, u64)> {
        let (from, to, sequence_id) = self.place(payload, number)?;
        Some((Cell::from_checked(&payload[from..to]), sequence_id))
    }

    /// Where a cell begins and ends, and its sequence id.
    #[inline]
    pub(crate) fn place(&self, payload: &[u8], number: usize) -> Option<(usize, usize, u64)> {
        let at = *self.offsets.get(number)? as usize;
        let parsed = self.layout.parse(payload.get(at..)?)?;
        Some((at, at + parsed.cell.len(), parsed.sequence_id))
    }

    /// The flat key of a cell: what comes behind it is not looked at.
    #[inline]
    pub(crate) fn flat_key<'a>(&self, payload: &'a [u8], number: usize) -> Option<&'a [u8]> {
        flat_key(payload, *self.offsets.get(number)? as usize)
    }

    /// Asks for the memory around the beginning of a cell, if there is one of that number.
    #[inline]
    pub(crate) fn prefetch(&self, payload: &[u8], number: usize) {
        if let Some(&at) = self.offsets.get(number) {
            finback_cell::prefetch_cell(payload.as_ptr().wrapping_add(at as usize));
        }
    }

    /// Asks for the memory of a cell that is likely to be read to its end, if it is not long, and for where the next one begins, which
    /// is looked at then: all of it comes in the time of one look.
    #[inline]
    fn prefetch_whole(&self, payload: &[u8], number: usize) {
        let from = self.offsets[number] as usize;
        let to = self.offsets.get(number + 1).map_or(payload.len(), |&to| to as usize);
        finback_cell::prefetch_bytes(payload.as_ptr().wrapping_add(from), (to - from).min(PREFETCHED_BYTES));
        self.prefetch(payload, number + 1);
    }

    /// Number of the first cell, from number `from` on, that is not before `key`, which is likely near: looks at the first
    /// cells, then ever further.
    #[inline]
    pub(crate) fn next_at_or_after(
        &self,
        payload: &[u8],
        from: usize,
        order: CellOrder,
        key: &Key<'_>,
    ) -> usize {
        let is_before = |number: usize| {
            let at = self.offsets.get(number).map(|&at| at as usize);
            at.and_then(|at| flat_key(payload, at))
                .is_some_and(|flat| order.compare_flat_to_key(flat, key) == Ordering::Less)
        };
        let (mut before, mut step) = (from, 1);
        while is_before(before) {
            if !is_before(before + step) {
                let to = (before + step).min(self.offsets.len());
                return partition(before + 1, to, is_before);
            }
            before += step;
            step *= 2;
        }
        before
    }

    /// Number of the first cell that is not before `key`.
    #[inline]
    pub(crate) fn first_at_or_after(&self, payload: &[u8], order: CellOrder, key: &Key<'_>) -> usize {
        // The hints are searched by halves, and then one of the offsets is needed: what is in few lines comes at once.
        self.hints.prefetch();
        finback_cell::prefetch_searched(&self.offsets);
        let last = self.offsets.len() - 1;
        let range = self.hints.range(key.row, |start| {
            let near = start.min(last);
            self.prefetch_whole(payload, near);
            row_at(payload, self.offsets[near] as usize)
        });
        let range = range.unwrap_or(0..self.offsets.len());
        range.start
            + self.offsets[range].partition_point(|&at| {
                flat_key(payload, at as usize)
                    .is_some_and(|flat| order.compare_flat_to_key(flat, key) == Ordering::Less)
            })
    }

    /// Bytes of memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&self.offsets[..]) + self.hints.memory_bytes()
    }
}

/// The first number from `from` to `to` of which `holds` does not hold.
fn partition(mut from: usize, mut to: usize, holds: impl Fn(usize) -> bool) -> usize {
    while from < to {
        let middle = from + (to - from) / 2;
        if holds(middle) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
}

/// The key of the stored cell at `at`: nothing else of it is looked at.
#[inline]
fn flat_key(payload: &[u8], at: usize) -> Option<&[u8]> {
    let (length, rest) = payload.get(at..)?.split_first_chunk::<4>()?;
    rest.get(4..)?.get(..u32::from_be_bytes(*length) as usize)
}

/// The row of the stored cell at `at`.
#[inline]
fn row_at(payload: &[u8], at: usize) -> Option<&[u8]> {
    let (length, rest) = flat_key(payload, at)?.split_first_chunk::<2>()?;
    rest.get(..usize::from(u16::from_be_bytes(*length)))
}

struct ParsedCell<'a> {
    cell: &'a [u8],
    sequence_id: u64,
    length: usize,
}

impl CellLayout {
    /// Splits one stored cell off the front.
    #[inline]
    fn parse(self, bytes: &[u8]) -> Option<ParsedCell<'_>> {
        let length_at = |at: usize| -> Option<usize> {
            let raw = bytes.get(at..at + 4)?;
            Some(u32::from_be_bytes([raw[0], raw[1], raw[2], raw[3]]) as usize)
        };
        let mut end = LENGTHS_SIZE.checked_add(length_at(0)?)?.checked_add(length_at(4)?)?;
        let mut cell_end = end;
        if self.tags {
            let raw = bytes.get(end..end.checked_add(2)?)?;
            let tags = u16::from_be_bytes([raw[0], raw[1]]) as usize;
            end += 2 + tags;
            if tags > 0 {
                cell_end = end;
            }
        }
        let mut sequence_id = 0;
        if self.mvcc {
            let (value, length) = vlong::read(bytes.get(end..)?)?;
            sequence_id = u64::try_from(value).ok()?;
            end += length;
        }
        Some(ParsedCell { cell: bytes.get(..cell_end)?, sequence_id, length: end })
            .filter(|_| end <= bytes.len())
    }

    /// Appends a cell as it is stored.
    pub(crate) fn write(self, out: &mut Vec<u8>, cell: &Cell<'_>, sequence_id: u64) {
        if self.tags {
            out.extend_from_slice(cell.bytes());
            if cell.tags().is_empty() {
                out.extend_from_slice(&[0, 0]);
            }
        } else {
            out.extend_from_slice(cell.bytes_without_tags());
        }
        if self.mvcc {
            vlong::write(out, sequence_id as i64);
        }
    }
}
