//! A reader's place in a skip list.

use super::node::{Header, Node};
use super::{SkipList, Target};
use crate::record::Record;
use finback_cell::Cell;
use finback_cell::key::Key;
use std::ptr::NonNull;
use std::sync::Arc;

/// Stands on a cell, or behind the last; keeps the list alive.
pub(crate) struct SkipListCursor {
    list: Arc<SkipList>,
    /// A node of `list`, and the record that it had when the cursor came: what it shows must not change under it.
    place: Option<(NonNull<Header>, Record)>,
}

// SAFETY: the pointers are into memory that the cursor keeps alive through `list`, which may be read by all threads.
unsafe impl Send for SkipListCursor {}
// SAFETY: as above; a shared cursor only reads.
unsafe impl Sync for SkipListCursor {}

fn place(node: Option<Node<'_>>) -> Option<(NonNull<Header>, Record)> {
    node.map(|node| (node.into_raw(), node.record()))
}

impl SkipListCursor {
    pub(crate) fn list_address(&self) -> usize {
        Arc::as_ptr(&self.list).addr()
    }

    pub(crate) fn kept_bytes(&self) -> usize {
        self.list.allocated_bytes()
    }

    /// Stands on the first cell.
    pub(crate) fn new(list: Arc<SkipList>) -> Self {
        let place = place(list.first());
        Self { list, place }
    }

    pub(crate) fn list(&self) -> &SkipList {
        &self.list
    }

    #[inline]
    fn node(&self) -> Option<Node<'_>> {
        // SAFETY: a node of `list`, which lives as long as `self`.
        self.place.map(|(node, _)| unsafe { Node::from_raw(node) })
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<(Cell<'_>, u64)> {
        // SAFETY: records of a list live as long as it, which lives as long as `self`.
        self.place.map(|(_, record)| unsafe { (record.cell(), record.sequence_id()) })
    }

    /// The current cell's record.
    pub(crate) fn record(&self) -> Option<Record> {
        self.place.map(|(_, record)| record)
    }

    #[inline]
    pub(crate) fn next(&mut self) {
        let node = self.node().and_then(|node| self.list.follower(Some(node), 0));
        self.prefetch(node);
        self.place = place(node);
    }

    /// Asks for what the next moves look at: the record of the next node, whose links were asked for a move ago, and the node
    /// behind it.
    #[inline]
    fn prefetch(&self, node: Option<Node<'_>>) {
        if let Some(next) = node.and_then(|node| self.list.follower(Some(node), 0)) {
            next.record().prefetch();
            if let Some(after) = self.list.follower(Some(next), 0) {
                after.prefetch();
            }
        }
    }

    pub(crate) fn rewind(&mut self) {
        self.place = place(self.list.first());
    }

    pub(crate) fn seek(&mut self, key: &Key<'_>) {
        self.place = place(self.list.seek(key));
    }

    /// Goes to the next node if that is enough, as it mostly is. Else it climbs from the current one as high as the nodes on the
    /// way allow, then descends: logarithmic in the distance.
    pub(crate) fn reseek(&mut self, key: &Key<'_>) {
        let (Some(here), Some(beginning)) = (self.node(), self.list.beginning()) else { return };
        let target = Target::new(&self.list, beginning, *key, u64::MAX);
        if !target.is_after(here) {
            return;
        }
        let found = match self.list.follower(Some(here), 0) {
            Some(next) if target.is_after(next) => self.climb(next, &target),
            next => next,
        };
        self.prefetch(found);
        self.place = place(found);
    }

    /// The first node that `target` is not after, from one on that it is after.
    fn climb<'a>(&'a self, mut before: Node<'a>, target: &Target<'_>) -> Option<Node<'a>> {
        let mut level = before.height() - 1;
        let mut known_after = None;
        loop {
            let follower = self.list.follower(Some(before), level);
            match follower {
                Some(node) if follower != known_after && target.is_after(node) => {
                    before = node;
                    level = node.height() - 1;
                }
                _ if level == 0 => return follower,
                _ => {
                    known_after = follower;
                    level -= 1;
                }
            }
        }
    }
}
