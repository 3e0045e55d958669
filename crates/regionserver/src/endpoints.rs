//! `ExecService`: the endpoints of a region. HBase's own that clients rely on are built in; there is no JVM for others.

use crate::server::RegionServer;
use crate::{aggregate, multi_row, row_count};
use finback_cell::{Bytes, coprocessor};
use finback_proto::pb;
use finback_region::Region;
use finback_rpc::{Call, CallKind, Reply, RpcException, exceptions};
use std::sync::Arc;

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
    call: Call,
    method: &str,
    message: &Bytes,
) -> Result<Vec<u8>, RpcException> {
    let turn = server.handlers.turn_before_deadline(&call, CallKind::Scan).await?;
    let (server, region) = (Arc::clone(server), Arc::clone(region));
    let (method, message) = (method.to_owned(), message.clone());
    turn.run(async move {
        match reader {
            Reader::Aggregate => aggregate::aggregate(&server, &region, &call, &method, &message).await,
            Reader::RowCount => row_count::count(&server, &region, &call, &method).await,
        }
    })
    .await
}

/// Answers `ExecService`.
pub(crate) async fn exec_service(server: Arc<RegionServer>, call: Call) -> Result<Reply, RpcException> {
    let request: pb::CoprocessorServiceRequest = call.decode()?;
    let region = server.regions.find(&request.region)?;
    let pb::CoprocessorServiceCall { service_name, method_name: method, request: message, .. } =
        &request.call;
    // Services of HBase's own package go by their short or full name.
    let short = service_name.strip_prefix("hbase.pb.").unwrap_or(service_name);
    let (name, value) = match (short, method.as_str()) {
        ("MultiRowMutationService", "MutateRows") => {
            let response = multi_row::mutate_rows(&server, &region, message, call.deadline).await?;
            (format!("{MESSAGES}MultiRowMutationProtos$MutateRowsResponse"), response)
        }
        ("AggregateService", method) if has(&region, coprocessor::AGGREGATE) => {
            let response = read(Reader::Aggregate, &server, &region, call, method, message).await?;
            (format!("{MESSAGES}AggregateProtos$AggregateResponse"), response)
        }
        ("RowCountService", method) if has(&region, coprocessor::ROW_COUNT) => {
            let response = read(Reader::RowCount, &server, &region, call, method, message).await?;
            (format!("{EXAMPLES}ExampleProtos$CountResponse"), response)
        }
        _ => {
            return Err(exceptions::unknown_protocol(format!(
                "No registered coprocessor service found for {service_name} in region {}",
                region.name().escape_ascii()
            )));
        }
    };
    let value = pb::NameBytesPair { name, value: Some(value.into()) };
    Ok(Reply::new(&pb::CoprocessorServiceResponse { region: request.region, value }))
}

/// Answers `ExecRegionServerService`: endpoints of the server itself, of which there is none.
pub(crate) fn exec_region_server_service(call: &Call) -> Result<Reply, RpcException> {
    let request: pb::CoprocessorServiceRequest = call.decode()?;
    let service = request.call.service_name;
    Err(exceptions::unknown_protocol(format!(
        "No registered coprocessor executorService found for {service}"
    )))
}
