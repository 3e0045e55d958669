//! Waits for a future on a thread that may block: flushes, opening and closing run on such threads.

use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use tokio::task::coop::unconstrained;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs `future` to its end on this thread, which may be one that polls a task, of an embedder that blocks it: what tokio
/// lets a task do at a time ends only with its poll, and would be waited for in vain here.
pub(crate) fn wait_for<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = std::pin::pin!(unconstrained(future));
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::wait_for;
    use std::sync::mpsc;
    use std::time::Duration;
    use tokio::sync::oneshot;
    use tokio::task::coop::{consume_budget, has_budget_remaining};

    #[test]
    fn a_task_that_has_used_up_its_budget_waits_no_longer_than_others() {
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            let waited = runtime.block_on(async {
                while has_budget_remaining() {
                    consume_budget().await;
                }
                let (answer, answered) = oneshot::channel();
                answer.send(7).expect("somebody waits");
                wait_for(answered)
            });
            tell.send(waited)
        });
        assert_eq!(told.recv_timeout(Duration::from_secs(60)), Ok(Ok(7)));
    }
}
