//! A node of the skip list.
//!
//! ```text
//! ┌────────────┬─────────────┬────────┬────────┬─────────┬──────────────────────┬──────────┬ ─ ─ ─ ─ ─ ┐
//! │ row prefix │ sequence id │ length │ height │ padding │ links, one per level │ KeyValue │ to 8 bytes
//! │    u64     │     u64     │  u32   │   u8   │ 3 bytes │     height × u64     │  length  │
//! └────────────┴─────────────┴────────┴────────┴─────────┴──────────────────────┴──────────┴ ─ ─ ─ ─ ─ ┘
//! ```
//! In the byte order of the machine; never leaves memory.

use super::SkipList;
use finback_cell::Cell;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Levels at most. A node reaches the next level with probability 1/4: enough for 4^12 cells, sixteen million.
pub(super) const MAX_HEIGHT: usize = 12;

/// The fixed part.
#[repr(C)]
pub(super) struct Header {
    row_prefix: u64,
    sequence_id: u64,
    length: u32,
    height: u8,
}

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

    /// Links to a node that is not published yet, or from one.
    pub(super) fn prepare(&self, node: Option<Node<'_>>) {
        self.0.store(as_pointer(node), Relaxed);
    }

    /// Links to a complete node, for all to see.
    pub(super) fn publish(&self, node: Option<Node<'_>>) {
        self.0.store(as_pointer(node), Release);
    }
}

fn as_pointer(node: Option<Node<'_>>) -> *mut Header {
    node.map_or(std::ptr::null_mut(), |node| node.header.as_ptr())
}

impl<'a> Node<'a> {
    /// Bytes of a node.
    pub(super) fn size(cell: &Cell<'_>, height: usize) -> usize {
        (Self::cell_offset(height) + cell.bytes().len()).next_multiple_of(align_of::<Header>())
    }

    const fn cell_offset(height: usize) -> usize {
        size_of::<Header>() + height * size_of::<Link>()
    }

    /// Writes a node without followers.
    ///
    /// # Safety
    /// `place` must be aligned as a [`Header`], valid for writes of [`Node::size`] bytes, used by nobody else, and
    /// live for `'a`. `1 ≤ height ≤ MAX_HEIGHT`.
    pub(super) unsafe fn write(
        place: NonNull<u8>,
        height: usize,
        row_prefix: u64,
        cell: &Cell<'_>,
        sequence_id: u64,
    ) -> Self {
        debug_assert!((1..=MAX_HEIGHT).contains(&height));
        let length = u32::try_from(cell.bytes().len()).expect("a KeyValue's length fits in 31 bits");
        let header = place.cast::<Header>();
        // SAFETY: the caller gave `size` bytes, which hold the header, `height` links and the cell, in that order and
        // without overlap; links follow a header whose size is a multiple of their alignment.
        unsafe {
            header.write(Header { row_prefix, sequence_id, length, height: height as u8 });
            let links = header.add(1).cast::<Link>();
            for level in 0..height {
                links.add(level).write(Link::null());
            }
            let bytes = place.add(Self::cell_offset(height));
            bytes.copy_from_nonoverlapping(NonNull::from(cell.bytes()).cast(), cell.bytes().len());
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
        // SAFETY: headers are written before a node exists, never after, and live for 'a.
        unsafe { self.header.as_ref() }
    }

    #[inline]
    pub(super) fn row_prefix(self) -> u64 {
        self.header().row_prefix
    }

    #[inline]
    pub(super) fn sequence_id(self) -> u64 {
        self.header().sequence_id
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

    #[inline]
    pub(super) fn cell(self) -> Cell<'a> {
        let header = self.header();
        // SAFETY: `length` bytes were copied there before the node existed, are never changed, and live for 'a.
        let bytes = unsafe {
            let start = self.header.cast::<u8>().add(Self::cell_offset(header.height as usize));
            NonNull::slice_from_raw_parts(start, header.length as usize).as_ref()
        };
        Cell::from_checked(bytes)
    }
}
