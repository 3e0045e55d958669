use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{ConnectionThreads, FEW};

/// Both ends of a connection; the second is to be served.
pub(super) fn connection(listener: &TcpListener) -> (TcpStream, TcpStream) {
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (server, _) = listener.accept().unwrap();
    server.set_nonblocking(true).unwrap();
    (client, server)
}

pub(super) fn listener() -> TcpListener {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap()
}

#[test]
fn a_few_connections_share_a_thread_and_more_go_to_that_which_has_the_fewest() {
    let (threads, listener) = (ConnectionThreads::start(|| async {}).unwrap(), listener());
    let count = threads.threads.len();
    let (told, heard) = mpsc::channel();
    let mut clients = Vec::new();
    let mut begin = || {
        let (client, server) = connection(&listener);
        let told = told.clone();
        let serve = move |mut stream: tokio::net::TcpStream| async move {
            told.send(thread::current().id()).unwrap();
            let _ = stream.read_u8().await; // until the client goes
            told.send(thread::current().id()).unwrap();
        };
        threads.schedulers().serve(server, serve).unwrap();
        clients.push(client);
        heard.recv().unwrap()
    };
    let mut by_thread: HashMap<_, usize> = HashMap::new();
    let served: Vec<_> = (0..(FEW + 2) * count).map(|_| begin()).collect();
    for thread in &served {
        *by_thread.entry(*thread).or_default() += 1;
    }
    assert!(served[..FEW].iter().all(|thread| *thread == served[0]), "{served:?}");
    assert!(
        by_thread.len() == count && by_thread.values().all(|&connections| connections == FEW + 2),
        "{by_thread:?}"
    );
    // All that the first thread has go; it gets the next.
    for (client, _) in clients.iter_mut().zip(&served).filter(|(_, thread)| **thread == served[0]) {
        client.write_all(b"!").unwrap();
        assert_eq!(heard.recv().unwrap(), served[0], "a connection stays where it was begun");
    }
    let counts = || threads.schedulers.0.iter().map(|s| s.load.connections.load(super::Ordering::Relaxed));
    while counts().min() != Some(0) {
        thread::yield_now();
    }
    let (_client, server) = connection(&listener);
    let (told, heard) = mpsc::channel();
    let serve = move |_stream| async move { told.send(thread::current().id()).unwrap() };
    threads.schedulers().serve(server, serve).unwrap();
    assert_eq!(heard.recv().unwrap(), served[0]);
}

#[test]
fn a_panic_ends_its_connection_and_no_other() {
    let (threads, listener) = (ConnectionThreads::start(|| async {}).unwrap(), listener());
    for _ in 0..threads.threads.len() {
        let (mut client, server) = connection(&listener);
        threads.schedulers().serve(server, |_| async { panic!("on purpose") }).unwrap();
        assert_eq!(client.read(&mut [0]).unwrap(), 0, "closed");
    }
    for _ in 0..2 * threads.threads.len() {
        let (mut client, server) = connection(&listener);
        let greet = |mut stream: tokio::net::TcpStream| async move { stream.write_u8(7).await.unwrap() };
        threads.schedulers().serve(server, greet).unwrap();
        let mut greeting = [0];
        client.read_exact(&mut greeting).unwrap();
        assert_eq!(greeting, [7]);
    }
}

#[test]
fn the_end_of_the_threads_ends_what_runs_on_them() {
    let (threads, listener) = (ConnectionThreads::start(|| async {}).unwrap(), listener());
    let schedulers = threads.schedulers();
    let (mut client, server) = connection(&listener);
    let forever = |stream| async {
        std::future::pending::<()>().await;
        drop(stream);
    };
    schedulers.serve(server, forever).unwrap();
    drop(threads);
    assert_eq!(client.read(&mut [0]).unwrap(), 0, "closed");
    // Who is still accepted is let go of at once.
    let (mut late, server) = connection(&listener);
    let _ = schedulers.serve(server, forever);
    assert_eq!(late.read(&mut [0]).unwrap(), 0, "closed");
}
