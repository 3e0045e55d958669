//! What scanners keep in memory while they wait for their clients, in the order in which they came to wait: blocks, which they can
//! let go of, and what is their own, which goes with them.

use std::collections::BTreeMap;

/// What a scanner keeps, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    /// Blocks.
    pub(crate) blocks: usize,
    /// What was found of a row that is not at its end, and what was asked for.
    pub(crate) own: usize,
}

/// Which scanners keep how many bytes.
#[derive(Debug, Default)]
pub(crate) struct IdleMemory {
    blocks: ByTurn,
    own: ByTurn,
    turns: u64,
}

/// By turn: the scanner's id, and the bytes that it keeps.
#[derive(Debug, Default)]
struct ByTurn {
    waiting: BTreeMap<u64, (u64, usize)>,
    bytes: usize,
}

impl ByTurn {
    fn add(&mut self, turn: u64, id: u64, bytes: usize) {
        if bytes > 0 {
            self.waiting.insert(turn, (id, bytes));
            self.bytes += bytes;
        }
    }

    fn remove(&mut self, turn: u64) {
        if let Some((_, bytes)) = self.waiting.remove(&turn) {
            self.bytes -= bytes;
        }
    }

    fn take_longest(&mut self) -> Option<u64> {
        let (_, (id, bytes)) = self.waiting.pop_first()?;
        self.bytes -= bytes;
        Some(id)
    }
}

impl IdleMemory {
    /// Bytes of all. A block that several scanners keep counts for each of them.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.bytes + self.own.bytes
    }

    /// A scanner came to wait; gives back its turn, if it keeps anything.
    pub(crate) fn add(&mut self, id: u64, kept: Kept) -> Option<u64> {
        if kept == Kept::default() {
            return None;
        }
        self.turns += 1;
        self.blocks.add(self.turns, id, kept.blocks);
        self.own.add(self.turns, id, kept.own);
        Some(self.turns)
    }

    /// The scanner that had this turn waits no more.
    pub(crate) fn remove(&mut self, turn: Option<u64>) {
        if let Some(turn) = turn {
            self.blocks.remove(turn);
            self.own.remove(turn);
        }
    }

    /// Takes away the blocks of the scanner that has kept some longest.
    pub(crate) fn take_longest_with_blocks(&mut self) -> Option<u64> {
        self.blocks.take_longest()
    }

    /// The scanner that has longest kept something of its own, if all before the last one have more than this: who keeps very much does
    /// not drive out the others, which would not suffice.
    pub(crate) fn longest_of_several(&self, most_bytes: usize) -> Option<u64> {
        let (_, (_, of_last)) = self.own.waiting.last_key_value()?;
        let before = self.own.bytes - of_last;
        let is_too_much = before > most_bytes || before > 0 && *of_last <= most_bytes;
        is_too_much.then(|| self.own.waiting.values().next().map(|(id, _)| *id)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_waited_longest_comes_first_and_bytes_are_those_of_the_others() {
        let mut idle = IdleMemory::default();
        assert_eq!((idle.add(1, Kept::default()), idle.take_longest_with_blocks()), (None, None));
        let turns: Vec<_> =
            (1..=3).map(|id| idle.add(id, Kept { blocks: 10 * id as usize, own: 0 })).collect();
        assert_eq!(idle.bytes(), 60);
        idle.remove(turns[0]);
        idle.remove(turns[0]);
        assert_eq!(idle.bytes(), 50);
        // Came back, and waits again.
        idle.remove(turns[1]);
        idle.add(2, Kept { blocks: 1, own: 0 });
        let mut next = || idle.take_longest_with_blocks();
        assert_eq!((next(), next(), next()), (Some(3), Some(2), None));
        assert_eq!(idle.bytes(), 0);
    }

    #[test]
    fn what_is_their_own_goes_with_scanners_but_for_that_of_the_last_one() {
        let mut idle = IdleMemory::default();
        let turns: Vec<_> = (1..=3).map(|id| idle.add(id, Kept { blocks: 1, own: 100 })).collect();
        while idle.take_longest_with_blocks().is_some() {}
        assert_eq!((idle.bytes(), idle.longest_of_several(150)), (300, Some(1)));
        idle.remove(turns[0]);
        assert_eq!((idle.bytes(), idle.longest_of_several(150)), (200, Some(2)));
        idle.remove(turns[1]);
        assert_eq!((idle.bytes(), idle.longest_of_several(50)), (100, None));
    }

    #[test]
    fn one_that_has_more_than_all_may_have_drives_out_no_more_than_without_it() {
        let mut idle = IdleMemory::default();
        for (id, own) in [(1, 60), (2, 60), (3, 1000)] {
            idle.add(id, Kept { blocks: 0, own });
        }
        assert_eq!(idle.longest_of_several(150), None);
        assert_eq!(idle.longest_of_several(100), Some(1));
    }
}
