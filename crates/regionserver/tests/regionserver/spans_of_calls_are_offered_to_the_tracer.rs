//! A call that is sampled, that its caller has sampled, or that was slow, is a span.

use crate::world::{Answer, LONG, World};
use finback_cell::Bytes;
use finback_otel::{Attribute, Offered, Span, Tracer};
use finback_proto::{Message, pb};
use finback_regionserver::{ClientService, RegionServerOptions, SlowCallOptions};
use finback_rpc::{Call, ChannelExt, Loopback, Outcome, Service};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";

/// Calls of a client that traces.
struct Traced {
    service: ClientService,
    trace_info: Bytes,
}

impl Service for Traced {
    fn name(&self) -> &'static str {
        self.service.name()
    }

    fn call(&self, mut call: Call) -> Outcome {
        call.trace_info = self.trace_info.clone();
        self.service.call(call)
    }
}

/// A server with such settings, and where its spans are.
fn traced(share: f64, change: impl FnOnce(&mut RegionServerOptions)) -> (World, Offered) {
    let (tracer, offered) = Tracer::new(share);
    let world = World::with(|of| {
        of.tracer = Some(tracer);
        change(of);
    });
    (world, offered)
}

async fn next(offered: &mut Offered) -> Span {
    tokio::time::timeout(LONG, offered.next()).await.expect("no span comes").unwrap()
}

async fn get(world: &World, request: &pb::GetRequest, flags: &str) -> Answer<(pb::GetResponse, Bytes)> {
    let traceparent = format!("00-{TRACE}-{PARENT}-{flags}");
    let headers = [("traceparent".to_owned(), traceparent)].into();
    let service = Traced {
        service: ClientService::new(Arc::clone(&world.server)),
        trace_info: pb::RpctInfo { headers, ..Default::default() }.encode_to_vec().into(),
    };
    Loopback::new(Arc::new(service)).call("Get", request, Bytes::new()).await
}

fn attribute<'a>(span: &'a Span, key: &str) -> Option<&'a Attribute> {
    span.attributes.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
}

fn text(text: &str) -> Option<Attribute> {
    Some(Attribute::Text(text.to_owned()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn request(region: &pb::RegionSpecifier) -> pb::GetRequest {
    let get = pb::Get { row: Bytes::from_static(b"r"), ..Default::default() };
    pb::GetRequest { region: region.clone(), get }
}

#[tokio::test]
async fn a_sampled_call_is_a_span_with_what_it_was_about() {
    let (world, mut offered) = traced(1.0, |_| {});
    let table = world.table("t").await;
    let before = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let _: (pb::GetResponse, _) = world.ask("Get", &request(&table.region)).await.unwrap();
    let after = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let span = next(&mut offered).await;
    assert_eq!((span.name.as_str(), span.parent, &span.error), ("hbase.pb.ClientService/Get", None, &None));
    // Two clocks agree but for what steps in time do.
    let slack = Duration::from_secs(1);
    assert!(u128::from(span.start_ns) >= (before - slack).as_nanos());
    assert!(span.end_ns >= span.start_ns && u128::from(span.end_ns) <= (after + slack).as_nanos());
    for (key, value) in [
        ("db.system", Some(Attribute::Name("hbase"))),
        ("rpc.service", Some(Attribute::Text("hbase.pb.ClientService".to_owned()))),
        ("rpc.method", text("Get")),
        ("db.user", text("hbase")),
        ("client.address", text("127.0.0.1")),
        ("db.hbase.namespace", Some(Attribute::Name("default"))),
        ("db.hbase.table", text("t")),
        ("finback.slow", None),
        ("exception.type", None),
    ] {
        assert_eq!(attribute(&span, key), value.as_ref(), "{key} of {span:#?}");
    }
    for key in ["db.hbase.regions", "finback.request.size", "finback.response.size", "finback.waited_ms"] {
        assert!(attribute(&span, key).is_some(), "{key} of {span:#?}");
    }
}

#[tokio::test]
async fn a_call_that_fails_is_a_span_with_the_class_of_its_exception() {
    let (world, mut offered) = traced(1.0, |_| {});
    let nowhere = pb::RegionSpecifier { value: Bytes::from_static(b"t,,1.gone."), ..Default::default() };
    let failed: Answer<(pb::GetResponse, _)> = world.ask("Get", &request(&nowhere)).await;
    let class = failed.unwrap_err().class.to_string();
    let span = next(&mut offered).await;
    assert_eq!(span.error.as_deref(), Some(class.as_str()));
    assert_eq!(attribute(&span, "exception.type"), text(&class).as_ref());
    assert_eq!(attribute(&span, "finback.response.size"), None);
}

#[tokio::test]
async fn the_caller_says_what_is_told_and_of_which_trace_it_is() {
    let (world, mut offered) = traced(0.0, |_| {});
    let table = world.table("t").await;
    let request = request(&table.region);
    // Neither by chance, nor of a caller that does not record it.
    let _: (pb::GetResponse, _) = world.ask("Get", &request).await.unwrap();
    get(&world, &request, "00").await.unwrap();
    get(&world, &request, "01").await.unwrap();
    let span = next(&mut offered).await;
    assert_eq!((hex(&span.trace_id), hex(&span.parent.unwrap())), (TRACE.into(), PARENT.into()));
    assert_ne!(hex(&span.span_id), PARENT);
    // There was no other.
    get(&world, &request, "01").await.unwrap();
    let next = next(&mut offered).await;
    assert_eq!(hex(&next.trace_id), TRACE);
    assert_ne!(next.span_id, span.span_id);
}

#[tokio::test]
async fn slow_calls_are_always_told() {
    let slow = SlowCallOptions { slow: Some(Duration::ZERO), ..Default::default() };
    let (world, mut offered) = traced(0.0, |of| of.slow_calls = slow);
    let table = world.table("t").await;
    get(&world, &request(&table.region), "00").await.unwrap();
    let span = next(&mut offered).await;
    assert_eq!(attribute(&span, "finback.slow"), Some(&Attribute::Flag(true)));
    assert_eq!((hex(&span.trace_id), hex(&span.parent.unwrap())), (TRACE.into(), PARENT.into()));
}
