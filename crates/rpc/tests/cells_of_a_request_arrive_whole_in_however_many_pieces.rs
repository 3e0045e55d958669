//! What a [`SocketChannel`] sends of requests whose cells are in pieces.

use bytes::Bytes;
use finback_rpc::{CellPiecesBuilder, Channel, ConnectOptions, Request, SocketChannel};
use std::sync::Arc;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};

/// Cells of one call: a letter of its own, pieces of all lengths.
fn cells(call: u8, pieces: usize) -> (Request, Vec<u8>) {
    let mut builder = CellPiecesBuilder::default();
    let mut all = Vec::new();
    for number in 0..pieces {
        let piece: Vec<u8> = (0..(number * 37) % 1500).map(|place| call ^ (place + number) as u8).collect();
        all.extend_from_slice(&piece);
        builder.push(&Bytes::from(piece));
    }
    (Request { method: "Multi", cells: builder.finish(), ..Request::default() }, all)
}

async fn frame(server: &mut TcpStream) -> Vec<u8> {
    let length = server.read_u32().await.unwrap() as usize;
    let mut frame = vec![0; length];
    server.read_exact(&mut frame).await.unwrap();
    frame
}

#[tokio::test]
async fn cells_of_a_request_arrive_whole_in_however_many_pieces() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let options = ConnectOptions { service: "ClientService".into(), user: "tester".into() };
    let channel = SocketChannel::connect(listener.local_addr().unwrap(), &options).await.unwrap();
    let channel = Arc::new(channel);
    let mut server = listener.accept().await.unwrap().0;
    // The last ones are of more pieces than one system call takes, and of more bytes than the sockets hold.
    let counts = [0, 1, 20, 2, 3000, 1, 200, 10_000, 0, 20_000, 30];
    let (mut calls, mut expected) = (Vec::new(), Vec::new());
    for (number, pieces) in counts.into_iter().enumerate() {
        let (request, all) = cells(number as u8, pieces);
        expected.push(all);
        let channel = Arc::clone(&channel);
        calls.push(tokio::spawn(async move { channel.call_encoded(request).await }));
    }
    server.read_exact(&mut [0; 6]).await.unwrap();
    frame(&mut server).await;
    for _ in &counts {
        let frame = frame(&mut server).await;
        let sent = expected.iter().position(|cells| match cells.len() {
            0 => frame.len() < 24,
            length => frame.len() >= length + 8 && frame.len() < length + 64 && frame.ends_with(cells),
        });
        expected
            .swap_remove(sent.unwrap_or_else(|| panic!("a frame of {} bytes is none of them", frame.len())));
    }
    assert!(expected.is_empty());
    calls.iter().for_each(tokio::task::JoinHandle::abort);
}
