//! Operations that were due and not begun.

use std::time::Duration;

/// Operations of an open loop that were due when a run ended, and that no client had begun: none was free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct NotBegun {
    pub(crate) operations: u64,
    /// For how long the first of them was due.
    pub(crate) longest_wait: Duration,
}

impl NotBegun {
    /// Takes in others.
    pub(crate) fn add(&mut self, other: Self) {
        self.operations += other.operations;
        self.longest_wait = self.longest_wait.max(other.longest_wait);
    }
}
