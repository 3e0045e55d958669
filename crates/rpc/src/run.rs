//! Running a service so that its panics become exceptions.

use crate::exception::RpcException;
use crate::exceptions;
use crate::service::{Call, Outcome, PendingReply, Reply, Service};
use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// Calls `service`; a panic in it becomes an exception.
pub(crate) fn call(service: &dyn Service, call: Call) -> Outcome {
    // Whatever the service had half done stays half done, as after any exception in the midst of a call.
    match catch_unwind(AssertUnwindSafe(|| service.call(call))) {
        Ok(outcome) => outcome,
        Err(panic) => Outcome::exception(panicked(&*panic)),
    }
}

/// The future of a pending call, whose panics become exceptions.
pub(crate) struct Guarded(pub(crate) PendingReply);

impl Future for Guarded {
    type Output = Result<Reply, RpcException>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // Not polled again after a panic: the output is ready then.
        match catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(cx))) {
            Ok(poll) => poll,
            Err(panic) => Poll::Ready(Err(panicked(&*panic))),
        }
    }
}

fn panicked(panic: &(dyn Any + Send)) -> RpcException {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown panic".to_owned());
    tracing::error!(panic = %text, "a service panicked");
    exceptions::io(format!("internal error: {text}"))
}
