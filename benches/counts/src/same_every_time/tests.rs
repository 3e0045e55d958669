use super::*;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant, SystemTime};

/// Tests run side by side, and there is one clock.
#[test]
fn the_clock_stands_and_goes_on_and_hashes_are_the_same() {
    let pause = Duration::from_millis(5);
    while_the_clock_stands(|| {
        let (begun, time) = (Instant::now(), SystemTime::now());
        sleep(pause);
        assert_eq!((begun.elapsed(), time), (Duration::ZERO, SystemTime::now()));
    });
    let begun = Instant::now();
    sleep(pause);
    assert!(begun.elapsed() >= pause);
    // Each thread has random numbers of its own.
    let hash = || spawn(|| RandomState::new().hash_one("a key")).join().expect("a hash");
    assert_eq!(hash(), hash());
}
