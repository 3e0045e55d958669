//! The last calls that took long, or had large replies: kept in memory for administrators, as HBase does where
//! `hbase.regionserver.slowlog.buffer.enabled` is set. By default it is not; then nothing is measured, and the answers are
//! HBase's without a buffer.

use finback_proto::{Message, pb};
use finback_rpc::{Call, ConnectionInfo, MethodName, Outcome, Reply, RpcException, exceptions};
use parking_lot::Mutex;
use pb::slow_log_payload::Type;
use pb::slow_log_response_request::{FilterByOperator, LogType};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

mod description;

/// Where HBase has its messages.
const MESSAGES: &str = "org.apache.hadoop.hbase.shaded.protobuf.generated.";
/// The class that serves clients there.
const SERVER_CLASS: &str = "HRegionServer";

/// Settings of the log.
#[derive(Clone, Debug)]
pub struct SlowCallOptions {
    /// Calls that took longer are slow (`hbase.ipc.warn.response.time`); none is, if there is no such time.
    pub slow: Option<Duration>,
    /// Replies of more bytes are large (`hbase.ipc.warn.response.size`); none is, if there is no such size.
    pub large_bytes: Option<u64>,
    /// Calls that are kept (`hbase.regionserver.slowlog.ringbuffer.size`).
    pub kept: usize,
}

/// The calls that were slow or large.
#[derive(Debug)]
pub(crate) struct SlowCalls {
    options: SlowCallOptions,
    /// Oldest first.
    calls: Mutex<VecDeque<pb::SlowLogPayload>>,
}

/// What is remembered of a call while it is carried out.
struct Watched {
    method: MethodName,
    param: finback_cell::Bytes,
    connection: Arc<ConnectionInfo>,
    received: Instant,
    begun: Instant,
}

impl SlowCalls {
    pub(crate) fn new(options: SlowCallOptions) -> Self {
        Self { options, calls: Mutex::default() }
    }

    /// Has a call carried out, and notes it if it is slow or large.
    pub(crate) fn watch(self: &Arc<Self>, call: Call, carry_out: impl FnOnce(Call) -> Outcome) -> Outcome {
        let watched = Watched {
            method: call.method.clone(),
            param: call.param.clone(),
            connection: Arc::clone(&call.connection),
            received: call.received,
            begun: Instant::now(),
        };
        match carry_out(call) {
            Outcome::Ready(result) => {
                self.note(&watched, &result);
                Outcome::Ready(result)
            }
            Outcome::Pending(answer) => {
                let log = Arc::clone(self);
                Outcome::pending(async move {
                    let result = answer.await;
                    log.note(&watched, &result);
                    result
                })
            }
        }
    }

    fn note(&self, call: &Watched, result: &Result<Reply, RpcException>) {
        let took = call.begun.elapsed();
        let bytes = result.as_ref().map_or(0, |reply| reply.message.len() + reply.cells.len());
        let is_slow = self.options.slow.is_some_and(|limit| took > limit);
        let is_large = self.options.large_bytes.is_some_and(|limit| bytes as u64 > limit);
        let kind = match (is_slow, is_large) {
            (false, false) => return,
            (true, false) => Type::SlowLog,
            (false, true) => Type::LargeLog,
            (true, true) => Type::All,
        };
        tracing::warn!(method = %call.method, remote = %call.connection.remote, user = call.connection.user, ?took, bytes, "a slow or large call");
        let payload = call.payload(took, bytes, kind);
        let mut calls = self.calls.lock();
        if calls.len() >= self.options.kept {
            calls.pop_front();
        }
        calls.push_back(payload);
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
    fn payload(&self, took: Duration, bytes: usize, kind: Type) -> pb::SlowLogPayload {
        let ms = |duration: Duration| i32::try_from(duration.as_millis()).unwrap_or(i32::MAX);
        let described = description::describe(self.method.as_str(), &self.param);
        let begun_ms = crate::host::system_now_ms() - i64::from(ms(took));
        pb::SlowLogPayload {
            start_time: begun_ms,
            processing_time: ms(took),
            queue_time: ms(self.begun.saturating_duration_since(self.received)),
            response_size: i64::try_from(bytes).unwrap_or(i64::MAX),
            client_address: self.connection.remote.to_string(),
            server_class: SERVER_CLASS.to_owned(),
            method_name: self.method.to_string(),
            call_details: format!("{}({MESSAGES}{})", self.method, described.class),
            param: Some(described.param),
            user_name: self.connection.user.clone(),
            region_name: Some(described.region),
            multi_gets: Some(described.gets),
            multi_mutations: Some(described.mutations),
            multi_service_calls: Some(described.service_calls),
            r#type: kind.into(),
            ..Default::default()
        }
    }
}

/// Answers `GetSlowLogResponses` and `GetLargeLogResponses`.
pub(crate) fn get(log: Option<&Arc<SlowCalls>>, call: &Call) -> Result<Reply, RpcException> {
    let mut request: pb::SlowLogResponseRequest = call.decode()?;
    // From before the request said it.
    if call.method.as_str() == "GetLargeLogResponses" {
        request.set_log_type(LogType::LargeLog);
    }
    let slow_log_payloads = log.map(|log| log.find(&request)).unwrap_or_default();
    Ok(Reply::new(&pb::SlowLogResponses { slow_log_payloads }))
}

/// Answers `ClearSlowLogsResponses`.
pub(crate) fn clear(log: Option<&Arc<SlowCalls>>, call: &Call) -> Result<Reply, RpcException> {
    let _: pb::ClearSlowLogResponseRequest = call.decode()?;
    if let Some(log) = log {
        log.clear();
    }
    Ok(Reply::new(&pb::ClearSlowLogResponses { is_cleaned: log.is_some() }))
}

/// Answers `GetLogEntries`: the same for any log, by the class of its request.
pub(crate) fn entries(log: Option<&Arc<SlowCalls>>, call: &Call) -> Result<Reply, RpcException> {
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
