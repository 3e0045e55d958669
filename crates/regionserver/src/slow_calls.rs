//! Calls that took long, or had large replies. Each is told in the log, with what it was about; the last of them are kept in
//! memory for administrators, as HBase does where `hbase.regionserver.slowlog.buffer.enabled` is set. By default it is not; then
//! the answers are HBase's without a buffer. Calls whose spans are exported are noted here too.

use crate::server::RegionServer;
use finback_otel::Tracer;
use finback_proto::{Message, pb};
use finback_rpc::{Call, Outcome, PendingReply, Reply, RpcException, exceptions};
use finback_spans::{CallHead, CallTrace, End};
use parking_lot::Mutex;
use pb::slow_log_payload::Type;
use pb::slow_log_response_request::{FilterByOperator, LogType};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

mod description;
mod span;

use description::Shape;

/// Where HBase has its messages.
const MESSAGES: &str = "org.apache.hadoop.hbase.shaded.protobuf.generated.";
/// The class that serves clients there.
const SERVER_CLASS: &str = "HRegionServer";

/// Under which the log has them, so that it can have a level of its own.
const LOG_TARGET: &str = "finback_regionserver::slow_calls";

/// Settings of the log.
#[derive(Clone, Debug, Default)]
pub struct SlowCallOptions {
    /// Calls that took longer are slow (`hbase.ipc.warn.response.time`); none is, if there is no such time.
    pub slow: Option<Duration>,
    /// Replies of more bytes are large (`hbase.ipc.warn.response.size`); none is, if there is no such size.
    pub large_bytes: Option<u64>,
    /// Calls that are kept (`hbase.regionserver.slowlog.ringbuffer.size`), if any are
    /// (`hbase.regionserver.slowlog.buffer.enabled`).
    pub kept: Option<usize>,
}

/// The calls that were slow or large.
#[derive(Debug)]
pub(crate) struct SlowCalls {
    options: SlowCallOptions,
    /// Who takes spans, if calls are traced.
    tracer: Option<Arc<Tracer>>,
    /// Oldest first.
    calls: Mutex<VecDeque<pb::SlowLogPayload>>,
}

/// What is remembered of a call while it is carried out.
struct Watched {
    head: CallHead,
    param: finback_cell::Bytes,
    trace: Option<CallTrace>,
}

/// Has a call carried out, and notes it if it is slow or large, or its span is wanted.
pub(crate) fn watch(
    server: &Arc<RegionServer>,
    call: Call,
    carry_out: impl FnOnce(Call) -> Outcome,
) -> Outcome {
    if !server.slow_calls.watches() {
        return carry_out(call);
    }
    let watched = Watched {
        head: CallHead::of(&call),
        param: call.param.clone(),
        trace: server.tracer().map(|tracer| CallTrace::begin(tracer, &call)),
    };
    match carry_out(call) {
        Outcome::Ready(result) => {
            note(server, &watched, &result);
            Outcome::Ready(result)
        }
        Outcome::Pending(answer) => Outcome::Pending(Box::pin(noted(Arc::clone(server), watched, answer))),
        Outcome::Waiting(answer) => Outcome::Waiting(Box::pin(noted(Arc::clone(server), watched, answer))),
    }
}

async fn noted(
    server: Arc<RegionServer>,
    watched: Watched,
    answer: PendingReply,
) -> Result<Reply, RpcException> {
    let result = answer.await;
    note(&server, &watched, &result);
    result
}

