//! Servers that are none: what they send ends in an error, soon, and in no memory.

use bytes::Bytes;
use finback_client::{Admin, ClientConfig, Connection, Error};
use finback_proto::{Message, delimited, pb};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A connection to servers each of which does this with who connects.
async fn connection<F>(serve: impl Fn(TcpStream) -> F + Send + Sync + 'static) -> Connection
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(serve(stream));
        }
    });
    let mut config = ClientConfig::masters(&address.to_string()).retries(2).pause(Duration::from_millis(1));
    config.registry_timeout = Duration::from_millis(300);
    config.read_timeout = Duration::from_millis(50);
    Connection::open_lazily(config).unwrap()
}

/// Preamble, header, and the call id of the first request.
async fn first_call(stream: &mut TcpStream) -> u32 {
    stream.read_exact(&mut [0; 6]).await.unwrap();
    let length = stream.read_u32().await.unwrap();
    stream.read_exact(&mut vec![0; length as usize]).await.unwrap();
    next_call(stream).await.unwrap()
}

async fn next_call(stream: &mut TcpStream) -> Option<u32> {
    let length = stream.read_u32().await.ok()?;
    let mut frame = vec![0; length as usize];
    stream.read_exact(&mut frame).await.ok()?;
    let header: pb::RequestHeader = delimited::decode_delimited(&mut Bytes::from(frame), "header").unwrap();
    header.call_id
}

fn response(call_id: u32, message: &impl Message) -> Vec<u8> {
    let mut body = Vec::new();
    let header = pb::ResponseHeader { call_id: Some(call_id), ..Default::default() };
    delimited::encode_delimited(&header, &mut body);
    delimited::encode_delimited(message, &mut body);
    [&(body.len() as u32).to_be_bytes()[..], &body].concat()
}

async fn refused(connection: Connection) -> Error {
    let started = Instant::now();
    let error = connection.cluster_id().await.unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(20), "{error}");
    error
}

#[tokio::test]
async fn bytes_that_make_no_sense_end_the_connection_and_are_told() {
    let frames: [&'static [u8]; 7] = [
        b"\x7f\xff\xff\xff",
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x00",
        b"\x00\x00\x00\x05\xff\xff\xff\xff\xff",
        b"\x00\x00\x00\x02\x7f\x08",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"",
    ];
    for frame in frames {
        let connection = connection(move |mut stream| async move {
            first_call(&mut stream).await;
            stream.write_all(frame).await.unwrap();
            // Closed.
        })
        .await;
        let error = refused(connection).await;
        assert!(matches!(error, Error::RetriesExhausted { attempts: 3, .. }), "{frame:?}: {error}");
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up_and_so_is_its_connection() {
    let (connections, mut connected) = tokio::sync::mpsc::unbounded_channel();
    let connection = connection(move |mut stream| {
        connections.send(()).unwrap();
        async move {
            first_call(&mut stream).await;
            while next_call(&mut stream).await.is_some() {}
        }
    })
    .await;
    let error = refused(connection).await;
    assert!(error.to_string().contains("no answer to GetClusterId"), "{error}");
    let mut count = 0;
    while connected.try_recv().is_ok() {
        count += 1;
    }
    assert_eq!(count, 3, "connections");
}

#[tokio::test]
async fn answers_to_calls_that_nobody_made_are_passed_over() {
    let connection = connection(|mut stream| async move {
        let mut call_id = first_call(&mut stream).await;
        loop {
            let wrong =
                response(call_id + 1000, &pb::GetClusterIdResponse { cluster_id: Some("wrong".into()) });
            stream.write_all(&wrong.repeat(1000)).await.unwrap();
            let right = response(call_id, &pb::GetClusterIdResponse { cluster_id: Some("right".into()) });
            // Twice: the second is to nobody.
            stream.write_all(&right.repeat(2)).await.unwrap();
            let Some(next) = next_call(&mut stream).await else { return };
            call_id = next;
        }
    })
    .await;
    for _ in 0..3 {
        assert_eq!(connection.cluster_id().await.unwrap().as_deref(), Some("right"));
    }
}

#[tokio::test]
async fn an_answer_drop_by_drop_is_an_answer() {
    let connection = connection(|mut stream| async move {
        let call_id = first_call(&mut stream).await;
        let bytes = response(call_id, &pb::GetClusterIdResponse { cluster_id: Some("slow".into()) });
        for byte in bytes {
            stream.write_all(&[byte]).await.unwrap();
            tokio::task::yield_now().await;
        }
        std::future::pending::<()>().await;
    })
    .await;
    assert_eq!(connection.cluster_id().await.unwrap().as_deref(), Some("slow"));
}

#[tokio::test]
async fn a_master_that_names_itself_nonsense_is_none() {
    let connection = connection(|mut stream| async move {
        let mut call_id = first_call(&mut stream).await;
        loop {
            let nobody = pb::ServerName { host_name: String::new(), port: Some(u32::MAX), start_code: None };
            let answer = pb::GetActiveMasterResponse { server_name: Some(nobody) };
            stream.write_all(&response(call_id, &answer)).await.unwrap();
            let Some(next) = next_call(&mut stream).await else { return };
            call_id = next;
        }
    })
    .await;
    let admin: Admin = connection.admin();
    assert!(admin.master().await.is_err());
}
