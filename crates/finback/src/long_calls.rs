//! Threads for calls that take long.
//!
//! As many as serve the connections. Those have little to do for a call that is short, and are asleep most of the time: the
//! system lets them run as soon as a request comes. The others' work is put off for that moment, the more so as they are
//! marked as less urgent.

use finback_sync::be_less_urgent;
use tokio::runtime::{Builder, Handle, Runtime};

/// The threads, until this is dropped.
#[derive(Debug)]
pub(crate) struct LongCalls {
    runtime: Option<Runtime>,
}

impl LongCalls {
    /// Starts them.
    ///
    /// # Errors
    /// The system has none.
    pub(crate) fn start() -> std::io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .thread_name("long-calls")
            .on_thread_start(be_less_urgent)
            .enable_all()
            .build()?;
        Ok(Self { runtime: Some(runtime) })
    }

    pub(crate) fn handle(&self) -> Handle {
        self.runtime.as_ref().expect("it is there until it is dropped").handle().clone()
    }
}

impl Drop for LongCalls {
    fn drop(&mut self) {
        // What is still under way has no one to answer to.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::getpriority_process;
    use rustix::thread::gettid;

    #[test]
    fn calls_are_as_little_urgent_as_a_thread_that_says_so() {
        let niceness = || getpriority_process(Some(gettid())).unwrap();
        let expected = std::thread::spawn(move || {
            be_less_urgent();
            niceness()
        });
        let threads = LongCalls::start().unwrap();
        let waiting = Builder::new_current_thread().build().unwrap();
        let of_call = waiting.block_on(threads.handle().spawn(async move { niceness() }));
        assert_eq!(of_call.unwrap(), expected.join().unwrap());
    }
}
