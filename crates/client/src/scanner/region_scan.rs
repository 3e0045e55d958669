//! A scanner that a region server has open.

use crate::error::{Attempt, Result};
use crate::failure;
use crate::location::RegionLocation;
use crate::locator::{HIGH_PRIORITY, attempt};
use crate::servers::ServiceName;
use crate::shared::Shared;
use bytes::Bytes;
use finback_cell::RegionInfo;
use finback_proto::pb;
use finback_rpc::{ChannelExt, Request};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The lease of a server that names none.
const DEFAULT_LEASE: Duration = Duration::from_secs(60);
/// Shortest time between two renewals, whatever the server says.
const MIN_RENEWAL: Duration = Duration::from_millis(10);

pub(super) struct RegionScan {
    shared: Arc<Shared>,
    location: Arc<RegionLocation>,
    scanner_id: u64,
    lease: Duration,
    read_point: Option<u64>,
    /// The number of the next call.
    next_call_seq: AtomicU64,
}

impl RegionScan {
    /// The scanner that `opened` tells of.
    pub(super) fn new(shared: Arc<Shared>, location: Arc<RegionLocation>, opened: &pb::ScanResponse) -> Self {
        let lease = opened.ttl.filter(|&ms| ms > 0).map(|ms| Duration::from_millis(ms.into()));
        Self {
            shared,
            location,
            scanner_id: opened.scanner_id(),
            lease: lease.unwrap_or(DEFAULT_LEASE),
            read_point: opened.mvcc_read_point,
            next_call_seq: AtomicU64::new(0),
        }
    }

    pub(super) fn region(&self) -> &RegionInfo {
        self.location.region()
    }

    pub(super) fn location(&self) -> &RegionLocation {
        &self.location
    }

    /// Writes after it are not seen.
    pub(super) fn read_point(&self) -> Option<u64> {
        self.read_point
    }

    /// The next answer. A call that got none is repeated under its number, which the server knows if it was run.
    ///
    /// # Errors
    /// As of all operations; and that the server has no such scanner any more.
    pub(super) async fn next(&self, request: pb::ScanRequest) -> Result<(pb::ScanResponse, Bytes)> {
        let number = self.next_call_seq.fetch_add(1, Ordering::Relaxed);
        let request =
            pb::ScanRequest { scanner_id: Some(self.scanner_id), next_call_seq: Some(number), ..request };
        let timeout = self.shared.config.scan_timeout;
        let mut retrying = self.shared.retrying("Scan", timeout);
        loop {
            let timeout = retrying.call_timeout(timeout);
            let asking = async {
                let asked =
                    self.shared.call_at(&self.location, "Scan", timeout, &request, Bytes::new()).await;
                asked.map_err(|exception| attempt("Scan", &self.location, exception))
            };
            let failed: Attempt = match retrying.within(asking).await? {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            if failure::scanner_is_gone(&failed.exception) {
                return Err(crate::Error::Refused(Box::new(failed)));
            }
            retrying.failed(failed).await?;
        }
    }

    /// How often to tell the server that the scanner is still wanted.
    pub(super) fn renewal_interval(&self) -> Duration {
        (self.lease / 2).max(MIN_RENEWAL)
    }

    /// Tells the server that the scanner is still wanted. If that does not reach it, the next call will tell.
    pub(super) async fn renew(&self) {
        let request = pb::ScanRequest {
            scanner_id: Some(self.scanner_id),
            number_of_rows: Some(0),
            close_scanner: Some(false),
            next_call_seq: Some(self.next_call_seq.fetch_add(1, Ordering::Relaxed)),
            client_handles_partials: Some(true),
            client_handles_heartbeats: Some(true),
            track_scan_metrics: Some(false),
            renew: Some(true),
            ..Default::default()
        };
        let timeout = self.renewal_interval();
        let renewed = self.shared.call_at::<_, pb::ScanResponse>(
            &self.location,
            "Scan",
            timeout,
            &request,
            Bytes::new(),
        );
        if let Err(error) = renewed.await {
            tracing::debug!(%error, scanner_id = self.scanner_id, "a scanner's lease was not renewed");
        }
    }

    /// Tells the server, in the background, that the scanner is not wanted any more. If that does not reach it, the lease ends.
    pub(super) fn close(&self) {
        let (shared, location) = (Arc::clone(&self.shared), Arc::clone(&self.location));
        let message = pb::ScanRequest {
            scanner_id: Some(self.scanner_id),
            number_of_rows: Some(0),
            close_scanner: Some(true),
            ..Default::default()
        };
        tokio::spawn(async move {
            let timeout = Some(shared.config.for_reads());
            let call = Request { method: "Scan", priority: HIGH_PRIORITY, timeout, ..Request::default() };
            let Ok(channel) = shared.servers.channel(location.address(), ServiceName::Client).await else {
                return;
            };
            if let Err(error) = channel.call_measured::<_, pb::ScanResponse>(call, &message).await {
                tracing::debug!(%error, "a scanner was not closed");
            }
        });
    }
}
