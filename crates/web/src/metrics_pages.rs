//! `/jmx` and `/metrics`.

use crate::request::Request;
use crate::server::{Answer, Pages};
use finback_metrics::{Snapshot, jmx, prometheus};

const JSON: &str = "application/json; charset=utf-8";
const INDEX: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Finback</title></head>\
    <body><h1>Finback</h1><ul><li><a href=\"/jmx\">/jmx</a>: metrics as HBase has them</li>\
    <li><a href=\"/metrics\">/metrics</a>: metrics for Prometheus</li></ul></body></html>\n";

/// The metrics of a server, in both forms.
pub struct MetricsPages {
    snapshot: Box<dyn Fn() -> Snapshot + Send + Sync>,
}

impl MetricsPages {
    /// `snapshot` tells the numbers at the moment, and may block.
    pub fn new(snapshot: impl Fn() -> Snapshot + Send + Sync + 'static) -> Self {
        Self { snapshot: Box::new(snapshot) }
    }

    fn jmx(&self, request: &Request) -> Answer {
        match jmx::Query::parse(&request.parameters) {
            Ok(query) => Answer::ok(JSON, jmx::render(&(self.snapshot)(), &query)),
            Err(jmx::BadQuery(text)) => Answer {
                status: 400,
                ..Answer::ok(JSON, format!("{{\n  \"result\": \"ERROR\",\n  \"message\": \"{text}\"\n}}\n"))
            },
        }
    }

    fn prometheus(&self, request: &Request) -> Answer {
        let most_regions = match request.parameter("regions") {
            Some("all") => usize::MAX,
            _ => prometheus::TOP_REGIONS,
        };
        Answer::ok(prometheus::CONTENT_TYPE, prometheus::render(&(self.snapshot)(), most_regions))
    }
}

impl Pages for MetricsPages {
    fn answer(&self, request: &Request) -> Answer {
        match request.path.as_str() {
            "/jmx" => self.jmx(request),
            "/metrics" => self.prometheus(request),
            "/" => Answer::ok("text/html; charset=utf-8", INDEX.to_owned()),
            _ => Answer::not_found(),
        }
    }

    /// Collectors have their own names for a server.
    fn is_for_any_name(&self, _path: &str) -> bool {
        true
    }
}
