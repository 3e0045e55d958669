//! The writing side of the skip list, of which there is one at a time.

use super::arena::Arena;
use super::node::{Header, MAX_HEIGHT, Node};
use super::{Inserted, SkipList, Target};
use crate::row_prefix::row_prefix;
use finback_cell::Cell;
use finback_cell::key::Key;
use std::cmp::Ordering;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::Relaxed;

/// What the writer of a list owns.
pub(super) struct Writer {
    arena: Arena,
    splice: Splice,
    /// Whether `splice` describes the list; false while it is being made.
    splice_is_valid: bool,
    /// State of an xorshift generator, from which heights are drawn.
    random: u64,
}

// SAFETY: the pointers in the arena and the splice are into memory that the writer owns, and are used only by who has
// locked it; that memory may be freed by any thread.
unsafe impl Send for Writer {}

/// Where the last insertion took place: on each level the nodes around it (`None`: the head, the end). Cells of one row
/// mutation come in order, so the next one often belongs right behind.
struct Splice {
    before: [Option<NonNull<Header>>; MAX_HEIGHT],
    after: [Option<NonNull<Header>>; MAX_HEIGHT],
}

impl Splice {
    /// # Safety
    /// The splice must be of `list`.
    unsafe fn before<'a>(&self, _list: &'a SkipList, level: usize) -> Option<Node<'a>> {
        // SAFETY: nodes live as long as their list.
        self.before[level].map(|node| unsafe { Node::from_raw(node) })
    }

    /// # Safety
    /// The splice must be of `list`.
    unsafe fn after<'a>(&self, _list: &'a SkipList, level: usize) -> Option<Node<'a>> {
        // SAFETY: nodes live as long as their list.
        self.after[level].map(|node| unsafe { Node::from_raw(node) })
    }
}

impl Writer {
    pub(super) const fn new() -> Self {
        Self {
            arena: Arena::new(),
            splice: Splice { before: [None; MAX_HEIGHT], after: [None; MAX_HEIGHT] },
            splice_is_valid: true,
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Copies a cell into `list`, which must be the one that this writer is of.
    pub(super) fn insert<'a>(
        &mut self,
        list: &'a SkipList,
        cell: &Cell<'_>,
        sequence_id: u64,
    ) -> Inserted<'a> {
        let target = Target::new(list.order, Key::of(cell), sequence_id);
        self.find_splice(list, &target);
        let replaced = self.after(list, 0).filter(|&node| target.compare(node) == Ordering::Equal);
        let height = replaced.map_or_else(|| self.random_height(), Node::height);

        let allocated_before = self.arena.allocated_bytes();
        let place = self.arena.allocate(Node::size(cell, height));
        let prefix = row_prefix(list.order, cell.row());
        // SAFETY: the place is fresh, of the right size and alignment, and lives as long as the list's arena.
        let node: Node<'a> = unsafe { Node::write(place, height, prefix, cell, sequence_id) };
        if let Some(old) = replaced {
            for level in 0..height {
                self.splice.after[level] = list.follower(Some(old), level).map(Node::into_raw);
            }
        }
        self.link(list, node);
        Inserted {
            allocated_bytes: self.arena.allocated_bytes() - allocated_before,
            replaced: replaced.map(Node::cell),
        }
    }

    /// Links `node` into the splice, completely before anyone can see it, and moves the splice behind it.
    fn link<'a>(&mut self, list: &'a SkipList, node: Node<'a>) {
        let height = node.height();
        for level in 0..height {
            node.link(level).prepare(self.after(list, level));
        }
        if height > list.height.load(Relaxed) {
            list.height.store(height, Relaxed);
        }
        for level in 0..height {
            list.link(self.before(list, level), level).publish(Some(node));
            self.splice.before[level] = Some(node.into_raw());
        }
    }

    fn before<'a>(&self, list: &'a SkipList, level: usize) -> Option<Node<'a>> {
        // SAFETY: a writer is only ever used with the list that it is a field of.
        unsafe { self.splice.before(list, level) }
    }

    fn after<'a>(&self, list: &'a SkipList, level: usize) -> Option<Node<'a>> {
        // SAFETY: as above.
        unsafe { self.splice.after(list, level) }
    }

    fn find_splice(&mut self, list: &SkipList, target: &Target<'_>) {
        if self.splice_is_valid && self.splice_fits(list, target) {
            return;
        }
        self.splice_is_valid = false;
        let (mut before, mut after) = (None, None);
        for level in (0..list.height.load(Relaxed)).rev() {
            (before, after) = list.find_on_level(level, before, after, &|node| target.is_after(node));
            self.splice.before[level] = before.map(Node::into_raw);
            self.splice.after[level] = after.map(Node::into_raw);
        }
        self.splice_is_valid = true;
    }

    /// Whether the target belongs where the last cell went. The lowest level decides for all: nodes before and after on
    /// higher levels are further away.
    fn splice_fits(&self, list: &SkipList, target: &Target<'_>) -> bool {
        self.before(list, 0).is_some_and(|node| target.is_after(node))
            && self.after(list, 0).is_none_or(|node| !target.is_after(node))
    }

    /// Height `h` with probability `3/4 · 4^(1-h)`.
    fn random_height(&mut self) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (1 + self.random.trailing_zeros() as usize / 2).min(MAX_HEIGHT)
    }
}
