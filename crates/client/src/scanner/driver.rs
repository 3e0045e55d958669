//! What drives a scan: from region to region, from answer to answer, as fast as its rows are taken.

use super::assembly::{Assembly, Grain};
use super::region_scan::RegionScan;
use super::{Page, response};
use crate::error::{Attempt, Error, Result};
use crate::failure;
use crate::location::RegionLocation;
use crate::locator::{KnownRegions, Side, attempt};
use crate::retrying::Tries;
use crate::row::Row;
use crate::scan::Scan;
use crate::shared::{RegionCall, Shared};
use bytes::Bytes;
use finback_cell::{CellOrder, RegionInfo};
use finback_proto::pb;
use finback_rpc::exceptions;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Begins anew where the server has lost its scanner; without a row in between, or a part of one where those are wanted, as
/// often as other operations are tried, each time after a pause.
pub(super) struct Driver {
    shared: Arc<Shared>,
    known: Arc<KnownRegions>,
    /// What is left to do: its start is where the scan has come to.
    scan: Scan,
    /// The read point of the row that was handed over in part, whose rest must be of the same moment: another scanner reads that, and
    /// nothing else. Between rows there is none: where nobody keeps an old one, compactions have dropped rows of it.
    read_point: Option<u64>,
    left: Option<u64>,
    assembly: Assembly,
    pages: mpsc::Sender<Result<Page>>,
    metrics: Arc<Mutex<BTreeMap<String, i64>>>,
}

/// What is to be done after a region was left.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The scan goes on: in the next region, or in the same anew.
    Open,
    /// There is nothing more, or nobody who wants it.
    End,
}

impl Driver {
    pub(super) fn new(
        shared: Arc<Shared>,
        known: Arc<KnownRegions>,
        scan: Scan,
        pages: mpsc::Sender<Result<Page>>,
        metrics: Arc<Mutex<BTreeMap<String, i64>>>,
    ) -> Self {
        let grain = match (scan.batch, scan.allow_partial) {
            (Some(cells), _) => Grain::Cells(cells as usize),
            (None, true) => Grain::AsTheyCome,
            (None, false) => Grain::Whole,
        };
        let order = if known.table().is_meta() { CellOrder::Meta } else { CellOrder::User };
        let (left, assembly) = (scan.limit, Assembly::new(grain, order));
        Self { left, assembly, shared, known, scan, read_point: None, pages, metrics }
    }

    pub(super) async fn run(mut self) {
        let mut restarts = Tries::default();
        while self.left != Some(0) {
            let before = self.assembly.progress();
            match self.region().await {
                Ok((Next::Open, _)) if self.pages.is_closed() => return,
                Ok((Next::Open, None)) => restarts = Tries::default(),
                Ok((Next::Open, Some(failed))) => {
                    // The server has forgotten the scanner. Where nothing has come of it, there is a pause first.
                    if self.assembly.progress() > before {
                        restarts = Tries::default();
                    }
                    if let Err(error) = self.before_restart(&mut restarts, failed).await {
                        let _ = self.pages.send(Err(error)).await;
                        return;
                    }
                }
                Ok((Next::End, _)) => break,
                Err(error) => {
                    // Who takes the rows may be gone.
                    let _ = self.pages.send(Err(error)).await;
                    return;
                }
            }
        }
        let _ = self.pages.send(Ok(Page::End)).await;
    }

    async fn before_restart(&self, restarts: &mut Tries, failed: Box<Attempt>) -> Result<()> {
        let Some(pause) = restarts.failed(&self.shared.config, &failed.exception, &self.shared.entropy)
        else {
            return Err(Error::RetriesExhausted { attempts: restarts.failed_so_far(), last: failed });
        };
        tokio::select! {
            () = self.pages.closed() => {}
            () = tokio::time::sleep(pause) => {}
        }
        Ok(())
    }

    fn caching(&self) -> u32 {
        self.scan.caching.unwrap_or(self.shared.config.scanner_caching)
    }

