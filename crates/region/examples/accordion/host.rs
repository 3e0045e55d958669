//! What the region asks for, handed to the threads that do it.

use finback_hfile::{Block, BlockRequest, HFileError};
use finback_region::{BoxFuture, Host, PlainHost};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// A host that passes on the wish for a flush.
pub(crate) struct BenchHost {
    pub(crate) flushes: Sender<()>,
}

impl Host for BenchHost {
    fn now_ms(&self) -> i64 {
        PlainHost.now_ms()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        PlainHost.sleep(duration)
    }

    fn pause(&self, duration: Duration) -> BoxFuture<'static, ()> {
        PlainHost.pause(duration)
    }

    fn fetch(&self, request: BlockRequest) -> BoxFuture<'static, Result<Arc<Block>, HFileError>> {
        PlainHost.fetch(request)
    }

    fn flush_wanted(&self, _: &str) {
        // Whoever flushes ends after whoever writes.
        let _ = self.flushes.send(());
    }

    fn memstore_changed(&self, _: isize) {}
}
