//! Spans reach the collector, and one that is gone harms nobody.

use crate::collector::{Collector, LONG, options};
use finback_metrics::SpanFigures;
use finback_otel::{Attribute, ExportOptions, Span, SpanExporter, Tracer};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\n\r\n";

struct Exporting {
    tracer: Arc<Tracer>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Exporting {
    fn to(options: ExportOptions) -> Self {
        let (tracer, offered) = Tracer::new(1.0);
        let (stop, stopped) = oneshot::channel();
        let exporter = SpanExporter::new(offered, options);
        let task = tokio::spawn(exporter.run(async { stopped.await.unwrap_or_default() }));
        Self { tracer, stop, task }
    }

    fn offer(&self, name: &str) {
        self.tracer.offer(Span {
            trace_id: self.tracer.trace_id(),
            span_id: self.tracer.span_id(),
            parent: None,
            name: name.to_owned(),
            start_ns: 1,
            end_ns: 2,
            attributes: vec![("db.system", Attribute::Name("hbase"))],
            error: None,
        });
    }

    /// Waits until so many spans have come to an end.
    async fn settled(&self, spans: u64) -> SpanFigures {
        let settling = async {
            loop {
                let figures = self.tracer.figures();
                if figures.sent + figures.failed + figures.dropped >= spans {
                    return figures;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(LONG, settling).await.expect("spans are stuck")
    }

    async fn stop(self) -> SpanFigures {
        self.stop.send(()).unwrap();
        tokio::time::timeout(LONG, self.task).await.expect("it does not stop").unwrap();
        self.tracer.figures()
    }
}

#[tokio::test]
async fn a_collector_gets_spans_with_the_server_that_they_are_of() {
    let mut collector = Collector::answering(&[OK]).await;
    let exporting = Exporting::to(collector.options.clone());
    exporting.offer("ClientService/Get");
    let (target, body) = collector.request().await;
    assert_eq!(target, "/otlp/v1/traces");
    let of = &body["resourceSpans"][0];
    let attribute = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    assert_eq!(
        of["resource"]["attributes"],
        json!([
            attribute("service.name", "finback"),
            attribute("service.version", "1.2.3"),
            attribute("service.instance.id", "h,1,2"),
            attribute("host.name", "h"),
        ])
    );
    assert_eq!(of["scopeSpans"][0]["scope"], json!({"name": "finback", "version": "1.2.3"}));
    let spans = of["scopeSpans"][0]["spans"].as_array().unwrap();
    assert_eq!((spans.len(), &spans[0]["name"]), (1, &json!("ClientService/Get")));
    assert_eq!(exporting.settled(1).await, SpanFigures { sent: 1, ..Default::default() });
}

#[tokio::test]
async fn a_busy_collector_is_asked_again_with_the_same_spans() {
    let mut collector = Collector::answering(&[BUSY, BUSY, OK]).await;
    let exporting = Exporting::to(collector.options.clone());
    exporting.offer("a");
    let first = collector.request().await;
    assert_eq!(collector.request().await, first);
    assert_eq!(collector.request().await, first);
    assert_eq!(exporting.settled(1).await, SpanFigures { sent: 1, ..Default::default() });
}

#[tokio::test]
async fn what_a_collector_rejects_of_a_batch_is_counted_as_failed() {
    const PART: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
        24\r\n{\"partialSuccess\":{\"rejectedSpans\":\"\r\n4\r\n1\"}}\r\n0\r\n\r\n";
    let mut collector = Collector::answering(&[PART, OK]).await;
    collector.options.gather = LONG;
    collector.options.farewell = LONG;
    let exporting = Exporting::to(collector.options.clone());
    exporting.offer("a");
    exporting.offer("b");
    assert_eq!(exporting.stop().await, SpanFigures { sent: 1, failed: 1, ..Default::default() });
}

#[tokio::test]
async fn one_that_stays_busy_loses_a_batch_and_gets_the_next() {
    let mut collector = Collector::answering(&[BUSY, BUSY, BUSY, OK]).await;
    let exporting = Exporting::to(collector.options.clone());
    exporting.offer("a");
    assert_eq!(exporting.settled(1).await, SpanFigures { failed: 1, ..Default::default() });
    exporting.offer("b");
    assert_eq!(exporting.settled(2).await, SpanFigures { sent: 1, failed: 1, ..Default::default() });
    for name in ["a", "a", "a", "b"] {
        let (_, body) = collector.request().await;
        assert_eq!(body["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["name"], name);
    }
}

#[tokio::test]
async fn one_that_refuses_or_is_none_is_not_asked_again() {
    for answer in [&["HTTP/1.1 400 Bad Request\r\n\r\n"][..], &["SSH-2.0-x\r\n"]] {
        let mut collector = Collector::answering(answer).await;
        let exporting = Exporting::to(collector.options.clone());
        exporting.offer("a");
        assert_eq!(exporting.settled(1).await, SpanFigures { failed: 1, ..Default::default() });
        exporting.offer("b");
        let names = [collector.request().await, collector.request().await]
            .map(|(_, body)| body["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["name"].clone());
        assert_eq!(names, ["a", "b"]);
    }
}

#[tokio::test]
async fn one_that_is_gone_or_never_answers_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let gone = options(&format!("http://{}", listener.local_addr().unwrap()));
    drop(listener);
    let mut silent = Collector::answering(&[]).await.options;
    silent.timeout = Duration::from_millis(5);
    for options in [gone, silent] {
        let exporting = Exporting::to(options);
        exporting.offer("a");
        assert_eq!(exporting.settled(1).await, SpanFigures { failed: 1, ..Default::default() });
    }
}

#[tokio::test]
async fn while_one_does_not_answer_spans_are_dropped_and_nobody_waits() {
    let mut silent = Collector::answering(&[]).await;
    silent.options.farewell = Duration::from_millis(1);
    let exporting = Exporting::to(silent.options.clone());
    exporting.offer("first");
    silent.request().await;
    // Its task does not run meanwhile: there is one thread.
    for _ in 0..10_000 {
        exporting.offer("more");
    }
    let figures = exporting.tracer.figures();
    assert_eq!((figures.sent, figures.failed), (0, 0));
    assert!(figures.dropped > 5000, "{figures:?}");
    exporting.stop().await;
}

#[tokio::test]
async fn what_is_left_is_sent_at_the_end() {
    let mut collector = Collector::answering(&[OK]).await;
    collector.options.gather = LONG * 60;
    collector.options.farewell = LONG;
    let exporting = Exporting::to(collector.options.clone());
    for _ in 0..700 {
        exporting.offer("a");
    }
    // One batch, and the rest, which waits for more.
    collector.request().await;
    exporting.settled(512).await;
    assert_eq!(exporting.stop().await, SpanFigures { sent: 700, ..Default::default() });
    let (_, rest) = collector.request().await;
    assert_eq!(rest["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().len(), 700 - 512);
}
