//! Which parts of the server have said anything, or would have with another level.

use parking_lot::Mutex;
use std::collections::BTreeSet;

/// More than the program has modules: what goes beyond is left out.
const MOST: usize = 4096;

/// Targets of messages, as they are come by.
#[derive(Debug, Default)]
pub(crate) struct Seen(Mutex<BTreeSet<&'static str>>);

impl Seen {
    pub(crate) fn add(&self, target: &'static str) {
        let mut seen = self.0.lock();
        if seen.len() < MOST {
            seen.insert(target);
        }
    }

    pub(crate) fn all(&self) -> Vec<&'static str> {
        self.0.lock().iter().copied().collect()
    }
}
