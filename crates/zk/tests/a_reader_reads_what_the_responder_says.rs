//! The two ends of the protocol in this crate, at each other; and a reader at a server that lies.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use finback_zk::{Error, Reader, Responder, Tree};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const PATIENCE: Duration = Duration::from_secs(20);

#[tokio::test]
async fn nodes_and_children_are_read_and_missing_ones_are_none() {
    let tree = Arc::new(Tree::new());
    tree.set("/hbase/hbaseid", "the id", 1).unwrap();
    tree.set("/hbase/master", "the master", 1).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(Responder::new(tree, || 1).serve(listener, std::future::pending()));

    let mut reader = Reader::connect(address, PATIENCE).await.unwrap();
    assert_eq!(reader.data("/hbase/hbaseid").await.unwrap().unwrap(), b"the id");
    assert_eq!(reader.data("/hbase/nothing").await.unwrap(), None);
    let mut children = reader.children("/hbase").await.unwrap().unwrap();
    children.sort();
    assert_eq!(children, ["hbaseid", "master"]);
    assert_eq!(reader.children("/nothing").await.unwrap(), None);
    reader.close().await;
}

/// A server that answers whatever comes with these bytes, and then is silent.
async fn lying(answer: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.read_exact(&mut [0; 49]).await.unwrap();
        stream.write_all(answer).await.unwrap();
        std::future::pending::<()>().await;
    });
    address
}

#[tokio::test]
async fn a_length_that_lies_is_refused() {
    let address = lying(b"\x7f\xff\xff\xff").await;
    let refused = Reader::connect(address, PATIENCE).await.err().unwrap();
    assert!(matches!(refused, Error::FrameLength { length: i32::MAX, .. }), "{refused}");
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    let address = lying(b"\0\0\0\x25").await;
    let refused = Reader::connect(address, Duration::from_millis(20)).await.err().unwrap();
    assert!(matches!(refused, Error::Idle(_)), "{refused}");
}

#[tokio::test]
async fn a_session_that_is_over_is_refused() {
    let address = lying(b"\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0").await;
    let refused = Reader::connect(address, PATIENCE).await.err().unwrap();
    assert!(matches!(refused, Error::SessionExpired), "{refused}");
}