    fn side(&self) -> Side {
        match (self.scan.reversed, self.scan.include_start) {
            (false, true) => Side::At,
            (false, false) => Side::After,
            (true, true) if !self.scan.start.is_empty() => Side::At,
            (true, _) => Side::Before,
        }
    }

    /// Scans the region where the scan has come to. With what the scanner was lost by, if it was.
    async fn region(&mut self) -> Result<(Next, Option<Box<crate::error::Attempt>>)> {
        let config = &self.shared.config;
        let size = self.scan.max_result_size.unwrap_or(config.scanner_max_result_size);
        let call = RegionCall {
            known: &self.known,
            row: &self.scan.start,
            side: self.side(),
            method: "Scan",
            rpc_timeout: config.for_reads(),
            operation_timeout: config.scan_timeout,
        };
        let mut message =
            pb::Scan { mvcc_read_point: self.read_point, ..self.scan.to_message(self.caching(), size) };
        let within_a_row = self.read_point.is_some();
        if within_a_row {
            (message.stop_row, message.include_stop_row) = (message.start_row.clone(), Some(true));
        }
        let rows = self.request();
        let request = |location: &RegionLocation| {
            let region = Some(location.specifier());
            (pb::ScanRequest { region, scan: Some(message.clone()), ..rows.clone() }, Bytes::new())
        };
        let (response, block, location) = match self.scan.is_timeline() {
            true => {
                let (replica, patience) = (self.scan.asked_replica(), config.primary_scan_patience);
                self.shared.call_replica(call, replica, patience, request).await?
            }
            false => self.shared.call_region(call, request).await?,
        };
        let response: pb::ScanResponse = response;
        let mut open = RegionScan::new(Arc::clone(&self.shared), location, &response);
        let mut answer = (response, block);
        loop {
            let (response, block) = answer;
            match self.take(&mut open, response, block).await {
                Taken::More => {}
                Taken::RegionEnds if within_a_row => {
                    (self.scan.include_start, self.read_point) = (false, None);
                    return Ok((Next::Open, None));
                }
                Taken::RegionEnds => return Ok((self.next_region(open.region()), None)),
                Taken::ScanEnds => return Ok((Next::End, None)),
                Taken::Unwanted => {
                    open.close();
                    return Ok((Next::End, None));
                }
                Taken::Malformed(reason) => {
                    open.close();
                    self.assembly.restart();
                    let exception = exceptions::hbase_io(format!("malformed answer: {reason}"));
                    return Ok((Next::Open, Some(Box::new(attempt("Scan", open.location(), exception)))));
                }
            }
            answer = match open.next(self.request()).await {
                Ok(answer) => answer,
                Err(error) => return self.lost(&open, error),
            };
        }
    }

    /// The fields of every request that asks for rows.
    fn request(&self) -> pb::ScanRequest {
        pb::ScanRequest {
            number_of_rows: Some(self.caching()),
            close_scanner: Some(false),
            client_handles_partials: Some(true),
            client_handles_heartbeats: Some(true),
            track_scan_metrics: Some(self.scan.metrics),
            limit_of_rows: self.left.map(|left| u32::try_from(left).unwrap_or(u32::MAX)),
            ..Default::default()
        }
    }

    /// What to do when the scanner does not answer.
    fn lost(
        &mut self,
        open: &RegionScan,
        error: Error,
    ) -> Result<(Next, Option<Box<crate::error::Attempt>>)> {
        let Some(failed) = error.attempt().cloned() else {
            // Its time ended before there was an answer: the scanner is still there.
            open.close();
            return Err(error);
        };
        let out_of_order = failed.exception.simple_class() == "OutOfOrderScannerNextException";
        let gone = failure::scanner_is_gone(&failed.exception);
        if !gone {
            open.close();
        }
        if !gone && !out_of_order {
            return Err(error);
        }
        self.shared.locator.failed(Some(&self.known), open.location(), &failed.exception);
        self.assembly.restart();
        Ok((Next::Open, Some(Box::new(failed))))
    }

