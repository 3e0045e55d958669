//! `AggregateService`: maximum, minimum, sum, count, mean, deviation and median of what a region has of a scan. A table has
//! it that names HBase's AggregateImplementation among its coprocessors; the client puts the parts of the regions together.

use crate::get::{CELLS_PER_TURN, decode_filter, next};
use crate::read_memory::{ReadMemory, TURN_BYTES};
use crate::server::RegionServer;
use finback_cell::Cell;
use finback_proto::convert::{self, DecodedScan};
use finback_proto::{Message, footprint, pb};
use finback_region::{Region, ScanLimits, ScanOutput, ScanStop};
use finback_rpc::{Call, RpcException, exceptions};

mod interpreter;
mod tally;

use interpreter::Interpreter;
use tally::Tally;

/// The class that a table names to have the service.
const IMPLEMENTATION: &str = "org.apache.hadoop.hbase.coprocessor.AggregateImplementation";

/// Rows that are taken from the scanner together.
const ROWS_AT_ONCE: usize = 1000;

/// Whether the region's table has the service: an attribute `coprocessor$1` of `path|class|priority|arguments`.
pub(crate) fn is_installed(region: &Region) -> bool {
    let names_it = |(key, value): &(finback_cell::Bytes, finback_cell::Bytes)| {
        let is_coprocessor = key.to_ascii_lowercase().starts_with(b"coprocessor$");
        is_coprocessor
            && value.split(|&byte| byte == b'|').nth(1).map(<[u8]>::trim_ascii)
                == Some(IMPLEMENTATION.as_bytes())
    };
    region.table().attributes.iter().any(names_it)
}

/// Carries out one of the service's methods; the encoded AggregateResponse.
pub(crate) async fn aggregate(
    server: &RegionServer,
    region: &Region,
    call: &Call,
    method: &str,
    request: &finback_cell::Bytes,
) -> Result<Vec<u8>, RpcException> {
    let request: pb::AggregateRequest =
        footprint::decode(request.clone()).map_err(|error| exceptions::do_not_retry(error.to_string()))?;
    let answer = answer_of(method)?;
    let interpreter = Interpreter::of(&request.interpreter_class_name)?;
    let mut decoded = convert::decode_scan(request.scan)?;
    let counts_rows = method == "GetRowNum";
    let columns = match (&decoded.scan.families[..], counts_rows) {
        ([family, ..], _) => family.qualifiers.clone().unwrap_or_default(),
        ([], true) => Vec::new(),
        ([], false) => return Err(exceptions::do_not_retry("an aggregation without a family")),
    };
    let mut filter = decode_filter(decoded.filter.take())?;
    if counts_rows && filter.is_none() && columns.is_empty() {
        // One cell of each row is enough.
        let first = "org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter";
        filter =
            Some(finback_filter::decode(first, &[]).map_err(|e| exceptions::do_not_retry(e.to_string()))?);
    }
    // As HBase's client has it, the second column of a median has weights.
    let weights = columns.last().filter(|_| method == "GetMedian" && columns.len() > 1);
    let mut tally = Tally::new(interpreter, weights.cloned());
    read(server, region, call, decoded, filter, |row| tally.row(row)).await?;
    Ok(answer(&tally).encode_to_vec())
}

type Answer = fn(&Tally) -> pb::AggregateResponse;

fn answer_of(method: &str) -> Result<Answer, RpcException> {
    Ok(match method {
        "GetMax" => Tally::max,
        "GetMin" => Tally::min,
        "GetSum" => Tally::sum,
        "GetRowNum" => Tally::row_count,
        "GetAvg" => Tally::mean,
        "GetStd" => Tally::deviation,
        "GetMedian" => Tally::median,
        other => {
            return Err(exceptions::unknown_protocol(format!("Unknown method {other} in AggregateService")));
        }
    })
}

/// Hands over the region's rows of a scan, one after the other.
async fn read(
    server: &RegionServer,
    region: &Region,
    call: &Call,
    decoded: DecodedScan,
    filter: Option<Box<dyn finback_filter::Filter>>,
    mut row: impl FnMut(&[Cell<'_>]),
) -> Result<(), RpcException> {
    let limits = ScanLimits {
        results: ROWS_AT_ONCE,
        bytes: TURN_BYTES,
        budget: CELLS_PER_TURN,
        turn_bytes: TURN_BYTES,
        ..ScanLimits::NONE
    };
    let mut scanner =
        region.scanner(&decoded.scan, filter).map_err(|error| crate::exceptions::exception(&error))?;
    let (mut out, mut memory) = (ScanOutput::default(), ReadMemory::within(server));
    loop {
        let stop = next(server, &mut scanner, &mut out, &limits, &mut memory).await?;
        memory.hold(memory.of(&out, &scanner)).await?;
        if call.connection.is_closed() {
            return Err(exceptions::io("the client has gone"));
        }
        if region.is_closing() {
            return Err(exceptions::not_serving_region(region.name().escape_ascii().to_string()));
        }
        if stop == ScanStop::Budget {
            // In the middle of a row, perhaps.
            memory.check_row(out.cells.len())?;
            tokio::task::yield_now().await;
            continue;
        }
        let cells: Vec<Cell<'_>> = out.cells().collect();
        let mut rest = &cells[..];
        for &count in &out.counts {
            let (one, others) = rest.split_at(count as usize);
            row(one);
            rest = others;
        }
        if matches!(stop, ScanStop::Exhausted | ScanStop::FilterDone) {
            return Ok(());
        }
        out.clear();
        tokio::task::yield_now().await;
    }
}
