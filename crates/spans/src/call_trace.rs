//! The span of a call.

use finback_cell::Bytes;
use finback_otel::{Attribute, Span, TraceContext, Tracer};
use finback_proto::{footprint, pb};
use finback_rpc::{Call, ConnectionInfo, MethodName, RpcException};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Bytes of what the client says of its trace that are read. W3C's headers have some hundred.
const LONGEST_TRACE_INFO: usize = 8 << 10;
/// The header that tells of the parent.
const TRACEPARENT: &str = "traceparent";
/// Bytes of a name that the client made up: of its method, of its user.
const LONGEST_NAME: usize = 256;
/// The protobuf package of all services.
const PACKAGE: &str = "hbase.pb";

/// What is remembered of a call while it is carried out.
#[derive(Clone, Debug)]
pub struct CallHead {
    /// Its method.
    pub method: MethodName,
    /// Who calls.
    pub connection: Arc<ConnectionInfo>,
    /// When the request had been read.
    pub received: Instant,
    /// When it was begun.
    pub begun: Instant,
    /// Bytes of the request: its message and its cells.
    pub request_bytes: usize,
}

impl CallHead {
    /// Of a call that is about to be carried out.
    pub fn of(call: &Call) -> Self {
        Self {
            method: call.method.clone(),
            connection: Arc::clone(&call.connection),
            received: call.received,
            begun: call.begun,
            request_bytes: call.param.len() + call.cells.len(),
        }
    }

    /// How long it stood between being read and being begun.
    pub fn waited(&self) -> Duration {
        self.begun.saturating_duration_since(self.received)
    }
}

/// What is to become of a call's span, known at its beginning.
#[derive(Clone, Copy, Debug)]
pub struct CallTrace {
    parent: Option<TraceContext>,
    sampled: bool,
}

/// How a call ended.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// When.
    pub at: Instant,
    /// How long it took from when it was begun.
    pub took: Duration,
    /// Bytes of the answer; or what it failed with.
    pub response: Result<usize, &'a RpcException>,
}

impl CallTrace {
    /// Whether it is told of is decided here: as the caller says, or by chance.
    pub fn begin(tracer: &Tracer, call: &Call) -> Self {
        let parent = parent(&call.trace_info);
        Self { parent, sampled: tracer.samples(parent.as_ref()) }
    }

    /// Whether the call is told of, however it ends.
    pub fn is_sampled(&self) -> bool {
        self.sampled
    }

    /// Offers the span, with further attributes.
    pub fn tell(
        &self,
        tracer: &Tracer,
        call: &CallHead,
        end: &End<'_>,
        more: impl IntoIterator<Item = (&'static str, Attribute)>,
    ) {
        let end_ns = ns(SystemTime::now()).saturating_sub(as_ns(end.at.elapsed()));
        let lasted = end.at.saturating_duration_since(call.received);
        let service = format!("{PACKAGE}.{}", call.connection.service);
        let name = format!("{service}/{}", cut(call.method.as_str()));
        let mut attributes = attributes(call, service, end);
        attributes.extend(more);
        tracer.offer(Span {
            trace_id: self.parent.map_or_else(|| tracer.trace_id(), |parent| parent.trace_id),
            span_id: tracer.span_id(),
            parent: self.parent.map(|parent| parent.span_id),
            name,
            start_ns: end_ns.saturating_sub(as_ns(lasted)),
            end_ns,
            attributes,
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
fn attributes(call: &CallHead, service: String, end: &End<'_>) -> Vec<(&'static str, Attribute)> {
    let ms = |duration: Duration| Attribute::Number(duration.as_secs_f64() * 1000.0);
    let text = |text: &str| Attribute::Text(text.to_owned());
    let count = |count: usize| Attribute::Count(count as u64);
    let exception = end.response.err().map(|exception| Attribute::Text(exception.class.to_string()));
    let remote = call.connection.remote;
    let attributes = [
        ("db.system", Some(Attribute::Name("hbase"))),
        ("rpc.system", Some(Attribute::Name("HBASE_RPC"))),
        ("rpc.service", Some(Attribute::Text(service))),
        ("rpc.method", Some(text(cut(call.method.as_str())))),
        ("db.user", Some(text(cut(&call.connection.user)))),
        ("client.address", Some(Attribute::Text(remote.ip().to_string()))),
        ("client.port", Some(Attribute::Count(remote.port().into()))),
        ("finback.request.size", Some(count(call.request_bytes))),
        ("finback.response.size", end.response.ok().map(count)),
        ("finback.waited_ms", Some(ms(call.waited()))),
        ("finback.processed_ms", Some(ms(end.took))),
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
