use std::io::{Read, Write};
use std::thread;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::connection_threads::{
    ConnectionThreads,
    tests::{connection, listener},
};

const CALLS: u8 = 100;

/// Answers each byte with the next number, and moves to the next thread after every other answer.
async fn serve(mut stream: TcpStream) {
    let mut threads = vec![thread::current().id()];
    while let Ok(byte) = stream.read_u8().await {
        stream.write_u8(byte + 1).await.unwrap();
        if byte % 2 == 0 {
            HERE.with(|here| {
                let here = here.get().expect("a thread of connections");
                here.looked.set(Instant::now());
                here.leaving.set((1, (here.number + 1) % here.schedulers.0.len()));
            });
            stream = leave(&stream, Instant::now()).expect("it is to leave");
            moved().await;
            threads.push(thread::current().id());
        }
        assert!(leave(&stream, Instant::now()).is_none(), "only one was to leave");
    }
    assert_eq!(threads.len(), 1 + usize::from(CALLS) / 2);
    let stays = thread::available_parallelism().is_ok_and(|threads| threads.get() == 1);
    assert!(threads.windows(2).all(|pair| (pair[0] == pair[1]) == stays), "{threads:?}");
}

#[test]
fn a_connection_that_moves_is_served_on() {
    let (threads, listener) = (ConnectionThreads::start(|| async {}).unwrap(), listener());
    let (mut client, server) = connection(&listener);
    let (told, heard) = std::sync::mpsc::channel();
    let serve = move |stream| async move {
        serve(stream).await;
        told.send(()).unwrap();
    };
    threads.schedulers().serve(server, serve).unwrap();
    for number in 0..CALLS {
        client.write_all(&[number]).unwrap();
        let mut answer = [0];
        client.read_exact(&mut answer).unwrap();
        assert_eq!(answer, [number + 1]);
    }
    drop(client);
    heard.recv().expect("it has ended well");
    let schedulers = threads.schedulers();
    let connections =
        || schedulers.0.iter().map(|s| s.load.connections.load(Ordering::Relaxed)).sum::<usize>();
    while connections() > 0 {
        thread::yield_now();
    }
}
