//! Servers within the test that speak HBase's protocol and answer what the test wants. The first one has hbase:meta.

use bytes::Bytes;
use finback_cell::block::CellBlockBuilder;
use finback_cell::cell::CellParts;
use finback_cell::{CellType, RegionInfo, ServerName, TableName};
use finback_client::{ClientConfig, Connection, Table};
use finback_proto::{Message, convert, pb, pbuf};
use finback_rpc::{Call, Outcome, Reply, RpcException, Server, Service, exceptions};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinHandle;

/// What a test answers to a call of a region of its table, or of the master.
pub(crate) type Answer = Box<dyn FnOnce(&Call) -> Outcome + Send>;

pub(crate) struct FakeCluster {
    pub(crate) state: Arc<Mutex<State>>,
    pub(crate) addresses: Vec<SocketAddr>,
    tasks: Vec<JoinHandle<()>>,
}

#[derive(Default)]
pub(crate) struct State {
    /// What hbase:meta says: regions, the servers that have them, and when these opened them.
    pub(crate) regions: Vec<(RegionInfo, ServerName, i64)>,
    /// What is answered to the next calls of regions of tables; without more, what is asked for is there.
    pub(crate) answers: VecDeque<Answer>,
    /// Calls of hbase:meta that looked for a region.
    pub(crate) look_ups: usize,
    /// Calls of regions of tables: which server, and which method.
    pub(crate) calls: Vec<(usize, String)>,
    pub(crate) disabled: bool,
    /// hbase:meta does not answer who asks for the state of a table.
    pub(crate) silent_about_states: bool,
    /// Nor who looks for a region.
    pub(crate) silent_about_regions: bool,
    /// How long hbase:meta takes for that.
    pub(crate) look_up_takes: Duration,
    /// So many regions before the one that is looked for are told with it.
    pub(crate) neighbours: usize,
    /// To this server the first region moves when a region was looked for.
    pub(crate) moves_after_look_up: Option<ServerName>,
    /// The row for whose region nobody may look.
    pub(crate) refused_look_up: Option<&'static str>,
    /// So many look-ups find a region that has no server yet.
    pub(crate) homeless: usize,
    /// And so many fail.
    pub(crate) failed_look_ups: usize,
    /// The server of the second replica of each region, if there is one.
    pub(crate) replica: Option<ServerName>,
}

struct Fake {
    name: &'static str,
    server: usize,
    names: Vec<ServerName>,
    state: Arc<Mutex<State>>,
}

pub(crate) fn table_name() -> TableName {
    TableName::parse(b"t").unwrap()
}

pub(crate) fn region(start: &'static str, end: &'static str) -> RegionInfo {
    RegionInfo::new(table_name(), start.into(), end.into(), 1_700_000_000_000)
}

impl FakeCluster {
    /// As many servers; table `t` has one region, on the first.
    pub(crate) async fn start(servers: usize) -> Self {
        let mut listeners = Vec::new();
        for _ in 0..servers {
            listeners.push(TcpListener::bind("127.0.0.1:0").await.unwrap());
        }
        let addresses: Vec<SocketAddr> = listeners.iter().map(|one| one.local_addr().unwrap()).collect();
        let names: Vec<ServerName> = addresses.iter().map(server_name).collect();
        let state = Arc::new(Mutex::new(State::default()));
        state.lock().unwrap().regions.push((region("", ""), names[0].clone(), 1));
        let mut tasks = Vec::new();
        for (server, listener) in listeners.into_iter().enumerate() {
            let service =
                |name| Arc::new(Fake { name, server, names: names.clone(), state: Arc::clone(&state) });
            let builder =
                Server::builder().service(service("ClientService")).service(service("ClientMetaService"));
            let builder = builder.service(service("MasterService")).service(service("AdminService"));
            let serving = builder.service(service("LockService")).build();
            tasks.push(tokio::spawn(async move {
                serving.serve(listener, std::future::pending()).await;
            }));
        }
        Self { state, addresses, tasks }
    }

    pub(crate) fn config(&self) -> ClientConfig {
        ClientConfig::bootstrap(&self.addresses[0].to_string()).pause(Duration::from_millis(1))
    }

    pub(crate) async fn table(&self) -> Table {
        Connection::open(self.config()).await.unwrap().table("t").unwrap()
    }

    pub(crate) fn name(&self, server: usize) -> ServerName {
        server_name(&self.addresses[server])
    }

    /// hbase:meta says from now on that these regions are on these servers.
    pub(crate) fn place(&self, regions: &[(RegionInfo, usize)]) {
        let mut state = self.state.lock().unwrap();
        state.regions = regions.iter().map(|(region, at)| (region.clone(), self.name(*at), 1)).collect();
    }

    pub(crate) fn next(&self, answer: impl FnOnce(&Call) -> Outcome + Send + 'static) {
        self.state.lock().unwrap().answers.push_back(Box::new(answer));
    }

    pub(crate) fn next_fails(&self, exception: RpcException) {
        self.next(move |_| Outcome::exception(exception));
    }

    pub(crate) fn look_ups(&self) -> usize {
        self.state.lock().unwrap().look_ups
    }

