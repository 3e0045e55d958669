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
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
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
    next_call_seq: u64,
    /// A renewal that is under way. It has a number, so that no other call is made before it has ended.
    renewal: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
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
            next_call_seq: 0,
            renewal: None,
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
    pub(super) async fn next(&mut self, request: pb::ScanRequest) -> Result<(pb::ScanResponse, Bytes)> {
        self.renewed().await;
        let next_call_seq = Some(self.next_number());
        let request = pb::ScanRequest { scanner_id: Some(self.scanner_id), next_call_seq, ..request };
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

    fn next_number(&mut self) -> u64 {
        let number = self.next_call_seq;
        self.next_call_seq += 1;
        number
    }

    /// How often to tell the server that the scanner is still wanted.
    fn renewal_interval(&self) -> Duration {
        (self.lease / 2).max(MIN_RENEWAL)
    }

    /// Tells the server again and again that the scanner is still wanted. May be dropped at any time: the last renewal goes on when this
    /// is called again, or before the next answer is asked for.
    pub(super) async fn keep_alive(&mut self) -> Infallible {
        loop {
            if self.renewal.is_none() {
                tokio::time::sleep(self.renewal_interval()).await;
                self.renewal = Some(Box::pin(self.renewal()));
            }
            self.renewed().await;
        }
    }

    /// Waits for the end of a renewal that is under way.
    async fn renewed(&mut self) {
        if let Some(renewal) = &mut self.renewal {
            renewal.await;
            self.renewal = None;
        }
    }

    /// Tells the server that the scanner is still wanted. If that does not reach it, the next call will tell.
    fn renewal(&mut self) -> impl Future<Output = ()> + use<> {
        let (shared, location, scanner_id) =
            (Arc::clone(&self.shared), Arc::clone(&self.location), self.scanner_id);
        let timeout = self.renewal_interval();
        let request = pb::ScanRequest {
            scanner_id: Some(scanner_id),
            number_of_rows: Some(0),
            close_scanner: Some(false),
            next_call_seq: Some(self.next_number()),
            client_handles_partials: Some(true),
            client_handles_heartbeats: Some(true),
            track_scan_metrics: Some(false),
            renew: Some(true),
            ..Default::default()
        };
        async move {
            let renewed =
                shared.call_at::<_, pb::ScanResponse>(&location, "Scan", timeout, &request, Bytes::new());
            if let Err(error) = renewed.await {
                tracing::debug!(%error, scanner_id, "a scanner's lease was not renewed");
            }
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
