//! Insertion of cells that are scattered over the list: the places of several are searched at once, so that memory is on its way
//! for one while another is looked at.

use super::inserter::{Inserted, Inserter, Splice};
use super::node::Node;
use super::{SkipList, Target};
use finback_cell::Cell;
use finback_sync::atomic::Ordering::Relaxed;
use smallvec::SmallVec;
use std::cmp::Ordering;

/// Places that are searched at once: what a processor asks memory for at a time.
const GROUP: usize = 8;

impl<'a> Inserter<'a> {
    /// As [`Inserter::insert_all`], for a list whose nodes come from memory: groups of cells that are scattered over it wait for
    /// that together.
    pub(crate) fn insert_scattered<'c>(
        &mut self,
        cells: impl IntoIterator<Item = Cell<'c>>,
        sequence_id: u64,
        mut note: impl FnMut(&Cell<'c>, &Inserted<'a>),
    ) {
        let mut cells = cells.into_iter();
        // Whether the last row was elsewhere than the one before it: the next ones are, too, most likely.
        let (mut is_scattered, mut last_row) = (false, None);
        while let Some(cell) = cells.next() {
            let target = self.target(&cell, sequence_id);
            let is_at = self.is_at(&target);
            if is_at || !is_scattered {
                if last_row.replace(cell.row()) != Some(cell.row()) {
                    is_scattered = !is_at;
                }
                self.find_place(&target);
                note(&cell, &self.insert_there(&cell, &target));
                continue;
            }
            let mut group: SmallVec<[(Cell<'c>, Target<'c>); GROUP]> = SmallVec::new();
            group.push((cell, target));
            group.extend(cells.by_ref().take(GROUP - 1).map(|cell| (cell, self.target(&cell, sequence_id))));
            let mut places = find_places(self.list(), &group).into_iter();
            for (at, (cell, target)) in group.iter().enumerate() {
                if begins_row(&group, at)
                    && let Some(place) = places.next()
                    && !self.is_at(target)
                {
                    *self.splice() = place;
                } else {
                    self.find_place(target);
                }
                note(cell, &self.insert_there(cell, target));
            }
        }
    }
}

/// Cells of one row are side by side.
fn begins_row(group: &[(Cell<'_>, Target<'_>)], at: usize) -> bool {
    at == 0 || group[at - 1].0.row() != group[at].0.row()
}

/// A search that is under way.
struct Search<'t, 'a> {
    target: &'t Target<'t>,
    /// The level it is on.
    level: usize,
    /// The last node that is known to be before the target.
    before: Option<Node<'a>>,
    /// The node behind it, which memory was asked for.
    next: Option<Node<'a>>,
    /// Whether memory was asked for the cell of that node, for want of a difference between the prefixes.
    is_cell_asked_for: bool,
    place: Splice,
}

/// The places of the first cells of rows.
fn find_places(list: &SkipList, group: &[(Cell<'_>, Target<'_>)]) -> SmallVec<[Splice; GROUP]> {
    let top = list.height.load(Relaxed) - 1;
    let first = list.follower(None, top);
    let begin = |at: usize| Search {
        target: &group[at].1,
        level: top,
        before: None,
        next: first,
        is_cell_asked_for: false,
        place: Splice::found(),
    };
    let firsts = (0..group.len()).filter(|&at| begins_row(group, at));
    let mut searches: SmallVec<[Search<'_, '_>; GROUP]> = firsts.map(begin).collect();
    let mut under_way: u32 = (1 << searches.len()) - 1;
    while under_way != 0 {
        let mut round = under_way;
        while round != 0 {
            let at = round.trailing_zeros() as usize;
            round &= round - 1;
            if searches[at].step(list) {
                under_way &= !(1 << at);
            }
        }
    }
    searches.into_iter().map(|search| search.place).collect()
}

impl<'a> Search<'_, 'a> {
    /// Looks at the next node. Whether that was all.
    #[inline]
    fn step(&mut self, list: &'a SkipList) -> bool {
        let is_before = match self.next {
            None => false,
            Some(next) => match next.prefix().cmp(&self.target.prefix) {
                Ordering::Less => true,
                Ordering::Greater => false,
                Ordering::Equal if !self.is_cell_asked_for => {
                    self.is_cell_asked_for = true;
                    next.record().prefetch();
                    return false;
                }
                Ordering::Equal => self.target.is_after(next),
            },
        };
        self.is_cell_asked_for = false;
        if is_before {
            self.before = self.next;
            self.next = list.follower(self.before, self.level);
        } else {
            // On the levels below, too, what is behind the target may be what is next.
            let after = self.next;
            while self.next == after {
                self.place.set(self.level, (self.before, self.next));
                if self.level == 0 {
                    return true;
                }
                self.level -= 1;
                self.next = list.follower(self.before, self.level);
            }
        }
        if let Some(next) = self.next {
            next.prefetch();
        }
        false
    }
}
