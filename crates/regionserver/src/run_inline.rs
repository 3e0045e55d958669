//! Runs a call at once as far as it goes, and hands over only what has to wait.
//!
//! Most reads find everything in memory: they end at the first poll, on the thread that decoded the request, with no
//! hand-over to another task.

use crate::operation_counts::CallTimer;
use finback_rpc::{Outcome, Reply, RpcException};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Polls `call` once; what is not done then goes on in a task of its own.
pub(crate) fn run_inline(
    call: impl Future<Output = Result<Reply, RpcException>> + Send + 'static,
) -> Outcome {
    match poll_once(call) {
        Ok(reply) => Outcome::Ready(reply),
        Err(call) => Outcome::Pending(call),
    }
}

/// The same for a call that has little left to do after what it waits for: it stays with its connection.
pub(crate) fn run_inline_and_wait(
    call: impl Future<Output = Result<Reply, RpcException>> + Send + 'static,
) -> Outcome {
    match poll_once(call) {
        Ok(reply) => Outcome::Ready(reply),
        Err(call) => Outcome::Waiting(call),
    }
}

/// [`run_inline`] for a call that is timed.
pub(crate) fn run_timed(
    timer: CallTimer,
    call: impl Future<Output = Result<Reply, RpcException>> + Send + 'static,
) -> Outcome {
    match poll_once(call) {
        Ok(reply) => Outcome::Ready(timer.stop(reply)),
        Err(call) => Outcome::Pending(Box::pin(timer.time(call))),
    }
}

/// [`run_inline_and_wait`] for a call that is timed.
pub(crate) fn run_timed_and_wait(
    timer: CallTimer,
    call: impl Future<Output = Result<Reply, RpcException>> + Send + 'static,
) -> Outcome {
    match poll_once(call) {
        Ok(reply) => Outcome::Ready(timer.stop(reply)),
        Err(call) => Outcome::Waiting(Box::pin(timer.time(call))),
    }
}

/// The reply, or what is left of the call.
fn poll_once<F>(call: F) -> Result<Result<Reply, RpcException>, Pin<Box<F>>>
where
    F: Future<Output = Result<Reply, RpcException>>,
{
    let mut call = Box::pin(call);
    // Whatever this poll registers is registered again by the next, with the task's own waker.
    match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(reply) => Ok(reply),
        Poll::Pending => Err(call),
    }
}
