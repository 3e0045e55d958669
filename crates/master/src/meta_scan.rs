//! Reading a whole region of a system table, page by page.

use bytes::Bytes;
use finback_cell::{CellBlock, RegionInfo};
use finback_proto::{convert, pb};
use finback_rpc::{Channel, ChannelExt, RpcException, exceptions};

use crate::{meta_row, region_service_calls::CALL_TIMEOUT};

/// Rows in one reply.
const ROWS_PER_PAGE: u32 = 1000;
/// Replies without rows, one after the other, before the server is taken to be stuck.
const MAX_EMPTY_PAGES: u32 = 100;

/// Hands every row of a region, the newest version of each cell, to `row`.
pub(crate) async fn scan(
    client: &dyn Channel,
    region: &RegionInfo,
    families: &[&'static [u8]],
    mut row: impl FnMut(&CellBlock) + Send,
) -> Result<(), RpcException> {
    pages(client, region, first_request(region, families), &mut row).await
}

/// Of all cells of a region, markers and what they hide included: what is written with an older timestamp may be hidden.
pub(crate) async fn newest_timestamp(
    client: &dyn Channel,
    region: &RegionInfo,
    families: &[&'static [u8]],
) -> Result<u64, RpcException> {
    let mut request = first_request(region, families);
    if let Some(scan) = &mut request.scan {
        let raw = pb::NameBytesPair { name: "_raw_".to_owned(), value: Some(Bytes::from_static(b"\xff")) };
        scan.attribute.push(raw);
        scan.max_versions = Some(u32::MAX >> 1);
    }
    let mut newest = 0;
    pages(client, region, request, &mut |row| newest = newest.max(meta_row::newest_timestamp(row))).await?;
    Ok(newest)
}

async fn pages(
    client: &dyn Channel,
    region: &RegionInfo,
    mut request: pb::ScanRequest,
    row: &mut (dyn FnMut(&CellBlock) + Send),
) -> Result<(), RpcException> {
    let mut empty_pages = 0;
    loop {
        let (response, cells): (pb::ScanResponse, Bytes) =
            client.call_within(CALL_TIMEOUT, "Scan", &request, Bytes::new()).await?;
        let rows = rows(&response, cells)?;
        rows.iter().for_each(&mut *row);
        empty_pages = if rows.is_empty() { empty_pages + 1 } else { 0 };
        if !response.more_results() || response.more_results_in_region == Some(false) {
            // The scanner is closed by the server at the end; closing it again does no harm.
            return close(client, response.scanner_id.or(request.scanner_id)).await;
        }
        if empty_pages > MAX_EMPTY_PAGES {
            let message = format!("scan of {}: {empty_pages} replies without rows", region.table);
            return Err(exceptions::io(message));
        }
        request = pb::ScanRequest {
            scanner_id: response.scanner_id.or(request.scanner_id),
            number_of_rows: Some(ROWS_PER_PAGE),
            client_handles_heartbeats: Some(true),
            ..Default::default()
        };
    }
}

fn first_request(region: &RegionInfo, families: &[&'static [u8]]) -> pb::ScanRequest {
    let column =
        |family: &&'static [u8]| pb::Column { family: Bytes::from_static(family), qualifier: Vec::new() };
    pb::ScanRequest {
        region: Some(convert::specifier_by_name(region)),
        scan: Some(pb::Scan {
            column: families.iter().map(column).collect(),
            max_versions: Some(1),
            caching: Some(ROWS_PER_PAGE),
            cache_blocks: Some(true),
            ..Default::default()
        }),
        number_of_rows: Some(ROWS_PER_PAGE),
        close_scanner: Some(false),
        client_handles_heartbeats: Some(true),
        ..Default::default()
    }
}

fn rows(response: &pb::ScanResponse, mut cells: Bytes) -> Result<Vec<CellBlock>, RpcException> {
    let damaged = |e: &dyn std::fmt::Display| exceptions::io(format!("malformed reply of Scan: {e}"));
    let mut rows = Vec::new();
    for count in &response.cells_per_result {
        let count = usize::try_from(*count).map_err(|e| damaged(&e))?;
        rows.push(CellBlock::take(&mut cells, count).map_err(|e| damaged(&e))?);
    }
    for result in &response.results {
        rows.push(convert::decode_result(result, &mut cells).map_err(|e| damaged(&e))?);
    }
    Ok(rows)
}

async fn close(client: &dyn Channel, scanner_id: Option<u64>) -> Result<(), RpcException> {
    let Some(scanner_id) = scanner_id else { return Ok(()) };
    let request =
        pb::ScanRequest { scanner_id: Some(scanner_id), close_scanner: Some(true), ..Default::default() };
    let closed: Result<(pb::ScanResponse, Bytes), _> =
        client.call_within(CALL_TIMEOUT, "Scan", &request, Bytes::new()).await;
    if let Err(e) = closed {
        tracing::debug!("closing a scanner: {e}");
    }
    Ok(())
}
