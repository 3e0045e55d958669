//! What a server costs before it does anything.

use crate::client::Client;
use crate::running_server::Place;
use std::time::Duration;

/// What an idle server may hold in memory.
const IDLE_LIMIT_KIB: u64 = 40 << 10;

#[tokio::test]
async fn from_nothing_to_the_first_acknowledged_put() {
    let place = Place::new();
    let server = place.start();
    let ready = server.started.elapsed();
    let client = Client::of(&server).await;
    let table = client.create_table("t").await;
    let created = server.started.elapsed();
    table.put("r", b"v").await.unwrap();
    let put = server.started.elapsed();
    // No assertion: other things run on this machine.
    println!("since exec: ready after {ready:?}, table created after {created:?}, put after {put:?}");
    assert_eq!(table.get("r").await.unwrap().unwrap(), b"v");
    server.kill();

    let server = place.start();
    println!("since exec, with logs to replay: ready after {:?}", server.started.elapsed());
}

#[tokio::test]
async fn an_idle_server_holds_little_memory() {
    let place = Place::new();
    let server = place.start();
    let client = Client::of(&server).await;
    let table = client.create_table("t").await;
    table.put("r", b"v").await.unwrap();
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let resident = server.memory_kib("VmRSS");
    println!("idle: {resident} KiB resident, {} KiB at most", server.memory_kib("VmHWM"));
    assert!(resident < IDLE_LIMIT_KIB, "{resident} KiB");
}
