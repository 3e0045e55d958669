//! What clients of all kinds get from the responder over real sockets.

use std::sync::Arc;
use std::time::Duration;

use finback_zk::{Limits, Responder, Tree};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

const CONNECT: &[u8] = b"\0\0\0\x2d\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x5f\x90\0\0\0\0\0\0\0\0\0\0\0\x10\
    \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
const GET_DATA: &[u8] = b"\0\0\0\x1b\0\0\0\x01\0\0\0\x04\0\0\0\x0e/hbase/hbaseid\0";
const CLOSE: &[u8] = b"\0\0\0\x08\0\0\0\x02\xff\xff\xff\xf5";
const PATIENCE: Duration = Duration::from_secs(20);

struct Server {
    address: std::net::SocketAddr,
    tree: Arc<Tree>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Server {
    async fn start(change: impl FnOnce(&mut Limits)) -> Self {
        let tree = Arc::new(Tree::new());
        tree.set("/hbase/hbaseid", "the id", 1).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut limits = Limits::default();
        change(&mut limits);
        let responder = Responder::with_limits(Arc::clone(&tree), || 1, limits);
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(responder.serve(listener, async { drop(stopped.await) }));
        Self { address, tree, stop, task }
    }

    async fn dial(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    async fn session(&self) -> TcpStream {
        let mut stream = self.dial().await;
        stream.write_all(CONNECT).await.unwrap();
        assert_eq!(read_frame(&mut stream).await.len(), 37);
        stream
    }

    /// A session, as soon as the server has noticed that another client has left.
    async fn session_when_there_is_room(&self) -> TcpStream {
        let began = std::time::Instant::now();
        while began.elapsed() < PATIENCE {
            let mut stream = self.dial().await;
            if stream.write_all(CONNECT).await.is_ok() && stream.read_exact(&mut [0; 41]).await.is_ok() {
                return stream;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("no room after {PATIENCE:?}");
    }

    /// An honest client is served.
    async fn check_alive(&self) {
        let mut stream = self.session().await;
        stream.write_all(GET_DATA).await.unwrap();
        assert_eq!(read_frame(&mut stream).await[16..26], *b"\0\0\0\x06the id");
    }
}

async fn read_frame(stream: &mut TcpStream) -> Vec<u8> {
    let length = timeout(PATIENCE, stream.read_u32()).await.unwrap().unwrap();
    let mut payload = vec![0; length as usize];
    timeout(PATIENCE, stream.read_exact(&mut payload)).await.unwrap().unwrap();
    payload
}

/// The server closes the connection, and says nothing before.
async fn expect_closed(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    // A reset is as good as an end: the server left bytes unread.
    drop(timeout(PATIENCE, stream.read_to_end(&mut rest)).await.expect("closed in time"));
    assert!(rest.is_empty(), "{rest:?}");
}

#[tokio::test]
async fn a_session_reads_pings_and_closes() {
    let server = Server::start(|_| {}).await;
    let mut stream = server.session().await;
    stream.write_all(GET_DATA).await.unwrap();
    let reply = read_frame(&mut stream).await;
    assert_eq!(reply[..4], 1i32.to_be_bytes());
    assert_eq!(reply[16..26], *b"\0\0\0\x06the id");

    server.tree.set("/hbase/hbaseid", "another", 2).unwrap();
    stream.write_all(GET_DATA).await.unwrap();
    assert_eq!(read_frame(&mut stream).await[16..27], *b"\0\0\0\x07another");

    stream.write_all(b"\0\0\0\x08\xff\xff\xff\xfe\0\0\0\x0b").await.unwrap();
    assert_eq!(read_frame(&mut stream).await[..4], (-2i32).to_be_bytes());
    stream.write_all(CLOSE).await.unwrap();
    assert_eq!(read_frame(&mut stream).await.len(), 16);
    expect_closed(&mut stream).await;
}

#[tokio::test]
async fn requests_sent_byte_by_byte_or_all_at_once_are_answered_in_order() {
    let server = Server::start(|_| {}).await;
    let mut stream = server.dial().await;
    stream.set_nodelay(true).unwrap();
    for byte in CONNECT.iter().chain(GET_DATA) {
        stream.write_all(&[*byte]).await.unwrap();
    }
    assert_eq!(read_frame(&mut stream).await.len(), 37);
    assert_eq!(read_frame(&mut stream).await[..4], 1i32.to_be_bytes());

    let many: Vec<u8> = (0..500u32)
        .flat_map(|xid| [b"\0\0\0\x1b".as_slice(), &xid.to_be_bytes(), &GET_DATA[8..]].concat())
        .collect();
    let (mut reading, mut writing) = stream.split();
    let (written, ()) = tokio::join!(writing.write_all(&many), async {
        for xid in 0..500u32 {
            let length = reading.read_u32().await.unwrap();
            let mut payload = vec![0; length as usize];
            reading.read_exact(&mut payload).await.unwrap();
            assert_eq!(payload[..4], xid.to_be_bytes());
        }
    });
    written.unwrap();
}

#[tokio::test]
async fn garbage_and_lying_lengths_end_the_connection_and_nothing_else() {
    let server = Server::start(|_| {}).await;
    let hostile: [&[u8]; 6] = [
        b"GET / HTTP/1.1\r\n\r\n",
        b"ruok",
        b"\xff\xff\xff\xff",
        b"\x7f\xff\xff\xff\0\0",
        b"\0\0\0\x04\0\0\0\0",
        b"\0\0\0\x1c\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x5f\x90\0\0\0\0\0\0\0\0\x7f\xff\xff\xff",
    ];
    for bytes in hostile {
        let mut stream = server.dial().await;
        stream.write_all(bytes).await.unwrap();
        expect_closed(&mut stream).await;
    }
    for bytes in [b"\0\x01\0\x01".as_slice(), b"\0\0\0\x03\0\0\0", b"\0\0\0\0"] {
        let mut stream = server.session().await;
        stream.write_all(bytes).await.unwrap();
        expect_closed(&mut stream).await;
    }
    server.check_alive().await;
}

#[tokio::test]
async fn a_client_that_leaves_in_the_middle_of_a_frame_is_forgotten() {
    let server = Server::start(|limits| limits.connections = 1).await;
    for _ in 0..20 {
        // With room for one connection, the next one is served only when this one is gone.
        let mut stream = server.session_when_there_is_room().await;
        stream.write_all(&GET_DATA[..9]).await.unwrap();
    }
    drop(server.session_when_there_is_room().await);
}

#[tokio::test]
async fn connections_beyond_the_limit_are_closed_at_once() {
    let server = Server::start(|limits| limits.connections = 2).await;
    let first = server.session().await;
    let _second = server.session().await;
    expect_closed(&mut server.dial().await).await;
    drop(first);
    drop(server.session_when_there_is_room().await);
}

#[tokio::test]
async fn a_client_that_never_asks_for_a_session_is_dropped() {
    let server = Server::start(|limits| limits.connect_timeout = Duration::from_secs(1)).await;
    let mut silent = server.dial().await;
    expect_closed(&mut silent).await;
    let mut slow = server.dial().await;
    slow.write_all(&CONNECT[..7]).await.unwrap();
    expect_closed(&mut slow).await;
    server.check_alive().await;
}

#[tokio::test]
async fn an_idle_client_is_dropped_after_its_session_timeout() {
    let server = Server::start(|_| {}).await;
    let mut stream = server.dial().await;
    let mut connect = CONNECT.to_vec();
    connect[16..20].copy_from_slice(&1i32.to_be_bytes());
    let began = std::time::Instant::now();
    stream.write_all(&connect).await.unwrap();
    let granted = read_frame(&mut stream).await;
    assert_eq!(granted[4..8], 4_000i32.to_be_bytes());
    expect_closed(&mut stream).await;
    assert!(began.elapsed() >= Duration::from_millis(3_900), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_client_that_stops_reading_is_dropped() {
    let server = Server::start(|limits| limits.write_timeout = Duration::from_millis(100)).await;
    let mut stream = server.session().await;
    server.tree.set("/hbase/hbaseid", vec![7; 1 << 20], 2).unwrap();
    // 64 requests for 1 MiB each: more than the sockets hold.
    stream.write_all(&GET_DATA.repeat(64)).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut taken = vec![0; 1 << 16];
    let mut total = 0usize;
    while let Ok(read @ 1..) = timeout(PATIENCE, stream.read(&mut taken)).await.expect("an end") {
        total += read;
    }
    assert!(total < 64 << 20, "all {total} bytes came");
}

#[tokio::test]
async fn clients_that_stop_reading_together_are_dropped_before_their_time() {
    const CLIENTS: usize = 12;
    let server = Server::start(|limits| {
        limits.connections = CLIENTS;
        limits.write_timeout = Duration::from_secs(3600);
        limits.unread_bytes = 32 << 20;
    })
    .await;
    // More than the sockets hold.
    server.tree.set("/hbase/hbaseid", vec![7; 16 << 20], 2).unwrap();
    let mut silent = Vec::new();
    for _ in 0..CLIENTS {
        let mut stream = server.session_when_there_is_room().await;
        stream.write_all(GET_DATA).await.unwrap();
        silent.push(stream);
    }
    // There is room only if one of them is closed.
    drop(server.session_when_there_is_room().await);
}

#[tokio::test]
async fn shutdown_closes_open_sessions_and_frees_the_port() {
    let server = Server::start(|_| {}).await;
    let mut stream = server.session().await;
    server.stop.send(()).unwrap();
    timeout(PATIENCE, server.task).await.unwrap().unwrap();
    expect_closed(&mut stream).await;
    TcpListener::bind(server.address).await.unwrap();
}

#[tokio::test]
async fn a_node_goes_with_its_session_when_the_client_closes_it_and_not_when_it_only_leaves() {
    const CREATE_EPHEMERAL: &[u8] = b"\0\0\0\x31\0\0\0\x05\0\0\0\x01\0\0\0\x02/e\0\0\0\0\
        \0\0\0\x01\0\0\0\x1f\0\0\0\x05world\0\0\0\x06anyone\0\0\0\x01";
    const WATCH: &[u8] = b"\0\0\0\x0f\0\0\0\x06\0\0\0\x03\0\0\0\x02/e\x01";
    let server = Server::start(|_| {}).await;
    let mut owner = server.dial().await;
    owner.write_all(CONNECT).await.unwrap();
    let granted = read_frame(&mut owner).await;
    owner.write_all(CREATE_EPHEMERAL).await.unwrap();
    assert_eq!(read_frame(&mut owner).await[12..], *b"\0\0\0\0\0\0\0\x02/e");
    let mut watcher = server.session().await;
    watcher.write_all(WATCH).await.unwrap();
    let stat = read_frame(&mut watcher).await;
    assert_eq!(stat[16 + 44..16 + 52], granted[8..16], "the owner");

    drop(owner);
    let mut owner = server.dial().await;
    let mut again = CONNECT.to_vec();
    again[4 + 16..4 + 24].copy_from_slice(&granted[8..16]);
    owner.write_all(&again).await.unwrap();
    assert_eq!(read_frame(&mut owner).await[8..16], granted[8..16], "the same session");
    owner.write_all(WATCH).await.unwrap();
    assert_eq!(read_frame(&mut owner).await[12..16], [0; 4], "the node is there");
    owner.write_all(CLOSE).await.unwrap();
    assert_eq!(read_frame(&mut watcher).await[16..], *b"\0\0\0\x02\0\0\0\x03\0\0\0\x02/e");
}
