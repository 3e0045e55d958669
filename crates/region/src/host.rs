//! What a region needs of the program that it lives in: a clock, timers, and somebody who reads blocks.

use crate::delayed_write::WriteRoom;
use crate::mob::FileRequest;
use finback_hfile::{Block, BlockRequest, HFileError};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A boxed future.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The surroundings of regions.
pub trait Host: Send + Sync + 'static {
    /// Milliseconds since the epoch.
    fn now_ms(&self) -> i64;

    /// How far local time is ahead of UTC at a moment, both in milliseconds: by the zone of the machine, unless the host
    /// knows better.
    fn utc_offset_ms(&self, now_ms: i64) -> i64 {
        crate::local_time::utc_offset_ms(now_ms)
    }

    /// Resolves after `duration`; where there are no timers, never: what it is the limit of has none.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;

    /// Resolves after `duration`, for writes that are slowed. Where there are no timers, the calling thread waits.
    fn pause(&self, duration: Duration) -> BoxFuture<'static, ()>;

    /// Time since some moment. Never goes back.
    fn uptime(&self) -> Duration {
        static BEGAN: OnceLock<Instant> = OnceLock::new();
        BEGAN.get_or_init(Instant::now).elapsed()
    }

    /// Room in the memory for all regions. Asked for every write: cheap.
    fn write_room(&self) -> WriteRoom {
        WriteRoom::UNBOUNDED
    }

    /// How long a write of so many bytes is to wait, because the memory for all regions is almost used up. With no
    /// bytes: how long those that wait still have to.
    fn write_delay(&self, bytes: u64) -> Duration {
        let _ = bytes;
        Duration::ZERO
    }

    /// Why a write is to be refused: the memory for all regions is used up. Asked before and after the write has waited.
    fn refusal(&self) -> Option<String> {
        None
    }

    /// Reads a block that is not in memory, without holding up other work for long; what reads can go on without is for
    /// [`or_without`].
    fn fetch(&self, request: BlockRequest) -> BoxFuture<'static, Result<Arc<Block>, HFileError>>;

    /// Opens a file that a read needs, without holding up other work for long; what came of it is in the request.
    fn open_file(&self, request: FileRequest) -> BoxFuture<'static, ()> {
        request.open();
        Box::pin(std::future::ready(()))
    }

    /// Told after a write that left `region` with a memstore over its flush size, be it only until a flush ends that is under
    /// way: see [`Region::flush_for_size`](crate::Region::flush_for_size).
    fn flush_wanted(&self, encoded_region: &str);

    /// Told when a write to a region has panicked half-way ([`Region::is_given_up`](crate::Region::is_given_up)): the region is not
    /// served any more, and must not be opened anew before its log was split. Must not panic.
    fn region_given_up(&self, encoded_region: &str) {
        let _ = encoded_region;
    }

    /// Told by how many bytes all memstores together grew or shrank.
    fn memstore_changed(&self, bytes: isize);

    /// Does soon, on a thread where nobody waits for it, what a write gave occasion to: there is at most one piece of
    /// work for each store at a time, which computes for milliseconds and waits for nothing. Without a better place it
    /// is a thread that all regions of the process share.
    fn run_in_background(&self, work: Box<dyn FnOnce() + Send + 'static>) {
        crate::background::run(work);
    }
}

/// What a host gives for a block that was read, or could not be: reads go on without a part of a Bloom filter, as in HBase.
///
/// # Errors
/// That of `read`, for blocks that reads cannot go on without.
pub fn or_without(
    request: &BlockRequest,
    read: Result<Arc<Block>, HFileError>,
) -> Result<Arc<Block>, HFileError> {
    read.or_else(|error| {
        let Some(without) = request.without() else { return Err(error) };
        tracing::warn!(%error, "a part of a Bloom filter cannot be read: reads go on without it");
        Ok(without)
    })
}

/// A host for programs without a runtime: reads on the calling thread, has no timers (waits for row locks are not
/// limited; writes that are slowed hold up their thread), and leaves flushing to the caller.
#[derive(Debug, Default)]
pub struct PlainHost;

impl Host for PlainHost {
    fn now_ms(&self) -> i64 {
        let since_epoch =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }

    fn pause(&self, duration: Duration) -> BoxFuture<'static, ()> {
        std::thread::sleep(duration);
        Box::pin(std::future::ready(()))
    }

    fn fetch(&self, request: BlockRequest) -> BoxFuture<'static, Result<Arc<Block>, HFileError>> {
        Box::pin(std::future::ready(or_without(&request, request.read())))
    }

    fn flush_wanted(&self, _: &str) {}

    fn memstore_changed(&self, _: isize) {}
}
