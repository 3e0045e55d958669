//! `MultiRowMutationService`: mutations of several rows of one region, all or none. Built in for every table.

use crate::condition;
use crate::mutate::atomically;
use crate::server::RegionServer;
use finback_cell::Bytes;
use finback_proto::{Message, convert, footprint, pb};
use finback_region::Region;
use finback_rpc::{Call, Reply, RpcException, exceptions};
use std::sync::Arc;
use std::time::Instant;

const SERVICE: &str = "MultiRowMutationService";

/// Answers `ExecService`: the built-in endpoints of a region.
pub(crate) async fn exec_service(server: Arc<RegionServer>, call: Call) -> Result<Reply, RpcException> {
    let request: pb::CoprocessorServiceRequest = call.decode()?;
    let region = server.regions.find(&request.region)?;
    let (service, method) = (&request.call.service_name, &request.call.method_name);
    // Services of HBase's own package go by their short or full name.
    let short = service.strip_prefix("hbase.pb.").unwrap_or(service);
    let (class, value) = match (short, method.as_str()) {
        (SERVICE, "MutateRows") => {
            let response = mutate_rows(&server, &region, &request.call.request, call.deadline).await?;
            (
                "org.apache.hadoop.hbase.shaded.protobuf.generated.MultiRowMutationProtos$MutateRowsResponse",
                response,
            )
        }
        _ => {
            return Err(exceptions::unknown_protocol(format!(
                "No registered coprocessor service found for {service} in region {}",
                region.name().escape_ascii()
            )));
        }
    };
    let response = pb::CoprocessorServiceResponse {
        region: request.region,
        value: pb::NameBytesPair { name: class.to_owned(), value: Some(value.into()) },
    };
    Ok(Reply::new(&response))
}

async fn mutate_rows(
    server: &RegionServer,
    region: &Region,
    request: &Bytes,
    deadline: Option<Instant>,
) -> Result<Vec<u8>, RpcException> {
    let request: pb::MutateRowsRequest =
        footprint::decode(request.clone()).map_err(|error| exceptions::do_not_retry(error.to_string()))?;
    let conditions = request.condition.into_iter().map(condition::decode).collect::<Result<Vec<_>, _>>()?;
    let group = request.nonce_group.unwrap_or(0);
    let mutations = request
        .mutation_request
        .into_iter()
        .map(|mutation| convert::decode_mutation(mutation, &mut Bytes::new(), group))
        .collect::<Result<Vec<_>, _>>()?;
    let outcome = atomically(server, region, conditions, mutations, deadline).await?;
    Ok(pb::MutateRowsResponse { processed: Some(outcome.applied) }.encode_to_vec())
}
