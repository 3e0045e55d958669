//! What regions get from the server: clock, timers, block reads, and who is told about memory.

use crate::scheduler::Scheduler;
use crate::stop_request::StopRequest;
use finback_hfile::{Block, BlockRequest, HFileError};
use finback_metrics::{Timer, file_io};
use finback_region::{BoxFuture, DelayedWrites, FileRequest, Host, WriteRoom, or_without};
use read_turns::ReadTurns;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

mod read_turns;

/// Of a file that is opened, about so many bytes are on their way at a time: a block of an index.
const OPENED_BYTES: u64 = 128 << 10;

/// The host of all regions of a server.
#[derive(Debug)]
pub(crate) struct ServerHost {
    scheduler: Arc<Scheduler>,
    stop: Arc<StopRequest>,
    memstore_bytes: AtomicI64,
    memstore_limit: i64,
    delayed_writes: DelayedWrites,
    read_turns: Arc<ReadTurns>,
}

impl ServerHost {
    /// `memstore_limit`: bytes of all memstores together; `read_bytes`: of all blocks that are being read.
    pub(crate) fn new(
        scheduler: Arc<Scheduler>,
        stop: Arc<StopRequest>,
        memstore_limit: u64,
        read_bytes: u64,
    ) -> Self {
        let memstore_limit = i64::try_from(memstore_limit).unwrap_or(i64::MAX);
        Self {
            scheduler,
            stop,
            memstore_bytes: AtomicI64::new(0),
            memstore_limit,
            delayed_writes: DelayedWrites::default(),
            read_turns: Arc::new(ReadTurns::within(read_bytes)),
        }
    }

    /// Bytes of all memstores.
    pub(crate) fn memstore_bytes(&self) -> u64 {
        u64::try_from(self.memstore_bytes.load(Ordering::Relaxed)).unwrap_or(0)
    }

    /// HBase's lower mark, at which flushes for memory begin: 95 % of the limit.
    fn lower_mark(&self) -> i64 {
        self.memstore_limit / 100 * 95
    }

    /// Bytes of all memstores as a share of the lower mark.
    pub(crate) fn pressure(&self) -> f64 {
        self.memstore_bytes() as f64 / self.lower_mark().max(1) as f64
    }

    /// Asks for a flush that frees memory.
    fn ask_for_memory(&self) {
        self.scheduler.ask_for_memory();
    }

    /// Whether memstores hold more than the lower mark.
    pub(crate) fn is_short_of_memory(&self) -> bool {
        self.memstore_bytes.load(Ordering::Relaxed) > self.lower_mark()
    }

    /// Asks for a flush that frees memory above the lower mark.
    pub(crate) fn ask_for_memory_if_short(&self) {
        if self.is_short_of_memory() {
            self.ask_for_memory();
        }
    }
}

/// Milliseconds since the epoch by the system's clock.
pub(crate) fn system_now_ms() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}

async fn read_from_device(turns: Arc<ReadTurns>, request: BlockRequest) -> Result<Arc<Block>, HFileError> {
    let (file, place) = (Arc::clone(&request.file), request.block);
    let turn = turns.turn(request.memory_bytes()).await;
    let read = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let timer = Timer::start();
        let block = request.read();
        match &block {
            Err(HFileError::Corrupt { .. }) => file_io().damaged(),
            _ => file_io().read(timer),
        }
        or_without(&request, block)
    });
    read.await.unwrap_or_else(|error| {
        Err(HFileError::Io {
            path: file.path().to_owned(),
            what: "read a block",
            offset: place.offset,
            source: std::io::Error::other(error),
        })
    })
}

async fn open_from_device(turns: Arc<ReadTurns>, request: FileRequest) {
    let turn = turns.turn(OPENED_BYTES).await;
    let opened = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        request.open();
    });
    let Err(error) = opened.await else { return };
    match error.try_into_panic() {
        // Nothing is kept for the scanner, which would ask again, and so for ever.
        Ok(panic) => std::panic::resume_unwind(panic),
        // The runtime is going down, and this with it.
        Err(_) => std::future::pending().await,
    }
}

impl Host for ServerHost {
    fn now_ms(&self) -> i64 {
        system_now_ms()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn pause(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.sleep(duration)
    }

    fn write_room(&self) -> WriteRoom {
        let unsigned = |bytes: i64| u64::try_from(bytes).unwrap_or(0);
        WriteRoom {
            used: self.memstore_bytes(),
            slow_from: unsigned(self.lower_mark()),
            limit: unsigned(self.memstore_limit),
        }
    }

    fn write_delay(&self, bytes: u64) -> Duration {
        self.delayed_writes.delay(self.uptime(), bytes, self.write_room().slowness())
    }

    fn refusal(&self) -> Option<String> {
        let room = self.write_room();
        if !room.is_over() {
            return None;
        }
        self.ask_for_memory();
        Some(format!("memstores hold {} bytes, more than the limit of {}", room.used, room.limit))
    }

    fn fetch(&self, request: BlockRequest) -> BoxFuture<'static, Result<Arc<Block>, HFileError>> {
        // What the system has in memory is read at once; only what must wait for a device costs a hand-over.
        let timer = Timer::start();
        match request.read_nowait() {
            Ok(Some(block)) => {
                file_io().read(timer);
                Box::pin(std::future::ready(Ok(block)))
            }
            Err(error) => Box::pin(std::future::ready(or_without(&request, Err(error)))),
            Ok(None) => Box::pin(read_from_device(Arc::clone(&self.read_turns), request)),
        }
    }

    fn open_file(&self, request: FileRequest) -> BoxFuture<'static, ()> {
        Box::pin(open_from_device(Arc::clone(&self.read_turns), request))
    }

    fn flush_wanted(&self, encoded_region: &str) {
        self.scheduler.ask_for_flush_for_size(encoded_region);
    }

    /// As in HBase, the server aborts: only the next start splits its logs.
    fn region_given_up(&self, encoded_region: &str) {
        self.stop
            .abort(format!("a write to region {encoded_region} has panicked, the next start recovers it"));
    }

    fn memstore_changed(&self, bytes: isize) {
        self.memstore_bytes.fetch_add(bytes as i64, Ordering::Relaxed);
        if bytes > 0 {
            self.ask_for_memory_if_short();
        }
    }
}

#[cfg(test)]
mod tests;
