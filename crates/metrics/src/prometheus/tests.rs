use super::*;
use crate::histogram::HistogramSnapshot;
use crate::snapshot::{RegionFigures, ServerFigures, TableFigures};
use crate::table::metrics;
use crate::{Histogram, Meter, Operation, OperationTimes, TableTimes};
use std::collections::BTreeSet;
use std::time::Duration;

fn region(encoded_name: &str, reads: u64) -> RegionFigures {
    RegionFigures {
        namespace: "default".to_owned(),
        table: "t".to_owned(),
        encoded_name: encoded_name.to_owned(),
        reads,
        ..Default::default()
    }
}

fn snapshot() -> Snapshot {
    let times = OperationTimes::default();
    times.record(Operation::Get, Duration::from_micros(3));
    times.record(Operation::Get, Duration::from_secs(100));
    let server =
        ServerFigures { get_calls: 2, start_ms: 1500, operations: times.snapshot(), ..Default::default() };
    Snapshot {
        server: Some(server),
        regions: vec![region("a", 1), region("b", 3), region("c", 2)],
        ..Default::default()
    }
}

#[test]
fn the_busiest_regions_are_told_of_and_all_if_asked() {
    let told = |most| {
        let text = render(&snapshot(), most);
        let lines = text.lines().filter(|line| line.starts_with("finback_region_reads_total{"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let line = |region, reads| {
        format!("finback_region_reads_total{{namespace=\"default\",table=\"t\",region=\"{region}\"}} {reads}")
    };
    assert_eq!(told(2), [line("b", 3), line("c", 2)]);
    assert_eq!(told(usize::MAX), [line("b", 3), line("c", 2), line("a", 1)]);
}

#[test]
fn a_histogram_has_buckets_that_grow_a_sum_and_a_count() {
    let text = render(&snapshot(), 0);
    let of = |suffix: &str| {
        let start = format!("finback_operation_duration_seconds{suffix}{{operation=\"get\"");
        text.lines().filter(|line| line.starts_with(&start)).collect::<Vec<_>>()
    };
    let count = |line: &&str| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap();
    let buckets: Vec<_> = of("_bucket").iter().map(count).collect();
    assert!(buckets.is_sorted() && buckets[0] == 0, "{buckets:?}");
    // Nothing between 4 µs and the last bound, beyond which there is one.
    assert_eq!(buckets[2..27], [1; 25]);
    assert!(of("_bucket")[27].ends_with("le=\"+Inf\"} 2"));
    assert!(of("_bucket")[0].ends_with("le=\"0.000001024\"} 0"), "{}", of("_bucket")[0]);
    assert!(of("_sum")[0].ends_with("} 100.000003"), "{:?}", of("_sum"));
    assert_eq!(of("_count").iter().map(count).collect::<Vec<_>>(), [2]);
}

#[test]
fn each_name_has_one_head_and_its_lines_together() {
    let text = render(&snapshot(), usize::MAX);
    let mut heads = BTreeSet::new();
    let mut current = "";
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("# TYPE ") {
            let (name, kind) = head.split_once(' ').unwrap();
            assert!(heads.insert(name), "{name} twice");
            assert_eq!(kind == "counter", name.ends_with("_total"), "{head}");
            current = name;
        } else if !line.starts_with('#') {
            assert!(line.starts_with(current), "{line} under {current}");
        }
    }
    assert!(heads.contains("finback_method_calls_total") && heads.contains("process_cpu_seconds_total"));
    assert!(text.contains("finback_method_calls_total{method=\"Get\"} 2\n"));
    assert!(text.contains("\nfinback_regionserver_start_time_seconds 1.5\n"));
}

#[test]
fn labels_are_escaped() {
    let mut odd = snapshot();
    odd.regions[0].table = "a\"b\\c\nd".to_owned();
    assert!(render(&odd, 9).contains(r#"table="a\"b\\c\nd""#));
}

#[test]
fn names_are_regular() {
    for metric in metrics().filter(|metric| !metric.prometheus.is_empty()) {
        let name = metric.prometheus;
        assert!(name.starts_with("finback_") || name.starts_with("process_"), "{name}");
        assert!(name.bytes().all(|c| c.is_ascii_lowercase() || c == b'_'), "{name}");
        assert_eq!(metric.kind == Kind::Counter, name.ends_with("_total"), "{name}");
        let in_bytes = metric.unit == "bytes";
        assert_eq!(in_bytes, name.ends_with("_bytes") || name.ends_with("_bytes_total"), "{name}");
        assert!(!metric.help.is_empty() && !metric.help.contains('\n'), "{name}");
    }
}

#[test]
fn an_empty_server_is_told_without_lines_of_it() {
    let text = render(&Snapshot::default(), 9);
    assert!(!text.contains("finback_region") && text.contains("process_open_fds 0\n"), "{text}");
    assert_eq!(Histogram::for_one_thread().snapshot(), HistogramSnapshot::default());
}

#[test]
fn the_busiest_tables_are_told_of_with_the_operations_that_there_were() {
    let table = |name: &str, reads| {
        let times = TableTimes::default();
        times.record(Operation::Scan, Duration::from_millis(1));
        let mut read_rate = Meter::default();
        read_rate.tick(reads, Duration::from_secs(1));
        TableFigures {
            namespace: "n".to_owned(),
            table: name.to_owned(),
            operations: times.snapshot(),
            read_rate,
            ..Default::default()
        }
    };
    let snapshot = Snapshot { tables: vec![table("idle", 1), table("busy", 2)], ..snapshot() };
    let text = render(&snapshot, 1);
    let name = "finback_table_operation_duration_seconds_count";
    let told: Vec<_> = text.lines().filter(|line| line.starts_with(name)).collect();
    assert_eq!(told, [format!("{name}{{namespace=\"n\",table=\"busy\",operation=\"scan_next\"}} 1")]);
    assert!(render(&snapshot, usize::MAX).contains("table=\"idle\""));
}