    /// Hands over what an answer brings.
    async fn take(&mut self, open: &mut RegionScan, response: pb::ScanResponse, block: Bytes) -> Taken {
        self.count(&response);
        let heartbeat = response.heartbeat_message();
        let rows = match response::rows_of(&response, block) {
            Ok(rows) => rows,
            Err(reason) => return Taken::Malformed(reason),
        };
        let last_seen = rows.last().map(|row| Bytes::copy_from_slice(row.key()));
        let before = self.assembly.complete_rows();
        let mut rows = self.assembly.add(rows, heartbeat);
        if response.more_results == Some(false) || !response.more_results_in_region.unwrap_or(true) {
            // No further part of the last row can come: a region has whole rows.
            rows.extend(self.assembly.add(Vec::new(), false));
        }
        let complete = self.assembly.complete_rows() - before;
        if let Some(last) = rows.last() {
            self.come_to(open, last);
        }
        let cursor =
            response.cursor.and_then(|cursor| cursor.row).or(last_seen.filter(|_| self.scan.cursors));
        let page = match (rows.is_empty(), cursor) {
            (false, _) => Some(Page::Rows(rows)),
            (true, Some(row)) if self.scan.cursors => Some(Page::Cursor(row)),
            _ => None,
        };
        let goes_on = response.more_results_in_region.unwrap_or(false);
        if !self.hand_over(open, page, goes_on).await {
            return if goes_on { Taken::Unwanted } else { Taken::ScanEnds };
        }
        if response.more_results == Some(false) {
            return Taken::ScanEnds;
        }
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(complete);
            if *left == 0 {
                return if goes_on { Taken::Unwanted } else { Taken::ScanEnds };
            }
        }
        if goes_on { Taken::More } else { Taken::RegionEnds }
    }

    /// Where to begin anew if the scanner is lost: behind the row, or at it while not all of it was handed over.
    fn come_to(&mut self, open: &RegionScan, last: &Row) {
        self.scan.start = Bytes::copy_from_slice(last.key());
        self.scan.include_start = last.is_partial();
        self.read_point = open.read_point().filter(|_| last.is_partial());
    }

    /// Waits until somebody takes the page, and keeps the scanner alive meanwhile. False if nobody will.
    async fn hand_over(&self, open: &mut RegionScan, page: Option<Page>, renew: bool) -> bool {
        let Some(page) = page else { return !self.pages.is_closed() };
        tokio::select! {
            permit = self.pages.reserve() => permit.map(|permit| permit.send(Ok(page))).is_ok(),
            never = open.keep_alive(), if renew => match never {},
        }
    }

    fn count(&self, response: &pb::ScanResponse) {
        let Some(metrics) = &response.scan_metrics else { return };
        let mut counted = self.metrics.lock();
        for metric in &metrics.metrics {
            // As many names as servers know; a server that makes up more is not believed.
            if let (Some(name), true) = (&metric.name, counted.len() < 100) {
                *counted.entry(name.clone()).or_default() += metric.value.unwrap_or(0);
            }
        }
    }

    /// Goes on behind a region, or ends there.
    fn next_region(&mut self, region: &RegionInfo) -> Next {
        let (border, scan) = match self.scan.reversed {
            false => (&region.end_key, &mut self.scan),
            true => (&region.start_key, &mut self.scan),
        };
        if border.is_empty() || is_behind(border, scan) {
            return Next::End;
        }
        scan.start = border.clone();
        scan.include_start = !scan.reversed;
        self.read_point = None;
        Next::Open
    }
}

/// Whether nothing that is wanted lies behind the border of a region.
fn is_behind(border: &[u8], scan: &Scan) -> bool {
    if scan.stop.is_empty() {
        return false;
    }
    match (scan.reversed, scan.include_stop) {
        // The border belongs to the next region.
        (false, true) => border > &scan.stop[..],
        (false, false) => border >= &scan.stop[..],
        // The border belongs to the region that was left.
        (true, _) => border <= &scan.stop[..],
    }
}

enum Taken {
    /// There is more in the region.
    More,
    /// There is nothing more in the region.
    RegionEnds,
    /// There is nothing more at all, and the server has closed the scanner.
    ScanEnds,
    /// Nobody wants more of it.
    Unwanted,
    /// The answer makes no sense.
    Malformed(String),
}
