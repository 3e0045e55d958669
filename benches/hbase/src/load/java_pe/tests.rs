use super::*;

const LOG: &str = "\
2026-11-22 14:00:00,001 INFO  [TestClient-0] hbase.PerformanceEvaluation: Latency (us) : mean=9.00, min=1.00, max=400.00, stdDev=2.1, 50th=8.00, 75th=9.00, 95th=11.00, 99th=30.00, 99.9th=90.00, 99.99th=100.00, 99.999th=101.00
2026-11-22 14:00:00,002 INFO  [TestClient-0] hbase.PerformanceEvaluation: Finished TestClient-0 in 1500ms over 1000 rows
2026-11-22 14:00:00,003 INFO  [TestClient-1] hbase.PerformanceEvaluation: Latency (us) : mean=11.00, min=1.00, max=300.00, stdDev=2.1, 50th=10.00, 75th=9.00, 95th=11.00, 99th=50.00, 99.9th=110.00, 99.99th=120.00, 99.999th=121.00
2026-11-22 14:00:00,004 INFO  [TestClient-1] hbase.PerformanceEvaluation: Finished TestClient-1 in 2500ms over 1000 rows
2026-11-22 14:00:00,005 INFO  [main] hbase.PerformanceEvaluation: [RandomReadTest] Summary of timings (ms): [1500, 2500]
";

#[test]
fn percentiles_are_means_of_the_clients_and_the_maximum_is_the_largest() {
    let told = parse(LOG, 2, 1.0).unwrap();
    assert_eq!((told.rows, told.missing, told.seconds), (2000, None, 2.5));
    assert_eq!(told.latency, Latency { p50_us: 9.0, p99_us: 40.0, p999_us: 100.0, max_us: 400.0 });
}

#[test]
fn the_share_which_the_tool_leaves_out_is_taken_of_the_rows() {
    assert_eq!(parse(LOG, 2, 0.2).unwrap().rows, 400);
}

#[test]
fn a_client_that_did_not_finish_or_an_error_is_no_measurement() {
    assert!(parse(LOG, 4, 1.0).unwrap_err().contains("2 of 4 clients finished"));
    let failed = format!("{LOG}2026-11-22 14:00:01,000 ERROR [TestClient-1] client.X: lost\n");
    assert!(parse(&failed, 2, 1.0).unwrap_err().contains("lost"));
    let without_summary = LOG.lines().take(4).collect::<Vec<_>>().join("\n");
    assert!(parse(&without_summary, 2, 1.0).is_err());
}
