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
        assert!(end - begin == 1 || (end - begin) * 8 <= begin, "{begin}..{end}");
    }
    assert_eq!(bucket_of(0), 0);
    assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
}

#[test]
fn an_empty_histogram_is_all_zeros() {
    let snapshot = Histogram::for_one_thread().snapshot();
    assert_eq!((snapshot.count(), snapshot.sum(), snapshot.mean()), (0, 0, 0));
    assert_eq!((snapshot.min(), snapshot.max(), snapshot.quantile(0.5)), (0, 0, 0));
    assert!(snapshot.cumulative(3..=36).all(|(_, shorter)| shorter == 0));
}

#[test]
fn quantiles_are_within_an_eighth() {
    let histogram = Histogram::for_many_threads();
    for us in 1..=10_000 {
        histogram.record(Duration::from_micros(us));
    }
    let snapshot = histogram.snapshot();
    for part in [0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.999] {
        let (found, exact) = (snapshot.quantile(part) as f64, part * 1e7);
        assert!((found - exact).abs() <= exact / 8.0, "{part}: {found} instead of {exact}");
    }
    assert_eq!(snapshot.quantile(1.0), 10_000_000);
    assert_eq!((snapshot.min(), snapshot.max()), (1000, 10_000_000));
    assert_eq!((snapshot.count(), snapshot.mean()), (10_000, 5_000_500));
}

#[test]
fn what_no_bucket_is_made_for_is_counted_too() {
    let histogram = Histogram::for_one_thread();
    histogram.record(ns(0));
    histogram.record(Duration::from_secs(1 << 20));
    histogram.record(Duration::MAX);
    let snapshot = histogram.snapshot();
    assert_eq!((snapshot.count(), snapshot.min(), snapshot.max()), (3, 0, u64::MAX));
    assert_eq!(snapshot.quantile(1.0), u64::MAX);
    // Only the first is shorter than the largest bound.
    assert_eq!(snapshot.cumulative(10..=36).last(), Some((1 << 36, 1)));
}

#[test]
fn bounds_are_powers_of_two_and_counts_below_them_grow() {
    let histogram = Histogram::for_one_thread();
    for value in [1023, 1024, 2047, 2048, 1 << 20] {
        histogram.record(ns(value));
    }
    let cumulative: Vec<_> = histogram.snapshot().cumulative(10..=36).collect();
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
    assert_eq!(snapshot.sum(), 4 * 10_000 * 9_999 / 2);
}

#[test]
fn small_numbers_are_exact() {
    let histogram = Histogram::for_many_threads();
    [0, 1, 1, 3, 7].into_iter().for_each(|value| histogram.record_value(value));
    let snapshot = histogram.snapshot();
    assert_eq!((snapshot.quantile(0.2), snapshot.quantile(0.5), snapshot.quantile(1.0)), (0, 1, 7));
    assert_eq!((snapshot.min(), snapshot.max(), snapshot.sum()), (0, 7, 12));
}

#[test]
fn what_was_counted_since_forgets_what_was_before() {
    let histogram = Histogram::for_one_thread();
    (0..100).for_each(|_| histogram.record(Duration::from_secs(1)));
    let before = histogram.snapshot();
    assert_eq!(before.since(&before).count(), 0);
    assert_eq!((before.since(&before).max(), before.since(&before).min()), (0, 0));
    histogram.record(Duration::from_micros(100));
    histogram.record(Duration::from_micros(200));
    let since = histogram.snapshot().since(&before);
    assert_eq!((since.count(), since.sum(), since.mean()), (2, 300_000, 150_000));
    assert!(
        (90_000..=110_000).contains(&since.min()) && (180_000..=225_000).contains(&since.max()),
        "{since:?}"
    );
    assert!(since.quantile(0.99) <= since.max());
}

#[test]
fn threads_without_a_place_of_their_own_are_counted_too() {
    let histogram = Histogram::for_one_thread();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1000).for_each(|value| histogram.record_value(value)));
        }
    });
    let snapshot = histogram.snapshot();
    assert_eq!((snapshot.count(), snapshot.max(), snapshot.min()), (4000, 999, 0));
}

#[test]
fn what_was_counted_since_has_its_own_quantiles() {
    let histogram = Histogram::for_one_thread();
    (0..1000).for_each(|_| histogram.record(Duration::from_millis(50)));
    let before = histogram.snapshot();
    assert_eq!(before.since(&before), HistogramSnapshot::default());
    (1..=100).for_each(|us| histogram.record(Duration::from_micros(us * 10)));
    let since = histogram.snapshot().since(&before);
    assert_eq!((since.count(), since.sum()), (100, 50_500_000));
    let p99 = since.quantile(0.99) / 1000;
    assert!((870..=1130).contains(&p99), "{p99}");
    assert!(since.max() < 2_000_000 && since.min() <= 10_000, "{since:?}");
}
