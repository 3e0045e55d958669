//! How often something may fail, and the pauses after that.

use crate::config::ClientConfig;
use crate::entropy::Entropy;
use crate::failure;
use finback_rpc::{RpcException, exceptions};
use std::time::Duration;

/// HBase's `RETRY_BACKOFF`: the pause before each next try, in multiples of the first.
const RETRY_BACKOFF: [u32; 13] = [1, 2, 3, 5, 10, 20, 40, 100, 100, 100, 100, 200, 200];
/// Pauses, as parts of the first, before a region that is not where it was is asked for besides HBase's tries: mostly it is on its way,
/// or split, and served again within some milliseconds. Nobody waits much longer than it takes.
const EARLY: [f64; 5] = [0.05, 0.1, 0.2, 0.4, 0.8];
/// Part of a pause that chance adds, so that clients which failed together do not come back together.
const JITTER: f64 = 0.01;

/// Tries that failed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tries {
    /// Of those that HBase would have made.
    counted: u32,
    early: u32,
}

impl Tries {
    pub(crate) fn failed_so_far(self) -> u32 {
        self.counted + self.early
    }

    /// Whether a try that fails with `exception` now is a reason to ask whether the table is disabled: the first one that hints at that,
    /// and those after the early ones. Of a region that is on its way many would ask at a time.
    pub(crate) fn doubt_the_table(self, exception: &RpcException) -> bool {
        let is_early = self.early > 0 && (self.early as usize) < EARLY.len();
        failure::hints_at_a_disabled_table(exception) && !(is_early && failure::is_on_its_way(exception))
    }

    /// Takes note of one more, which failed with `exception`: the pause before the next, or `None` if there is to be no next.
    pub(crate) fn failed(
        &mut self,
        config: &ClientConfig,
        exception: &RpcException,
        entropy: &Entropy,
    ) -> Option<Duration> {
        if config.retries > 0
            && failure::is_on_its_way(exception)
            && let Some(&part) = EARLY.get(self.early as usize)
        {
            self.early += 1;
            return Some(with_jitter(config.pause.mul_f64(part), entropy));
        }
        self.counted += 1;
        if self.counted > config.retries {
            None
        } else if failure::is_left_for_later(exception) {
            Some(Duration::ZERO)
        } else {
            let overloaded = exception.server_overloaded || exceptions::is_overload(&exception.class);
            let first = config.pause_overloaded.filter(|_| overloaded).unwrap_or(config.pause);
            Some(pause(first, self.counted, entropy))
        }
    }
}

/// The pause after `tries` tries.
fn pause(first: Duration, tries: u32, entropy: &Entropy) -> Duration {
    let index = (tries.saturating_sub(1) as usize).min(RETRY_BACKOFF.len() - 1);
    with_jitter(first * RETRY_BACKOFF[index], entropy)
}

fn with_jitter(pause: Duration, entropy: &Entropy) -> Duration {
    pause + pause.mul_f64(JITTER * entropy.fraction())
}

#[cfg(test)]
mod tests;
