//! A sorted set of cells: a skip list in arenas, with any number of writers and readers at once, none of whom waits.
//!
//! A node is complete before a compare-and-swap links it in, from the lowest level up; readers follow links by acquire
//! loads. A node never moves, is never taken out, and is freed with the list. Its record may be exchanged for that of a
//! cell that sorts at the same place; the old one lives on for those who read it.
//!
//! Nodes and records have an arena each: what is left of the nodes when the list becomes a flat segment is nothing.
//!
//! `./dev check-unsafe` runs the tests under Miri, `./dev check-schedules` on many schedules.
#![allow(unsafe_code)]

mod cursor;
mod group;
mod inserter;
mod node;
mod upsert;

pub(crate) use cursor::SkipListCursor;
pub(crate) use inserter::{Inserted, Inserter};
pub(crate) use node::AVERAGE_NODE_BYTES;

use crate::arena::Arena;
use finback_cell::CellOrder;
use finback_cell::key::Key;
use finback_cell::row_prefix::{Beginning, LongRowPrefix};
use finback_sync::Mutex;
use finback_sync::atomic::AtomicUsize;
use finback_sync::atomic::Ordering::Relaxed;
use inserter::Splice;
use node::{Link, MAX_HEIGHT, Node};
use std::cmp::Ordering;
use std::sync::OnceLock;

/// The list. See the module.
pub(crate) struct SkipList {
    order: CellOrder,
    /// What rows begin with, most likely: nodes need not have it. Known before the first node comes, at the latest.
    beginning: OnceLock<Beginning>,
    /// Links to the first node of each level.
    head: [Link; MAX_HEIGHT],
    /// Levels in use. Who sees an old value starts lower, and finds the same.
    height: AtomicUsize,
    nodes: Arena,
    records: Arena,
    /// Where the last insertion took place.
    hint: Mutex<Splice>,
}

/// What to look for: a key, and among cells of that key a sequence id.
struct Target<'a> {
    order: CellOrder,
    prefix: LongRowPrefix,
    key: Key<'a>,
    sequence_id: u64,
}

impl<'a> Target<'a> {
    fn new(list: &SkipList, beginning: &Beginning, key: Key<'a>, sequence_id: u64) -> Self {
        let prefix = LongRowPrefix::new(list.order, beginning, key.row);
        Self { order: list.order, prefix, key, sequence_id }
    }

    /// Compares `node` with the target.
    #[inline]
    fn compare(&self, node: Node<'_>) -> Ordering {
        node.prefix().cmp(&self.prefix).then_with(|| {
            let (cell, sequence_id) = node.entry();
            self.order.compare_cell_to_key(&cell, &self.key).then_with(|| self.sequence_id.cmp(&sequence_id))
        })
    }

    #[inline]
    fn is_after(&self, node: Node<'_>) -> bool {
        self.compare(node) == Ordering::Less
    }
}

impl SkipList {
    /// Bytes taken from the allocator for nodes and records.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.nodes.allocated_bytes() + self.records.allocated_bytes()
    }

    /// An empty list, which will hold about so many bytes of nodes and of records, of rows that begin so if it is to be
    /// quick (`None`: as the first one does); allocates nothing.
    pub(crate) fn new(
        order: CellOrder,
        beginning: Option<Beginning>,
        node_bytes: usize,
        record_bytes: usize,
    ) -> Self {
        Self {
            order,
            beginning: beginning.map_or_else(OnceLock::new, OnceLock::from),
            head: [const { Link::null() }; MAX_HEIGHT],
            height: AtomicUsize::new(1),
            nodes: Arena::new(node_bytes),
            records: Arena::new(record_bytes),
            hint: Mutex::default(),
        }
    }

    /// What its rows are expected to begin with; `None` while there was none and nothing was said of them.
    pub(crate) fn beginning(&self) -> Option<&Beginning> {
        self.beginning.get()
    }

    /// Begins to insert cells. Several threads may do so at once.
    pub(crate) fn inserter(&self) -> Inserter<'_> {
        Inserter::new(self)
    }

    /// The arena that the cells are in.
    pub(crate) fn records(&self) -> &Arena {
        &self.records
    }

    /// Greatest row strictly before `row`, or the last row of all.
    pub(crate) fn previous_row(&self, row: Option<&[u8]>) -> Option<&[u8]> {
        let last_before = match row {
            None => self.find(|_| true).0,
            Some(row) => {
                let prefix = LongRowPrefix::new(self.order, self.beginning()?, row);
                self.find(|node| {
                    let compare_rows = || self.order.compare_rows(node.entry().0.row(), row);
                    node.prefix().cmp(&prefix).then_with(compare_rows) == Ordering::Less
                })
                .0
            }
        };
        Some(last_before?.entry().0.row())
    }

    /// First node that is not before the key.
    fn seek(&self, key: &Key<'_>) -> Option<Node<'_>> {
        // The highest sequence id sorts first, so this finds the newest cell of the key.
        let target = Target::new(self, self.beginning()?, *key, u64::MAX);
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

#[cfg(all(test, feature = "shuttle"))]
mod schedules;
#[cfg(test)]
mod tests;
