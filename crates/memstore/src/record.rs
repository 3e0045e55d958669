//! A cell in an arena, with its sequence id.
//!
//! ```text
//! ┌─────────────┬────────┬──────────┐
//! │ sequence id │ length │ KeyValue │
//! │     u64     │  u32   │  length  │
//! └─────────────┴────────┴──────────┘
//! ```
//! In the byte order of the machine, not aligned; never leaves memory.
#![allow(unsafe_code)]

use finback_cell::Cell;
use std::ptr::NonNull;

const SEQUENCE_ID_SIZE: usize = size_of::<u64>();
/// Bytes of a record besides the KeyValue.
pub(crate) const HEADER_SIZE: usize = SEQUENCE_ID_SIZE + size_of::<u32>();

/// Points to a record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Record(NonNull<u8>);

// SAFETY: what it points to is written before the pointer exists, and never changes.
unsafe impl Send for Record {}
// SAFETY: as above.
unsafe impl Sync for Record {}

impl Record {
    /// Bytes of a record of `cell`.
    #[inline]
    pub(crate) fn size(cell: &Cell<'_>) -> usize {
        HEADER_SIZE + cell.bytes().len()
    }

    /// Writes a record.
    ///
    /// # Safety
    /// `place` must be valid for writes of [`Record::size`] bytes, and used by nobody else.
    #[inline]
    pub(crate) unsafe fn write(place: NonNull<u8>, cell: &Cell<'_>, sequence_id: u64) -> Self {
        let bytes = cell.bytes();
        let length = u32::try_from(bytes.len()).expect("a KeyValue's length fits in 31 bits");
        // SAFETY: the three parts lie one behind the other in the bytes that the caller gave; none needs alignment.
        unsafe {
            place.cast::<u64>().write_unaligned(sequence_id);
            place.add(SEQUENCE_ID_SIZE).cast::<u32>().write_unaligned(length);
            place.add(HEADER_SIZE).copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len());
        }
        Self(place)
    }

    /// # Safety
    /// `place` must come from [`Record::into_raw`].
    #[inline]
    pub(crate) unsafe fn from_raw(place: NonNull<u8>) -> Self {
        Self(place)
    }

    /// Where the record begins.
    #[inline]
    pub(crate) fn into_raw(self) -> NonNull<u8> {
        self.0
    }

    /// Asks the processor for the record's beginning.
    #[inline]
    pub(crate) fn prefetch(self) {
        finback_cell::prefetch_cell(self.0.as_ptr());
    }

    /// The cell.
    ///
    /// # Safety
    /// The memory that the record was written to must live for `'a`.
    #[inline]
    pub(crate) unsafe fn cell<'a>(self) -> Cell<'a> {
        // SAFETY: `write` put a length and so many bytes there, which never change and, by the caller's word, live for
        // 'a.
        let bytes = unsafe {
            let length = self.0.add(SEQUENCE_ID_SIZE).cast::<u32>().read_unaligned();
            NonNull::slice_from_raw_parts(self.0.add(HEADER_SIZE), length as usize).as_ref()
        };
        Cell::from_checked(bytes)
    }

    /// The sequence id.
    ///
    /// # Safety
    /// The memory that the record was written to must still live.
    #[inline]
    pub(crate) unsafe fn sequence_id(self) -> u64 {
        // SAFETY: `write` put it there.
        unsafe { self.0.cast::<u64>().read_unaligned() }
    }
}
