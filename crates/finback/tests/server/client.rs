//! What tests ask of a server, over its sockets.

use bytes::Bytes;
use finback_cell::{CellBlock, ColumnFamilyDescriptor, RegionInfo, TableDescriptor, TableName};
use finback_proto::pb::mutation_proto::{ColumnValue, MutationType, column_value::QualifierValue};
use finback_proto::{Message, convert, pb};
use finback_rpc::{ChannelExt, ConnectOptions, RpcException, SocketChannel};
use std::net::SocketAddr;
use std::time::Duration;

use crate::running_server::{LONG, RunningServer};

/// Family of all tables here.
pub(crate) const FAMILY: &[u8] = b"f";
/// The only column.
pub(crate) const QUALIFIER: &[u8] = b"q";

type Answer<T> = Result<T, RpcException>;

/// Connections to the services of a server.
pub(crate) struct Client {
    master: SocketChannel,
    data: SocketChannel,
    admin: SocketChannel,
}

pub(crate) async fn connect(address: SocketAddr, service: &str) -> SocketChannel {
    let options = ConnectOptions { service: service.to_owned(), user: "tester".to_owned() };
    SocketChannel::connect(address, &options).await.unwrap()
}

impl Client {
    pub(crate) async fn of(server: &RunningServer) -> Self {
        Self::at(server.master(), server.regionserver()).await
    }

    pub(crate) async fn at(master: SocketAddr, regionserver: SocketAddr) -> Self {
        Self {
            master: connect(master, "MasterService").await,
            data: connect(regionserver, "ClientService").await,
            admin: connect(regionserver, "AdminService").await,
        }
    }

    pub(crate) async fn ask_master<Q: Message, A: Message + Default>(
        &self,
        method: &'static str,
        request: &Q,
    ) -> Answer<A> {
        self.master.call_within(LONG, method, request, Bytes::new()).await.map(|(answer, _)| answer)
    }

    pub(crate) async fn ask_admin<Q: Message, A: Message + Default>(
        &self,
        method: &'static str,
        request: &Q,
    ) -> Answer<A> {
        self.admin.call_within(LONG, method, request, Bytes::new()).await.map(|(answer, _)| answer)
    }

    pub(crate) async fn ask<Q: Message, A: Message + Default>(
        &self,
        method: &'static str,
        request: &Q,
    ) -> Answer<(A, Bytes)> {
        self.data.call_within(LONG, method, request, Bytes::new()).await
    }

