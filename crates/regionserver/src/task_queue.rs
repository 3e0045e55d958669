//! Tasks of one kind, of which so many run at once. Those that wait are nothing but what they are about.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of waiting tasks beyond which there is [no room](TaskQueue::has_room) for more: some two hundred thousand regions.
const MAX_WAITING_BYTES: usize = 64 << 20;
/// What a task takes beside what it says.
const TASK_BYTES: usize = 256;

/// The queue: those tasks first that are urgent, then who came first.
#[derive(Debug)]
pub(crate) struct TaskQueue<T> {
    at_once: usize,
    state: Mutex<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    urgent: VecDeque<Waiting<T>>,
    others: VecDeque<Waiting<T>>,
    waiting_bytes: usize,
    running: usize,
}

#[derive(Debug)]
struct Waiting<T> {
    task: T,
    bytes: usize,
}

impl<T> TaskQueue<T> {
    pub(crate) fn new(at_once: usize) -> Arc<Self> {
        let (urgent, others) = (VecDeque::new(), VecDeque::new());
        let state = Mutex::new(State { urgent, others, waiting_bytes: 0, running: 0 });
        Arc::new(Self { at_once, state })
    }

    /// Whether there is room for a task that is nothing special.
    pub(crate) fn has_room(&self) -> bool {
        self.state.lock().waiting_bytes < MAX_WAITING_BYTES
    }

    /// Adds a task; whether the caller is to run [those that wait](Self::next), until there are none.
    fn add(&self, task: T, bytes: usize, is_urgent: bool) -> bool {
        let mut state = self.state.lock();
        let waiting = Waiting { task, bytes: bytes.saturating_add(TASK_BYTES) };
        state.waiting_bytes = state.waiting_bytes.saturating_add(waiting.bytes);
        if is_urgent { &mut state.urgent } else { &mut state.others }.push_back(waiting);
        let has_turn = state.running < self.at_once;
        state.running += usize::from(has_turn);
        has_turn
    }

    /// The next task of one who runs them; with none, the turn is over.
    fn next(&self) -> Option<T> {
        let mut state = self.state.lock();
        let next = state.urgent.pop_front().or_else(|| state.others.pop_front());
        match next {
            Some(Waiting { task, bytes }) => {
                state.waiting_bytes = state.waiting_bytes.saturating_sub(bytes);
                Some(task)
            }
            None => {
                // What it took to hold many is given back.
                (state.urgent, state.others) = (VecDeque::new(), VecDeque::new());
                state.running -= 1;
                None
            }
        }
    }
}

impl<T: Send + 'static> TaskQueue<T> {
    /// Has a task run in the background when it is its turn. `bytes`: what it keeps in memory. `run` is the same for all.
    pub(crate) fn spawn<F>(
        self: &Arc<Self>,
        task: T,
        bytes: usize,
        is_urgent: bool,
        run: impl Fn(T) -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        if !self.add(task, bytes, is_urgent) {
            return;
        }
        let queue = Arc::clone(self);
        tokio::spawn(async move {
            while let Some(task) = queue.next() {
                // Should one panic, the others have their turns still.
                let _ = tokio::spawn(run(task)).await;
            }
        });
    }
}

#[cfg(test)]
mod tests;
