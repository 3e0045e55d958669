//! A thread for work that no write should wait for, in programs that have no better place for it. It is less urgent than others.

use finback_sync::be_less_urgent;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

/// Work to be done once.
pub(crate) type Work = Box<dyn FnOnce() + Send + 'static>;

/// Runs `work` soon, on a thread that the whole process shares, one piece after the other. Every store has at most one
/// piece waiting. Where there can be no thread the caller does it.
pub(crate) fn run(work: Work) {
    static WORKER: OnceLock<Option<Sender<Work>>> = OnceLock::new();
    let Some(worker) = WORKER.get_or_init(start) else { return work() };
    if let Err(unsent) = worker.send(work) {
        (unsent.0)();
    }
}

fn start() -> Option<Sender<Work>> {
    let (sender, receiver) = channel::<Work>();
    let thread = std::thread::Builder::new().name("finback-memstore".into());
    let spawned = thread.spawn(move || {
        be_less_urgent();
        for work in receiver {
            // One that panics must not take the others with it; the panic itself was reported.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        }
    });
    spawned.ok().map(|_| sender)
}
