//! Runs a call at once as far as it goes, and hands over only what has to wait.
//!
//! Most reads find everything in memory: they end at the first poll, on the thread that decoded the request, with no
//! hand-over to another task.

use finback_rpc::{Outcome, PendingReply, Reply, RpcException};
use std::future::Future;
use std::task::{Context, Poll, Waker};

/// Polls `call` once; what is not done then goes on in a task of its own.
pub(crate) fn run_inline(
    call: impl Future<Output = Result<Reply, RpcException>> + Send + 'static,
) -> Outcome {
    poll_once(call).unwrap_or_else(Outcome::Pending)
}

/// The same for a call that has little left to do after what it waits for: it stays with its connection.
pub(crate) fn run_inline_and_wait(
    call: impl Future<Output = Result<Reply, RpcException>> + Send + 'static,
) -> Outcome {
    poll_once(call).unwrap_or_else(Outcome::Waiting)
}

fn poll_once(
    call: impl Future<Output = Result<Reply, RpcException>> + Send + 'static,
) -> Result<Outcome, PendingReply> {
    let mut call = Box::pin(call);
    // Whatever this poll registers is registered again by the next, with the task's own waker.
    match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(reply) => Ok(Outcome::Ready(reply)),
        Poll::Pending => Err(call),
    }
}
