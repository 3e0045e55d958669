//! Carries out flushes, one after the other, on a thread that may block.

use crate::host::FlushRequest;
use crate::server::RegionServer;
use finback_region::Region;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Runs until the server's host is gone.
pub(crate) async fn run(server: Arc<RegionServer>, mut requests: mpsc::UnboundedReceiver<FlushRequest>) {
    while let Some(request) = requests.recv().await {
        let region = match request {
            FlushRequest::Region(encoded) => server.regions.open_region(encoded.as_bytes()),
            FlushRequest::Largest => {
                server.host.memory_flush_begins();
                largest(&server)
            }
        };
        if let Some(region) = region {
            flush(Arc::clone(&region)).await;
            server.compactor.look_at(&region);
        }
    }
}

fn largest(server: &RegionServer) -> Option<Arc<Region>> {
    let size = |region: &Arc<Region>| region.metrics().memstore_bytes;
    server.regions.all().into_iter().filter(|region| size(region) > 0).max_by_key(size)
}

async fn flush(region: Arc<Region>) {
    let name = Arc::clone(region.encoded_name());
    match tokio::task::spawn_blocking(move || region.flush(None)).await {
        Ok(Ok(outcome)) => {
            tracing::debug!(region = %name, flushed = outcome.flushed, sequence_id = outcome.sequence_id, "flush");
        }
        // The cells stay in memory and in the log; the next write over the limit asks again.
        Ok(Err(error)) => tracing::error!(region = %name, %error, "flush failed"),
        Err(error) => tracing::error!(region = %name, %error, "flush panicked"),
    }
}
