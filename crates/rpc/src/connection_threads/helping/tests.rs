use std::collections::HashMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;

use super::*;
use crate::connection_threads::moving::tests::{is_answered, next};

#[tokio::test]
async fn calls_that_queue_in_a_connection_are_carried_out_by_a_helper_too() {
    // In which a helper comes, however busy the machine: some seconds.
    const SLOW_CALLS: usize = 1000;
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get().min(2));
    let by_thread: Arc<Mutex<HashMap<_, usize>>> = Arc::default();
    let counts = Arc::clone(&by_thread);
    is_answered(1, 200, move || {
        HERE.with(|here| {
            let Some(here) = here.get() else { return };
            here.looked.set(Instant::now());
            here.helper.set(Some(next(here)));
        });
        let is_slow = {
            let mut counts = counts.lock();
            *counts.entry(thread::current().id()).or_default() += 1;
            counts.len() < threads && counts.values().sum::<usize>() < SLOW_CALLS
        };
        thread::sleep(if is_slow { Duration::from_millis(5) } else { Duration::from_micros(50) });
    })
    .await;
    let by_thread = by_thread.lock();
    assert_eq!(by_thread.values().sum::<usize>(), 200 * 20, "each once");
    assert_eq!(by_thread.len(), threads);
}
