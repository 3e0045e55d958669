//! A node of the skip list.
//!
//! ```text
//! ┌────────────────────┬────────────────────┬────────┬─────────┬────────────┬──────────────────────┐
//! │ prefix of the row  │ the rest of it     │ height │ padding │ the record │ links, one per level │
//! │        u64         │     u32, u16       │   u8   │ 1 byte  │  pointer   │   height pointers    │
//! └────────────────────┴────────────────────┴────────┴─────────┴────────────┴──────────────────────┘
//! ```
//! In the byte order of the machine; never leaves memory. The record, elsewhere in memory, has the cell and its sequence
//! id; comparisons that 110 bits of the row decide, behind what rows of the list begin with, never go there.

use super::SkipList;
use crate::record::Record;
use finback_cell::Cell;
use finback_cell::row_prefix::LongRowPrefix;
use finback_sync::atomic::AtomicPtr;
use finback_sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Levels at most. A node reaches the next level with probability 1/4: enough for 4^12 cells, sixteen million.
pub(super) const MAX_HEIGHT: usize = 12;

/// The fixed part.
#[repr(C)]
pub(super) struct Header {
    first: u64,
    second_high: u32,
    second_low: u16,
    height: u8,
    /// Never null. Exchanged when a cell takes the place of another, all else stays.
    record: AtomicPtr<u8>,
}

/// Bytes of a node with an average number of links.
pub(crate) const AVERAGE_NODE_BYTES: usize = size_of::<Header>() + size_of::<Link>() * 4 / 3;

/// A link to a node, or to nothing.
#[repr(transparent)]
pub(super) struct Link(AtomicPtr<Header>);

/// A node that lives at least as long as `'a`, during which its list is borrowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Node<'a> {
    header: NonNull<Header>,
    list: PhantomData<&'a SkipList>,
}

impl Link {
    pub(super) const fn null() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// The node linked to; `list` must be the one that the link is of.
    #[inline]
    pub(super) fn follow<'a>(&'a self, _list: &'a SkipList) -> Option<Node<'a>> {
        NonNull::new(self.0.load(Acquire)).map(|header| Node { header, list: PhantomData })
    }

    /// Links from a node that is not published on this level yet. It may be on a lower one: a cursor that climbs
    /// from there comes by this link before [`publish`](Self::publish), and must see the node that it leads to whole. (Schedules
    /// of tests cannot show it: under them all threads agree on the order of what happens.)
    pub(super) fn prepare(&self, node: Option<Node<'_>>) {
        self.0.store(as_pointer(node), Release);
    }

    /// Links to `node`, for all to see, if the link leads to `expected`. Whether it did.
    pub(super) fn publish(&self, expected: Option<Node<'_>>, node: Node<'_>) -> bool {
        self.0.compare_exchange(as_pointer(expected), node.header.as_ptr(), Release, Relaxed).is_ok()
    }
}

fn as_pointer(node: Option<Node<'_>>) -> *mut Header {
    node.map_or(std::ptr::null_mut(), |node| node.header.as_ptr())
}

impl<'a> Node<'a> {
    /// Bytes of a node: a multiple of its alignment.
    pub(super) const fn size(height: usize) -> usize {
        size_of::<Header>() + height * size_of::<Link>()
    }

    /// Writes a node without followers.
    ///
    /// # Safety
    /// `place` must be aligned as a [`Header`], valid for writes of [`Node::size`] bytes, used by nobody else, and
    /// live for `'a`, as must the record. `1 ≤ height ≤ MAX_HEIGHT`.
    pub(super) unsafe fn write(
        place: NonNull<u8>,
        height: usize,
        prefix: LongRowPrefix,
        record: Record,
    ) -> Self {
        debug_assert!((1..=MAX_HEIGHT).contains(&height));
        let header = place.cast::<Header>();
        let fixed = Header {
            first: prefix.first,
            second_high: (prefix.second >> 16) as u32,
            second_low: prefix.second as u16,
            height: height as u8,
            record: AtomicPtr::new(record.into_raw().as_ptr()),
        };
        // SAFETY: the caller gave `size` bytes, which hold the header and `height` links behind it; the header's size
        // is a multiple of the links' alignment.
        unsafe {
            header.write(fixed);
            for level in 0..height {
                header.add(1).cast::<Link>().add(level).write(Link::null());
            }
        }
        Self { header, list: PhantomData }
    }

    /// Forgets the lifetime.
    pub(super) fn into_raw(self) -> NonNull<Header> {
        self.header
    }

    /// # Safety
    /// `header` must come from [`Node::into_raw`] of a node of a list that lives for `'a`.
    pub(super) unsafe fn from_raw(header: NonNull<Header>) -> Self {
        Self { header, list: PhantomData }
    }

    #[inline]
    fn header(self) -> &'a Header {
        // SAFETY: headers are written before a node exists, never after but atomically, and live for 'a.
        unsafe { self.header.as_ref() }
    }

    #[inline]
    pub(super) fn prefix(self) -> LongRowPrefix {
        let header = self.header();
        LongRowPrefix {
            first: header.first,
            second: u64::from(header.second_high) << 16 | u64::from(header.second_low),
        }
    }

    /// Asks the processor for its beginning.
    #[inline]
    pub(super) fn prefetch(self) {
        finback_cell::prefetch(self.header.as_ptr().cast());
    }

    #[inline]
    pub(super) fn height(self) -> usize {
        self.header().height as usize
    }

    #[inline]
    pub(super) fn link(self, level: usize) -> &'a Link {
        assert!(level < self.height(), "a node of height {} has no level {level}", self.height());
        // SAFETY: the node has that many links behind its header, written before the node existed, living for 'a;
        // they are only changed atomically.
        unsafe { self.header.add(1).cast::<Link>().add(level).as_ref() }
    }

    /// The record as of now.
    #[inline]
    pub(super) fn record(self) -> Record {
        let place = NonNull::new(self.header().record.load(Acquire)).expect("a node has a record");
        // SAFETY: only records' places are ever stored there.
        unsafe { Record::from_raw(place) }
    }

    /// Gives the node another record, of a cell that sorts at the same place. Gives back the one it had.
    pub(super) fn exchange_record(self, record: Record) -> Record {
        let old = self.header().record.swap(record.into_raw().as_ptr(), AcqRel);
        // SAFETY: as in `record`.
        unsafe { Record::from_raw(NonNull::new(old).expect("a node has a record")) }
    }

    /// Cell and sequence id as of now.
    #[inline]
    pub(super) fn entry(self) -> (Cell<'a>, u64) {
        let record = self.record();
        // SAFETY: records of a list are never freed before it, which is borrowed for 'a.
        unsafe { (record.cell(), record.sequence_id()) }
    }
}
