//! Procedures that a master has its region servers carry out (`ExecuteProcedures`), named by HBase's classes. Where HBase's
//! servers answer at once and report later, these answer when it is done.

use crate::exceptions::exception;
use crate::server::RegionServer;
use crate::splitter;
use finback_cell::RegionInfo;
use finback_proto::{Message, convert, pb};
use finback_rpc::{RpcException, exceptions};
use std::sync::Arc;
use std::time::Instant;

/// HBase's class of the flush of a region as a part of the flush of its table.
const FLUSH_REGION: &str = "org.apache.hadoop.hbase.regionserver.FlushRegionCallable";

pub(crate) async fn carry_out(
    server: &Arc<RegionServer>,
    procedure: pb::RemoteProcedureRequest,
) -> Result<(), RpcException> {
    match procedure.proc_class.as_str() {
        FLUSH_REGION => flush_region(server, procedure.proc_data()).await,
        other => Err(exceptions::unsupported_operation(other)),
    }
}

/// Flushes a region, or some of its families. As in HBase no compaction is asked for afterwards, other than when a region is
/// flushed by itself: the next look at the stores finds what is to be compacted.
async fn flush_region(server: &Arc<RegionServer>, parameter: &[u8]) -> Result<(), RpcException> {
    let parameter = pb::FlushRegionParameter::decode(parameter)
        .map_err(|error| exceptions::do_not_retry(format!("malformed parameter of a flush: {error}")))?;
    let info = RegionInfo::try_from(&parameter.region)?;
    let region = server.regions.find(&convert::specifier_by_name(&info))?;
    let families: Vec<Vec<u8>> = parameter.column_family.iter().map(|family| family.to_vec()).collect();
    let flushing = Arc::clone(&region);
    let (memory_bytes, begun) = (region.memstore_bytes(), Instant::now());
    let flushed =
        tokio::task::spawn_blocking(move || flushing.flush((!families.is_empty()).then_some(&families[..])));
    let flushed = flushed.await.map_err(|error| exceptions::io(format!("flush panicked: {error}")))?;
    let outcome = flushed.map_err(|error| exception(&error))?;
    server.flushed(&region, memory_bytes, &outcome, begun.elapsed());
    let server = Arc::clone(server);
    // Nobody waits for that.
    tokio::spawn(async move { splitter::look_at(&server, &region).await });
    Ok(())
}
