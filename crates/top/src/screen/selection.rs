//! Which record is chosen, and which ones have room.

use crate::record::{Key, Record};

/// The chosen record. Until somebody moves, it is the first, whichever that is; later it is followed wherever it goes.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    followed: Option<Key>,
    at: usize,
    /// The first record that has room.
    first: usize,
    /// Records that have room.
    page: usize,
}

impl Selection {
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn first(&self) -> usize {
        self.first
    }

    pub(crate) fn page(&self) -> usize {
        self.page
    }

    /// The records are others now.
    pub(crate) fn follow(&mut self, records: &[Record]) {
        let is_followed = |record: &Record| self.followed.as_ref() == Some(&record.key());
        let found = self.followed.as_ref().and_then(|_| records.iter().position(is_followed));
        self.at = match (found, &self.followed) {
            (Some(at), _) => at,
            (None, Some(_)) => self.at.min(records.len().saturating_sub(1)),
            (None, None) => 0,
        };
        self.show(records.len());
    }

    /// There is room for other numbers of records now.
    pub(crate) fn resize(&mut self, page: usize, records: usize) {
        self.page = page;
        self.show(records);
    }

    pub(crate) fn move_to(&mut self, at: usize, records: &[Record]) {
        self.at = at.min(records.len().saturating_sub(1));
        self.followed = records.get(self.at).filter(|_| self.at > 0).map(Record::key);
        self.show(records.len());
    }

    pub(crate) fn move_by(&mut self, by: isize, records: &[Record]) {
        self.move_to(self.at.saturating_add_signed(by), records);
    }

    /// The chosen record is one that has room, and no room is left over.
    fn show(&mut self, records: usize) {
        let last = (self.at + 1).saturating_sub(self.page);
        self.first = self.first.clamp(last.min(self.at), self.at).min(records.saturating_sub(self.page));
    }
}

#[cfg(test)]
mod tests;
