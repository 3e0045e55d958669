//! The nodes below `/hbase/namespace`, as a ZooKeeper client that watches them sees them come and go.

use crate::client::Client;
use crate::running_server::{LONG, Place};
use finback_proto::{Message, pb};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

const GET_DATA: i32 = 4;
const GET_CHILDREN: i32 = 8;

struct ZooKeeperClient(TcpStream);

impl ZooKeeperClient {
    fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let mut client = Self(stream);
        let request = [&[0; 12][..], &90_000i32.to_be_bytes(), &[0; 8], &(-1i32).to_be_bytes()].concat();
        client.send(&request);
        client.receive();
        client
    }

    fn send(&mut self, payload: &[u8]) {
        self.0.write_all(&(payload.len() as u32).to_be_bytes()).unwrap();
        self.0.write_all(payload).unwrap();
    }

    fn receive(&mut self) -> Vec<u8> {
        let mut length = [0; 4];
        self.0.read_exact(&mut length).unwrap();
        let mut payload = vec![0; u32::from_be_bytes(length) as usize];
        self.0.read_exact(&mut payload).unwrap();
        payload
    }

    /// What a read that leaves a watch finds, behind the header of the reply.
    fn ask(&mut self, op_code: i32, path: &str) -> Vec<u8> {
        let length = path.len() as i32;
        let header = [7i32, op_code, length].map(i32::to_be_bytes).concat();
        self.send(&[&header[..], path.as_bytes(), &[1]].concat());
        let reply = self.receive();
        assert_eq!(reply[12..16], [0; 4], "{path}");
        reply[16..].to_vec()
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

#[tokio::test]
async fn watches_tell_of_namespaces_that_come_and_go() {
    let place = Place::new();
    let server = place.start();
    let client = Client::of(&server).await;
    let mut zookeeper = ZooKeeperClient::connect(server.zookeeper());
    let children = zookeeper.ask(GET_CHILDREN, "/hbase/namespace");
    assert!(contains(&children, "default") && contains(&children, "hbase") && children[3] == 2);

    let setting = pb::NameStringPair { name: "k".into(), value: "v".into() };
    let descriptor = pb::NamespaceDescriptor { name: "ns".into(), configuration: vec![setting] };
    let request =
        pb::CreateNamespaceRequest { namespace_descriptor: descriptor.clone(), ..Default::default() };
    let created: pb::CreateNamespaceResponse = client.ask_master("CreateNamespace", &request).await.unwrap();
    client.procedure(created.proc_id()).await.unwrap();
    let event = zookeeper.receive();
    assert_eq!(event[..4], [0xff; 4]);
    assert!(event[19] == 4 && event.ends_with(b"/hbase/namespace"), "{event:?}");
    let data = zookeeper.ask(GET_DATA, "/hbase/namespace/ns");
    let length = u32::from_be_bytes(data[..4].try_into().unwrap()) as usize;
    let value = finback_proto::pbuf::strip_metadata(&data[4..4 + length]).unwrap();
    assert_eq!(pb::NamespaceDescriptor::decode(value).unwrap(), descriptor);

    let request = pb::DeleteNamespaceRequest { namespace_name: "ns".into(), ..Default::default() };
    let deleted: pb::DeleteNamespaceResponse = client.ask_master("DeleteNamespace", &request).await.unwrap();
    client.procedure(deleted.proc_id()).await.unwrap();
    let event = zookeeper.receive();
    assert!(event[19] == 2 && event.ends_with(b"/hbase/namespace/ns"), "{event:?}");
}
