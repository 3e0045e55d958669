//! Switches and looks, in many orders of their steps.

use super::{FileSwitch, FilesSeen};
use finback_sync::atomic::{AtomicU64, Ordering};
use finback_sync::{thread, try_schedules};
use std::sync::Arc;

/// Schedules tried of each program.
const SCHEDULES: usize = 1000;

/// Two stores, of which a switch adds one to each.
#[derive(Default)]
struct Program {
    switch: FileSwitch,
    stores: [AtomicU64; 2],
}

impl Program {
    fn change(&self) {
        self.switch.switch(|| {
            for store in &self.stores {
                store.fetch_add(1, Ordering::AcqRel);
            }
        });
    }

    /// How many switches both stores have seen, and the number that was looked at under.
    fn look(&self) -> (u64, FilesSeen) {
        let read = |store: &AtomicU64| store.load(Ordering::Acquire);
        let ((first, second), seen) = self.switch.look(|| (read(&self.stores[0]), read(&self.stores[1])));
        assert_eq!(first, second, "one store was seen from before a switch, the other from after it");
        (first, seen)
    }
}

#[test]
fn stores_are_seen_from_before_a_switch_or_from_after_it() {
    try_schedules(SCHEDULES, || {
        let program = Arc::<Program>::default();
        let switching = [(); 2].map(|()| {
            let program = Arc::clone(&program);
            thread::spawn(move || program.change())
        });
        let (first, second) = (program.look(), program.look());
        assert_eq!(first.0 == second.0, first.1 == second.1, "the number tells whether there was a switch");
        for thread in switching {
            thread.join().unwrap();
        }
        assert_eq!(program.look().0, 2, "two switches came one after the other");
    });
}
