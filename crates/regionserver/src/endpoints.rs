//! `ExecService`: the endpoints of a region. HBase's own that clients rely on are built in; there is no JVM for others.

use crate::server::RegionServer;
use crate::{aggregate, multi_row, row_count};
use finback_cell::{Bytes, Shortened, coprocessor};
use finback_proto::pb;
use finback_region::Region;
use finback_rpc::{Call, CallKind, Reply, RpcException, exceptions};
use std::sync::Arc;

/// The endpoint that writes.
const MULTI_ROW: &str = "MultiRowMutationService";

/// Where HBase has the messages of its endpoints.
const MESSAGES: &str = "org.apache.hadoop.hbase.shaded.protobuf.generated.";

/// And those of its examples.
const EXAMPLES: &str = "org.apache.hadoop.hbase.coprocessor.example.generated.";

/// Whether the region's table names a class among its coprocessors.
pub(crate) fn has(region: &Region, class: &str) -> bool {
    region.table().coprocessors().any(|named| named == class)
}

/// An endpoint that reads a range.
#[derive(Clone, Copy)]
enum Reader {
    Aggregate,
    RowCount,
}

/// Reads a range, in its turn.
async fn read(
    reader: Reader,
    server: &Arc<RegionServer>,
    region: &Arc<Region>,
    (call, has_turn): (&Call, bool),
    method: &str,
    message: &Bytes,
) -> Result<Vec<u8>, RpcException> {
    let (server, region, call) = (Arc::clone(server), Arc::clone(region), call.clone());
    let (method, message) = (method.to_owned(), message.clone());
    let (waiting_server, waiting_call) = (Arc::clone(&server), call.clone());
    let reading = async move {
        match reader {
            Reader::Aggregate => aggregate::aggregate(&server, &region, &call, &method, &message).await,
            Reader::RowCount => row_count::count(&server, &region, &call, &method).await,
        }
    };
    if has_turn {
        return reading.await;
    }
    let turn = waiting_server.handlers.turn_before_deadline(&waiting_call, CallKind::Scan).await?;
    turn.run(reading).await
}

/// Services of HBase's own package go by their short or full name.
fn short_name(service: &pb::CoprocessorServiceCall) -> &str {
    service.service_name.strip_prefix("hbase.pb.").unwrap_or(&service.service_name)
}

/// Whether a call waits for locks and the log, and not for reads.
pub(crate) fn writes(service: &pb::CoprocessorServiceCall) -> bool {
    short_name(service) == MULTI_ROW
}

/// Answers `ExecService`.
pub(crate) async fn exec_service(server: Arc<RegionServer>, call: Call) -> Result<Reply, RpcException> {
    let request: pb::CoprocessorServiceRequest = call.decode()?;
    let region = server.regions.find(&request.region)?;
    let value = carry_out(&server, &region, (&call, false), &request.call).await?;
    Ok(Reply::new(&pb::CoprocessorServiceResponse { region: request.region, value }))
}

/// Calls an endpoint of a region, as a call or a part of one, which may have its turn already.
pub(crate) async fn carry_out(
    server: &Arc<RegionServer>,
    region: &Arc<Region>,
    call: (&Call, bool),
    service: &pb::CoprocessorServiceCall,
) -> Result<pb::NameBytesPair, RpcException> {
    let pb::CoprocessorServiceCall { service_name, method_name: method, request: message, .. } = service;
    let (name, value) = match (short_name(service), method.as_str()) {
        (MULTI_ROW, "MutateRows") => {
            let response = multi_row::mutate_rows(server, region, message, call.0.deadline).await?;
            (format!("{MESSAGES}MultiRowMutationProtos$MutateRowsResponse"), response)
        }
        ("AggregateService", method) if has(region, coprocessor::AGGREGATE) => {
            let response = read(Reader::Aggregate, server, region, call, method, message).await?;
            (format!("{MESSAGES}AggregateProtos$AggregateResponse"), response)
        }
        ("RowCountService", method) if has(region, coprocessor::ROW_COUNT) => {
            let response = read(Reader::RowCount, server, region, call, method, message).await?;
            (format!("{EXAMPLES}ExampleProtos$CountResponse"), response)
        }
        _ => {
            return Err(exceptions::unknown_protocol(format!(
                "No registered coprocessor service found for {service_name} in region {}",
                Shortened(region.name())
            )));
        }
    };
    Ok(pb::NameBytesPair { name, value: Some(value.into()) })
}

/// Answers `ExecRegionServerService`: endpoints of the server itself, of which there is none.
pub(crate) fn exec_region_server_service(call: &Call) -> Result<Reply, RpcException> {
    let request: pb::CoprocessorServiceRequest = call.decode()?;
    let service = request.call.service_name;
    Err(exceptions::unknown_protocol(format!(
        "No registered coprocessor executorService found for {service}"
    )))
}
