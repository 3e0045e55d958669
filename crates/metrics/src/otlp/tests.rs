use super::*;
use crate::snapshot::{ProcessFigures, RegionFigures, ServerFigures, SpanFigures};
use crate::{Operation, OperationTimes};
use serde_json::{Value as Json, json};
use std::time::Duration;

fn rendered() -> Vec<Json> {
    let times = OperationTimes::default();
    times.record(Operation::Get, Duration::from_micros(3));
    times.record(Operation::Get, Duration::from_secs(100));
    let region = |encoded_name: &str, reads| RegionFigures {
        table: "t\"".to_owned(),
        encoded_name: encoded_name.to_owned(),
        reads,
        ..Default::default()
    };
    let spans = Some(SpanFigures { sent: 7, dropped: 8, failed: u64::MAX });
    let snapshot = Snapshot {
        server: Some(ServerFigures { operations: times.snapshot(), ..Default::default() }),
        regions: vec![region("a", 1), region("b", 3)],
        process: ProcessFigures { start_ms: 1500, cpu_ms: 250, spans, ..Default::default() },
        ..Default::default()
    };
    serde_json::from_str(&render(&snapshot, 1, 2_000_000_001)).unwrap()
}

fn named<'a>(metrics: &'a [Json], name: &str) -> &'a Json {
    let mut found = metrics.iter().filter(|metric| metric["name"] == name);
    let one = found.next().unwrap_or_else(|| panic!("no {name}"));
    assert!(found.next().is_none(), "{name} is there twice");
    one
}

#[test]
fn counters_are_sums_from_the_start_of_the_process() {
    let metrics = rendered();
    let spans = named(&metrics, "finback_otel_spans_total");
    assert_eq!(spans["sum"]["aggregationTemporality"], 2);
    assert_eq!(spans["sum"]["isMonotonic"], true);
    let point = |result: &str, number: i64| {
        json!({
            "attributes": [{"key": "result", "value": {"stringValue": result}}],
            "startTimeUnixNano": "1500000000",
            "timeUnixNano": "2000000001",
            "asInt": number.to_string(),
        })
    };
    let points = [point("sent", 7), point("dropped", 8), point("failed", i64::MAX)];
    assert_eq!(spans["sum"]["dataPoints"], json!(points));
    let processor = named(&metrics, "process_cpu_seconds_total");
    assert_eq!(processor["unit"], "s");
    assert_eq!(processor["sum"]["dataPoints"][0]["asDouble"], 0.25);
}

#[test]
fn of_regions_the_busiest_are_told_of() {
    let metrics = rendered();
    let reads = named(&metrics, "finback_region_reads_total")["sum"]["dataPoints"].as_array().unwrap();
    assert_eq!(reads.len(), 1);
    assert_eq!(reads[0]["asInt"], "3");
    let attributes = reads[0]["attributes"].as_array().unwrap();
    assert!(attributes.contains(&json!({"key": "region", "value": {"stringValue": "b"}})));
    assert!(attributes.contains(&json!({"key": "table", "value": {"stringValue": "t\""}})));
}

#[test]
fn histograms_have_a_number_for_each_bucket_and_one_beyond() {
    let metrics = rendered();
    let times = named(&metrics, "finback_operation_duration_seconds");
    assert_eq!((&times["unit"], &times["histogram"]["aggregationTemporality"]), (&json!("s"), &json!(2)));
    let of_gets = |point: &&Json| point["attributes"][0]["value"]["stringValue"] == "get";
    let point = times["histogram"]["dataPoints"].as_array().unwrap().iter().find(of_gets).unwrap();
    let bounds: Vec<f64> =
        point["explicitBounds"].as_array().unwrap().iter().map(|bound| bound.as_f64().unwrap()).collect();
    assert!(bounds.is_sorted() && bounds[0] > 1e-6 && bounds[0] < 1.1e-6, "{bounds:?}");
    let counts: Vec<&str> =
        point["bucketCounts"].as_array().unwrap().iter().map(|count| count.as_str().unwrap()).collect();
    assert_eq!(counts.len(), bounds.len() + 1);
    // 3 µs are between 2^11 and 2^12 ns; 100 s are beyond all.
    assert_eq!((counts[2], counts[counts.len() - 1]), ("1", "1"));
    assert_eq!(counts.iter().filter(|count| **count == "0").count(), counts.len() - 2);
    assert_eq!((&point["count"], &point["sum"]), (&json!("2"), &json!(100.000003)));
}

#[test]
fn what_is_not_known_is_not_told() {
    let metrics: Vec<Json> = serde_json::from_str(&render(&Snapshot::default(), 20, 1)).unwrap();
    assert!(metrics.iter().all(|metric| metric["name"] != "finback_otel_spans_total"));
    assert!(metrics.iter().any(|metric| metric["name"] == "process_threads" || metric["gauge"].is_object()));
}
