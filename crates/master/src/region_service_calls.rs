//! Calls to region servers.

use std::time::Duration;

use bytes::Bytes;
use finback_cell::{RegionInfo, ServerName};
use finback_proto::{Message, convert, pb};
use finback_rpc::{Channel, ChannelExt, RpcException};
use pb::{get_region_info_response::CompactionState, open_region_request::RegionOpenInfo};

use crate::{
    action::{Outcome, Output},
    meta_row::MetaContents,
    meta_scan,
    namespace_table::NamespaceContents,
    options::Connect,
    system_tables::{INFO, TABLE},
};

/// How long a region server may take for a call, as `hbase.rpc.timeout`.
pub(crate) const CALL_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a flush may take: it waits for others and for the disk.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(600);

/// One atomic change of rows of hbase:meta.
pub(crate) async fn write_meta(
    connect: &Connect,
    server: &ServerName,
    mutations: Vec<pb::MutationProto>,
) -> Outcome {
    let meta = RegionInfo::meta();
    let request = pb::MutateRowsRequest { mutation_request: mutations, ..Default::default() };
    let call = pb::CoprocessorServiceRequest {
        region: convert::specifier_by_name(&meta),
        call: pb::CoprocessorServiceCall {
            row: Bytes::new(),
            service_name: "MultiRowMutationService".to_owned(),
            method_name: "MutateRows".to_owned(),
            request: request.encode_to_vec().into(),
        },
    };
    let client = connect(server, "ClientService");
    call_only::<_, pb::CoprocessorServiceResponse>(&*client, CALL_TIMEOUT, "ExecService", &call).await
}

/// All of hbase:meta.
pub(crate) async fn scan_meta(connect: &Connect, server: &ServerName) -> Outcome {
    let mut contents = MetaContents::default();
    let client = connect(server, "ClientService");
    let (meta, families) = (RegionInfo::meta(), [INFO, TABLE]);
    meta_scan::scan(&*client, &meta, &families, |row| contents.add(row)).await?;
    let newest = meta_scan::newest_timestamp(&*client, &meta, &families).await?;
    contents.newest_timestamp = contents.newest_timestamp.max(newest);
    Ok(Output::Meta(contents))
}

/// All of hbase:namespace.
pub(crate) async fn scan_namespaces(connect: &Connect, regions: &[(ServerName, RegionInfo)]) -> Outcome {
    let mut contents = NamespaceContents::default();
    for (server, region) in regions {
        let client = connect(server, "ClientService");
        meta_scan::scan(&*client, region, &[INFO], |row| contents.add(row)).await?;
        let newest = meta_scan::newest_timestamp(&*client, region, &[INFO]).await?;
        contents.newest_timestamp = contents.newest_timestamp.max(newest);
    }
    Ok(Output::Namespaces(contents))
}

/// A change of one row.
pub(crate) async fn mutate(
    connect: &Connect,
    server: &ServerName,
    region: &RegionInfo,
    mutation: pb::MutationProto,
) -> Outcome {
    let request =
        pb::MutateRequest { region: convert::specifier_by_name(region), mutation, ..Default::default() };
    let client = connect(server, "ClientService");
    call_only::<_, pb::MutateResponse>(&*client, CALL_TIMEOUT, "Mutate", &request).await
}

/// Asks for regions to be opened.
pub(crate) async fn open_regions(
    connect: &Connect,
    server: &ServerName,
    regions: &[(RegionInfo, u64)],
    master_time: u64,
) -> Outcome {
    let open_info = |(region, id): &(RegionInfo, u64)| RegionOpenInfo {
        region: region.into(),
        open_proc_id: i64::try_from(*id).ok(),
        ..Default::default()
    };
    let open = pb::OpenRegionRequest {
        open_info: regions.iter().map(open_info).collect(),
        server_start_code: Some(server.start_code),
        master_system_time: Some(master_time),
        ..Default::default()
    };
    let request = pb::ExecuteProceduresRequest { open_region: vec![open], ..Default::default() };
    execute_procedures(connect, server, &request).await
}

/// Asks for regions to be closed.
pub(crate) async fn close_regions(
    connect: &Connect,
    server: &ServerName,
    regions: &[(RegionInfo, u64)],
    opened_here: bool,
) -> Outcome {
    let close = |(region, id): &(RegionInfo, u64)| pb::CloseRegionRequest {
        region: convert::specifier_by_name(region),
        server_start_code: Some(server.start_code),
        close_proc_id: i64::try_from(*id).ok(),
        destination_server: opened_here.then(|| server.into()),
        ..Default::default()
    };
    let close_region = regions.iter().map(close).collect();
    let request = pb::ExecuteProceduresRequest { close_region, ..Default::default() };
    execute_procedures(connect, server, &request).await
}

