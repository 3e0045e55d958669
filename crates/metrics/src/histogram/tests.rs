use super::*;

fn ns(ns: u64) -> Duration {
    Duration::from_nanos(ns)
}

#[test]
fn buckets_follow_one_another_without_gaps_and_are_narrow() {
    for bucket in 0..BUCKETS - 1 {
        let (begin, end) = (begin_of(bucket), end_of(bucket));
        assert!(begin < end);
        assert_eq!((bucket_of(begin), bucket_of(end - 1), bucket_of(end)), (bucket, bucket, bucket + 1));
        assert!(bucket == 0 || (end - begin) * 8 <= begin, "{begin}..{end}");
    }
    assert_eq!(bucket_of(0), 0);
    assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
}

#[test]
fn an_empty_histogram_is_all_zeros() {
    let snapshot = Histogram::for_one_thread().snapshot();
    assert_eq!((snapshot.count(), snapshot.sum(), snapshot.mean()), (0, ns(0), ns(0)));
    assert_eq!((snapshot.min(), snapshot.max(), snapshot.quantile(0.5)), (ns(0), ns(0), ns(0)));
    assert!(snapshot.cumulative().all(|(_, shorter)| shorter == 0));
}

#[test]
fn quantiles_are_within_an_eighth() {
    let histogram = Histogram::for_many_threads();
    for us in 1..=10_000 {
        histogram.record(Duration::from_micros(us));
    }
    let snapshot = histogram.snapshot();
    for part in [0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.999] {
        let (found, exact) = (snapshot.quantile(part).as_nanos() as f64, part * 1e7);
        assert!((found - exact).abs() <= exact / 8.0, "{part}: {found} instead of {exact}");
    }
    assert_eq!(snapshot.quantile(1.0), Duration::from_millis(10));
    assert_eq!((snapshot.min(), snapshot.max()), (Duration::from_micros(1), Duration::from_millis(10)));
    assert_eq!((snapshot.count(), snapshot.mean()), (10_000, ns(5_000_500)));
}

#[test]
fn what_no_bucket_is_made_for_is_counted_too() {
    let histogram = Histogram::for_one_thread();
    histogram.record(ns(0));
    histogram.record(Duration::from_secs(1 << 20));
    histogram.record(Duration::MAX);
    let snapshot = histogram.snapshot();
    assert_eq!((snapshot.count(), snapshot.min(), snapshot.max()), (3, ns(0), ns(u64::MAX)));
    assert_eq!(snapshot.quantile(1.0), ns(u64::MAX));
    // Only the first is shorter than the largest bound.
    assert_eq!(snapshot.cumulative().last(), Some((1 << 36, 1)));
}

#[test]
fn bounds_are_powers_of_two_and_counts_below_them_grow() {
    let histogram = Histogram::for_one_thread();
    for value in [1023, 1024, 2047, 2048, 1 << 20] {
        histogram.record(ns(value));
    }
    let cumulative: Vec<_> = histogram.snapshot().cumulative().collect();
    assert_eq!(cumulative[..3], [(1024, 1), (2048, 3), (4096, 4)]);
    assert_eq!(cumulative[10..12], [(1 << 20, 4), (1 << 21, 5)]);
    assert_eq!(cumulative.len(), 27);
}

#[test]
fn threads_that_count_at_once_lose_nothing() {
    let histogram = Histogram::for_many_threads();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..10_000).for_each(|value| histogram.record(ns(value))));
        }
    });
    let snapshot = histogram.snapshot();
    assert_eq!(snapshot.count(), 40_000);
    assert_eq!(snapshot.sum(), ns(4 * 10_000 * 9_999 / 2));
}

#[test]
fn what_was_counted_since_has_its_own_quantiles() {
    let histogram = Histogram::for_one_thread();
    (0..1000).for_each(|_| histogram.record(Duration::from_millis(50)));
    let before = histogram.snapshot();
    assert_eq!(before.since(&before), HistogramSnapshot::default());
    (1..=100).for_each(|us| histogram.record(Duration::from_micros(us * 10)));
    let since = histogram.snapshot().since(&before);
    assert_eq!((since.count(), since.sum()), (100, Duration::from_micros(50_500)));
    let p99 = since.quantile(0.99).as_micros();
    assert!((870..=1130).contains(&p99), "{p99}");
    assert!(since.max() < Duration::from_millis(2) && since.min() <= Duration::from_micros(10), "{since:?}");
}
