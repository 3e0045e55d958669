//! Blocks that scanners keep while they wait for their clients, in the order in which they came to wait.

use std::collections::BTreeMap;

/// Which scanners keep how many bytes.
#[derive(Debug, Default)]
pub(crate) struct IdleBlocks {
    /// By turn: the scanner's id, and the bytes that it keeps.
    waiting: BTreeMap<u64, (u64, usize)>,
    turns: u64,
    bytes: usize,
}

impl IdleBlocks {
    /// Bytes of all. A block that several scanners keep counts for each of them.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// A scanner came to wait; gives back its turn, if it keeps anything.
    pub(crate) fn add(&mut self, id: u64, bytes: usize) -> Option<u64> {
        if bytes == 0 {
            return None;
        }
        self.turns += 1;
        self.waiting.insert(self.turns, (id, bytes));
        self.bytes += bytes;
        Some(self.turns)
    }

    /// The scanner that had this turn waits no more.
    pub(crate) fn remove(&mut self, turn: Option<u64>) {
        if let Some((_, bytes)) = turn.and_then(|turn| self.waiting.remove(&turn)) {
            self.bytes -= bytes;
        }
    }

    /// Takes away the scanner that has waited longest.
    pub(crate) fn take_longest(&mut self) -> Option<u64> {
        let (_, (id, bytes)) = self.waiting.pop_first()?;
        self.bytes -= bytes;
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_waited_longest_comes_first_and_bytes_are_those_of_the_others() {
        let mut idle = IdleBlocks::default();
        assert_eq!((idle.add(1, 0), idle.take_longest()), (None, None));
        let turns: Vec<_> = (1..=3).map(|id| idle.add(id, 10 * id as usize)).collect();
        assert_eq!(idle.bytes(), 60);
        idle.remove(turns[0]);
        idle.remove(turns[0]);
        assert_eq!(idle.bytes(), 50);
        // Came back, and waits again.
        idle.remove(turns[1]);
        idle.add(2, 1);
        assert_eq!((idle.take_longest(), idle.take_longest(), idle.take_longest()), (Some(3), Some(2), None));
        assert_eq!(idle.bytes(), 0);
    }
}
