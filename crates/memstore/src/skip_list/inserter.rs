//! Insertion into the skip list.

use super::node::{Header, MAX_HEIGHT, Node};
use super::{SkipList, Target};
use crate::record::Record;
use finback_cell::Cell;
use finback_cell::key::Key;
use finback_cell::row_prefix::Beginning;
use finback_sync::MutexGuard;
use finback_sync::atomic::Ordering::Relaxed;
use std::cmp::Ordering;
use std::ptr::NonNull;

/// A place in the list: on each level the nodes around it (`None`: the head, the end). On level 0 there is nothing
/// between the two unless somebody put it there since; on the others they are at least as far away.
#[derive(Default)]
pub(super) struct Splice {
    before: [Option<NonNull<Header>>; MAX_HEIGHT],
    after: [Option<NonNull<Header>>; MAX_HEIGHT],
    /// Whether the above holds: not before the first insertion, nor while a place is being searched.
    is_valid: bool,
}

impl Splice {
    /// A place in an empty list; becomes valid when each level that is in use has been set.
    pub(super) fn found() -> Self {
        Self { is_valid: true, ..Self::default() }
    }

    pub(super) fn set(&mut self, level: usize, (before, after): (Option<Node<'_>>, Option<Node<'_>>)) {
        self.before[level] = before.map(Node::into_raw);
        self.after[level] = after.map(Node::into_raw);
    }
}

// SAFETY: the pointers are to nodes of the list that the splice is a part of, or that its holder borrows, and are used
// for nothing but what any thread may do with nodes.
unsafe impl Send for Splice {}

/// Somebody who inserts cells, fastest when each comes close behind the one before.
pub(crate) struct Inserter<'a> {
    list: &'a SkipList,
    splice: SpliceInUse<'a>,
}

/// The list's hint; one's own when somebody else has that.
enum SpliceInUse<'a> {
    Hint(MutexGuard<'a, Splice>),
    Own(Splice),
}

/// What an insertion did.
pub(crate) struct Inserted<'a> {
    /// Bytes that the arenas took from the allocator for it, often none.
    pub(crate) allocated_bytes: usize,
    /// The cell that it took the place of.
    pub(crate) replaced: Option<Cell<'a>>,
}

impl<'a> Inserter<'a> {
    pub(super) fn new(list: &'a SkipList) -> Self {
        let splice = match list.hint.try_lock() {
            Some(hint) => SpliceInUse::Hint(hint),
            None => SpliceInUse::Own(Splice::default()),
        };
        Self { list, splice }
    }

