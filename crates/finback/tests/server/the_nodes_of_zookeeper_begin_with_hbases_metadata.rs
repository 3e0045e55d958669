//! HBase's own clients do without them; asynchbase and gohbase do not find a server whose nodes have none.

use crate::running_server::{LONG, Place};
use finback_cell::ServerName;
use finback_proto::{pb, pbuf};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const GET_DATA: i32 = 4;

/// The value of a node, asked for as ZooKeeper's client does.
async fn node(address: std::net::SocketAddr, path: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // Protocol version, the last transaction seen, time-out, session, a password of 16 bytes.
    let opening =
        [&[0; 12][..], &10_000_i32.to_be_bytes(), &[0; 8], &16_i32.to_be_bytes(), &[0; 16]].concat();
    exchange(&mut stream, &opening).await;
    let length = i32::try_from(path.len()).unwrap().to_be_bytes();
    let request =
        [&1_i32.to_be_bytes()[..], &GET_DATA.to_be_bytes(), &length, path.as_bytes(), &[0]].concat();
    let answer = exchange(&mut stream, &request).await;
    // The request's number, a transaction, no error, a length and the value.
    assert_eq!(answer[12..16], [0; 4], "an error");
    let length = u32::from_be_bytes(answer[16..20].try_into().unwrap()) as usize;
    answer[20..20 + length].to_vec()
}

async fn exchange(stream: &mut TcpStream, request: &[u8]) -> Vec<u8> {
    let length = u32::try_from(request.len()).unwrap();
    stream.write_all(&[&length.to_be_bytes(), request].concat()).await.unwrap();
    let reading = async {
        let mut answer = vec![0; stream.read_u32().await.unwrap() as usize];
        stream.read_exact(&mut answer).await.unwrap();
        answer
    };
    tokio::time::timeout(LONG, reading).await.expect("nothing comes")
}

#[tokio::test]
async fn each_of_them() {
    let place = Place::new();
    let server = place.start();
    let (zookeeper, master, region_server) = (server.zookeeper(), server.master(), server.regionserver());
    for name in ["hbaseid", "master", "meta-region-server", "namespace/default"] {
        let value = node(zookeeper, &format!("/hbase/{name}")).await;
        assert_eq!(value.first(), Some(&0xff), "{name}");
        assert!(value.windows(7).any(|part| part == b"master:"), "{name}: who wrote it");
    }
    let value = node(zookeeper, "/hbase/master").await;
    let found: pb::Master = pbuf::decode_node(&value, "Master").unwrap();
    assert_eq!(found.master.port, Some(u32::from(master.port())));
    let value = node(zookeeper, "/hbase/meta-region-server").await;
    let found: pb::MetaRegionServer = pbuf::decode_node(&value, "MetaRegionServer").unwrap();
    assert_eq!(found.server.port, Some(u32::from(region_server.port())));
}

#[tokio::test]
async fn who_serves_is_listed_as_by_hbase() {
    let place = Place::new();
    let server = place.start();
    let zookeeper = server.zookeeper();
    let value = node(zookeeper, "/hbase/meta-region-server").await;
    let meta: pb::MetaRegionServer = pbuf::decode_node(&value, "MetaRegionServer").unwrap();
    let name = ServerName::try_from(&meta.server).unwrap();
    let value = node(zookeeper, &format!("/hbase/rs/{name}")).await;
    assert!(value.windows(13).any(|part| part == b"regionserver:"), "who wrote it");
    let info: pb::RegionServerInfo = pbuf::decode_node(&value, "RegionServerInfo").unwrap();
    assert_eq!(info.info_port, Some(i32::from(server.regionserver_info().port())));
    let value = node(zookeeper, "/hbase/running").await;
    let running: pb::ClusterUp = pbuf::decode_node(&value, "ClusterUp").unwrap();
    // As Java has it: Tue Nov 14 22:13:20 UTC 2023.
    assert_eq!(running.start_date.split(' ').count(), 6, "{}", running.start_date);
    assert_eq!(node(zookeeper, "/hbase/backup-masters").await, b"");
}
