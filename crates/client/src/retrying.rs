//! How often, how long and after which pauses something is tried again.

use crate::config::ClientConfig;
use crate::entropy::Entropy;
use crate::error::{Attempt, Error};
use crate::failure;
use finback_rpc::{RpcException, exceptions};
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

/// HBase's `RETRY_BACKOFF`: the pause before each next try, in multiples of the first.
const RETRY_BACKOFF: [u32; 13] = [1, 2, 3, 5, 10, 20, 40, 100, 100, 100, 100, 200, 200];
/// The same, while there are any, for a region that is not where it was: mostly it is on its way, or split, and served again within
/// some milliseconds. The sum is never more than HBase's.
const MOVING_BACKOFF: [f64; 4] = [0.05, 0.15, 1.0, 3.0];
/// Part of a pause that chance adds, so that clients which failed together do not come back together.
const JITTER: f64 = 0.01;
/// What HBase keeps of the time that is left, so that a pause does not take all of it.
const SLEEP_DELTA: Duration = Duration::from_millis(1);

/// The pause after `tries` tries.
pub(crate) fn pause(first: Duration, tries: u32, entropy: &Entropy) -> Duration {
    let index = (tries.saturating_sub(1) as usize).min(RETRY_BACKOFF.len() - 1);
    with_jitter(first * RETRY_BACKOFF[index], entropy)
}

fn with_jitter(pause: Duration, entropy: &Entropy) -> Duration {
    pause + pause.mul_f64(JITTER * entropy.fraction())
}

/// An operation that is tried until it succeeds, is refused, or has taken too long.
pub(crate) struct Retrying<'a> {
    config: &'a ClientConfig,
    entropy: &'a Entropy,
    method: &'static str,
    started: Instant,
    timeout: Duration,
    tries: u32,
    last: Option<Box<Attempt>>,
}

impl<'a> Retrying<'a> {
    pub(crate) fn new(
        config: &'a ClientConfig,
        entropy: &'a Entropy,
        method: &'static str,
        timeout: Duration,
    ) -> Self {
        Self { config, entropy, method, started: Instant::now(), timeout, tries: 1, last: None }
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
        tokio::time::timeout(self.remaining(), doing).await.map_err(|_| self.timed_out())
    }

    fn timed_out(&self) -> Error {
        Error::TimedOut {
            method: self.method,
            after: self.timeout,
            attempts: self.tries,
            last: self.last.clone(),
        }
    }

    /// Takes note of a try that failed, and waits before the next.
    ///
    /// # Errors
    /// What the operation fails with, if there is to be no next.
    pub(crate) async fn failed(&mut self, attempt: Attempt) -> Result<(), Error> {
        let attempt = Box::new(Attempt { number: self.tries, ..attempt });
        let exception = &attempt.exception;
        tracing::debug!(%attempt, "failed");
        if exception.do_not_retry {
            return Err(Error::Refused(attempt));
        }
        if self.tries > self.config.retries {
            return Err(Error::RetriesExhausted { attempts: self.tries, last: attempt });
        }
        let remaining = self.remaining();
        let pause = self.pause_after(exception);
        self.last = Some(attempt);
        if remaining <= SLEEP_DELTA {
            return Err(self.timed_out());
        }
        self.tries += 1;
        tokio::time::sleep(pause.min(remaining - SLEEP_DELTA)).await;
        Ok(())
    }

    fn pause_after(&self, exception: &RpcException) -> Duration {
        pause_after(self.config, exception, self.tries, self.entropy)
    }
}

/// The pause after `tries` tries, the last of which failed with `exception`.
pub(crate) fn pause_after(
    config: &ClientConfig,
    exception: &RpcException,
    tries: u32,
    entropy: &Entropy,
) -> Duration {
    if failure::is_left_for_later(exception) {
        return Duration::ZERO;
    }
    if failure::is_not_serving(exception)
        && let Some(&part) = MOVING_BACKOFF.get(tries.saturating_sub(1) as usize)
    {
        return with_jitter(config.pause.mul_f64(part), entropy);
    }
    let overloaded = exception.server_overloaded || exceptions::is_overload(&exception.class);
    let first = config.pause_overloaded.filter(|_| overloaded).unwrap_or(config.pause);
    pause(first, tries, entropy)
}

#[cfg(test)]
mod tests;
