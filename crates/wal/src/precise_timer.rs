//! Waits that end on time: those of the scheduler end with a millisecond.

use std::{io, os::fd::OwnedFd, time::Instant};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::io::unix::AsyncFd;

/// A timer of the system, in the scheduler that it is made in. Costs a system call for each wait.
#[derive(Debug)]
pub(crate) struct PreciseTimer(AsyncFd<OwnedFd>);

impl PreciseTimer {
    /// # Errors
    /// The system has no descriptor left.
    #[expect(
        deprecated,
        reason = "what takes its place is unsafe, for descriptors that others may close: not an owned one"
    )]
    pub(crate) fn new() -> io::Result<Self> {
        let timer =
            timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        AsyncFd::new(timer).map(Self)
    }

    /// Resolves then; it may be left before.
    pub(crate) async fn sleep_until(&self, until: Instant) -> io::Result<()> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        let left = Timespec::try_from(left).map_err(|_| io::ErrorKind::InvalidInput)?;
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: left };
        timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &once)?;
        loop {
            let mut ready = self.0.readable().await?;
            // Nothing to be read: an earlier wait was left, and its end came between.
            match ready.try_io(|timer| Ok(rustix::io::read(timer, &mut [0; 8])?)) {
                Ok(read) => return read.map(drop),
                Err(_) => continue,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::{Future, poll_fn},
        pin::pin,
        task::Poll,
        time::Duration,
    };

    use super::*;

    #[tokio::test]
    async fn a_wait_ends_not_before_its_time_whatever_was_left_before() {
        let timer = PreciseTimer::new().unwrap();
        for _ in 0..100 {
            {
                let mut left = pin!(timer.sleep_until(Instant::now() + Duration::from_micros(50)));
                // On a slow machine its end is there already.
                let _ = poll_fn(|context| Poll::Ready(left.as_mut().poll(context))).await;
                tokio::time::sleep(Duration::from_millis(1)).await; // it ends, and nobody is there
            }
            let until = Instant::now() + Duration::from_micros(300);
            timer.sleep_until(until).await.unwrap();
            assert!(Instant::now() >= until);
        }
        timer.sleep_until(Instant::now()).await.unwrap();
    }
}
