//! Carries out flushes, one after the other, on a thread that may block.

use crate::host::FlushRequest;
use crate::server::RegionServer;
use finback_region::Region;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// After a flush that failed: a full disk is asked again, but not by every write, each time with all that is in memory.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(500);

/// Runs until the server's host is gone.
pub(crate) async fn run(server: Arc<RegionServer>, mut requests: mpsc::UnboundedReceiver<FlushRequest>) {
    while let Some(request) = requests.recv().await {
        let region = match request {
            FlushRequest::Region(encoded) => {
                server.host.flush_begins(&encoded);
                server.regions.open_region(encoded.as_bytes())
            }
            FlushRequest::Largest => {
                server.host.memory_flush_begins();
                largest(&server)
            }
        };
        let Some(region) = region else { continue };
        if flush(Arc::clone(&region)).await {
            server.compactor.look_at(&region);
        } else {
            tokio::time::sleep(PAUSE_AFTER_FAILURE).await;
        }
    }
}

fn largest(server: &RegionServer) -> Option<Arc<Region>> {
    let size = |region: &Arc<Region>| region.metrics().memstore_bytes;
    server.regions.all().into_iter().filter(|region| size(region) > 0).max_by_key(size)
}

/// Whether it was done.
async fn flush(region: Arc<Region>) -> bool {
    let name = Arc::clone(region.encoded_name());
    match tokio::task::spawn_blocking(move || region.flush(None)).await {
        Ok(Ok(outcome)) => {
            tracing::debug!(region = %name, flushed = outcome.flushed, sequence_id = outcome.sequence_id, "flush");
            return true;
        }
        // The cells stay in memory and in the log; the next write over the limit asks again.
        Ok(Err(error)) => tracing::error!(region = %name, %error, "flush failed"),
        Err(error) => tracing::error!(region = %name, %error, "flush panicked"),
    }
    false
}
