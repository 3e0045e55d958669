use super::*;
use crate::options::Options;
use crate::recorder::{Done, Measuring, Recorder};
use std::time::Instant;

/// A report of a workload in an open loop, of which one operation took long.
pub(crate) fn report() -> Report {
    let mut options = Options::new(PeCommand::find("workloadA").unwrap());
    for (name, value) in
        [("rate", "1000"), ("table", "t<script>"), ("latencyThreshold", "200"), ("traceRate", "1")]
    {
        options.set(name, value).unwrap();
    }
    let threshold = options.latency_threshold;
    let measuring = Measuring { operations: 5, open_loop: true, threshold, value_sizes: false };
    let (recorder, mut total) = (Recorder::new(measuring), Measured::none(measuring));
    let now = Instant::now();
    for number in 0..100 {
        let due = if number == 7 { now.checked_sub(Duration::from_millis(300)).unwrap() } else { now };
        recorder.done(Done { operation: number % 2, rows: 1, bytes: 10, ..Done::default() }, due, now, true);
    }
    recorder.take(&mut total);
    let mut samples = Samples::default();
    samples.push(Sample::of(&total, Duration::ZERO, Duration::from_secs(2)));
    Report {
        options: Arc::new(options),
        seed: 5,
        began: SystemTime::UNIX_EPOCH,
        took: Duration::from_secs(2),
        cpu: Duration::from_millis(1),
        workers: 1,
        connections: 2,
        prepared: Prepared::Created,
        clients: vec![(60, Duration::from_millis(1500)), (40, Duration::from_secs(2))],
        total,
        samples,
        not_begun: NotBegun { operations: 1_900, longest_wait: Duration::from_millis(1_900) },
        interrupted: true,
        error: None,
    }
}

#[test]
fn the_text_tells_what_happened() {
    let text = report().to_string();
    for told in [
        "workloadA on table t<script>, which was created",
        "1 client, 2 connections, 1 thread, seed 5; open loop of 1000 a second",
        "100 operations in 2.00 s: 50 a second",
        "1,900 operations were due and not begun, 95.0 % of all; the first had waited for 1.90 s",
        "100 rows, 50 a second; 1000 B of cells, 500 B a second",
        "\nREAD ",
        "\nUPDATE * ",
        "Operations of 200ms or more: 1",
        "Times of clients: shortest 1500 ms, longest 2000 ms, mean 1750 ms",
        "Processor time of this process: 0.00 s, 10.0 µs an operation",
        "--traceRate has no effect, as in HBase",
        "Interrupted",
    ] {
        assert!(text.contains(told), "{told} is not in\n{text}");
    }
    assert!(!text.contains("INSERT"), "{text}");
}

#[test]
fn the_json_has_the_figures() {
    let json = report().to_json();
    assert_eq!(json["operations"], 100);
    assert_eq!(json["operations_per_second"], 50.0);
    assert_eq!(json["loop"], "open");
    assert_eq!(json["operations_not_begun"], 1_900);
    assert_eq!(json["not_begun_longest_wait_ms"], 1_900.0);
    assert_eq!(json["latencies"]["READ"]["count"], 50);
    let update = &json["latencies"]["UPDATE"];
    assert!(update["max_us"].as_f64().unwrap() >= 300_000.0, "{update}");
    assert!(update["from_begin"]["max_us"].as_f64().unwrap() < 300_000.0, "{update}");
    assert!(json["latencies"].get("SCAN").is_none());
    assert_eq!(json["samples"][0]["per_second"], 50.0);
    assert_eq!(json["client_times"][1]["rows"], 40);
    assert_eq!(json["over_latency_threshold"], 1);
}

#[test]
fn the_page_needs_nothing_else_and_says_what_the_text_says() {
    let page = report().to_html();
    assert!(page.contains("t&lt;script&gt;") && !page.contains("<script"), "{page}");
    assert_eq!(page.matches("<svg").count(), 3);
    assert_eq!(page.matches("<figure>").count(), page.matches("</figure>").count());
    for foreign in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert!(page.contains("prefers-color-scheme: dark"));
    assert_eq!(page.matches("1,900 operations were due and not begun").count(), 2);
    for text in ["90 %", "99 %", "<td>UPDATE, from when it was sent</td>", "NaN", "inf"] {
        assert_eq!(page.contains(text), !["NaN", "inf"].contains(&text), "{text}");
    }
}

#[test]
fn a_run_without_operations_can_be_told() {
    let mut report = report();
    report.total =
        Measured::none(Measuring { operations: 5, open_loop: false, threshold: None, value_sizes: true });
    (report.samples, report.clients) = (Samples::default(), Vec::new());
    assert!(report.to_string().contains("0 operations"));
    assert_eq!(report.to_json()["operations"], 0);
    assert!(!report.to_html().contains("NaN"));
}

#[test]
fn where_everything_was_begun_there_is_no_word_of_lateness() {
    let mut report = report();
    report.not_begun = NotBegun::default();
    assert!(!report.to_string().contains("not begun") && !report.to_html().contains("not begun"));
    assert_eq!(report.to_json()["operations_not_begun"], 0);
    report.not_begun.operations = 1;
    assert!(report.to_string().contains("1 operation was due and not begun, 0.99 % of all"));
}