    /// Creates a table of one family, and waits for it.
    pub(crate) async fn create_table(&self, name: &str) -> Table<'_> {
        let created: pb::CreateTableResponse =
            self.ask_master("CreateTable", &create_request(name)).await.unwrap();
        self.procedure(created.proc_id()).await.unwrap();
        self.table(name).await
    }

    pub(crate) async fn disable_table(&self, name: &str) {
        let request = pb::DisableTableRequest { table_name: table_name(name), ..Default::default() };
        let disabled: pb::DisableTableResponse = self.ask_master("DisableTable", &request).await.unwrap();
        self.procedure(disabled.proc_id()).await.unwrap();
    }

    /// Of a table that is disabled.
    pub(crate) async fn delete_table(&self, name: &str) {
        let request = pb::DeleteTableRequest { table_name: table_name(name), ..Default::default() };
        let deleted: pb::DeleteTableResponse = self.ask_master("DeleteTable", &request).await.unwrap();
        self.procedure(deleted.proc_id()).await.unwrap();
    }

    /// Waits for the end of a procedure; the text of its exception, if it failed.
    pub(crate) async fn procedure(&self, proc_id: u64) -> Result<(), String> {
        loop {
            let request = pb::GetProcedureResultRequest { proc_id };
            let result: pb::GetProcedureResultResponse =
                self.ask_master("getProcedureResult", &request).await.unwrap();
            if result.state() != pb::get_procedure_result_response::State::Running {
                return result.exception.map_or(Ok(()), |exception| Err(format!("{exception:?}")));
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// The only region of a table that exists, when it is open.
    pub(crate) async fn table(&self, name: &str) -> Table<'_> {
        let wanted = TableName::parse(name.as_bytes()).unwrap();
        let asking = async {
            loop {
                let request = pb::GetOnlineRegionRequest::default();
                let online: pb::GetOnlineRegionResponse =
                    self.ask_admin("GetOnlineRegion", &request).await.unwrap();
                let mut infos = online.region_info.iter().map(|region| RegionInfo::try_from(region).unwrap());
                if let Some(info) = infos.find(|info| info.table == wanted) {
                    return convert::specifier_by_name(&info);
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let region = tokio::time::timeout(LONG, asking).await.expect("the table is not served");
        Table { client: self, region }
    }
}

/// A table of one region.
pub(crate) struct Table<'a> {
    pub(crate) client: &'a Client,
    pub(crate) region: pb::RegionSpecifier,
}

impl Table<'_> {
    pub(crate) async fn put(&self, row: &str, value: &[u8]) -> Answer<()> {
        let request = put_request(self.region.clone(), row, FAMILY, value);
        self.client.ask("Mutate", &request).await.map(|(_, _): (pb::MutateResponse, _)| ())
    }

    /// Adds one to a row's counter; gives back the sum.
    pub(crate) async fn increment(&self, row: &str, nonce_group: u64, nonce: u64) -> Answer<i64> {
        let mut request = put_request(self.region.clone(), row, FAMILY, &1i64.to_be_bytes());
        request.mutation.mutate_type = Some(MutationType::Increment.into());
        request.mutation.nonce = Some(nonce);
        request.nonce_group = Some(nonce_group);
        let (response, mut block): (pb::MutateResponse, _) = self.client.ask("Mutate", &request).await?;
        let cells = convert::decode_result(&response.result.unwrap_or_default(), &mut block).unwrap();
        Ok(counter(cells.iter().next().expect("a sum").value()))
    }

    /// The value of a row, if there is one.
    pub(crate) async fn get(&self, row: &str) -> Answer<Option<Vec<u8>>> {
        let request = get_request(self.region.clone(), row);
        let (response, mut block): (pb::GetResponse, _) = self.client.ask("Get", &request).await?;
        let cells = convert::decode_result(&response.result.unwrap_or_default(), &mut block).unwrap();
        Ok(cells.iter().next().map(|cell| cell.value().to_vec()))
    }

    pub(crate) async fn flush(&self) -> Answer<pb::FlushRegionResponse> {
        let request = pb::FlushRegionRequest { region: self.region.clone(), ..Default::default() };
        self.client.ask_admin("FlushRegion", &request).await
    }

    /// All rows, by one scan.
    pub(crate) async fn rows(&self) -> Vec<String> {
        let mut request = pb::ScanRequest {
            region: Some(self.region.clone()),
            scan: Some(pb::Scan::default()),
            number_of_rows: Some(1000),
            ..Default::default()
        };
        let mut rows = Vec::new();
        loop {
            let (response, block): (pb::ScanResponse, _) = self.client.ask("Scan", &request).await.unwrap();
            let cells = CellBlock::parse(block).unwrap();
            rows.extend(cells.iter().map(|cell| String::from_utf8(cell.row().to_vec()).unwrap()));
            if !response.more_results_in_region() {
                return rows;
            }
            request = pb::ScanRequest {
                scanner_id: response.scanner_id,
                number_of_rows: Some(1000),
                ..Default::default()
            };
        }
    }
}

/// The number in a counter's value.
pub(crate) fn counter(value: &[u8]) -> i64 {
    i64::from_be_bytes(value.try_into().unwrap())
}

pub(crate) fn table_name(name: &str) -> pb::TableName {
    (&TableName::parse(name.as_bytes()).unwrap()).into()
}

pub(crate) fn create_request(name: &str) -> pb::CreateTableRequest {
    let mut table = TableDescriptor::new(TableName::parse(name.as_bytes()).unwrap());
    table.families = vec![ColumnFamilyDescriptor::with_defaults(FAMILY)];
    pb::CreateTableRequest { table_schema: (&table).into(), ..Default::default() }
}

pub(crate) fn put_request(
    region: pb::RegionSpecifier,
    row: &str,
    family: &'static [u8],
    value: &[u8],
) -> pb::MutateRequest {
    let value = QualifierValue {
        qualifier: Some(QUALIFIER.into()),
        value: Some(Bytes::copy_from_slice(value)),
        ..Default::default()
    };
    let mutation = pb::MutationProto {
        row: Some(Bytes::copy_from_slice(row.as_bytes())),
        mutate_type: Some(MutationType::Put.into()),
        column_value: vec![ColumnValue { family: family.into(), qualifier_value: vec![value] }],
        ..Default::default()
    };
    pb::MutateRequest { region, mutation, ..Default::default() }
}

pub(crate) fn get_request(region: pb::RegionSpecifier, row: &str) -> pb::GetRequest {
    let get = pb::Get { row: Bytes::copy_from_slice(row.as_bytes()), ..Default::default() };
    pb::GetRequest { region, get }
}
