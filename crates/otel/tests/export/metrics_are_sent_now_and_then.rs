//! Metrics are sent now and then, whether the collector took the last or not.

use crate::collector::Collector;
use finback_metrics::Snapshot;
use finback_otel::export_metrics;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn metrics_are_sent_again_with_newer_numbers() {
    let mut collector = Collector::answering(&["HTTP/1.1 503 Busy\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"]).await;
    let render = Arc::new(|| finback_metrics::otlp::render(&Snapshot::default(), 20, 5));
    let exporting = tokio::spawn(export_metrics(collector.options.clone(), Duration::from_millis(1), render));
    for _ in 0..3 {
        let (target, body) = collector.request().await;
        assert_eq!(target, "/otlp/v1/metrics");
        let metrics = &body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
        let is_open = |metric: &&Value| metric["name"] == "process_open_fds";
        let open = metrics.as_array().unwrap().iter().find(is_open).unwrap();
        assert_eq!(open["gauge"]["dataPoints"][0]["timeUnixNano"], "5");
    }
    exporting.abort();
}