async fn execute_procedures(
    connect: &Connect,
    server: &ServerName,
    request: &pb::ExecuteProceduresRequest,
) -> Outcome {
    let admin = connect(server, "AdminService");
    call_only::<_, pb::ExecuteProceduresResponse>(&*admin, CALL_TIMEOUT, "ExecuteProcedures", request).await
}

/// Flushes a region, or one family, as a part of the flush of its table. HBase's servers report when that is done; ours
/// answer then.
pub(crate) async fn flush_region(
    connect: &Connect,
    server: &ServerName,
    region: &RegionInfo,
    family: Option<Bytes>,
) -> Outcome {
    let parameter =
        pb::FlushRegionParameter { region: region.into(), column_family: family.into_iter().collect() };
    let procedure = pb::RemoteProcedureRequest {
        proc_class: "org.apache.hadoop.hbase.regionserver.FlushRegionCallable".to_owned(),
        proc_data: Some(parameter.encode_to_vec().into()),
        ..Default::default()
    };
    let request = pb::ExecuteProceduresRequest { proc: vec![procedure], ..Default::default() };
    let admin = connect(server, "AdminService");
    call_only::<_, pb::ExecuteProceduresResponse>(&*admin, FLUSH_TIMEOUT, "ExecuteProcedures", &request).await
}

/// Where the store files of a region are.
pub(crate) async fn store_files(
    connect: &Connect,
    server: &ServerName,
    region: &RegionInfo,
) -> Result<Vec<String>, RpcException> {
    let request =
        pb::GetStoreFileRequest { region: convert::specifier_by_name(region), ..Default::default() };
    let admin = connect(server, "AdminService");
    let (answer, _): (pb::GetStoreFileResponse, _) =
        admin.call_within(CALL_TIMEOUT, "GetStoreFile", &request, Bytes::new()).await?;
    Ok(answer.store_file)
}

/// What a server says of a region: whether it can be split and merged, and, if wanted, where to split it.
pub(crate) async fn region_info(
    connect: &Connect,
    server: &ServerName,
    region: &RegionInfo,
    best_split_row: bool,
) -> Result<pb::GetRegionInfoResponse, RpcException> {
    let request = pb::GetRegionInfoRequest {
        region: convert::specifier_by_name(region),
        best_split_row: Some(best_split_row),
        ..Default::default()
    };
    // Finding a row to split at may take a flush.
    let timeout = if best_split_row { FLUSH_TIMEOUT } else { CALL_TIMEOUT };
    let admin = connect(server, "AdminService");
    let (answer, _) = admin.call_within(timeout, "GetRegionInfo", &request, Bytes::new()).await?;
    Ok(answer)
}

/// Asks for a compaction of all files of a family, as somebody does who does not wait for it.
pub(crate) async fn compact_family(
    connect: &Connect,
    server: &ServerName,
    region: &RegionInfo,
    family: Bytes,
) -> Outcome {
    let region = convert::specifier_by_name(region);
    let request = pb::CompactRegionRequest { region, major: Some(true), family: Some(family) };
    let admin = connect(server, "AdminService");
    call_only::<_, pb::CompactRegionResponse>(&*admin, CALL_TIMEOUT, "CompactRegion", &request).await
}

/// What compactions of a region wait or are under way.
pub(crate) async fn compaction_state(
    connect: &Connect,
    server: &ServerName,
    region: &RegionInfo,
) -> Result<CompactionState, RpcException> {
    let request = pb::GetRegionInfoRequest {
        region: convert::specifier_by_name(region),
        compaction_state: Some(true),
        ..Default::default()
    };
    let admin = connect(server, "AdminService");
    let (answer, _): (pb::GetRegionInfoResponse, _) =
        admin.call_within(CALL_TIMEOUT, "GetRegionInfo", &request, Bytes::new()).await?;
    Ok(answer.compaction_state())
}

async fn call_only<Req: Message, Resp: Message + Default>(
    channel: &dyn Channel,
    timeout: Duration,
    method: &'static str,
    request: &Req,
) -> Outcome {
    let answered: Result<(Resp, Bytes), RpcException> =
        channel.call_within(timeout, method, request, Bytes::new()).await;
    answered.map(|_| Output::Done)
}
