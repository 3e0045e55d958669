//! Calls to a service of this process: the same messages, no socket.

use crate::channel::{Channel, RawReplyFuture, Request};
use crate::exception::RpcException;
use crate::exceptions;
use crate::run::{self, Guarded};
use crate::service::{Call, ConnectionInfo, MethodName, Outcome, PendingReply, Reply, Service};
use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A channel to a service of this process.
pub struct Loopback {
    service: Arc<dyn Service>,
    connection: Arc<ConnectionInfo>,
    next_call_id: AtomicU32,
}

impl Loopback {
    /// A channel to `service`.
    pub fn new(service: Arc<dyn Service>) -> Self {
        let connection = Arc::new(ConnectionInfo::in_process(service.name()));
        Self { service, connection, next_call_id: AtomicU32::new(0) }
    }
}

impl Channel for Loopback {
    fn call_encoded(&self, request: Request) -> RawReplyFuture<'_> {
        let received = Instant::now();
        let call = Call {
            call_id: self.next_call_id.fetch_add(1, Ordering::Relaxed) & (u32::MAX >> 1),
            trace_info: Bytes::new(),
            method: MethodName::from_static(request.method),
            param: request.param,
            cells: request.cells.joined(),
            priority: request.priority,
            deadline: request.timeout.and_then(|timeout| received.checked_add(timeout)),
            received,
            begun: received,
            connection: Arc::clone(&self.connection),
            share: None,
        };
        Box::pin(async move {
            let reply = match run::call(&*self.service, call) {
                Outcome::Ready(result) => result?,
                Outcome::Pending(future) | Outcome::Waiting(future) => {
                    wait(future, request.method, request.timeout).await?
                }
            };
            Ok((Bytes::from(reply.message), Bytes::from(reply.cells)))
        })
    }
}

/// Runs the call to its end in a task of its own, even if the caller stops waiting.
async fn wait(
    future: PendingReply,
    method: &'static str,
    timeout: Option<Duration>,
) -> Result<Reply, RpcException> {
    let task = tokio::spawn(Guarded(future));
    let joined = match timeout {
        None => task.await,
        Some(timeout) => tokio::time::timeout(timeout, task)
            .await
            .map_err(|_| exceptions::call_timeout(format!("{method} took longer than {timeout:?}")))?,
    };
    joined.unwrap_or_else(|e| Err(exceptions::connection_closed(format!("{method}: {e}"))))
}

#[cfg(test)]
mod tests;
