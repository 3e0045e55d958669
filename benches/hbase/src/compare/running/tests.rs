use super::*;
use crate::load::Latency;
use std::time::Duration;

#[test]
fn cost_is_by_row_and_speed_by_time() {
    let latency = Latency { p50_us: 1.0, p99_us: 2.0, p999_us: 3.0, max_us: 4.0 };
    let told = Told { rows: 1000, missing: None, seconds: 0.5, latency };
    let used =
        Usage { cpu: Duration::from_millis(80), written_bytes: 0, resident_bytes: 0, peak_resident_bytes: 0 };
    let figures = BTreeMap::from(figures(&told, &used));
    assert_eq!((figures[&Figure::CpuMicros], figures[&Figure::PerSecond]), (80.0, 2000.0));
    assert_eq!((figures[&Figure::P999], figures[&Figure::Max]), (3.0, 4.0));
}

#[test]
fn row_keys_are_those_of_performance_evaluation() {
    assert_eq!(row_key(42), b"00000000000000000000000042");
}

#[test]
fn a_row_is_as_long_as_its_parts() {
    assert_eq!(ROW_BYTES, 4 + 4 + 2 + 26 + 1 + 5 + 1 + 8 + 1 + 1000);
}
