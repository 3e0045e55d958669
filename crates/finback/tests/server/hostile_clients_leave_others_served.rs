//! Whatever one client sends, or does not read, others are served.

use crate::client::{Client, get_request};
use crate::raw_client::{RawClient, framed, opening, request};
use crate::running_server::{Place, RunningServer};
use finback_proto::{Message, pb};
use std::time::Duration;

/// Checks that both services answer somebody else.
async fn others_are_served(server: &RunningServer) {
    let client = Client::of(server).await;
    let table = client.table("t").await;
    table.put("r", b"v").await.unwrap();
    assert_eq!(table.get("r").await.unwrap().unwrap(), b"v");
    let version: pb::GetClusterStatusResponse =
        client.ask_master("GetClusterStatus", &pb::GetClusterStatusRequest::default()).await.unwrap();
    assert!(version.cluster_status.hbase_version.is_some());
}

async fn server_with_table(place: &Place, settings: &[&str]) -> RunningServer {
    let server = place.start_with(settings);
    Client::of(&server).await.create_table("t").await;
    server
}

#[tokio::test]
async fn garbage_instead_of_a_preamble() {
    let place = Place::new();
    let server = server_with_table(&place, &[]).await;
    let mut noise = vec![0; 100_000];
    let mut state = 1u32;
    for byte in &mut noise {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *byte = (state >> 24) as u8;
    }
    let garbage: [&[u8]; 6] = [
        &noise,
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"HBas\x01\x50",
        b"HBas\x00\x00",
        b"HBas\x00\x50\xff\xff\xff\xff",
        b"HBas\x00\x50\x7f\xff\xff\xff",
    ];
    for address in [server.master(), server.regionserver()] {
        for bytes in garbage {
            let mut client = RawClient::silent(address).await;
            client.send_until_refused(bytes).await;
            client.closes().await;
        }
        // A service that is not there is not answered.
        RawClient::connect(address, "NoSuchService").await.closes().await;
    }
    others_are_served(&server).await;
    server.stop();
}

#[tokio::test]
async fn a_wrong_version_is_told_so() {
    let place = Place::new();
    let server = server_with_table(&place, &[]).await;
    for address in [server.master(), server.regionserver()] {
        let mut client = RawClient::silent(address).await;
        client.send(b"HBas\x07\x50").await;
        let (_, answer) = client.response().await;
        assert_eq!(answer.unwrap_err().simple_class(), "WrongVersionException");
        client.closes().await;
    }
    others_are_served(&server).await;
}

#[tokio::test]
async fn lengths_that_lie() {
    let place = Place::new();
    let server = server_with_table(&place, &["hbase.ipc.max.request.size=1m"]).await;
    for address_and_service in [(server.master(), "MasterService"), (server.regionserver(), "ClientService")]
    {
        let (address, service) = address_and_service;
        for bytes in [
            &b"\0\0\0\0"[..],
            b"\xff\xff\xff\xff",
            b"\0\0\0\x03\x7f\x08\x01",
            b"\0\0\0\x06\xff\xff\xff\xff\xff\xff",
        ] {
            let mut client = RawClient::connect(address, service).await;
            client.send(bytes).await;
            client.closes().await;
        }
        // Of a parameter: the call fails, the connection goes on.
        let mut client = RawClient::connect(address, service).await;
        let header = pb::RequestHeader {
            call_id: Some(5),
            method_name: Some("Get".into()),
            request_param: Some(true),
            ..Default::default()
        };
        let lying = [header.encode_length_delimited_to_vec(), vec![0x7f, 0]].concat();
        client.send(&framed(&lying)).await;
        let (id, answer) = client.response().await;
        assert_eq!((id, answer.unwrap_err().simple_class()), (5, "DoNotRetryIOException"));
        // Longer than may be: refused by its header, before it is there.
        let mut frame = request(9, "Get", b"");
        frame[..4].copy_from_slice(&(2u32 << 20).to_be_bytes());
        client.send(&frame).await;
        let (id, answer) = client.response().await;
        assert_eq!((id, answer.unwrap_err().simple_class()), (9, "RequestTooBigException"));
        client.closes().await;
    }
    others_are_served(&server).await;
}

