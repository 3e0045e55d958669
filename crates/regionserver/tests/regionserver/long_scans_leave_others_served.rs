//! While long scans have all turns, and others wait for one, what is short is answered at once.

use crate::a_scan_reply_ends_at_the_first_limit::nothing_passes;
use crate::gated_device::{Device, Gate};
use crate::world::{FAMILY, Table, World, action, put, region_info, row_name};
use bytes::Bytes;
use finback_cell::ColumnFamilyDescriptor;
use finback_layout::RootDir;
use finback_proto::{Message, pb};
use finback_regionserver::ClientService;
use finback_rpc::{Call, ChannelExt, Loopback, Outcome, Request, Service};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const ROWS: usize = 4000;
/// Cells of a scan that is short.
const FEW: usize = 100;

/// A client service that counts the calls that were answered without a hand-over.
struct Watched {
    service: ClientService,
    at_once: Arc<AtomicUsize>,
}

impl Service for Watched {
    fn name(&self) -> &'static str {
        self.service.name()
    }

    fn call(&self, call: Call) -> Outcome {
        let outcome = self.service.call(call);
        self.at_once.fetch_add(usize::from(matches!(outcome, Outcome::Ready(_))), Ordering::Relaxed);
        outcome
    }
}

/// A server with one turn, and a table in a file whose first block alone is in memory.
async fn one_turn(gate: &Arc<Gate>) -> World {
    World::with(|options| {
        let device = Device::new(options.root.fs(), gate);
        options.root = RootDir::new(Arc::new(device), options.root.path());
        options.handlers = 1;
    })
}

async fn fill(table: &Table<'_>) {
    table.fill(0..ROWS, &[b'v'; 100]).await;
    table.flush().await.unwrap();
    assert_eq!(table.get(&row_name(0)).await.unwrap().len(), 1);
}

fn rows(response: &pb::ScanResponse) -> usize {
    response.cells_per_result.len()
}

#[tokio::test]
async fn long_scans_leave_others_served() {
    let gate = Arc::new(Gate::default());
    let world = one_turn(&gate).await;
    let table = world.table("t").await;
    fill(&table).await;
    let at_once = Arc::new(AtomicUsize::new(0));
    let service = ClientService::new(Arc::clone(&world.server));
    let client = Loopback::new(Arc::new(Watched { service, at_once: Arc::clone(&at_once) }));
    // The first scan comes to a block that does not come.
    gate.gather(usize::MAX);
    let patiently =
        pb::ScanRequest { client_handles_heartbeats: Some(false), ..table.open_scan(ROWS as u32) };
    let scan = || world.ask::<_, pb::ScanResponse>("Scan", &patiently);
    let others = async {
        while gate.reads().now == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }

        // A get, and a short scan.
        let get = pb::Get { row: row_name(7).into(), ..Default::default() };
        let request = pb::GetRequest { region: table.region.clone(), get };
        let _: (pb::GetResponse, _) = client.call("Get", &request, Bytes::new()).await.unwrap();
        let short = pb::ScanRequest { limit_of_rows: Some(FEW as u32), ..table.open_scan(FEW as u32) };
        let (answer, _): (pb::ScanResponse, _) = client.call("Scan", &short, Bytes::new()).await.unwrap();
        assert_eq!(rows(&answer), FEW);
        assert_eq!(at_once.load(Ordering::Relaxed), 2, "at once");

        // A long scan does not get its turn, and tells its client that it is alive, with what it found before.
        let patience = Some(Duration::from_millis(100));
        let long = table.open_scan(ROWS as u32);
        let (answer, _): (pb::ScanResponse, _) = world.ask_within(patience, "Scan", &long).await.unwrap();
        assert!(answer.heartbeat_message() && answer.more_results_in_region());
        assert!((1..FEW * 3).contains(&rows(&answer)), "{}", rows(&answer));
        // One whose client takes no heartbeats is not carried out when that has stopped waiting.
        let late = world.ask_within::<_, pb::ScanResponse>(patience, "Scan", &patiently).await.unwrap_err();
        assert_eq!(late.simple_class(), "ScannerResetException");

        // Large writes have turns of their own.
        let large = (0..10).map(|row| action(put(&format!("z{row}"), &[("q", &[b'v'; 10_000])]))).collect();
        assert_eq!(table.multi(large).await.len(), 10);

        // What the cluster asks for has turns of its own: it comes as far as to the block.
        let reads = gate.reads().all;
        let own = Request {
            method: "Scan",
            param: patiently.encode_to_vec().into(),
            priority: 200,
            timeout: Some(Duration::from_millis(50)),
            ..Request::default()
        };
        let late = finback_rpc::Channel::call_encoded(&client, own).await.map(|_| "an answer").unwrap_err();
        assert_eq!(late.simple_class(), "CallTimeoutException");
        assert!(gate.reads().all > reads || gate.reads().now > 0);
        gate.gather(0);
    };
    let ((first, second), ()) = tokio::join!(async { tokio::join!(scan(), scan()) }, others);
    assert_eq!((rows(&first.unwrap().0), rows(&second.unwrap().0)), (ROWS, ROWS));
}

