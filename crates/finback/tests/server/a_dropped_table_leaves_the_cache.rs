//! Blocks of a table that nobody will open again make room.

use crate::client::Client;
use crate::metrics_tell_what_clients_did::{get, number};
use crate::running_server::Place;
use std::time::Duration;

#[tokio::test]
async fn and_one_that_is_disabled_does_not() {
    let place = Place::new();
    let server = place.start();
    let client = Client::of(&server).await;
    let table = client.create_table("t").await;
    for number in 0..1000 {
        table.put(&format!("row{number:04}"), &[7; 1000]).await.unwrap();
    }
    table.flush().await.unwrap();
    let cached = || number(&get(server.regionserver_info(), "/metrics"), "\nfinback_block_cache_bytes ");
    let before = cached();
    assert_eq!(table.rows().await.len(), 1000);
    let all = cached();
    assert!(all > before + 500_000, "{before}, {all}");
    client.disable_table("t").await;
    // A look at what was closed comes each second.
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(cached() > before + 500_000);
    client.delete_table("t").await;
    while cached() > before {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
