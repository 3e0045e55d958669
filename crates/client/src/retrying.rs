//! An operation that is tried again: for how long, and with what it fails.

mod tries;

use crate::config::ClientConfig;
use crate::entropy::Entropy;
use crate::error::{Attempt, Error};
use finback_rpc::RpcException;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};
pub(crate) use tries::Tries;

/// What HBase keeps of the time that is left, so that a pause does not take all of it.
const SLEEP_DELTA: Duration = Duration::from_millis(1);

/// An operation that is tried until it succeeds, is refused, or has taken too long.
pub(crate) struct Retrying<'a> {
    config: &'a ClientConfig,
    entropy: &'a Entropy,
    method: &'static str,
    started: Instant,
    timeout: Duration,
    tries: Tries,
    last: Option<Box<Attempt>>,
}

impl<'a> Retrying<'a> {
    pub(crate) fn new(
        config: &'a ClientConfig,
        entropy: &'a Entropy,
        method: &'static str,
        timeout: Duration,
    ) -> Self {
        Self {
            config,
            entropy,
            method,
            started: Instant::now(),
            timeout,
            tries: Tries::default(),
            last: None,
        }
    }

    /// What is left of the time for the operation.
    pub(crate) fn remaining(&self) -> Duration {
        self.timeout.saturating_sub(self.started.elapsed())
    }

    /// The time for a call that may take `wanted`.
    pub(crate) fn call_timeout(&self, wanted: Duration) -> Duration {
        wanted.min(self.remaining()).max(SLEEP_DELTA)
    }

    /// Waits for one try, as long as there is time for the operation.
    ///
    /// # Errors
    /// Inside, what the try fails with; outside, that the time is over.
    pub(crate) async fn within<T>(
        &self,
        doing: impl Future<Output = Result<T, Attempt>>,
    ) -> Result<Result<T, Attempt>, Error> {
        let mut doing = pin!(doing);
        // What is known already needs no clock.
        if let Poll::Ready(done) = poll_fn(|context| Poll::Ready(doing.as_mut().poll(context))).await {
            return Ok(done);
        }
        let attempts = self.tries.failed_so_far() + 1;
        tokio::time::timeout(self.remaining(), doing).await.map_err(|_| self.timed_out(attempts))
    }

    fn timed_out(&self, attempts: u32) -> Error {
        Error::TimedOut { method: self.method, after: self.timeout, attempts, last: self.last.clone() }
    }

    /// See [`Tries::doubt_the_table`].
    pub(crate) fn doubts_the_table(&self, exception: &RpcException) -> bool {
        self.tries.doubt_the_table(exception)
    }

    /// Takes note of a try that failed, and waits before the next.
    ///
    /// # Errors
    /// What the operation fails with, if there is to be no next.
    pub(crate) async fn failed(&mut self, attempt: Attempt) -> Result<(), Error> {
        let number = self.tries.failed_so_far() + 1;
        let attempt = Box::new(Attempt { number, ..attempt });
        let exception = &attempt.exception;
        tracing::debug!(%attempt, "failed");
        if exception.do_not_retry {
            return Err(Error::Refused(attempt));
        }
        let Some(pause) = self.tries.failed(self.config, exception, self.entropy) else {
            return Err(Error::RetriesExhausted { attempts: number, last: attempt });
        };
        let remaining = self.remaining();
        self.last = Some(attempt);
        if remaining <= SLEEP_DELTA {
            return Err(self.timed_out(number));
        }
        tokio::time::sleep(pause.min(remaining - SLEEP_DELTA)).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