    pub(super) fn list(&self) -> &'a SkipList {
        self.list
    }

    /// Copies a cell into the list. A cell with the same key and sequence id is replaced.
    pub(crate) fn insert(&mut self, cell: &Cell<'_>, sequence_id: u64) -> Inserted<'a> {
        let target = self.target(cell, sequence_id);
        self.find_place(&target);
        self.insert_there(cell, &target)
    }

    /// Inserts cells of one sequence id; `note` is told what each insertion did.
    pub(crate) fn insert_all<'c>(
        &mut self,
        cells: impl IntoIterator<Item = Cell<'c>>,
        sequence_id: u64,
        mut note: impl FnMut(&Cell<'c>, &Inserted<'a>),
    ) {
        cells.into_iter().for_each(|cell| note(&cell, &self.insert(&cell, sequence_id)));
    }

    pub(super) fn target<'c>(&self, cell: &Cell<'c>, sequence_id: u64) -> Target<'c> {
        let beginning = self.list.beginning.get_or_init(|| Beginning::expected(cell.row(), cell.row()));
        Target::new(self.list, beginning, Key::of(cell), sequence_id)
    }

    /// Copies a cell to the place that the splice is, or to where that has come to be since.
    pub(super) fn insert_there(&mut self, cell: &Cell<'_>, target: &Target<'_>) -> Inserted<'a> {
        let sequence_id = target.sequence_id;
        let (record, mut allocated_bytes) = self.write_record(cell, sequence_id);
        if let Some(equal) = self.equal(target) {
            return Inserted { allocated_bytes, replaced: Some(self.exchange(equal, record)) };
        }
        let height = random_height(record);
        let piece = self.list.nodes.allocate(Node::size(height));
        allocated_bytes += piece.grown;
        let prefix = target.prefix;
        // SAFETY: the piece is fresh, of the right size, and lives as long as the list's arena; sizes of nodes are
        // multiples of their alignment, and so are all places in the arena. The record lives as long.
        let node: Node<'a> = unsafe { Node::write(piece.place, height, prefix, record) };
        let replaced = self.link(node, target).map(|equal| self.exchange(equal, record));
        Inserted { allocated_bytes, replaced }
    }

    /// Copies a cell to where the list's records are. Gives back what that took from the allocator, too.
    pub(super) fn write_record(&self, cell: &Cell<'_>, sequence_id: u64) -> (Record, usize) {
        let piece = self.list.records.allocate(Record::size(cell));
        // SAFETY: the piece is fresh and of the right size.
        (unsafe { Record::write(piece.place, cell, sequence_id) }, piece.grown)
    }

    /// Gives a node another record; gives back the cell that it had.
    pub(super) fn exchange(&self, node: Node<'a>, record: Record) -> Cell<'a> {
        // SAFETY: a record of the list, which is borrowed for 'a.
        unsafe { node.exchange_record(record).cell() }
    }

    /// Links a node in, from the lowest level up, each time to all that follows before anyone can come from it. When
    /// somebody else was quicker with a cell of the same key and sequence id, that node is given back, and `node` is not
    /// in the list.
    fn link(&mut self, node: Node<'a>, target: &Target<'_>) -> Option<Node<'a>> {
        let list = self.list;
        list.height.fetch_max(node.height(), Relaxed);
        for level in 0..node.height() {
            loop {
                let (before, after) = (self.before(level), self.after(level));
                node.link(level).prepare(after);
                if list.link(before, level).publish(after, node) {
                    break;
                }
                // Somebody put a node there.
                let found = list.find_on_level(level, before, None, &|node| target.is_after(node));
                self.set(level, found);
                if level == 0
                    && let Some(equal) = self.equal(target)
                {
                    return Some(equal);
                }
            }
        }
        for level in 0..node.height() {
            self.splice().before[level] = Some(node.into_raw());
        }
        None
    }

    /// The node behind the place, if it has the target's key and sequence id.
    fn equal(&self, target: &Target<'_>) -> Option<Node<'a>> {
        self.after(0).filter(|&node| target.compare(node) == Ordering::Equal)
    }

    /// Makes the splice the place of the target.
    pub(super) fn find_place(&mut self, target: &Target<'_>) {
        if self.is_at(target) {
            return;
        }
        let list = self.list;
        self.splice().is_valid = false;
        let height = list.height.load(Relaxed);
        for level in height..MAX_HEIGHT {
            self.set(level, (None, None));
        }
        let (mut before, mut after) = (None, None);
        for level in (0..height).rev() {
            (before, after) = list.find_on_level(level, before, after, &|node| target.is_after(node));
            self.set(level, (before, after));
        }
        self.splice().is_valid = true;
    }

    /// Whether the target belongs where the splice is. The lowest level decides for all: nodes before and after on
    /// higher levels are further away.
    pub(super) fn is_at(&self, target: &Target<'_>) -> bool {
        let is_valid = match &self.splice {
            SpliceInUse::Hint(splice) => splice.is_valid,
            SpliceInUse::Own(splice) => splice.is_valid,
        };
        is_valid
            && self.before(0).is_none_or(|node| target.is_after(node))
            && self.after(0).is_none_or(|node| !target.is_after(node))
    }

    pub(super) fn splice(&mut self) -> &mut Splice {
        match &mut self.splice {
            SpliceInUse::Hint(splice) => splice,
            SpliceInUse::Own(splice) => splice,
        }
    }

    fn set(&mut self, level: usize, around: (Option<Node<'a>>, Option<Node<'a>>)) {
        self.splice().set(level, around);
    }

    fn before(&self, level: usize) -> Option<Node<'a>> {
        let splice = match &self.splice {
            SpliceInUse::Hint(splice) => splice,
            SpliceInUse::Own(splice) => splice,
        };
        // SAFETY: a node of the list, which is borrowed for 'a: splices have no others.
        splice.before[level].map(|node| unsafe { Node::from_raw(node) })
    }

    fn after(&self, level: usize) -> Option<Node<'a>> {
        let splice = match &self.splice {
            SpliceInUse::Hint(splice) => splice,
            SpliceInUse::Own(splice) => splice,
        };
        // SAFETY: as above.
        splice.after[level].map(|node| unsafe { Node::from_raw(node) })
    }
}

/// Height `h` with probability `3/4 · 4^(1-h)`, drawn from the place of a record, which no other one has.
fn random_height(record: Record) -> usize {
    let number = record.into_raw().as_ptr().addr() as u64;
    // The finalizer of splitmix64.
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let mixed = mixed ^ (mixed >> 31);
    (1 + mixed.trailing_zeros() as usize / 2).min(MAX_HEIGHT)
}
