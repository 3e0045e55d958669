//! `RowCountService` of HBase's examples: how many rows, or cells, a region has. A table has it that names HBase's
//! RowCountEndpoint among its coprocessors.

use crate::endpoint_scan::read_rows;
use crate::server::RegionServer;
use finback_cell::Scan;
use finback_proto::{Message, pb};
use finback_region::Region;
use finback_rpc::{Call, RpcException, exceptions};

/// Carries out one of the service's methods; the encoded CountResponse.
pub(crate) async fn count(
    server: &RegionServer,
    region: &Region,
    call: &Call,
    method: &str,
) -> Result<Vec<u8>, RpcException> {
    // One cell of each row is enough.
    let first = || finback_filter::decode("org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter", &[]);
    let filter = match method {
        "getRowCount" => Some(first().map_err(|error| exceptions::do_not_retry(error.to_string()))?),
        "getKeyValueCount" => None,
        other => {
            return Err(exceptions::unknown_protocol(format!("Unknown method {other} in RowCountService")));
        }
    };
    let mut cells = 0;
    read_rows(server, region, call, &Scan::default(), filter, |row| cells += row.len()).await?;
    let count = i64::try_from(cells).unwrap_or(i64::MAX);
    Ok(pb::CountResponse { count }.encode_to_vec())
}
