//! Runs a call at once as far as it goes, and hands over only what has to wait.
//!
//! Most reads find everything in memory: they end at the first poll, on the thread that decoded the request, with no
//! hand-over to another task.

use finback_rpc::{Outcome, Reply, RpcException};
use std::future::Future;
use std::task::{Context, Poll, Waker};

/// Polls `call` once; what is not done then becomes a pending outcome, which is polled again by its own task.
pub(crate) fn run_inline(
    call: impl Future<Output = Result<Reply, RpcException>> + Send + 'static,
) -> Outcome {
    let mut call = Box::pin(call);
    // Whatever this poll registers is registered again by the next, with the task's own waker.
    match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(reply) => Outcome::Ready(reply),
        Poll::Pending => Outcome::Pending(call),
    }
}