fn note(server: &RegionServer, call: &Watched, result: &Result<Reply, RpcException>) {
    let ended = result.as_ref().ok().and_then(|reply| reply.ended).unwrap_or_else(Instant::now);
    let took = ended.saturating_duration_since(call.head.begun);
    let bytes = result.as_ref().map_or(0, |reply| reply.message.len() + reply.cells.len());
    let kind = server.slow_calls.kind_of(took, bytes);
    let trace = call.trace.as_ref().filter(|trace| trace.is_sampled() || kind.is_some());
    if kind.is_none() && trace.is_none() {
        return;
    }
    let shape = call.shape(server);
    if let (Some(trace), Some(tracer)) = (trace, server.tracer()) {
        let response = result.as_ref().map(|_| bytes);
        let end = End { at: ended, took, response };
        trace.tell(tracer, &call.head, &end, span::attributes(&shape, kind.is_some()));
    }
    if let Some(kind) = kind {
        call.tell(&shape, kind, took, result.as_ref().map(|_| bytes));
        if server.slow_calls.options.kept.is_some() {
            server.slow_calls.keep(call.payload(shape, took, bytes, kind));
        }
    }
}

impl SlowCalls {
    pub(crate) fn new(options: SlowCallOptions, tracer: Option<Arc<Tracer>>) -> Self {
        Self { options, tracer, calls: Mutex::default() }
    }

    fn watches(&self) -> bool {
        self.options.slow.is_some() || self.options.large_bytes.is_some() || self.tracer.is_some()
    }

    /// What a call is that took so long and had so large a reply.
    fn kind_of(&self, took: Duration, bytes: usize) -> Option<Type> {
        let is_slow = self.options.slow.is_some_and(|limit| took > limit);
        let is_large = self.options.large_bytes.is_some_and(|limit| bytes as u64 > limit);
        match (is_slow, is_large) {
            (false, false) => None,
            (true, false) => Some(Type::SlowLog),
            (false, true) => Some(Type::LargeLog),
            (true, true) => Some(Type::All),
        }
    }

    fn keep(&self, payload: pb::SlowLogPayload) {
        let mut calls = self.calls.lock();
        if calls.len() >= self.options.kept.unwrap_or(0) {
            calls.pop_front();
        }
        calls.push_back(payload);
    }

    /// Itself, if calls are kept.
    pub(crate) fn kept(&self) -> Option<&Self> {
        self.options.kept.is_some().then_some(self)
    }

    fn clear(&self) {
        self.calls.lock().clear();
    }

    /// Newest first, as far as the request wants them.
    fn find(&self, request: &pb::SlowLogResponseRequest) -> Vec<pb::SlowLogPayload> {
        let other = match request.log_type() {
            LogType::SlowLog => Type::LargeLog,
            LogType::LargeLog => Type::SlowLog,
        };
        let calls = self.calls.lock();
        let wanted = calls.iter().rev().filter(|call| call.r#type() != other && is_wanted(call, request));
        wanted.take(request.limit() as usize).cloned().collect()
    }
}

/// HBase's filters: of those that are there one must pass, or all.
fn is_wanted(call: &pb::SlowLogPayload, request: &pb::SlowLogResponseRequest) -> bool {
    let (region, client) = (call.region_name(), &call.client_address);
    let machine = client.rsplit_once(':').map_or(&client[..], |(machine, _)| machine);
    let filters = [
        (request.region_name(), region == request.region_name()),
        (request.table_name(), region.starts_with(request.table_name())),
        (request.client_address(), client == request.client_address() || machine == request.client_address()),
        (request.user_name(), call.user_name == request.user_name()),
    ];
    let mut given =
        filters.iter().filter(|(wanted, _)| !wanted.is_empty()).map(|(_, passes)| *passes).peekable();
    match request.filter_by_operator {
        _ if given.peek().is_none() => true,
        Some(operator) if operator == FilterByOperator::And as i32 => given.all(|passes| passes),
        _ => given.any(|passes| passes),
    }
}

impl Watched {
    /// What it was about.
    fn shape(&self, server: &RegionServer) -> Shape {
        let scanner = |id| server.scanners.describe(id);
        description::describe(self.head.method.as_str(), &self.param, scanner)
    }

