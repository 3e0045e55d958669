//! One setting bounds the memory of the process, whatever large rows, scans and gets its clients ask for at once, and
//! whether they read the replies or not.

use crate::client::{Client, FAMILY, get_request, put_request};
use crate::memory_watch::MemoryWatch;
use crate::raw_client::{RawClient, request};
use crate::running_server::{LONG, Place, RunningServer};
use bytes::Bytes;
use finback_cell::CellBlock;
use finback_proto::{Message, convert, pb};
use finback_rpc::RpcException;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const LIMIT_MIB: u64 = 64;

const VALUE_BYTES: usize = 256 << 10;
/// Together they are more than the process may have.
const ROWS: usize = 400;
/// Of one row; it is several times larger than the memory for all replies.
const COLUMNS: usize = 60;
/// Clients that each scan, get one by one and get many at once.
const READERS: usize = 20;
/// Clients that ask and do not read.
const DEAF: usize = 8;
/// Scanners that wait for their clients. Each stands in a block of each file, of at least a value's size: all of these
/// together are several times what the process may have.
const WAITING: usize = 300;

fn value(number: usize) -> Vec<u8> {
    vec![number as u8; VALUE_BYTES]
}

/// Tries again when the server says that it has too much to do, as HBase's clients do. An error is that the connection
/// has been closed.
async fn try_patiently<T, F: Future<Output = Result<T, RpcException>>>(
    mut ask: impl FnMut() -> F,
) -> Result<T, RpcException> {
    let begun = Instant::now();
    loop {
        match ask().await {
            Ok(answer) => return Ok(answer),
            Err(lost) if is_lost(&lost) => return Err(lost),
            Err(refused) => assert!(!refused.do_not_retry && begun.elapsed() < LONG, "{refused}"),
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn patiently<T, F: Future<Output = Result<T, RpcException>>>(ask: impl FnMut() -> F) -> T {
    try_patiently(ask).await.unwrap()
}

fn is_lost(error: &RpcException) -> bool {
    error.simple_class() == "ConnectionClosedException"
}

fn assert_memory(memory: &MemoryWatch, when: &str) {
    let most = memory.most_mib();
    println!("{most} MiB at most until {when}");
    assert!(most <= LIMIT_MIB, "{most} MiB until {when}");
}

async fn write(client: &Arc<Client>, region: &pb::RegionSpecifier) {
    let next = Arc::new(AtomicUsize::new(0));
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (client, region, next) = (Arc::clone(client), region.clone(), Arc::clone(&next));
        writers.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let row = format!("row{number:04}");
                let request = match number {
                    0..ROWS => put_request(region.clone(), &row, FAMILY, &value(number)),
                    _ if number < ROWS + COLUMNS => {
                        let mut request = put_request(region.clone(), "wide", FAMILY, &value(number));
                        let column = &mut request.mutation.column_value[0].qualifier_value[0];
                        column.qualifier = Some(format!("q{number}").into_bytes().into());
                        request
                    }
                    _ => return,
                };
                let _: (pb::MutateResponse, _) = patiently(|| client.ask("Mutate", &request)).await;
            }
        });
    }
    while let Some(written) = writers.join_next().await {
        written.unwrap();
    }
}

/// A scan as large as it gets: all of the table, in replies of any size.
fn scan_request(region: &pb::RegionSpecifier) -> pb::ScanRequest {
    let scan = pb::Scan { max_result_size: Some(u64::MAX >> 1), ..pb::Scan::default() };
    pb::ScanRequest { region: Some(region.clone()), scan: Some(scan), ..next_request(None) }
}

fn next_request(scanner_id: Option<u64>) -> pb::ScanRequest {
    pb::ScanRequest {
        scanner_id,
        number_of_rows: Some(i32::MAX as u32),
        client_handles_partials: Some(true),
        client_handles_heartbeats: Some(true),
        ..Default::default()
    }
}

