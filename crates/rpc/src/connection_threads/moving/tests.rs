use std::io::{Read, Write};
use std::sync::Arc;
use std::thread;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::connection_threads::{
    ConnectionThreads,
    tests::{connection, listener},
};
use crate::{
    Call, CallKind, Channel, ConnectOptions, Outcome, Reply, Request, ServerBuilder, Service, SocketChannel,
    bind,
};

const CALLS: u8 = 100;

/// The number of the next thread.
pub(in super::super) fn next(here: &Here) -> usize {
    (here.number + 1) % here.schedulers.0.len()
}

/// The next connection of this thread that may leave is to go to the next thread.
fn ask_to_leave() {
    HERE.with(|here| {
        let here = here.get().expect("a thread of connections");
        here.looked.set(Instant::now());
        here.leaving.set((1, next(here)));
    });
}

/// Answers each byte with the next number, and moves to the next thread after every other answer.
async fn serve(mut stream: TcpStream) {
    let mut threads = vec![thread::current().id()];
    while let Ok(byte) = stream.read_u8().await {
        stream.write_u8(byte + 1).await.unwrap();
        if byte % 2 == 0 {
            ask_to_leave();
            let (there, destination) = leave(&stream, Instant::now()).expect("it is to leave");
            stream = there;
            moved(destination).await;
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

/// Answers at once, in the connection's task, or in one of its own, after it has done something to the thread.
struct Does<F>(F);

impl<F: Fn() + Send + Sync + 'static> Service for Does<F> {
    fn name(&self) -> &'static str {
        "Does"
    }

    fn kind(&self, _: &Call) -> CallKind {
        CallKind::Read
    }

    fn call(&self, call: Call) -> Outcome {
        (self.0)();
        let (number, reply) = (call.param[0], Reply { message: call.param.to_vec(), ..Reply::default() });
        let later = async move {
            tokio::time::sleep(Duration::from_micros(100 * u64::from(number))).await;
            tokio::task::yield_now().await;
            Ok(reply)
        };
        match number % 3 {
            0 => Outcome::Ready(Ok(Reply { message: call.param.to_vec(), ..Reply::default() })),
            1 => Outcome::pending(later),
            _ => Outcome::Waiting(Box::pin(later)),
        }
    }
}

/// Has so many callers on each of some connections, each of which waits for its answers.
pub(in super::super) async fn is_answered(
    connections: usize,
    callers: u8,
    does: impl Fn() + Send + Sync + 'static,
) {
    let threads = ConnectionThreads::start(|| async {}).unwrap();
    let listener = bind((std::net::Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = listener.local_addr().unwrap();
    let server =
        ServerBuilder::default().service(Arc::new(Does(does))).schedulers(threads.schedulers()).build();
    let served = server.clone();
    let serving = tokio::spawn(async move { served.serve(listener, std::future::pending()).await });
    let options = ConnectOptions { service: "Does".to_owned(), user: "somebody".to_owned() };
    let mut channels = Vec::new();
    for _ in 0..connections {
        channels.push(SocketChannel::connect(address, &options).await.unwrap());
    }
    let calls = channels.iter().flat_map(|channel| (0..callers).map(move |number| (channel, number)));
    let calls = calls.map(|(channel, number)| async move {
        for round in 0..20 {
            let param = vec![number, round];
            let request = Request { method: "Do", param: param.clone().into(), ..Request::default() };
            assert_eq!(channel.call_encoded(request).await.expect("an answer").0, param);
        }
    });
    futures_util::future::join_all(calls).await;
    let nothing_waits = async {
        while server.waiting_calls(CallKind::Read) > 0 {
            tokio::task::yield_now().await;
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(20), nothing_waits).await;
    ended.expect("what is counted for a call ends with it");
    serving.abort();
}

#[tokio::test]
async fn calls_under_way_are_answered_wherever_their_connection_goes() {
    is_answered(4, 60, || {
        HERE.with(|here| here.get().is_some()).then(ask_to_leave);
    })
    .await;
}
