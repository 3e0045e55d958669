//! A sorted set of cells in an arena: a skip list with one writer at a time and any number of readers, who never wait.
//!
//! Nodes are published by a release store and read by acquire loads. A node is never changed after that, except for
//! the links to its followers, and never freed before the list. A node that was taken out (replaced) keeps its
//! links, so a reader that stands on it goes on from there.
//!
//! This is the one module of the crate with `unsafe` code; run its tests under Miri:
//! `cargo +nightly miri test -p finback-memstore skip_list`.
#![allow(unsafe_code)]

mod arena;
mod cursor;
mod node;
mod writer;

pub(crate) use cursor::SkipListCursor;

use crate::row_prefix::row_prefix;
use finback_cell::key::Key;
use finback_cell::{Cell, CellOrder};
use node::{Link, MAX_HEIGHT, Node};
use parking_lot::{Mutex, MutexGuard};
use std::cmp::Ordering;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use writer::Writer;

/// The list. See the module.
pub(crate) struct SkipList {
    order: CellOrder,
    /// Links to the first node of each level.
    head: [Link; MAX_HEIGHT],
    /// Levels in use. Readers may see an old value: they start lower, and find the same.
    height: AtomicUsize,
    writer: Mutex<Writer>,
}

/// What to look for: a key, and among cells of that key a sequence id.
struct Target<'a> {
    order: CellOrder,
    row_prefix: u64,
    key: Key<'a>,
    sequence_id: u64,
}

impl<'a> Target<'a> {
    fn new(order: CellOrder, key: Key<'a>, sequence_id: u64) -> Self {
        Self { order, row_prefix: row_prefix(order, key.row), key, sequence_id }
    }

    /// Compares `node` with the target.
    #[inline]
    fn compare(&self, node: Node<'_>) -> Ordering {
        node.row_prefix().cmp(&self.row_prefix).then_with(|| {
            self.order
                .compare_keys(&Key::of(&node.cell()), &self.key)
                .then_with(|| self.sequence_id.cmp(&node.sequence_id()))
        })
    }

    #[inline]
    fn is_after(&self, node: Node<'_>) -> bool {
        self.compare(node) == Ordering::Less
    }
}

impl SkipList {
    /// An empty list; allocates nothing.
    pub(crate) fn new(order: CellOrder) -> Self {
        Self {
            order,
            head: [const { Link::null() }; MAX_HEIGHT],
            height: AtomicUsize::new(1),
            writer: Mutex::new(Writer::new()),
        }
    }

    /// Waits for the other writers, and becomes the writer until the guard is dropped.
    pub(crate) fn write(&self) -> ListWriter<'_> {
        ListWriter { list: self, writer: self.writer.lock() }
    }

    /// Greatest row strictly before `row`, or the last row of all.
    pub(crate) fn previous_row(&self, row: Option<&[u8]>) -> Option<&[u8]> {
        let last_before = match row {
            None => self.find(|_| true).0,
            Some(row) => {
                let prefix = row_prefix(self.order, row);
                self.find(|node| {
                    node.row_prefix()
                        .cmp(&prefix)
                        .then_with(|| self.order.compare_rows(node.cell().row(), row))
                        == Ordering::Less
                })
                .0
            }
        };
        Some(last_before?.cell().row())
    }

    /// First node that is not before the target.
    fn seek(&self, key: &Key<'_>) -> Option<Node<'_>> {
        // The highest sequence id sorts first, so this finds the newest cell of the key.
        let target = Target::new(self.order, *key, u64::MAX);
        self.find(|node| target.is_after(node)).1
    }

    fn first(&self) -> Option<Node<'_>> {
        self.follower(None, 0)
    }

    /// The follower of a node (or of the head) on a level below its height.
    #[inline]
    fn follower<'a>(&'a self, node: Option<Node<'a>>, level: usize) -> Option<Node<'a>> {
        self.link(node, level).follow(self)
    }

    #[inline]
    fn link<'a>(&'a self, node: Option<Node<'a>>, level: usize) -> &'a Link {
        match node {
            None => &self.head[level],
            Some(node) => node.link(level),
        }
    }

    /// The last node of which `is_before` holds, and its follower; `is_before` must hold of a prefix of the list.
    #[inline]
    fn find(&self, is_before: impl Fn(Node<'_>) -> bool) -> (Option<Node<'_>>, Option<Node<'_>>) {
        let mut before = None;
        let mut after = None;
        for level in (0..self.height.load(Relaxed)).rev() {
            (before, after) = self.find_on_level(level, before, after, &is_before);
        }
        (before, after)
    }

    /// Goes on from `before` along one level. `known_after` is a node known to be beyond, from the level above.
    #[inline]
    fn find_on_level<'a>(
        &'a self,
        level: usize,
        mut before: Option<Node<'a>>,
        known_after: Option<Node<'a>>,
        is_before: &impl Fn(Node<'_>) -> bool,
    ) -> (Option<Node<'a>>, Option<Node<'a>>) {
        loop {
            let follower = self.follower(before, level);
            match follower {
                Some(node) if follower != known_after && is_before(node) => before = follower,
                _ => return (before, follower),
            }
        }
    }
}

/// The right to write into a list.
pub(crate) struct ListWriter<'a> {
    list: &'a SkipList,
    writer: MutexGuard<'a, Writer>,
}

/// What an insertion did.
pub(crate) struct Inserted<'a> {
    /// Bytes that the arena took from the allocator for it, often none.
    pub(crate) allocated_bytes: usize,
    /// The cell of the same key and sequence id that it took the place of.
    pub(crate) replaced: Option<Cell<'a>>,
}

impl<'a> ListWriter<'a> {
    /// Copies a cell into the list. A cell with the same key and sequence id is replaced.
    pub(crate) fn insert(&mut self, cell: &Cell<'_>, sequence_id: u64) -> Inserted<'a> {
        self.writer.insert(self.list, cell, sequence_id)
    }
}

#[cfg(test)]
mod tests;