/// Scans the table, and gives back how many cells it has.
async fn scan(client: &Client, region: &pb::RegionSpecifier) -> Result<usize, RpcException> {
    let first = scan_request(region);
    let (mut response, mut block): (pb::ScanResponse, Bytes) =
        try_patiently(|| client.ask("Scan", &first)).await?;
    let mut cells = 0;
    loop {
        for cell in CellBlock::parse(block).unwrap().iter() {
            assert_eq!(cell.value().len(), VALUE_BYTES);
            cells += 1;
        }
        if !response.more_results_in_region() {
            return Ok(cells);
        }
        (response, block) = client.ask("Scan", &next_request(response.scanner_id)).await?;
    }
}

async fn get(client: &Client, region: &pb::RegionSpecifier, number: usize) -> Result<(), RpcException> {
    let request = get_request(region.clone(), &format!("row{number:04}"));
    let (response, mut block): (pb::GetResponse, Bytes) =
        try_patiently(|| client.ask("Get", &request)).await?;
    let cells = convert::decode_result(&response.result.unwrap(), &mut block).unwrap();
    assert_eq!(cells.iter().next().unwrap().value(), value(number));
    Ok(())
}

/// Gets many rows in one call; how many came before the reply was large enough.
async fn get_many(client: &Client, region: &pb::RegionSpecifier) -> Result<usize, RpcException> {
    let gets =
        (0..ROWS).step_by(ROWS / 40).map(|number| get_request(region.clone(), &format!("row{number:04}")));
    let actions = gets.enumerate().map(|(index, request)| pb::Action {
        index: Some(index as u32),
        get: Some(Box::new(request.get)),
        ..Default::default()
    });
    let actions =
        pb::RegionAction { region: region.clone(), action: actions.collect(), ..Default::default() };
    let request = pb::MultiRequest { region_action: vec![actions], ..Default::default() };
    let (response, _): (pb::MultiResponse, Bytes) = try_patiently(|| client.ask("Multi", &request)).await?;
    let answers = &response.region_action_result[0].result_or_exception;
    for refused in answers.iter().filter_map(|answer| answer.exception.as_ref()) {
        let name = &refused.name;
        assert!(name.ends_with("MultiActionResultTooLarge") || name.ends_with("CallQueueTooBigException"));
    }
    Ok(answers.iter().filter(|answer| answer.result.is_some()).count())
}

/// One of the readers, from its beginning to its end.
async fn read_as(reader: usize, client: &Client, region: &pb::RegionSpecifier) -> Result<(), RpcException> {
    match reader % 4 {
        0 => assert_eq!(scan(client, region).await?, ROWS + COLUMNS),
        1 => {
            for number in (0..ROWS).step_by(40) {
                get(client, region, number).await?;
            }
        }
        _ => {
            for _ in 0..5 {
                get_many(client, region).await?;
            }
        }
    }
    Ok(())
}

