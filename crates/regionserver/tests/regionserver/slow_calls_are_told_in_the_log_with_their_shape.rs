//! A slow call is one line of the log, with what it was about in fields.

use crate::world::World;
use finback_cell::Bytes;
use finback_proto::pb;
use finback_regionserver::SlowCallOptions;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

#[derive(Default)]
struct Fields(BTreeMap<String, String>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}

/// Keeps what is told of slow calls.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<BTreeMap<String, String>>>>);

impl Subscriber for Kept {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "finback_regionserver::slow_calls"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        self.0.lock().unwrap().push(fields.0);
    }
}

#[tokio::test]
async fn slow_calls_are_told_in_the_log_with_their_shape() {
    let slow = SlowCallOptions { slow: Some(Duration::ZERO), ..Default::default() };
    let world = World::with(|of| of.slow_calls = slow);
    let table = world.table("t").await;
    table.fill(0..3, &[b'x'; 600]).await;

    let kept = Kept::default();
    let guard = tracing::subscriber::set_default(kept.clone());
    let mut request = table.open_scan(2);
    let scan = request.scan.as_mut().unwrap();
    scan.start_row = Some(Bytes::from_static(b"a\x01"));
    scan.stop_row = Some(Bytes::from_static(b"z"));
    scan.column = vec![pb::Column { family: Bytes::from_static(b"f"), qualifier: Vec::new() }];
    scan.max_result_size = Some(4096);
    scan.filter = Some(pb::Filter {
        name: "org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter".to_owned(),
        serialized_filter: None,
    });
    let (opened, _): (pb::ScanResponse, _) = world.ask("Scan", &request).await.unwrap();
    let on = pb::ScanRequest {
        scanner_id: opened.scanner_id,
        next_call_seq: Some(0),
        number_of_rows: Some(0),
        ..Default::default()
    };
    let _: (pb::ScanResponse, _) = world.ask("Scan", &on).await.unwrap();
    let gone = pb::ScanRequest { scanner_id: Some(4711), number_of_rows: Some(1), ..Default::default() };
    let lost: Result<(pb::ScanResponse, _), _> = world.ask("Scan", &gone).await;
    assert!(lost.is_err());
    drop(guard);

    let lines = kept.0.lock().unwrap();
    assert_eq!(lines.len(), 3, "{lines:#?}");
    let has = |line: usize, field: &str, value: &str| {
        assert_eq!(lines[line].get(field).map(String::as_str), Some(value), "{field} of {:#?}", lines[line]);
    };
    has(0, "message", "a slow or large call");
    for (field, value) in [
        ("method", "Scan"),
        ("table", "t"),
        ("row", "a\\x01"),
        ("stop_row", "z"),
        ("families", "f"),
        ("columns", "1"),
        ("filter", "FirstKeyOnlyFilter"),
        ("rows", "2"),
        ("max_bytes", "4096"),
        ("is_slow", "true"),
        ("is_large", "false"),
    ] {
        has(0, field, value);
    }
    for field in ["processed_ms", "waited_ms", "request_bytes", "response_bytes", "client", "user", "region"]
    {
        assert!(lines[0].contains_key(field), "{field}");
    }
    // A scanner is read on: the line says where it reads.
    has(1, "table", "t");
    has(1, "row", "a\\x01");
    has(2, "exception", "UnknownScannerException");
    assert!(!lines[2].contains_key("response_bytes") && !lines[2].contains_key("table"));
}
