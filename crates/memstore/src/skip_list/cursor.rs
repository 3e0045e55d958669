//! A reader's place in a skip list.

use super::node::{Header, Node};
use super::{SkipList, Target};
use finback_cell::Cell;
use finback_cell::key::Key;
use std::ptr::NonNull;
use std::sync::Arc;

/// Stands on a node, or behind the last; keeps the list alive.
pub(crate) struct SkipListCursor {
    list: Arc<SkipList>,
    /// A node of `list`.
    node: Option<NonNull<Header>>,
}

// SAFETY: the pointer is into memory that the cursor keeps alive through `list`, which may be read by all threads.
unsafe impl Send for SkipListCursor {}
// SAFETY: as above; a shared cursor only reads.
unsafe impl Sync for SkipListCursor {}

impl SkipListCursor {
    /// Stands on the first cell.
    pub(crate) fn new(list: Arc<SkipList>) -> Self {
        let node = list.first().map(Node::into_raw);
        Self { list, node }
    }

    pub(crate) fn list(&self) -> &SkipList {
        &self.list
    }

    #[inline]
    fn node(&self) -> Option<Node<'_>> {
        // SAFETY: a node of `list`, which lives as long as `self`.
        self.node.map(|node| unsafe { Node::from_raw(node) })
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<(Cell<'_>, u64)> {
        self.node().map(|node| (node.cell(), node.sequence_id()))
    }

    #[inline]
    pub(crate) fn next(&mut self) {
        self.node = self.node().and_then(|node| self.list.follower(Some(node), 0)).map(Node::into_raw);
    }

    pub(crate) fn rewind(&mut self) {
        self.node = self.list.first().map(Node::into_raw);
    }

    pub(crate) fn seek(&mut self, key: &Key<'_>) {
        self.node = self.list.seek(key).map(Node::into_raw);
    }

    /// Climbs from the current node as high as the nodes on the way allow, then descends: logarithmic in the distance.
    pub(crate) fn reseek(&mut self, key: &Key<'_>) {
        let target = Target::new(self.list.order, *key, u64::MAX);
        let Some(mut before) = self.node().filter(|&node| target.is_after(node)) else { return };
        let mut level = before.height() - 1;
        let mut known_after = None;
        let found = loop {
            let follower = self.list.follower(Some(before), level);
            match follower {
                Some(node) if follower != known_after && target.is_after(node) => {
                    before = node;
                    level = node.height() - 1;
                }
                _ if level == 0 => break follower,
                _ => {
                    known_after = follower;
                    level -= 1;
                }
            }
        };
        self.node = found.map(Node::into_raw);
    }
}
