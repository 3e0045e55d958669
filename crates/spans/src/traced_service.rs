//! A service whose calls are told of.

use crate::call_trace::{CallHead, CallTrace, End};
use finback_otel::Tracer;
use finback_rpc::{Call, CallKind, Outcome, PendingReply, Reply, RpcException, Service};
use std::sync::Arc;
use std::time::Instant;

/// Another service, whose calls become spans as far as they are sampled.
pub struct TracedService {
    service: Arc<dyn Service>,
    tracer: Arc<Tracer>,
}

impl TracedService {
    /// Has a tracer take the spans of a service, if there is one.
    pub fn wrap(service: Arc<dyn Service>, tracer: Option<&Arc<Tracer>>) -> Arc<dyn Service> {
        match tracer {
            Some(tracer) => Arc::new(Self { service, tracer: Arc::clone(tracer) }),
            None => service,
        }
    }
}

impl Service for TracedService {
    fn name(&self) -> &'static str {
        self.service.name()
    }

    fn call(&self, call: Call) -> Outcome {
        let trace = CallTrace::begin(&self.tracer, &call);
        if !trace.is_sampled() {
            return self.service.call(call);
        }
        let head = CallHead::of(&call);
        match self.service.call(call) {
            Outcome::Ready(result) => {
                tell(&self.tracer, trace, &head, &result);
                Outcome::Ready(result)
            }
            Outcome::Pending(answer) => Outcome::Pending(told(Arc::clone(&self.tracer), trace, head, answer)),
            Outcome::Waiting(answer) => Outcome::Waiting(told(Arc::clone(&self.tracer), trace, head, answer)),
        }
    }

    fn kind(&self, call: &Call) -> CallKind {
        self.service.kind(call)
    }
}

/// The same answer, told of when it is there.
fn told(tracer: Arc<Tracer>, trace: CallTrace, head: CallHead, answer: PendingReply) -> PendingReply {
    Box::pin(async move {
        let result = answer.await;
        tell(&tracer, trace, &head, &result);
        result
    })
}

fn tell(tracer: &Tracer, trace: CallTrace, call: &CallHead, result: &Result<Reply, RpcException>) {
    let at = result.as_ref().ok().and_then(|reply| reply.ended).unwrap_or_else(Instant::now);
    let response = result.as_ref().map(|reply| reply.message.len() + reply.cells.len());
    let end = End { at, took: at.saturating_duration_since(call.begun), response };
    trace.tell(tracer, call, &end, []);
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_otel::{Attribute, Span};
    use finback_rpc::{Channel, Loopback, Request, exceptions};

    struct Master;

    impl Service for Master {
        fn name(&self) -> &'static str {
            "MasterService"
        }

        fn call(&self, call: Call) -> Outcome {
            match call.method.as_str() {
                "GetProcedures" => Outcome::pending(async { Ok(Reply::default()) }),
                other => Outcome::exception(exceptions::unsupported_operation(other)),
            }
        }
    }

    async fn span_of(method: &'static str) -> Span {
        let (tracer, mut offered) = Tracer::new(1.0);
        let service = TracedService::wrap(Arc::new(Master), Some(&tracer));
        assert_eq!(service.name(), "MasterService");
        let channel = Loopback::new(service);
        let _ = channel.call_encoded(Request { method, ..Request::default() }).await;
        offered.next().await.unwrap()
    }

    #[tokio::test]
    async fn a_call_of_the_master_is_a_span_under_hbases_name() {
        let span = span_of("GetProcedures").await;
        assert_eq!((span.name.as_str(), &span.error), ("hbase.pb.MasterService/GetProcedures", &None));
        let service = Attribute::Text("hbase.pb.MasterService".to_owned());
        assert!(span.attributes.contains(&("rpc.service", service)), "{span:?}");
        assert!(span.end_ns >= span.start_ns);
    }

    #[tokio::test]
    async fn one_that_fails_says_with_what() {
        let span = span_of("Nope").await;
        let class = Attribute::Text(span.error.unwrap());
        assert!(span.attributes.contains(&("exception.type", class)));
    }
}