#[tokio::test]
async fn methods_and_parameters_that_make_no_sense() {
    let place = Place::new();
    let server = server_with_table(&place, &[]).await;
    let services = [
        (server.master(), "MasterService", "CreateTable"),
        (server.master(), "RegionServerStatusService", "RegionServerReport"),
        (server.master(), "ClientMetaService", ""),
        (server.regionserver(), "ClientService", "Scan"),
        (server.regionserver(), "AdminService", "OpenRegion"),
        (server.regionserver(), "ClientMetaService", ""),
    ];
    for (address, service, method) in services {
        let mut client = RawClient::connect(address, service).await;
        client.send(&request(1, "Fly", b"")).await;
        let (_, answer) = client.response().await;
        let exception = answer.unwrap_err();
        assert_eq!(exception.message, "java.lang.UnsupportedOperationException: Fly", "{service}");
        assert!(exception.do_not_retry);
        // Requests of the registry have no fields.
        if method.is_empty() {
            continue;
        }
        client.send(&request(2, method, &[0xff; 30])).await;
        let (id, answer) = client.response().await;
        let exception = answer.expect_err(method);
        assert!(id == 2 && exception.do_not_retry, "{service}: {exception}");
    }
    others_are_served(&server).await;
}

#[tokio::test]
async fn a_stranger_is_no_region_server() {
    let place = Place::new();
    let server = server_with_table(&place, &[]).await;
    let mut client = RawClient::connect(server.master(), "RegionServerStatusService").await;
    let startup = pb::RegionServerStartupRequest {
        port: 16_020,
        server_start_code: u64::MAX >> 1,
        server_current_time: 1,
        use_this_hostname_instead: Some("stranger.example.com".into()),
    };
    client.send(&request(1, "RegionServerStartup", &startup.encode_to_vec())).await;
    let (_, answer) = client.response().await;
    let exception = answer.unwrap_err();
    assert!(exception.do_not_retry, "{exception}");
    let live = pb::GetLiveRegionServersRequest { count: 10 }.encode_to_vec();
    client.send(&request(2, "GetLiveRegionServers", &live)).await;
    let (_, answer) = client.response().await;
    let live = pb::GetLiveRegionServersResponse::decode(answer.unwrap().0).unwrap();
    assert_eq!(live.total, 1);
    others_are_served(&server).await;
    server.stop();
}

#[tokio::test]
async fn clients_that_go_in_the_middle_of_a_request() {
    let place = Place::new();
    let server = server_with_table(&place, &[]).await;
    let whole = [opening("ClientService"), request(1, "Get", &[7; 1000])].concat();
    for end in [1, 5, 6, 9, 30, whole.len() - 1000, whole.len() - 1] {
        let mut client = RawClient::silent(server.regionserver()).await;
        client.send(&whole[..end]).await;
        drop(client);
    }
    others_are_served(&server).await;
    server.stop();
}

#[tokio::test]
async fn a_client_that_stops_reading_costs_bounded_memory() {
    const VALUE: usize = 1 << 20;
    const GETS: u32 = 2000;
    let place = Place::new();
    let server = server_with_table(&place, &[]).await;
    let client = Client::of(&server).await;
    let table = client.table("t").await;
    table.put("large", &vec![b'x'; VALUE]).await.unwrap();
    let before = server.memory_kib("VmRSS");

    let get = get_request(table.region.clone(), "large").encode_to_vec();
    let gets: Vec<u8> = (0..GETS).flat_map(|id| request(id, "Get", &get)).collect();
    let scan = pb::ScanRequest {
        region: Some(table.region.clone()),
        scan: Some(pb::Scan::default()),
        number_of_rows: Some(10),
        close_scanner: Some(true),
        ..Default::default()
    };
    let scan = scan.encode_to_vec();
    let scans: Vec<u8> = (0..GETS).flat_map(|id| request(id, "Scan", &scan)).collect();
    let mut silent = Vec::new();
    for requests in [&gets, &scans] {
        let mut client = RawClient::connect(server.regionserver(), "ClientService").await;
        // Not all of it is taken: the server stops reading as well.
        let _ = tokio::time::timeout(Duration::from_millis(700), client.send_until_refused(requests)).await;
        silent.push(client);
    }
    others_are_served(&server).await;
    let highest = server.memory_kib("VmHWM");
    println!("{before} KiB before, {highest} KiB at most");
    // 16 MiB of replies wait for each of them, of 2000 that it has asked for; twice that for what is being made.
    assert!(highest < before + (80 << 10), "{before} KiB before, {highest} KiB at most");
    drop(silent);
    others_are_served(&server).await;
}