async fn read(server: &RunningServer, region: &pb::RegionSpecifier) {
    let mut deaf = Vec::new();
    for _ in 0..DEAF {
        let mut client = RawClient::connect(server.regionserver(), "ClientService").await;
        for call in 0..10 {
            client.send(&request(call, "Scan", &scan_request(region).encode_to_vec())).await;
        }
        deaf.push(client);
    }
    let mut readers = tokio::task::JoinSet::new();
    for reader in 0..READERS {
        let (addresses, region) = ((server.master(), server.regionserver()), region.clone());
        readers.spawn(async move {
            let begun = Instant::now();
            // On a machine that is too busy even readers do nothing for seconds, as those that are deaf: the server
            // closes their connections as well, or their scanners, and they begin anew as HBase's clients do.
            while let Err(end) = read_as(reader, &Client::at(addresses.0, addresses.1).await, &region).await {
                let may_begin_anew = is_lost(&end) || end.simple_class() == "UnknownScannerException";
                assert!(may_begin_anew && begun.elapsed() < LONG, "{end}");
            }
        });
    }
    while let Some(done) = readers.join_next().await {
        done.unwrap();
    }
    drop(deaf);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_large_rows_many_scans_and_clients_that_do_not_read() {
    let place = Place::new();
    let limit = format!("finback.memory.limit={LIMIT_MIB}m");
    let server = place.start_with(&[&limit, "hbase.wal.hsync=false"]);
    let memory = MemoryWatch::begin(server.pid());
    let client = Arc::new(Client::of(&server).await);
    let region = client.create_table("t").await.region;
    write(&client, &region).await;
    assert_memory(&memory, "the writes");
    read(&server, &region).await;
    assert_memory(&memory, "the reads");
    // A row that no reply has room for is read in parts, by scans as above, or not at all.
    let refused = client.ask::<_, pb::GetResponse>("Get", &get_request(region, "wide")).await.unwrap_err();
    assert_eq!(refused.simple_class(), "RowTooBigException");
    assert!(refused.do_not_retry);
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_gets_and_scans_of_a_large_value_that_all_come_at_once() {
    const VALUE_BYTES: usize = 3 << 19;
    const CALLS: u32 = 150;
    let place = Place::new();
    let limit = format!("finback.memory.limit={LIMIT_MIB}m");
    let server = place.start_with(&[&limit, "hbase.wal.hsync=false"]);
    let memory = MemoryWatch::begin(server.pid());
    let client = Client::of(&server).await;
    let region = client.create_table("t").await.region;
    let put = put_request(region.clone(), "large", FAMILY, &vec![1; VALUE_BYTES]);
    let _: (pb::MutateResponse, _) = patiently(|| client.ask("Mutate", &put)).await;
    let get = get_request(region.clone(), "large");
    let action = pb::Action { index: Some(0), get: Some(Box::new(get.get.clone())), ..Default::default() };
    let actions = pb::RegionAction { region: region.clone(), action: vec![action], ..Default::default() };
    let multi = pb::MultiRequest { region_action: vec![actions], ..Default::default() };
    let scan = pb::ScanRequest { close_scanner: Some(true), ..scan_request(&region) };
    let calls =
        [("Get", get.encode_to_vec()), ("Multi", multi.encode_to_vec()), ("Scan", scan.encode_to_vec())];
    let mut readers = tokio::task::JoinSet::new();
    for (method, param) in calls {
        let mut client = RawClient::connect(server.regionserver(), "ClientService").await;
        for call in 0..CALLS {
            client.send(&request(call, method, &param)).await;
        }
        readers.spawn(async move {
            let mut found = 0;
            for _ in 0..CALLS {
                match client.response().await.1 {
                    Ok((_, cells)) => found += usize::from(cells.len() > VALUE_BYTES),
                    Err(refused) => assert!(!refused.do_not_retry, "{refused}"),
                }
            }
            assert!(found > 0, "{method}");
        });
    }
    while let Some(done) = readers.join_next().await {
        done.unwrap();
    }
    assert_memory(&memory, "all were answered");
    server.stop();
}

/// A scanner of the table that got one row, from `number` on.
async fn open_one(client: &Client, region: &pb::RegionSpecifier, number: usize) -> Option<u64> {
    let row = format!("row{number:04}").into_bytes();
    // Nobody else is to have its blocks.
    let scan = pb::Scan { start_row: Some(row.into()), cache_blocks: Some(false), ..pb::Scan::default() };
    let request = pb::ScanRequest {
        region: Some(region.clone()),
        scan: Some(scan),
        number_of_rows: Some(1),
        ..next_request(None)
    };
    let (response, block) = patiently(|| client.ask("Scan", &request)).await;
    assert_row(&response, block, number);
    response.scanner_id
}

fn assert_row(_: &pb::ScanResponse, block: Bytes, number: usize) {
    let cells = CellBlock::parse(block).unwrap();
    let cell = cells.iter().next().unwrap();
    assert_eq!(cell.row(), format!("row{number:04}").as_bytes());
    assert_eq!(cell.value(), value(number), "as of the opening");
}

async fn ask_all_to_compact(client: &Client, region: &pb::RegionSpecifier) {
    let request =
        pb::CompactRegionRequest { region: region.clone(), major: Some(true), ..Default::default() };
    let _: pb::CompactRegionResponse = client.ask_admin("CompactRegion", &request).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_scanners_that_wait_while_memstores_become_files_and_files_become_one() {
    let place = Place::new();
    let limit = format!("finback.memory.limit={LIMIT_MIB}m");
    let server = place.start_with(&[&limit, "hbase.wal.hsync=false"]);
    let memory = MemoryWatch::begin(server.pid());
    let client = Arc::new(Client::of(&server).await);
    let region = client.create_table("t").await.region;
    write(&client, &region).await;
    let mut waiting = Vec::new();
    for number in 0..WAITING {
        let number = number % (ROWS - 1);
        waiting.push((number, open_one(&client, &region, number).await));
        if waiting.len() % 100 == 0 {
            assert_memory(&memory, "all these scanners were opened");
            ask_all_to_compact(&client, &region).await;
            // What scanners saw in memory goes to files.
            write(&client, &region).await;
        }
    }
    for (number, scanner_id) in waiting {
        let request = pb::ScanRequest { number_of_rows: Some(1), ..next_request(scanner_id) };
        match client.ask::<_, pb::ScanResponse>("Scan", &request).await {
            Ok((response, block)) => assert_row(&response, block, number + 1),
            Err(refused) => assert_eq!(refused.simple_class(), "UnknownScannerException", "{refused}"),
        }
    }
    assert_memory(&memory, "the scanners went on");
    server.stop();
}

/// What a user's load generator does to the server.
fn load(server: &RunningServer, clients: usize, arguments: &str) {
    let quorum = format!("hbase.zookeeper.quorum={}", server.zookeeper());
    let run = Command::new(env!("CARGO_BIN_EXE_finback"))
        .args(["pe", "--quiet", "-D", &quorum])
        .args(arguments.split(' '))
        .arg(clients.to_string())
        .output()
        .unwrap();
    assert!(run.status.success(), "{arguments}: {}", String::from_utf8_lossy(&run.stderr));
}

/// Those of the benchmark beside HBase, on more rows than the process may have in memory.
#[test]
fn under_every_load_of_the_benchmark() {
    const ALL_ROWS: usize = 160_000;
    let place = Place::new();
    let limit = format!("finback.memory.limit={LIMIT_MIB}m");
    let server = place.start_with(&[&limit, "hbase.wal.hsync=false"]);
    let memory = MemoryWatch::begin(server.pid());
    for clients in [4, 64] {
        // A request as large as a client's own buffer is more than this server has for all of them.
        let table = format!("--presplit=4 --oneCon=true --bufferSize=500000 --rows={}", ALL_ROWS / clients);
        for (share, command) in [
            (1.0, "sequentialWrite"),
            (1.0, "randomWrite"),
            (1.0, "--caching=1000 scan"),
            (0.1, "randomRead"),
            (0.3, "--multiGet=10 randomRead"),
            (0.1, "--autoFlush=true randomWrite"),
            (0.1, "increment"),
            (0.1, "checkAndPut"),
        ] {
            load(&server, clients, &format!("{table} --sampleRate={share} {command}"));
            assert_memory(&memory, &format!("{command} by {clients}"));
        }
        load(&server, clients, &format!("-p recordcount={} ycsbLoad", ALL_ROWS / 8));
        load(
            &server,
            clients,
            &format!("-p recordcount={} -p operationcount={} workloadA", ALL_ROWS / 8, ALL_ROWS / 8),
        );
        assert_memory(&memory, &format!("half gets, half puts by {clients}"));
    }
    server.stop();
}
