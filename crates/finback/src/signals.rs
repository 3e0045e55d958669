//! The signals that end a server.

use std::io;

use nix::sys::signal::{SigSet, Signal};
use tokio::signal::unix::{SignalKind, signal};

/// SIGTERM and SIGINT, which wait until there is somebody to hear them.
///
/// A handler alone loses one that comes after it is installed and before somebody listens, and leaves a server that cannot be
/// stopped.
#[derive(Debug)]
pub(crate) struct HeldSignals(SigSet);

impl HeldSignals {
    /// From now on they wait, if this is called before the process has another thread: threads inherit it.
    pub(crate) fn hold() -> io::Result<Self> {
        let signals = SigSet::from_iter([Signal::SIGTERM, Signal::SIGINT]);
        signals.thread_block()?;
        Ok(Self(signals))
    }

    /// Resolves when one of them comes, or has come. They arrive at the thread that calls this.
    pub(crate) fn listen(self) -> io::Result<impl Future<Output = ()>> {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        self.0.thread_unblock()?;
        Ok(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::signal::raise;

    #[tokio::test]
    async fn a_signal_before_anybody_listens_is_heard() {
        for kind in [Signal::SIGTERM, Signal::SIGINT] {
            let signals = HeldSignals::hold().unwrap();
            raise(kind).unwrap();
            signals.listen().unwrap().await;
        }
    }

    #[tokio::test]
    async fn a_signal_later_is_heard_too() {
        let came = HeldSignals::hold().unwrap().listen().unwrap();
        raise(Signal::SIGINT).unwrap();
        came.await;
    }
}