    /// Tells it in the log. `answer`: the bytes of the reply, or what failed.
    fn tell(&self, shape: &Shape, kind: Type, took: Duration, answer: Result<usize, &RpcException>) {
        let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
        tracing::warn!(
            target: LOG_TARGET,
            method = self.head.method.as_str(),
            is_slow = kind != Type::LargeLog,
            is_large = kind != Type::SlowLog,
            processed_ms = ms(took),
            waited_ms = ms(self.head.waited()),
            request_bytes = self.head.request_bytes,
            response_bytes = answer.ok(),
            exception = answer.err().map(RpcException::simple_class),
            client = %self.head.connection.remote,
            user = self.head.connection.user,
            table = shape.table(),
            region = shape.some(&shape.region),
            row = shape.some(&shape.row),
            stop_row = shape.some(&shape.stop_row),
            families = shape.some(&shape.families),
            columns = shape.columns,
            filter = shape.some(&shape.filter),
            rows = shape.rows,
            batch = shape.batch,
            max_bytes = shape.max_bytes,
            versions = shape.versions,
            reversed = shape.reversed,
            scanner = shape.scanner,
            regions = shape.regions,
            gets = shape.gets,
            mutations = shape.mutations,
            service = shape.some(&shape.service),
            "a slow or large call"
        );
    }

    fn payload(&self, described: Shape, took: Duration, bytes: usize, kind: Type) -> pb::SlowLogPayload {
        let ms = |duration: Duration| i32::try_from(duration.as_millis()).unwrap_or(i32::MAX);
        let begun_ms = crate::host::system_now_ms() - i64::from(ms(took));
        pb::SlowLogPayload {
            start_time: begun_ms,
            processing_time: ms(took),
            queue_time: ms(self.head.waited()),
            response_size: i64::try_from(bytes).unwrap_or(i64::MAX),
            client_address: self.head.connection.remote.to_string(),
            server_class: SERVER_CLASS.to_owned(),
            method_name: self.head.method.to_string(),
            call_details: format!("{}({MESSAGES}{})", self.head.method, described.class),
            param: Some(described.param),
            user_name: self.head.connection.user.clone(),
            region_name: Some(described.region),
            multi_gets: Some(described.gets.unwrap_or(0)),
            multi_mutations: Some(described.mutations.unwrap_or(0)),
            multi_service_calls: Some(described.service_calls),
            r#type: kind.into(),
            ..Default::default()
        }
    }
}

/// Answers `GetSlowLogResponses` and `GetLargeLogResponses`.
pub(crate) fn get(log: Option<&SlowCalls>, call: &Call) -> Result<Reply, RpcException> {
    let mut request: pb::SlowLogResponseRequest = call.decode()?;
    // From before the request said it.
    if call.method.as_str() == "GetLargeLogResponses" {
        request.set_log_type(LogType::LargeLog);
    }
    let slow_log_payloads = log.map(|log| log.find(&request)).unwrap_or_default();
    Ok(Reply::new(&pb::SlowLogResponses { slow_log_payloads }))
}

/// Answers `ClearSlowLogsResponses`.
pub(crate) fn clear(log: Option<&SlowCalls>, call: &Call) -> Result<Reply, RpcException> {
    let _: pb::ClearSlowLogResponseRequest = call.decode()?;
    if let Some(log) = log {
        log.clear();
    }
    Ok(Reply::new(&pb::ClearSlowLogResponses { is_cleaned: log.is_some() }))
}

/// Answers `GetLogEntries`: the same for any log, by the class of its request.
pub(crate) fn entries(log: Option<&SlowCalls>, call: &Call) -> Result<Reply, RpcException> {
    let request: pb::LogRequest = call.decode()?;
    if !request.log_class_name.contains("SlowLogResponseRequest") {
        return Err(exceptions::io("Invalid request params"));
    }
    let request = pb::SlowLogResponseRequest::decode(request.log_message)
        .map_err(|error| exceptions::do_not_retry(format!("malformed log_message: {error}")))?;
    let slow_log_payloads = log.map(|log| log.find(&request)).unwrap_or_default();
    Ok(Reply::new(&pb::LogEntry {
        log_class_name: format!("{MESSAGES}AdminProtos$SlowLogResponses"),
        log_message: pb::SlowLogResponses { slow_log_payloads }.encode_to_vec().into(),
    }))
}
