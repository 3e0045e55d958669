//! The nodes below `/hbase/namespace` and `/hbase/table`, as a ZooKeeper client that watches them sees them come and go.

use crate::client::Client;
use crate::running_server::{LONG, Place};
use finback_proto::{Message, pb};
use pb::deprecated_table_state::State as NodeState;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

const GET_DATA: i32 = 4;
const GET_CHILDREN: i32 = 8;

/// The number of what is no reply.
const NOTIFICATION: [u8; 4] = [0xff; 4];
const DELETED: u8 = 2;
const DATA_CHANGED: u8 = 3;
const CHILDREN_CHANGED: u8 = 4;

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

    /// What a read that leaves a watch finds, behind the header of the reply. What the client is told before is left out.
    fn ask(&mut self, op_code: i32, path: &str) -> Vec<u8> {
        let length = path.len() as i32;
        let header = [7i32, op_code, length].map(i32::to_be_bytes).concat();
        self.send(&[&header[..], path.as_bytes(), &[1]].concat());
        let mut reply = self.receive();
        while reply[..4] == NOTIFICATION {
            reply = self.receive();
        }
        assert_eq!(reply[12..16], [0; 4], "{path}");
        reply[16..].to_vec()
    }

    /// The value of a node, which is watched from then on, without its metadata.
    fn value(&mut self, path: &str) -> Vec<u8> {
        let data = self.ask(GET_DATA, path);
        let length = u32::from_be_bytes(data[..4].try_into().unwrap()) as usize;
        finback_proto::pbuf::strip_metadata(&data[4..4 + length]).unwrap().to_vec()
    }

    /// What the client is told next: the type of an event, and of which node.
    fn event(&mut self) -> (u8, String) {
        let event = self.receive();
        assert_eq!(event[..4], NOTIFICATION);
        (event[19], String::from_utf8(event[28..].to_vec()).unwrap())
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
    assert_eq!(zookeeper.event(), (CHILDREN_CHANGED, "/hbase/namespace".to_owned()));
    let value = zookeeper.value("/hbase/namespace/ns");
    assert_eq!(pb::NamespaceDescriptor::decode(&value[..]).unwrap(), descriptor);

    let request = pb::DeleteNamespaceRequest { namespace_name: "ns".into(), ..Default::default() };
    let deleted: pb::DeleteNamespaceResponse = client.ask_master("DeleteNamespace", &request).await.unwrap();
    client.procedure(deleted.proc_id()).await.unwrap();
    assert_eq!(zookeeper.event(), (DELETED, "/hbase/namespace/ns".to_owned()));
}

#[tokio::test]
async fn watches_tell_which_tables_are_enabled() {
    let place = Place::new();
    let server = place.start();
    let client = Client::of(&server).await;
    client.create_table("t").await;
    let mut zookeeper = ZooKeeperClient::connect(server.zookeeper());
    assert!(contains(&zookeeper.ask(GET_CHILDREN, "/hbase/table"), "\u{1}t"), "before the call is done");
    let node = "/hbase/table/t".to_owned();
    assert_eq!(state(&mut zookeeper, &node), NodeState::Enabled);

    client.disable_table("t").await;
    // first that it is on its way
    assert_eq!(zookeeper.event(), (DATA_CHANGED, node.clone()));
    assert_eq!(state(&mut zookeeper, &node), NodeState::Disabled);

    client.delete_table("t").await;
    assert_eq!(zookeeper.event(), (CHILDREN_CHANGED, "/hbase/table".to_owned()));
    assert_eq!(zookeeper.event(), (DELETED, node));
}

/// Whether a table is enabled; leaves a watch on it.
fn state(zookeeper: &mut ZooKeeperClient, node: &str) -> NodeState {
    let value = zookeeper.value(node);
    let state: pb::DeprecatedTableState =
        finback_proto::pbuf::decode(&value, "DeprecatedTableState").unwrap();
    state.state()
}
