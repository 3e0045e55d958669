//! Rows for the row browser: scans like those of any client, small ones.

use super::ServerPages;
use super::regions::text;
use finback_cell::{Bytes, Cell, CellBlock, RegionInfo, TableName, from_string_binary};
use finback_pages::model::{self, Refused, Row, RowRange, Rows};
use finback_proto::{convert, pb};
use finback_rpc::{Channel, ChannelExt, RpcException};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time for a page.
const TIME: Duration = Duration::from_secs(5);
/// What one scan may take: it answers before half of it is over, with a heartbeat if need be.
const SCAN_TIMEOUT: Duration = Duration::from_secs(4);
/// Bytes of a reply: it ends with the cell that reaches them.
const REPLY_BYTES: u64 = 256 << 10;
/// Bytes of cells of a page: when they are read it has as many rows as it has.
const PAGE_BYTES: usize = 2 << 20;
/// Bytes of a value that are shown, among others and of a row alone.
const VALUE_BYTES: usize = 256;
const VALUE_BYTES_ALONE: usize = 4096;

impl ServerPages {
    pub(super) fn read_rows(&self, range: &RowRange, until: Instant) -> Result<Rows, Refused> {
        let table = self.existing(&range.table, until)?;
        let column = self.column(&table, &range.column, until)?;
        let open = self.sources.region_server.open_regions();
        let mut regions: Vec<RegionInfo> =
            open.iter().map(|region| region.info()).filter(|info| info.table == table).cloned().collect();
        regions.sort_by(|a, b| a.start_key.cmp(&b.start_key));
        let row = |written: &str| -> Bytes { from_string_binary(written.as_bytes()).into() };
        let first = row(&range.start);
        let stop = if range.prefix { after_prefix(&first) } else { Bytes::new() };
        let start = first.max(row(&range.from));
        let reading = Reading {
            client: Arc::clone(&self.client),
            regions,
            range: range.clone(),
            column,
            stop,
            begun: Instant::now(),
            time: TIME,
        };
        // Where long calls of clients are carried out too, which have others go first.
        let read = self.long_calls.spawn(reading.read(start));
        self.sources
            .runtime
            .block_on(read)
            .map_err(|error| Refused::Unavailable(format!("the reading was given up: {error}")))?
    }

    fn existing(&self, table: &str, until: Instant) -> Result<TableName, Refused> {
        let schema = self.schema_of(table, until)?;
        if schema.table.state != "ENABLED" {
            let state = schema.table.state.to_lowercase();
            return Err(Refused::Unavailable(format!("the table {table} is {state}: nobody reads its rows")));
        }
        TableName::parse(schema.table.name.as_bytes()).map_err(|error| Refused::BadRequest(error.to_string()))
    }

    /// `family` or `family:qualifier`.
    fn column(&self, table: &TableName, text: &str, until: Instant) -> Result<Option<pb::Column>, Refused> {
        if text.is_empty() {
            return Ok(None);
        }
        let (family, qualifier) =
            text.split_once(':').map_or((text, None), |(family, rest)| (family, Some(rest)));
        let families = self.schema_of(&table.to_string(), until)?.table.families;
        if !families.iter().any(|known| known == family) {
            let known = families.join(", ");
            return Err(Refused::BadRequest(format!("{table} has no family {family}; it has {known}")));
        }
        let bytes = |text: &str| -> Bytes { from_string_binary(text.as_bytes()).into() };
        Ok(Some(pb::Column { family: bytes(family), qualifier: qualifier.map(bytes).into_iter().collect() }))
    }
}

/// The first row that does not begin so; empty if there is none.
fn after_prefix(prefix: &[u8]) -> Bytes {
    let mut row = prefix.to_vec();
    while let Some(last) = row.pop() {
        if last < u8::MAX {
            row.push(last + 1);
            break;
        }
    }
    row.into()
}

/// The first row behind another.
fn behind(row: &[u8]) -> Bytes {
    [row, &[0]].concat().into()
}

/// A page of rows that is read.
struct Reading {
    client: Arc<dyn Channel>,
    /// Sorted.
    regions: Vec<RegionInfo>,
    range: RowRange,
    column: Option<pb::Column>,
    /// The row at which it ends; empty: at the last.
    stop: Bytes,
    begun: Instant,
    time: Duration,
}

