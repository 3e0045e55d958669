//! `AggregateService`: maximum, minimum, sum, count, mean, deviation and median of what a region has of a scan. A table has
//! it that names HBase's AggregateImplementation among its coprocessors; the client puts the parts of the regions together.

use crate::endpoint_scan::read_rows;
use crate::get::decode_filter;
use crate::server::RegionServer;
use finback_proto::{Message, convert, footprint, pb};
use finback_region::Region;
use finback_rpc::{Call, RpcException, exceptions};

mod decimal;
mod interpreter;
mod tally;

use interpreter::Interpreter;
use tally::Tally;

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
    // As in HBase the server's default is for clients' scans.
    decoded.scan.load_column_families_on_demand.get_or_insert(false);
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
    read_rows(server, region, call, &decoded.scan, filter, |row| tally.row(row)).await?;
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