#[tokio::test]
async fn a_scan_that_goes_from_block_to_block_looks_at_the_clock() {
    let gate = Arc::new(Gate::default());
    let world = one_turn(&gate).await;
    // No turn is over by the cells of one block.
    let family = ColumnFamilyDescriptor::with_defaults(FAMILY).with("BLOCKSIZE", "64");
    world.create_table(&region_info("t", "", ""), vec![family]);
    let table = world.table("t").await;
    fill(&table).await;
    let patience = Some(Duration::from_millis(20));
    let all = table.open_scan(ROWS as u32);
    let (answer, _): (pb::ScanResponse, _) = world.ask_within(patience, "Scan", &all).await.unwrap();
    assert!(rows(&answer) < ROWS && answer.more_results_in_region(), "{}", rows(&answer));
    assert!(answer.heartbeat_message());
}

#[tokio::test]
async fn a_get_of_many_cells_takes_its_turn() {
    let gate = Arc::new(Gate::default());
    let world = one_turn(&gate).await;
    let table = world.table("t").await;
    fill(&table).await;
    let names: Vec<String> = (0..3000).map(row_name).collect();
    let columns: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"v"[..])).collect();
    table.mutate(put("wide", &columns)).await.unwrap();
    gate.gather(usize::MAX);
    let all = table.open_scan(ROWS as u32);
    let scan = world.ask::<_, pb::ScanResponse>("Scan", &all);
    let others = async {
        while gate.reads().now == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let get = pb::Get { row: "wide".into(), ..Default::default() };
        let request = pb::GetRequest { region: table.region.clone(), get };
        let patience = Some(Duration::from_millis(30));
        let late = world.ask_within::<_, pb::GetResponse>(patience, "Get", &request).await.unwrap_err();
        assert_eq!(late.simple_class(), "CallDroppedException");
        gate.gather(0);
        let (answer, _): (pb::GetResponse, _) = world.ask("Get", &request).await.unwrap();
        assert_eq!(answer.result.unwrap().associated_cell_count(), 3000);
    };
    let (scanned, ()) = tokio::join!(scan, others);
    assert_eq!(rows(&scanned.unwrap().0), ROWS);
}

/// A client whose calls that are answered without a hand-over are counted.
fn watched(world: &World) -> (Loopback, Arc<AtomicUsize>) {
    let at_once = Arc::new(AtomicUsize::new(0));
    let service = ClientService::new(Arc::clone(&world.server));
    (Loopback::new(Arc::new(Watched { service, at_once: Arc::clone(&at_once) })), at_once)
}

/// A row of so many cells.
async fn fill_row(table: &Table<'_>, row: &str, cells: usize) {
    let names: Vec<String> = (0..cells).map(row_name).collect();
    let columns: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"v"[..])).collect();
    table.mutate(put(row, &columns)).await.unwrap();
}