impl Reading {
    async fn read(self, mut start: Bytes) -> Result<Rows, Refused> {
        let (mut rows, mut bytes) = (Rows::default(), 0);
        // Each turn has at least one row more, or is in a later region; the time bounds them all.
        let next = loop {
            if rows.rows.len() >= self.range.rows as usize || bytes >= PAGE_BYTES {
                break Some(start);
            }
            if self.begun.elapsed() >= self.time {
                rows.out_of_time = true;
                break Some(start);
            }
            let region = self.region_of(&start)?;
            let wanted = self.range.rows - rows.rows.len() as u32;
            let (response, cells) = self
                .scan(region, &start, wanted)
                .await
                .map_err(|error| Refused::Unavailable(format!("{}: {}", error.class, error.message)))?;
            let results = results(&response, cells).map_err(Refused::Unavailable)?;
            let is_cut = |at: usize| response.partial_flag_per_result.get(at) == Some(&true);
            for (at, cells) in results.iter().enumerate() {
                let Some(first) = cells.iter().next() else { continue };
                start = behind(first.row());
                bytes += cells.bytes().len();
                rows.rows.push(self.row(cells, is_cut(at)));
            }
            if response.heartbeat_message() {
                // Rows up to this one were looked at, and none of them is wanted.
                if let Some(row) = response.cursor.and_then(|cursor| cursor.row).filter(|row| *row > start) {
                    start = row;
                }
            } else if response.more_results_in_region == Some(false) {
                if region.end_key.is_empty() || (!self.stop.is_empty() && self.stop <= region.end_key) {
                    break None;
                }
                start = region.end_key.clone();
            }
        };
        rows.next = next.filter(|row| self.stop.is_empty() || *row < self.stop).map(|row| text(&row));
        rows.took_us = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        Ok(rows)
    }

    fn region_of(&self, row: &Bytes) -> Result<&RegionInfo, Refused> {
        let has = |region: &&RegionInfo| {
            region.start_key <= *row && (region.end_key.is_empty() || *row < region.end_key)
        };
        let closed = || Refused::Unavailable(format!("the region of row {} is not open", text(row)));
        self.regions.iter().find(has).ok_or_else(closed)
    }

    /// One reply of a scanner that is closed with it.
    async fn scan(
        &self,
        region: &RegionInfo,
        start: &Bytes,
        rows: u32,
    ) -> Result<(pb::ScanResponse, Bytes), RpcException> {
        let request = pb::ScanRequest {
            region: Some(convert::specifier_by_name(region)),
            scan: Some(pb::Scan {
                column: self.column.iter().cloned().collect(),
                start_row: Some(start.clone()),
                stop_row: Some(self.stop.clone()),
                max_versions: Some(self.range.versions),
                // One more than are shown: then there are more.
                store_limit: Some(self.range.cells_per_row + 1),
                max_result_size: Some(REPLY_BYTES),
                caching: Some(rows),
                // What people look at is not what clients will ask for next.
                cache_blocks: Some(false),
                need_cursor_result: Some(true),
                allow_partial_results: Some(true),
                ..Default::default()
            }),
            number_of_rows: Some(rows),
            close_scanner: Some(true),
            client_handles_partials: Some(true),
            client_handles_heartbeats: Some(true),
            ..Default::default()
        };
        self.client.call_within(SCAN_TIMEOUT, "Scan", &request, Bytes::new()).await
    }

    fn row(&self, cells: &CellBlock, is_partial: bool) -> Row {
        let most = self.range.cells_per_row as usize;
        let key = cells.iter().next().map(|cell| text(cell.row())).unwrap_or_default();
        let shown = if self.range.rows == 1 { VALUE_BYTES_ALONE } else { VALUE_BYTES };
        Row {
            key,
            cells: cells.iter().take(most).map(|cell| self::cell(&cell, shown)).collect(),
            cut: is_partial || cells.count() > most,
        }
    }
}

fn cell(cell: &Cell<'_>, shown: usize) -> model::Cell {
    let value = cell.value();
    model::Cell {
        column: format!("{}:{}", text(cell.family()), text(cell.qualifier())),
        timestamp: cell.timestamp().unsigned_abs(),
        value: text(value.get(..shown).unwrap_or(value)),
        value_bytes: value.len() as u64,
        cut: value.len() > shown,
    }
}

/// The results of a reply, however they came.
fn results(response: &pb::ScanResponse, mut cells: Bytes) -> Result<Vec<CellBlock>, String> {
    let mut found = Vec::new();
    for count in &response.cells_per_result {
        let block = CellBlock::take(&mut cells, *count as usize).map_err(|error| error.to_string())?;
        found.push(block);
    }
    for result in &response.results {
        found.push(convert::decode_result(result, &mut cells).map_err(|error| error.to_string())?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
