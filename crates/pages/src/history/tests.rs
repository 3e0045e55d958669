use super::*;
use finback_metrics::OperationTimes;

fn totals(second: u64, times: &OperationTimes, regions: &[(&str, u64, u64)]) -> Totals {
    Totals {
        now_ms: second * 1000,
        operations: times.snapshot(),
        regions: regions.iter().map(|(name, reads, writes)| ((*name).into(), *reads, *writes)).collect(),
        cpu_ms: second * 500,
        ..Totals::default()
    }
}

#[test]
fn a_sample_tells_what_happened_since_the_last_one() {
    let (history, times) = (History::default(), OperationTimes::default());
    times.record(Operation::Get, Duration::from_secs(5));
    history.record(totals(10, &times, &[("a", 5, 5)]));
    assert_eq!(history.samples(), []);
    for _ in 0..20 {
        times.record(Operation::Get, Duration::from_micros(100));
        times.record(Operation::Increment, Duration::from_micros(900));
    }
    history.record(totals(20, &times, &[("a", 15, 5), ("b", 3, 20)]));
    let samples = history.samples();
    let [sample] = &samples[..] else { panic!("{samples:?}") };
    assert_eq!((sample.at_ms, sample.calls, sample.processors), (20_000, [2.0, 2.0, 0.0, 0.0], 0.5));
    assert_eq!((sample.rows_read, sample.rows_written), (1.3, 2.0));
    let near = |value: Option<f32>, wanted: f32| value.is_some_and(|us| (us - wanted).abs() < wanted / 8.0);
    assert!(near(sample.median_us[0], 100.0) && near(sample.p99_us[1], 900.0), "{sample:?}");
    assert_eq!((sample.median_us[2], sample.p99_us[3]), (None, None));
    let hot = history.hot_regions();
    assert_eq!(hot[0], HotRegion { encoded_name: "b".into(), reads: 0.3, writes: 2.0 });
    assert_eq!(&*hot[1].encoded_name, "a");
}

#[test]
fn a_region_that_was_opened_anew_begins_at_zero() {
    let (history, times) = (History::default(), OperationTimes::default());
    history.record(totals(10, &times, &[("a", 1000, 1000), ("b", 7, 7)]));
    history.record(totals(20, &times, &[("a", 10, 0), ("b", 7, 7)]));
    let hot = history.hot_regions();
    assert_eq!(hot, [HotRegion { encoded_name: "a".into(), reads: 1.0, writes: 0.0 }]);
}

#[test]
fn an_hour_is_kept_and_clocks_may_jump() {
    let (history, times) = (History::default(), OperationTimes::default());
    for second in (0..500).map(|number| number * 10).chain([7, 7]) {
        history.record(totals(second, &times, &[]));
    }
    assert_eq!(history.samples().len(), KEPT);
    assert!(history.samples().iter().all(|sample| sample.processors.is_finite()));
}

#[test]
fn few_hot_regions_are_told() {
    let (history, times) = (History::default(), OperationTimes::default());
    history.record(totals(10, &times, &[]));
    let names: Vec<String> = (0..50).map(|number| format!("{number:02}")).collect();
    let regions: Vec<_> = names.iter().zip(1..).map(|(name, count)| (name.as_str(), count, 0)).collect();
    history.record(totals(20, &times, &regions));
    let hot = history.hot_regions();
    assert_eq!((hot.len(), &*hot[0].encoded_name), (HOT_REGIONS, "49"));
}

#[test]
fn a_clock_that_is_set_back_spoils_no_chart() {
    let (history, times) = (History::default(), OperationTimes::default());
    for (second, rows) in [(1000, 0), (1010, 100), (400, 200)] {
        history.record(totals(second, &times, &[("a", rows, 0)]));
    }
    let samples = history.samples();
    assert_eq!(samples.iter().map(|sample| sample.rows_read).collect::<Vec<_>>(), [10.0, 10.0]);
    assert_eq!(samples.iter().map(|sample| sample.at_ms).collect::<Vec<_>>(), [390_000, 400_000]);
}
