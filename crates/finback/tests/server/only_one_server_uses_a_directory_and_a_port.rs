//! What keeps a server from starting is said in one line, and changes nothing for others.

use crate::client::Client;
use crate::running_server::Place;

#[tokio::test]
async fn a_second_server_on_a_directory_is_refused_and_the_first_goes_on() {
    let place = Place::new();
    let first = place.start();
    let client = Client::of(&first).await;
    let table = client.create_table("t").await;
    let ports = std::fs::read(place.data().join("ports")).unwrap();

    let data = place.data();
    place
        .start_refused(&[])
        .refused_with(&[data.to_str().unwrap(), &format!("locked by process {}", first.pid())]);

    assert_eq!(std::fs::read(place.data().join("ports")).unwrap(), ports);
    table.put("r", b"v").await.unwrap();
    assert_eq!(table.get("r").await.unwrap().unwrap(), b"v");
    first.stop();
    place.start().stop();
}

#[test]
fn a_port_in_use_is_named_with_its_setting() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    for setting in ["listen.zookeeper-port", "listen.master-port", "listen.regionserver-port"] {
        let place = Place::new();
        let ended = place.start_refused(&[&format!("{setting}={port}")]);
        ended.refused_with(&[setting, &format!("127.0.0.1:{port}")]);
        // Nothing stands in the way of the next try.
        place.start().stop();
    }
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let place = Place::new();
    // Below a file, because the superuser may write anywhere else.
    let file = place.data();
    std::fs::write(&file, "not a directory").unwrap();
    place.start_refused(&[]).refused_with(&["data directory", file.to_str().unwrap()]);
    assert_eq!(std::fs::read(&file).unwrap(), b"not a directory");
}

#[test]
fn a_setting_that_nobody_knows_is_refused_and_one_without_effect_is_told() {
    let place = Place::new();
    let meant = "did you mean hbase.regionserver.maxlogs?";
    let refused = place.start_refused(&["hbase.regionserver.maxlosg=7"]);
    refused.refused_with(&["hbase.regionserver.maxlosg", meant]);
    let said = place.start_with(&["hbase.rest.port=7"]).stop().stderr;
    let warning = said.lines().find(|line| line.contains("hbase.rest.port")).expect("a warning");
    assert!(warning.contains("there is no REST server"), "{warning}");
}
