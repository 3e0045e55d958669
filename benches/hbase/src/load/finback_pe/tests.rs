use super::*;

/// The parts of a report that count.
fn report(latencies: &str, error: &str) -> String {
    format!(
        r#"{{"rows": 990, "rows_missing": 10, "seconds": 2.5, "interrupted": false, "error": {error},
            "latencies": {{{latencies}}}}}"#
    )
}

fn latencies(name: &str, p50: f64) -> String {
    format!(r#""{name}": {{"p50_us": {p50}, "p99_us": 20.0, "p99.9_us": 30.0, "max_us": 40.5}}"#)
}

#[test]
fn rows_that_are_missing_were_worked_on_as_well() {
    let told = parse(&report(&latencies("randomRead", 10.0), "null")).unwrap();
    assert_eq!((told.rows, told.missing, told.seconds), (1000, Some(10), 2.5));
    assert_eq!(told.latency, Latency { p50_us: 10.0, p99_us: 20.0, p999_us: 30.0, max_us: 40.5 });
}

#[test]
fn of_several_operations_reads_count() {
    let both = format!("{}, {}", latencies("INSERT", 1.0), latencies("READ", 2.0));
    assert_eq!(parse(&report(&both, "null")).unwrap().latency.p50_us, 2.0);
}

#[test]
fn a_run_that_failed_is_no_measurement() {
    assert_eq!(parse(&report(&latencies("randomRead", 10.0), "\"refused\"")), None);
    assert_eq!(parse("{}"), None);
    assert_eq!(parse("not JSON"), None);
}
