//! Carries out compactions, one after the other, on a thread that may block. Reads go on meanwhile.

use crate::server::RegionServer;
use finback_cell::Bytes;
use finback_region::Region;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Between two looks at all stores: files grow old without a flush too. HBase's check comes every 10 s times
/// `hbase.server.compactchecker.interval.multiplier`, 1000.
const LOOK_INTERVAL: Duration = Duration::from_secs(10_000);

/// A store to compact.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Task {
    region: Arc<str>,
    family: Bytes,
    major: bool,
}

/// What is to be done, and what is being done.
#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Task>,
    running: Option<Task>,
}

/// The queue of compactions: each store waits in it once at most for each kind.
#[derive(Debug, Default)]
pub(crate) struct Compactor {
    queue: Mutex<Queue>,
    more: Notify,
}

impl Compactor {
    /// Asks for a compaction of a store. What an administrator asks for (`major` or not) goes first.
    pub(crate) fn ask(&self, region: &Region, family: Bytes, major: bool, first: bool) {
        let task = Task { region: Arc::clone(region.encoded_name()), family, major };
        let mut queue = self.queue.lock();
        match queue.waiting.iter().position(|waiting| *waiting == task) {
            // Somebody asked who waits for it: it must not stay behind those that nobody waits for.
            Some(at) if first => drop(queue.waiting.remove(at)),
            Some(_) => return,
            None => {}
        }
        if first {
            queue.waiting.push_front(task);
        } else {
            queue.waiting.push_back(task);
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

    /// What is waiting or under way for a region: whether some compaction, and whether a major one.
    pub(crate) fn waiting(&self, region: &Region) -> (bool, bool) {
        let queue = self.queue.lock();
        let of_region = |major| {
            let mut tasks = queue.waiting.iter().chain(&queue.running);
            tasks.any(|task| task.region == *region.encoded_name() && task.major == major)
        };
        (of_region(false), of_region(true))
    }

    /// The next task, which is under way from now on.
    async fn next(&self) -> Task {
        loop {
            {
                let mut queue = self.queue.lock();
                if let Some(task) = queue.waiting.pop_front() {
                    queue.running = Some(task.clone());
                    return task;
                }
            }
            self.more.notified().await;
        }
    }

    fn done(&self) {
        self.queue.lock().running = None;
    }
}

/// Runs until the server stops.
pub(crate) async fn run(server: Arc<RegionServer>) {
    let mut looks = tokio::time::interval_at(tokio::time::Instant::now() + LOOK_INTERVAL, LOOK_INTERVAL);
    while !server.is_stopping() {
        let task = tokio::select! {
            task = server.compactor.next() => task,
            _ = looks.tick() => {
                server.regions.all().iter().for_each(|region| server.compactor.look_at(region));
                continue;
            }
        };
        carry_out(&server, task).await;
        server.compactor.done();
    }
}

async fn carry_out(server: &RegionServer, task: Task) {
    let Some(region) = server.regions.open_region(task.region.as_bytes()) else { return };
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
