//! Carries out compactions, one after the other, on a thread that may block. Reads go on meanwhile.

use crate::server::RegionServer;
use finback_cell::Bytes;
use finback_region::Region;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::Notify;

/// A store to compact.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Task {
    region: Arc<str>,
    family: Bytes,
    major: bool,
}

/// The queue of compactions: each store is in it once at most for each kind.
#[derive(Debug, Default)]
pub(crate) struct Compactor {
    queue: Mutex<VecDeque<Task>>,
    more: Notify,
}

impl Compactor {
    /// Asks for a compaction of a store. What an administrator asks for (`major` or not) goes first.
    pub(crate) fn ask(&self, region: &Region, family: Bytes, major: bool, first: bool) {
        let task = Task { region: Arc::clone(region.encoded_name()), family, major };
        let mut queue = self.queue.lock();
        if queue.contains(&task) {
            return;
        }
        if first {
            queue.push_front(task);
        } else {
            queue.push_back(task);
        }
        drop(queue);
        self.more.notify_one();
    }

    /// Asks for what the region's stores need.
    pub(crate) fn look_at(&self, region: &Region) {
        for family in region.families_to_compact() {
            self.ask(region, family, false, false);
        }
    }

    /// What is waiting for a region: whether some compaction, and whether a major one.
    pub(crate) fn waiting(&self, region: &Region) -> (bool, bool) {
        let queue = self.queue.lock();
        let of_region =
            |major| queue.iter().any(|task| task.region == *region.encoded_name() && task.major == major);
        (of_region(false), of_region(true))
    }

    async fn next(&self) -> Task {
        loop {
            if let Some(task) = self.queue.lock().pop_front() {
                return task;
            }
            self.more.notified().await;
        }
    }
}

/// Runs until the server stops.
pub(crate) async fn run(server: Arc<RegionServer>) {
    while !server.is_stopping() {
        let task = server.compactor.next().await;
        let Some(region) = server.regions.open_region(task.region.as_bytes()) else { continue };
        let compacting = Arc::clone(&region);
        let Task { family, major, region: name } = task;
        let begun = std::time::Instant::now();
        match tokio::task::spawn_blocking(move || compacting.compact(&family, major)).await {
            Ok(Ok(Some(outcome))) => {
                tracing::info!(
                    region = %name,
                    files = outcome.inputs,
                    cells = outcome.cells_written,
                    bytes = outcome.bytes_written,
                    seconds = begun.elapsed().as_secs_f32(),
                    "compaction"
                );
                // The output may be worth compacting with others.
                server.compactor.look_at(&region);
            }
            Ok(Ok(None)) => {}
            Ok(Err(_)) if region.is_closing() => {}
            // The store is as it was; the next flush asks again.
            Ok(Err(error)) => tracing::error!(region = %name, %error, "compaction failed"),
            Err(error) => tracing::error!(region = %name, %error, "compaction panicked"),
        }
    }
}
