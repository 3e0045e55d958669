//! A new version of a counter, which takes the room of one that nobody reads any more.

use super::{Inserted, Inserter, Node, Target};
use finback_cell::Cell;
use finback_cell::key::Key;

impl<'a> Inserter<'a> {
    /// Inserts a put that is newer than all that there is of its column. Of the older versions only the newest one that
    /// every reader sees (with a sequence id up to `smallest_read_point`) need stay: if the column begins with two such
    /// puts, the second one goes, and no node comes.
    ///
    /// The caller must keep other writers of the row away.
    pub(crate) fn upsert(
        &mut self,
        cell: &Cell<'_>,
        sequence_id: u64,
        smallest_read_point: u64,
    ) -> Inserted<'a> {
        let Some((newest, older)) = self.superseded(cell, smallest_read_point) else {
            return self.insert(cell, sequence_id);
        };
        let (record, allocated_bytes) = self.write_record(cell, sequence_id);
        // First from right to left, so that who walks from left to right meets no gap: the newest version twice at
        // most, which is what merging readers expect of sources anyway.
        let replaced = self.exchange(older, newest.record());
        self.exchange(newest, record);
        Inserted { allocated_bytes, replaced: Some(replaced) }
    }

    /// The first two nodes of the column of `cell`, if both are puts that every reader sees, and older than `cell`.
    fn superseded(&self, cell: &Cell<'_>, smallest_read_point: u64) -> Option<(Node<'a>, Node<'a>)> {
        let list = self.list();
        let column = Key::first_on_column(cell.row(), cell.family(), cell.qualifier());
        let target = Target::new(list, list.beginning()?, column, u64::MAX);
        let newest = list.find(|node| target.is_after(node)).1?;
        let older = list.follower(Some(newest), 0)?;
        let is_superseded = |node: Node<'_>| {
            let (version, sequence_id) = node.entry();
            version.is_put()
                && sequence_id <= smallest_read_point
                && version.timestamp() < cell.timestamp()
                && is_same_column(&version, cell)
        };
        (cell.is_put() && is_superseded(newest) && is_superseded(older)).then_some((newest, older))
    }
}

fn is_same_column(a: &Cell<'_>, b: &Cell<'_>) -> bool {
    a.row() == b.row() && a.family() == b.family() && a.qualifier() == b.qualifier()
}
