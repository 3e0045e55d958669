//! The span of a call, for OpenTelemetry.

use super::Watched;
use super::description::Shape;
use crate::server::RegionServer;
use finback_cell::Bytes;
use finback_otel::{Attribute, Span, TraceContext, Tracer};
use finback_proto::{footprint, pb};
use finback_rpc::{Call, RpcException};
use std::time::{Duration, Instant, SystemTime};

/// Bytes of what the client says of its trace that are read. W3C's headers have some hundred.
const LONGEST_TRACE_INFO: usize = 8 << 10;
/// The header that tells of the parent.
const TRACEPARENT: &str = "traceparent";
/// Bytes of a name that the client made up: of its method, of its user.
const LONGEST_NAME: usize = 256;

/// What is to become of a call's span, known at its beginning.
pub(super) struct Trace {
    parent: Option<TraceContext>,
    sampled: bool,
}

/// How a call ended.
pub(super) struct End<'a> {
    pub(super) at: Instant,
    pub(super) took: Duration,
    pub(super) response: Result<usize, &'a RpcException>,
    pub(super) is_slow: bool,
}

impl Trace {
    pub(super) fn begin(tracer: &Tracer, call: &Call) -> Self {
        let parent = parent(&call.trace_info);
        Self { parent, sampled: tracer.samples(parent.as_ref()) }
    }

    /// Whether it is told of: slow calls always are.
    pub(super) fn is_told(&self, is_slow: bool) -> bool {
        self.sampled || is_slow
    }

    pub(super) fn tell(&self, tracer: &Tracer, call: &Watched, shape: &Shape, end: &End<'_>) {
        let end_ns = ns(SystemTime::now()).saturating_sub(as_ns(end.at.elapsed()));
        let lasted = end.at.saturating_duration_since(call.received);
        let service = call.connection.service;
        tracer.offer(Span {
            trace_id: self.parent.map_or_else(|| tracer.trace_id(), |parent| parent.trace_id),
            span_id: tracer.span_id(),
            parent: self.parent.map(|parent| parent.span_id),
            name: format!("{service}/{}", cut(call.method.as_str())),
            start_ns: end_ns.saturating_sub(as_ns(lasted)),
            end_ns,
            attributes: attributes(call, shape, end),
            error: end.response.err().map(|exception| exception.class.to_string()),
        });
    }
}

/// The span in which the client made the call, as HBase's clients say it from 2.5 on.
fn parent(trace_info: &Bytes) -> Option<TraceContext> {
    if trace_info.is_empty() || trace_info.len() > LONGEST_TRACE_INFO {
        return None;
    }
    let info: pb::RpctInfo = footprint::decode(trace_info.clone()).ok()?;
    TraceContext::parse(info.headers.get(TRACEPARENT)?)
}

/// HBase's and OpenTelemetry's names where they have any.
fn attributes(call: &Watched, shape: &Shape, end: &End<'_>) -> Vec<(&'static str, Attribute)> {
    let ms = |duration: Duration| Attribute::Number(duration.as_secs_f64() * 1000.0);
    let text = |text: &str| Attribute::Text(text.to_owned());
    let count = |count: usize| Attribute::Count(count as u64);
    let some = |text: &str| (!text.is_empty()).then(|| Attribute::Text(text.to_owned()));
    let number = |number: i32| Attribute::Count(u64::try_from(number).unwrap_or(0));
    let (namespace, table) = match shape.table() {
        Some(table) => match table.split_once(':') {
            Some((namespace, _)) => (Some(text(namespace)), Some(text(table))),
            None => (Some(Attribute::Name("default")), Some(text(table))),
        },
        None => (None, None),
    };
    let regions = (!shape.region.is_empty()).then(|| Attribute::Texts(vec![shape.region.clone()]));
    let exception = end.response.err().map(|exception| Attribute::Text(exception.class.to_string()));
    let remote = call.connection.remote;
    let attributes = [
        ("db.system", Some(Attribute::Name("hbase"))),
        ("rpc.system", Some(Attribute::Name("HBASE_RPC"))),
        ("rpc.service", Some(Attribute::Name(call.connection.service))),
        ("rpc.method", Some(text(cut(call.method.as_str())))),
        ("db.user", Some(text(cut(&call.connection.user)))),
        ("client.address", Some(Attribute::Text(remote.ip().to_string()))),
        ("client.port", Some(Attribute::Count(remote.port().into()))),
        ("db.hbase.namespace", namespace),
        ("db.hbase.table", table),
        ("db.hbase.regions", regions),
        ("finback.request.size", Some(count(call.param.len() + call.cell_bytes))),
        ("finback.response.size", end.response.ok().map(count)),
        ("finback.waited_ms", Some(ms(call.waited()))),
        ("finback.processed_ms", Some(ms(end.took))),
        ("finback.slow", end.is_slow.then_some(Attribute::Flag(true))),
        ("finback.families", some(&shape.families)),
        ("finback.filter", some(&shape.filter)),
        ("finback.rows", shape.rows.map(|rows| Attribute::Count(rows.into()))),
        ("finback.scanner", shape.scanner.map(|scanner| Attribute::Text(scanner.to_string()))),
        ("finback.regions", shape.regions.map(count)),
        ("finback.gets", shape.gets.map(number)),
        ("finback.mutations", shape.mutations.map(number)),
        ("finback.endpoint", some(&shape.service)),
        ("exception.type", exception),
    ];
    attributes.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

fn cut(name: &str) -> &str {
    &name[..name.floor_char_boundary(LONGEST_NAME)]
}

/// Since the epoch.
fn ns(time: SystemTime) -> u64 {
    as_ns(time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
}

fn as_ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

impl RegionServer {
    /// Who takes spans of calls, if anybody does.
    pub(super) fn tracer(&self) -> Option<&Tracer> {
        self.slow_calls.tracer.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_proto::Message;

    const TRACEPARENT_VALUE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn info(headers: &[(&str, &str)]) -> Bytes {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        pb::RpctInfo { headers, ..Default::default() }.encode_to_vec().into()
    }

    #[test]
    fn the_parent_is_what_the_clients_header_says() {
        let told = parent(&info(&[("tracestate", "a=b"), ("traceparent", TRACEPARENT_VALUE)])).unwrap();
        assert_eq!(u64::from_be_bytes(told.span_id), 0xb7ad_6b71_6920_3331);
        assert!(told.sampled);
    }

    #[test]
    fn what_makes_no_sense_is_no_parent() {
        let long = "x".repeat(LONGEST_TRACE_INFO);
        for info in [
            Bytes::new(),
            Bytes::from_static(b"\x1a\xff"),
            info(&[("traceparent", "00-")]),
            info(&[("Traceparent", TRACEPARENT_VALUE)]),
            info(&[("traceparent", TRACEPARENT_VALUE), ("baggage", &long)]),
        ] {
            assert_eq!(parent(&info), None, "{info:?}");
        }
    }

    #[test]
    fn names_are_cut_between_characters() {
        assert_eq!(cut("Get"), "Get");
        assert_eq!(cut(&"é".repeat(200)).len(), LONGEST_NAME);
        assert_eq!(cut(&format!("a{}", "é".repeat(200))).len(), LONGEST_NAME - 1);
    }
}
