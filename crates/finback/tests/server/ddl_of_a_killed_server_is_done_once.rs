//! SIGKILL under DDL, again and again. The client that was told an id asks how it ended; the one that was told nothing sends
//! its request again, with the same nonce. Either way each operation is carried out, once, and no row is lost.

use crate::client::{Client, FAMILY, Table, put_request};
use crate::running_server::{Place, RunningServer};
use bytes::Bytes;
use finback_cell::{ColumnFamilyDescriptor, RegionInfo, TableDescriptor, TableName};
use finback_proto::{convert, pb};
use finback_rpc::RpcException;
use std::time::Duration;

/// Times that the server is killed; each time a little later than the last.
const ROUNDS: u64 = 24;
const NONCE_GROUP: u64 = 5;
const SETTINGS: [&str; 1] = [
    "hbase.regionserver.region.split.policy=org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy",
];

/// What is done to the table, over and over.
const OPERATIONS: [Operation; 13] = [
    Operation::Create,
    Operation::Put,
    Operation::Split,
    Operation::AddFamily,
    Operation::Disable,
    Operation::ModifyFamily,
    Operation::Enable,
    Operation::Disable,
    Operation::Truncate,
    Operation::Put,
    Operation::Merge,
    Operation::Disable,
    Operation::Delete,
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operation {
    Create,
    Put,
    Split,
    AddFamily,
    Disable,
    ModifyFamily,
    Enable,
    Truncate,
    Merge,
    Delete,
}

/// What must be there.
#[derive(Clone, Debug, Default, PartialEq)]
struct Expected {
    exists: bool,
    enabled: bool,
    families: Vec<&'static str>,
    regions: usize,
    rows: Vec<String>,
}

impl Expected {
    fn after(mut self, operation: Operation) -> Self {
        match operation {
            Operation::Create => {
                self =
                    Self { exists: true, enabled: true, families: vec!["f"], regions: 2, rows: Vec::new() };
            }
            Operation::Put => self.rows = rows(),
            Operation::Split => self.regions += 1,
            Operation::AddFamily => self.families.push("g"),
            Operation::Disable => self.enabled = false,
            Operation::Enable => self.enabled = true,
            Operation::ModifyFamily => {}
            Operation::Truncate => (self.enabled, self.rows) = (true, Vec::new()),
            Operation::Merge => self.regions -= 1,
            Operation::Delete => self = Self::default(),
        }
        self
    }
}

fn rows() -> Vec<String> {
    ('a'..='z').map(String::from).collect()
}

fn name() -> TableName {
    TableName::parse(b"t").unwrap()
}

/// A request, as it is sent again if need be, and what its client knows of it.
struct Request {
    operation: Operation,
    nonce: u64,
    regions: Vec<RegionInfo>,
    id: Option<u64>,
}

/// The server was killed.
struct Killed;

impl From<RpcException> for Killed {
    fn from(exception: RpcException) -> Self {
        assert!(!exception.do_not_retry, "{exception}");
        Self
    }
}

/// The regions of the table that are open, in order.
async fn open_regions(client: &Client) -> Result<Vec<RegionInfo>, RpcException> {
    let online: pb::GetOnlineRegionResponse =
        client.ask_admin("GetOnlineRegion", &pb::GetOnlineRegionRequest::default()).await?;
    let infos = online.region_info.iter().map(|region| RegionInfo::try_from(region).unwrap());
    let mut infos: Vec<_> = infos.filter(|info| info.table == name()).collect();
    infos.sort_by(|a, b| a.start_key.cmp(&b.start_key));
    Ok(infos)
}

macro_rules! ask {
    ($client:ident, $method:literal, $nonce:expr, $Request:ident { $($field:ident: $value:expr),* $(,)? } -> $Response:ident) => {{
        #[allow(clippy::needless_update)]
        let request = pb::$Request {
            $($field: $value,)*
            nonce_group: Some(NONCE_GROUP),
            nonce: Some($nonce),
            ..Default::default()
        };
        let response: pb::$Response = $client.ask_master($method, &request).await?;
        response.proc_id
    }};
}

impl Request {
    /// Sends it; the procedure's id.
    async fn send(&self, client: &Client) -> Result<Option<u64>, RpcException> {
        let table: pb::TableName = (&name()).into();
        let family = |name: &str| ColumnFamilyDescriptor::with_defaults(name.as_bytes());
        Ok(match self.operation {
            Operation::Put => unreachable!("it is no procedure"),
            Operation::Create => {
                let mut descriptor = TableDescriptor::new(name());
                descriptor.families = vec![family("f")];
                ask!(client, "CreateTable", self.nonce, CreateTableRequest {
                    table_schema: (&descriptor).into(),
                    split_keys: vec!["m".into()],
                } -> CreateTableResponse)
            }
            Operation::Split => ask!(client, "SplitRegion", self.nonce, SplitTableRegionRequest {
                region_info: (&self.regions[0]).into(),
                split_row: Some("f".into()),
            } -> SplitTableRegionResponse),
            Operation::AddFamily => ask!(client, "AddColumn", self.nonce, AddColumnRequest {
                table_name: table,
                column_families: (&family("g")).into(),
            } -> AddColumnResponse),
            Operation::Disable => ask!(client, "DisableTable", self.nonce, DisableTableRequest {
                table_name: table,
            } -> DisableTableResponse),
            Operation::ModifyFamily => ask!(client, "ModifyColumn", self.nonce, ModifyColumnRequest {
                table_name: table,
                column_families: (&family("f").with("VERSIONS", "3")).into(),
            } -> ModifyColumnResponse),
            Operation::Enable => ask!(client, "EnableTable", self.nonce, EnableTableRequest {
                table_name: table,
            } -> EnableTableResponse),
            Operation::Truncate => ask!(client, "truncateTable", self.nonce, TruncateTableRequest {
                table_name: table,
                preserve_splits: Some(true),
            } -> TruncateTableResponse),
            Operation::Merge => ask!(client, "MergeTableRegions", self.nonce, MergeTableRegionsRequest {
                region: self.regions[..2].iter().map(convert::specifier_by_encoded_name).collect(),
            } -> MergeTableRegionsResponse),
            Operation::Delete => ask!(client, "DeleteTable", self.nonce, DeleteTableRequest {
                table_name: table,
            } -> DeleteTableResponse),
        })
    }

    /// Has it carried out, whatever became of it before.
    async fn carry_out(&mut self, client: &Client) -> Result<(), Killed> {
        if self.operation == Operation::Put {
            return put_all(client).await;
        }
        if self.regions.is_empty() {
            self.regions = open_regions(client).await?;
        }
        let id = match self.id {
            Some(id) => id,
            None => self.send(client).await?.expect("an id"),
        };
        self.id = Some(id);
        loop {
            let ask = pb::GetProcedureResultRequest { proc_id: id };
            let result: pb::GetProcedureResultResponse =
                client.ask_master("getProcedureResult", &ask).await?;
            match result.state() {
                pb::get_procedure_result_response::State::Running => {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                pb::get_procedure_result_response::State::Finished => {
                    assert_eq!(result.exception, None, "{:?}", self.operation);
                    return Ok(());
                }
                pb::get_procedure_result_response::State::NotFound => panic!("{:?} is lost", self.operation),
            }
        }
    }
}

async fn put_all(client: &Client) -> Result<(), Killed> {
    let regions = open_regions(client).await?;
    for row in rows() {
        let region = regions.iter().find(|region| region.contains_row(row.as_bytes())).expect("a region");
        let request = put_request(convert::specifier_by_name(region), &row, b"f", b"value");
        let _: (pb::MutateResponse, Bytes) = client.ask("Mutate", &request).await?;
    }
    Ok(())
}

/// What is there.
async fn found(client: &Client) -> Expected {
    let table_name: pb::TableName = (&name()).into();
    let ask = pb::GetTableStateRequest { table_name: table_name.clone() };
    let state: Result<pb::GetTableStateResponse, _> = client.ask_master("GetTableState", &ask).await;
    let Ok(state) = state else { return Expected::default() };
    let enabled = match state.table_state.state() {
        pb::table_state::State::Enabled => true,
        pb::table_state::State::Disabled => false,
        other => panic!("{other:?}"),
    };
    let ask = pb::GetTableDescriptorsRequest { table_names: vec![table_name], ..Default::default() };
    let answer: pb::GetTableDescriptorsResponse =
        client.ask_master("GetTableDescriptors", &ask).await.unwrap();
    let families = &answer.table_schema[0].column_families;
    let families = families.iter().map(|family| if &family.name[..] == FAMILY { "f" } else { "g" }).collect();
    let mut found = Vec::new();
    let regions = open_regions(client).await.unwrap();
    for region in &regions {
        found.extend(Table { client, region: convert::specifier_by_name(region) }.rows().await);
    }
    Expected { exists: true, enabled, families, regions: regions.len(), rows: found }
}

/// What is expected, as far as it can be seen while the table is disabled.
fn visible(expected: &Expected) -> Expected {
    match expected.enabled {
        true => expected.clone(),
        false => Expected { regions: 0, rows: Vec::new(), ..expected.clone() },
    }
}

async fn start(place: &Place) -> (RunningServer, Client) {
    let server = place.start_with(&SETTINGS);
    let client = Client::of(&server).await;
    (server, client)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_operation_is_carried_out_and_no_row_is_lost() {
    let place = Place::new();
    let mut expected = Expected::default();
    let (mut done, mut interrupted) = (0, Vec::new());
    let mut pending: Option<Request> = None;
    for round in 0..ROUNDS {
        let (server, client) = start(&place).await;
        if let Some(mut request) = pending.take() {
            let carried_out = request.carry_out(&client).await;
            assert!(carried_out.is_ok(), "nobody kills the server now");
            expected = expected.after(request.operation);
            done += 1;
        }
        assert_eq!(found(&client).await, visible(&expected), "after {done} operations");
        let killer = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(5 + 7 * round)).await;
            server.kill();
        });
        loop {
            let operation = OPERATIONS[done % OPERATIONS.len()];
            let mut request = Request { operation, nonce: done as u64 + 1, regions: Vec::new(), id: None };
            match request.carry_out(&client).await {
                Ok(()) => {
                    expected = expected.after(operation);
                    done += 1;
                }
                Err(Killed) => {
                    interrupted.push((operation, request.id.is_some()));
                    pending = Some(request);
                    break;
                }
            }
        }
        killer.await.unwrap();
    }
    println!("{done} operations, interrupted: {interrupted:?}");
    assert!(done > OPERATIONS.len(), "{done} operations are not all of them");
}