fn multi_of(table: &Table<'_>, gets: Vec<pb::Get>) -> pb::MultiRequest {
    let get = |get| pb::Action { get: Some(Box::new(get)), ..Default::default() };
    let action = gets.into_iter().map(get).collect();
    let region_action = pb::RegionAction { region: table.region.clone(), action, ..Default::default() };
    pb::MultiRequest { region_action: vec![region_action], ..Default::default() }
}

#[tokio::test]
async fn what_a_filter_makes_long_is_not_done_at_once() {
    /// Few enough for a short scan, and for a short get.
    const CELLS: usize = 250;
    let world = World::new();
    let table = world.table("t").await;
    fill_row(&table, "wide", CELLS).await;
    let (client, at_once) = watched(&world);
    let slow = pb::FilterList {
        operator: pb::filter_list::Operator::MustPassOne.into(),
        filters: vec![nothing_passes(); 10_000],
    };
    let slow = pb::Filter {
        name: "org.apache.hadoop.hbase.filter.FilterList".into(),
        serialized_filter: Some(slow.encode_to_vec().into()),
    };
    let get = pb::Get { row: "wide".into(), filter: Some(Box::new(slow.clone())), ..Default::default() };
    let request = pb::GetRequest { region: table.region.clone(), get: get.clone() };
    let (answer, _): (pb::GetResponse, _) = client.call("Get", &request, Bytes::new()).await.unwrap();
    assert_eq!(answer.result.unwrap().associated_cell_count(), 0);
    let multi = multi_of(&table, vec![get; 3]);
    let (answer, _): (pb::MultiResponse, _) = client.call("Multi", &multi, Bytes::new()).await.unwrap();
    assert_eq!(answer.region_action_result[0].result_or_exception.len(), 3);
    let scan = pb::Scan { filter: Some(slow), ..Default::default() };
    let scan = pb::ScanRequest { scan: Some(scan), ..table.open_scan(1) };
    let (answer, _): (pb::ScanResponse, _) = client.call("Scan", &scan, Bytes::new()).await.unwrap();
    assert_eq!(rows(&answer), 0);
    assert_eq!(at_once.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn gets_of_one_multi_that_look_at_much_are_not_all_done_at_once() {
    const GETS: usize = 128;
    let world = World::new();
    let table = world.table("t").await;
    fill_row(&table, "wide", 9000).await;
    table.put("large", &[b'v'; 50_000]).await.unwrap();
    let (client, at_once) = watched(&world);
    // Nothing is found, but for one cell, in whose place each of the others is looked at.
    let old = pb::TimeRange { from: Some(0), to: Some(2) };
    let get = pb::Get { row: "wide".into(), time_range: Some(Box::new(old)), ..Default::default() };
    let value = pb::mutation_proto::column_value::QualifierValue {
        qualifier: Some("old".into()),
        value: Some("".into()),
        timestamp: Some(1),
        ..Default::default()
    };
    let mut one = put("wide", &[]);
    one.column_value[0].qualifier_value.push(value);
    table.mutate(one).await.unwrap();
    let large = pb::Get { row: "large".into(), ..Default::default() };
    // One after the other; and together, behind what fills a reply.
    for gets in [vec![get.clone(); GETS], [vec![large], vec![get.clone(); GETS]].concat()] {
        let (count, multi) = (gets.len(), multi_of(&table, gets));
        let (answer, _): (pb::MultiResponse, _) = client.call("Multi", &multi, Bytes::new()).await.unwrap();
        let results = &answer.region_action_result[0].result_or_exception;
        assert_eq!(results.len(), count);
        assert!(results.iter().all(|one| one.result.as_ref().unwrap().associated_cell_count() == 1));
        assert_eq!(at_once.load(Ordering::Relaxed), 0);
    }
    let few = multi_of(&table, vec![pb::Get { row: "none".into(), ..Default::default() }; 4]);
    let _: (pb::MultiResponse, _) = client.call("Multi", &few, Bytes::new()).await.unwrap();
    assert_eq!(at_once.load(Ordering::Relaxed), 1);
}
