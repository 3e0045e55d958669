//! SIGTERM and SIGKILL.

use crate::client::{Client, put_request};
use crate::raw_client::{RawClient, request};
use crate::running_server::Place;
use finback_proto::{Message, pb};

const REPLAYED: &str = "replayed edits";

#[tokio::test]
async fn after_a_stop_there_is_nothing_to_replay() {
    let place = Place::new();
    let server = place.start();
    let client = Client::of(&server).await;
    let table = client.create_table("t").await;
    for i in 0..100 {
        table.put(&format!("r{i:03}"), b"v").await.unwrap();
    }
    server.stop();
    assert!(!place.data().join("ports").exists());

    let server = place.start();
    assert!(!server.stderr().contains(REPLAYED), "{}", server.stderr());
    let client = Client::of(&server).await;
    assert_eq!(client.table("t").await.rows().await.len(), 100);
    assert!(!server.stderr().contains(REPLAYED), "{}", server.stderr());
    assert_eq!(place.log_dirs().len(), 1, "only the logs of the server that runs");
}

#[tokio::test]
async fn administrators_stop_it_by_a_call() {
    let place = Place::new();
    let server = place.start();
    let client = Client::of(&server).await;
    client.create_table("t").await.put("r", b"v").await.unwrap();
    let request = pb::StopServerRequest { reason: "a test".to_owned() };
    let _: pb::StopServerResponse = client.ask_admin("StopServer", &request).await.unwrap();
    let ended = server.ends();
    assert!(ended.status.success(), "{ended:?}");

    let server = place.start();
    let client = Client::of(&server).await;
    assert_eq!(client.table("t").await.rows().await, ["r"]);
    let _: pb::ShutdownResponse =
        client.ask_master("Shutdown", &pb::ShutdownRequest::default()).await.unwrap();
    let ended = server.ends();
    assert!(ended.status.success(), "{ended:?}");
}

#[tokio::test]
async fn requests_under_way_at_a_stop_are_answered() {
    let place = Place::new();
    let server = place.start();
    let client = Client::of(&server).await;
    let table = client.create_table("t").await;
    let mut raw = RawClient::connect(server.regionserver(), "ClientService").await;
    let mut requests = Vec::new();
    for id in 0..500 {
        let put = put_request(table.region.clone(), &format!("r{id:03}"), b"f", &[b'v'; 500]);
        requests.extend(request(id, "Mutate", &put.encode_to_vec()));
    }
    raw.send(&requests).await;
    raw.response().await.1.unwrap();
    server.terminate();
    let mut answered = 1;
    while let Some((_, answer)) = raw.try_response().await {
        answer.unwrap();
        answered += 1;
    }
    let ended = server.ends();
    assert!(ended.status.success(), "{ended:?}");

    let server = place.start();
    let client = Client::of(&server).await;
    let rows = client.table("t").await.rows().await;
    // Whatever had begun was answered; the rest was neither answered nor carried out.
    assert_eq!(rows.len(), answered);
}

#[tokio::test]
async fn a_kill_loses_nothing_that_was_acknowledged() {
    let place = Place::new();
    let mut expected = Vec::new();
    for round in 0..3 {
        let server = place.start();
        let client = Client::of(&server).await;
        let table = match round {
            0 => client.create_table("t").await,
            _ => client.table("t").await,
        };
        assert_eq!(table.rows().await, expected);
        assert_eq!(server.stderr().contains(REPLAYED), round > 0, "{}", server.stderr());
        for i in 0..50 {
            let row = format!("r{round}-{i:02}");
            table.put(&row, b"v").await.unwrap();
            expected.push(row);
        }
        if round == 1 {
            table.flush().await.unwrap();
        }
        server.kill();
    }
    let server = place.start();
    let client = Client::of(&server).await;
    assert_eq!(client.table("t").await.rows().await, expected);
    place.only_logs_of_one_server_are_left().await;
}

#[test]
fn the_ports_of_a_server_that_was_killed_are_forgotten_at_the_next_start() {
    let place = Place::new();
    place.start().kill();
    let ports = place.data().join("ports");
    assert!(ports.exists());
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    place.start_refused(&[&format!("hbase.master.port={port}")]);
    assert!(!ports.exists());
    let server = place.start();
    for address in [server.zookeeper(), server.master(), server.regionserver()] {
        std::net::TcpStream::connect(address).unwrap();
    }
}

#[test]
fn a_stop_while_starting_is_a_stop() {
    let place = Place::new();
    for pause_ms in [0, 5, 20, 60] {
        let server = place.spawn(&[]);
        std::thread::sleep(std::time::Duration::from_millis(pause_ms));
        server.terminate();
        let ended = server.ends();
        // Before the handler of the signal is there, the signal ends the process.
        assert!(ended.status.success() || ended.status.code().is_none(), "{ended:?}");
    }
    place.start().stop();
}