    /// Which servers were called for regions, and how.
    pub(crate) fn calls(&self) -> Vec<(usize, String)> {
        std::mem::take(&mut self.state.lock().unwrap().calls)
    }

    /// The servers that were called.
    pub(crate) fn called(&self) -> Vec<usize> {
        self.calls().into_iter().map(|(server, _)| server).collect()
    }
}

/// An address that answers nobody who wants to connect; as long as the connections are there that are too many for it.
pub(crate) async fn silent_address() -> (ServerName, impl Sized) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut connections = Vec::new();
    while let Ok(connection) =
        tokio::time::timeout(Duration::from_millis(100), TcpStream::connect(address)).await
    {
        connections.push(connection.unwrap());
    }
    (server_name(&address), (listener, connections))
}

/// Another address of a server, which goes with its connections when the task is aborted.
pub(crate) async fn other_address(to: SocketAddr) -> (ServerName, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let name = server_name(&listener.local_addr().unwrap());
    let passing = tokio::spawn(async move {
        let mut connections = tokio::task::JoinSet::new();
        while let Ok((mut client, _)) = listener.accept().await {
            let mut server = TcpStream::connect(to).await.unwrap();
            connections.spawn(async move { copy_bidirectional(&mut client, &mut server).await });
        }
    });
    (name, passing)
}

impl Drop for FakeCluster {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

fn server_name(address: &SocketAddr) -> ServerName {
    ServerName { host: address.ip().to_string(), port: address.port(), start_code: 1 }
}

impl Service for Fake {
    fn name(&self) -> &'static str {
        self.name
    }

    fn call(&self, call: Call) -> Outcome {
        match call.method.as_str() {
            "GetClusterId" => Outcome::message(&pb::GetClusterIdResponse { cluster_id: Some("fake".into()) }),
            "GetBootstrapNodes" => Outcome::message(&pb::GetBootstrapNodesResponse {
                server_name: self.names.iter().map(Into::into).collect(),
            }),
            "GetMetaRegionLocations" => Outcome::message(&pb::GetMetaRegionLocationsResponse {
                meta_locations: vec![pb::RegionLocation {
                    region_info: (&RegionInfo::meta()).into(),
                    server_name: Some((&self.names[0]).into()),
                    seq_num: 1,
                }],
            }),
            "GetActiveMaster" => {
                Outcome::message(&pb::GetActiveMasterResponse { server_name: Some((&self.names[0]).into()) })
            }
            method => self.region_call(method, &call),
        }
    }
}

impl Fake {
    fn region_call(&self, method: &str, call: &Call) -> Outcome {
        let of_meta = call.priority == 200 && is_of_meta(call);
        let mut state = self.state.lock().unwrap();
        if of_meta && method == "Scan" {
            state.look_ups += 1;
            if state.silent_about_regions {
                return Outcome::pending(std::future::pending());
            }
            let (answer, takes) = (meta_scan(&mut state, call), state.look_up_takes);
            if takes.is_zero() {
                return answer;
            }
            return Outcome::pending(async move {
                tokio::time::sleep(takes).await;
                answer.wait().await
            });
        }
        if of_meta && state.silent_about_states {
            return Outcome::pending(std::future::pending());
        }
        if of_meta {
            let table_state = pb::TableState { state: i32::from(state.disabled) };
            let row = call.decode::<pb::GetRequest>().unwrap().get.row;
            let cells = block(&[(&row, "table", "state", &table_state.encode_to_vec())]);
            let result = Some(convert::result_in_block(1));
            return Outcome::Ready(Ok(Reply::with_cells(&pb::GetResponse { result }, cells)));
        }
        state.calls.push((self.server, method.to_owned()));
        let answer = state.answers.pop_front();
        drop(state);
        match answer {
            Some(answer) => answer(call),
            None => there(method, call),
        }
    }
}

fn is_of_meta(call: &Call) -> bool {
    let region = match call.method.as_str() {
        "Scan" => call.decode::<pb::ScanRequest>().ok().and_then(|request| request.region),
        "Get" => call.decode::<pb::GetRequest>().ok().map(|request| request.region),
        _ => None,
    };
    region.is_some_and(|region| &region.value[..] == b"hbase:meta,,1")
}

/// What is asked for is there: every row has one cell.
pub(crate) fn there(method: &str, call: &Call) -> Outcome {
    match method {
        "Get" => {
            let row = call.decode::<pb::GetRequest>().unwrap().get.row;
            let reply = pb::GetResponse { result: Some(convert::result_in_block(1)) };
            Outcome::Ready(Ok(Reply::with_cells(&reply, block(&[(&row, "f", "q", b"v")]))))
        }
        "Mutate" => Outcome::message(&pb::MutateResponse { processed: Some(true), ..Default::default() }),
        "Multi" => multi(call, |_| None),
        other => panic!("a test answers {other}"),
    }
}

