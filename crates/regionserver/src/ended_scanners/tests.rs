use super::*;

#[test]
fn an_end_is_remembered_for_a_lease() {
    let lease = Duration::from_secs(60);
    let mut ended = EndedScanners::new(lease, 64 << 20);
    let begin = Instant::now();
    for id in 0..50_000 {
        ended.add(id, begin + Duration::from_millis(id));
    }
    assert!((0..50_000).all(|id| ended.has(id)) && !ended.has(50_000));
    ended.add(50_000, begin + lease + Duration::from_millis(100));
    assert!(!ended.has(99) && ended.has(100));
}

#[test]
fn no_more_are_remembered_than_there_is_memory_for() {
    let mut ended = EndedScanners::new(Duration::from_secs(60), 0);
    let now = Instant::now();
    for id in 0..3 * LEAST as u64 {
        ended.add(id, now);
    }
    assert_eq!((ended.by_end.len(), ended.ids.len()), (LEAST, LEAST));
    assert!(ended.has(3 * LEAST as u64 - 1));
}

#[test]
fn what_many_took_is_given_back() {
    let lease = Duration::from_secs(60);
    let mut ended = EndedScanners::new(lease, 1 << 30);
    let now = Instant::now();
    for id in 0..1_000_000 {
        ended.add(id, now);
    }
    ended.add(1_000_000, now + 2 * lease);
    assert!(ended.has(1_000_000) && !ended.has(999_999));
    assert!(
        ended.by_end.capacity() <= LEAST && ended.ids.capacity() <= 2 * LEAST,
        "{}",
        ended.ids.capacity()
    );
}
