//! Threads for calls that take long, and for flushes and compactions.
//!
//! As many as serve the connections, and one for each flush or compaction. Those of the connections have little to do for a call
//! that is short, and are asleep most of the time: the system lets them run as soon as a request comes. The others' work is put
//! off for that moment, the more so as they are marked as less urgent.

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
    fn calls_and_what_may_block_are_less_urgent_than_who_starts_them() {
        let niceness = || getpriority_process(Some(gettid())).unwrap();
        let threads = LongCalls::start().unwrap();
        let waiting = Builder::new_current_thread().build().unwrap();
        let (call, blocking) =
            (threads.handle().spawn(async move { niceness() }), threads.handle().spawn_blocking(niceness));
        assert!(waiting.block_on(call).unwrap() > niceness());
        assert!(waiting.block_on(blocking).unwrap() > niceness());
    }
}
