use super::*;
use std::sync::atomic::AtomicBool;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn refuse(writes: &RefusedWrites, count: u64) {
    (0..count).for_each(|_| writes.add());
}

#[test]
fn a_region_that_refuses_a_fifth_of_its_writes_is_split_when_it_is_old_enough() {
    let config = BusySplitConfig::default();
    let refused = RefusedWrites::new(seconds(100));
    refuse(&refused, 30);
    assert!(!refused.are_too_many(&config, 100, seconds(100 + 299)), "no window is over");
    assert!(!refused.are_too_many(&config, 100, seconds(100 + 301)), "too young");
    refuse(&refused, 30);
    assert!(refused.are_too_many(&config, 200, seconds(100 + 602)));
    // In the next window nothing is refused: what the last one counts for becomes less.
    assert!(refused.are_too_many(&config, 300, seconds(100 + 602 + 60)), "30 % of four fifths of a window");
    assert!(!refused.are_too_many(&config, 300, seconds(100 + 602 + 240)), "30 % of one fifth");
}

/// Flushes and compactions that end at the same time ask at the same time.
#[test]
fn who_waits_for_another_to_ask_counts_what_that_has_seen() {
    let config = BusySplitConfig::default();
    for _ in 0..20 {
        let refused = RefusedWrites::new(seconds(0));
        let begins = AtomicBool::new(false);
        std::thread::scope(|scope| {
            // As another does who asks at the end of a window.
            let mut seen = refused.seen.lock();
            let asks = scope.spawn(|| {
                begins.store(true, Ordering::Release);
                refused.share(config.window, 100, seconds(301))
            });
            while !begins.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            // Long enough for it to come to the lock; if it does not, it asks later.
            (0..1000).for_each(|_| std::thread::yield_now());
            refuse(&refused, 1);
            *seen = Seen { at: seconds(300), refused: 1, writes: 100, share: 0.01 };
            drop(seen);
            let share = asks.join().unwrap();
            assert!((0.0..=0.01).contains(&share), "{share}");
        });
    }
}

#[test]
fn settings_that_make_no_sense_are_the_defaults() {
    let senseless =
        BusySplitConfig { refused_share: 1.0, window: Duration::ZERO, ..BusySplitConfig::default() };
    assert_eq!(senseless.checked(), BusySplitConfig::default());
    let sensible = BusySplitConfig { refused_share: 0.5, min_age: Duration::ZERO, window: seconds(1) };
    assert_eq!(sensible.clone().checked(), sensible);
}