/// Every action of a `Multi` has succeeded, but for those that `failing` has an exception for, by their rows.
pub(crate) fn multi(call: &Call, failing: impl Fn(&[u8]) -> Option<RpcException>) -> Outcome {
    let request: pb::MultiRequest = call.decode().unwrap();
    let entry = |action: &pb::Action| {
        let row = action.mutation.as_ref().map(|mutation| mutation.row.clone().unwrap());
        let row = row.or(action.get.as_ref().map(|get| get.row.clone())).unwrap();
        let exception = failing(&row).map(|exception| Box::new(exception.to_action_result()));
        let result = exception.is_none().then(pb::Result::default);
        pb::ResultOrException { index: action.index, result, exception, ..Default::default() }
    };
    let of_region = |region: &pb::RegionAction| pb::RegionActionResult {
        result_or_exception: region.action.iter().map(entry).collect(),
        processed: region.atomic,
        ..Default::default()
    };
    let region_action_result = request.region_action.iter().map(of_region).collect();
    Outcome::message(&pb::MultiResponse { region_action_result, ..Default::default() })
}

/// Each group of actions of a `Multi` fails as a whole.
pub(crate) fn group_fails(exception: RpcException) -> impl FnOnce(&Call) -> Outcome + Send + 'static {
    move |call| {
        let request: pb::MultiRequest = call.decode().unwrap();
        let failed = pb::RegionActionResult {
            exception: Some(Box::new(exception.to_action_result())),
            ..Default::default()
        };
        let region_action_result = vec![failed; request.region_action.len()];
        Outcome::message(&pb::MultiResponse { region_action_result, ..Default::default() })
    }
}

/// A cell block: row, family, qualifier and value of each cell.
pub(crate) fn block(cells: &[(&[u8], &str, &str, &[u8])]) -> Vec<u8> {
    let mut block = CellBlockBuilder::default();
    for (row, family, qualifier, value) in cells {
        block.push_parts(&CellParts {
            row,
            family: family.as_bytes(),
            qualifier: qualifier.as_bytes(),
            timestamp: 1,
            type_code: CellType::Put.code(),
            value,
            tags: &[],
        });
    }
    block.bytes().to_vec()
}

/// The region that is looked for, with neighbours if there are to be any.
fn meta_scan(state: &mut State, call: &Call) -> Outcome {
    let scan = call.decode::<pb::ScanRequest>().unwrap().scan.unwrap();
    let start = scan.start_row.unwrap();
    let first = start.iter().position(|&byte| byte == b',');
    let row = first.map(|first| {
        let last = start.iter().rposition(|&byte| byte == b',').unwrap();
        start.slice(first + 1..last)
    });
    if row.is_some() && row.as_deref() == state.refused_look_up.map(str::as_bytes) {
        return Outcome::exception(exceptions::do_not_retry("not this row"));
    }
    if row.is_some() && state.failed_look_ups > 0 {
        state.failed_look_ups -= 1;
        return Outcome::exception(exceptions::io("not now"));
    }
    let before = start.ends_with(b",00000000000000");
    let found = state.regions.iter().rposition(|(region, _, _)| match &row {
        None => true,
        Some(row) if before => region.start_key < row,
        Some(row) => region.start_key <= row,
    });
    let Some(found) = found else {
        return Outcome::message(&pb::ScanResponse { more_results: Some(false), ..Default::default() });
    };
    let homeless = row.is_some() && state.homeless > 0;
    state.homeless -= usize::from(homeless);
    let least = found.saturating_sub(if row.is_some() { state.neighbours } else { 0 });
    let told = state.regions[least..=found].iter().rev();
    let rows: Vec<_> = told.map(|told| meta_row(told, homeless, state.replica.as_ref())).collect();
    let response = pb::ScanResponse {
        cells_per_result: rows.iter().map(|(cells, _)| *cells).collect(),
        more_results: Some(true),
        more_results_in_region: Some(false),
        ..Default::default()
    };
    if row.is_some()
        && let Some(server) = state.moves_after_look_up.take()
    {
        (state.regions[0].1, state.regions[0].2) = (server, 2);
    }
    let cells: Vec<u8> = rows.into_iter().flat_map(|(_, block)| block).collect();
    Outcome::Ready(Ok(Reply::with_cells(&response, cells)))
}

/// The row of a region in hbase:meta: how many cells it has, and these.
fn meta_row(
    (region, server, seq_num): &(RegionInfo, ServerName, i64),
    homeless: bool,
    replica: Option<&ServerName>,
) -> (u32, Vec<u8>) {
    let name: Bytes = region.name();
    let region = pbuf::encode(&pb::RegionInfo::from(region));
    let mut cells = block(&[(&name, "info", "regioninfo", &region)]);
    if homeless {
        return (1, cells);
    }
    cells.extend(block(&[
        (&name, "info", "seqnumDuringOpen", &seq_num.to_be_bytes()),
        (&name, "info", "server", server.address().as_bytes()),
        (&name, "info", "serverstartcode", &server.start_code.to_be_bytes()),
    ]));
    let Some(replica) = replica else { return (4, cells) };
    cells.extend(block(&[
        (&name, "info", "server_0001", replica.address().as_bytes()),
        (&name, "info", "serverstartcode_0001", &replica.start_code.to_be_bytes()),
    ]));
    (6, cells)
}
