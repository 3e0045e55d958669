//! A service that does what its methods' names say, a server of it, and a client of raw bytes.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use bytes::Bytes;
use finback_proto::{Message, delimited, pb};
use finback_rpc::{
    Call, CallKind, Limits, Outcome, Reply, ReplyMemory, RpcException, Server, Service, bind, exceptions,
};
use std::future::Future;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

pub const CLUSTER_ID: &str = "deadbeef-0000-4000-8000-000000000001";
/// Nothing in these tests takes as long, and a server by itself closes nothing as soon (`Limits::header_timeout` is the first).
pub const LONG: Duration = Duration::from_secs(28);
/// Longer than answers wait for others.
const SLOW: Duration = Duration::from_millis(1);
/// For the replies to `Counted`.
pub const MEMORY: usize = 16 << 20;

/// `Echo` gives back parameter and cells, `Later` when [`Echo::release`] is notified, in a task of its own, `LaterHere` in that of
/// its connection; `Multi` the number of actions, in text; `Big` a cell block of as many KiB as the parameter has bytes;
/// `Counted` the same, when there is memory for it; `CountedLater` is counted as many KiB, and goes on as `Later`. `Slow` takes a
/// while, and so does `SlowHere` when released; `Answered` and, when released, `AnsweredHere` keep the thread until the test says
/// that it has an answer ([`Echo::has_answer`]), and tell whether it has.
pub struct Echo {
    pub memory: Arc<ReplyMemory>,
    pub begun: AtomicUsize,
    pub ended: AtomicUsize,
    pub release: Arc<Notify>,
    /// Calls that were released.
    pub carried_on: Arc<AtomicUsize>,
    pub has_answer: mpsc::Sender<()>,
    answers: Arc<Mutex<mpsc::Receiver<()>>>,
}

impl Default for Echo {
    fn default() -> Self {
        let (has_answer, answers) = mpsc::channel();
        Self {
            has_answer,
            answers: Arc::new(Mutex::new(answers)),
            memory: ReplyMemory::new(MEMORY),
            begun: AtomicUsize::default(),
            ended: AtomicUsize::default(),
            release: Arc::default(),
            carried_on: Arc::default(),
        }
    }
}

impl Echo {
    fn when_released(&self, call: Call) -> impl Future<Output = Result<Reply, RpcException>> + use<> {
        // Made here: it is released from now on, even if nobody has looked at it yet.
        let (released, carried_on) =
            (Arc::clone(&self.release).notified_owned(), Arc::clone(&self.carried_on));
        async move {
            released.await;
            carried_on.fetch_add(1, Ordering::SeqCst);
            Ok(echo(&call))
        }
    }
}

/// Keeps the thread until the test has an answer.
fn answered(answers: &Mutex<mpsc::Receiver<()>>) -> Reply {
    let has_come = answers.lock().unwrap().recv_timeout(LONG).is_ok();
    Reply {
        message: if has_come { b"has an answer".to_vec() } else { b"has none".to_vec() },
        ..Reply::default()
    }
}

impl Service for Echo {
    fn name(&self) -> &'static str {
        "EchoService"
    }

    fn call(&self, call: Call) -> Outcome {
        self.begun.fetch_add(1, Ordering::SeqCst);
        let outcome = match call.method.as_str() {
            "Echo" => Outcome::Ready(Ok(echo(&call))),
            "Who" => {
                let c = &call.connection;
                let text = format!("{} {:?} {:?} {}", c.user, c.real_user, c.version, c.has_codec);
                Outcome::Ready(Ok(Reply { message: text.into_bytes(), ..Reply::default() }))
            }
            "Cells" => Outcome::Ready(Ok(Reply { message: call.cells.to_vec(), ..Reply::default() })),
            "Decode" => call.decode::<pb::GetRequest>().map(|get| Reply::new(&get)).into(),
            "Multi" => call.decode::<pb::MultiRequest>().map(|multi| count_actions(&multi)).into(),
            "Big" => Outcome::Ready(Ok(Reply {
                message: Vec::new(),
                cells: key_values(call.param.len()),
                ..Reply::default()
            })),
            "Counted" => {
                let mut share = self.memory.share_of(&call);
                return Outcome::pending(async move {
                    share.hold(call.param.len() << 10, call.deadline).await?;
                    let reply = Reply { cells: key_values(call.param.len()), ..Reply::default() };
                    Ok(reply.counted(share))
                });
            }
            "CountedLater" => {
                let mut share = self.memory.share_of(&call);
                let is_there = share.try_hold(call.param.len() << 10);
                let reply = self.when_released(call);
                return Outcome::pending(async move {
                    assert!(is_there, "there is memory for this test");
                    Ok(reply.await?.counted(share))
                });
            }
            "Later" => return Outcome::pending(self.when_released(call)),
            "LaterHere" => return Outcome::Waiting(Box::pin(self.when_released(call))),
            "Slow" => {
                std::thread::sleep(SLOW);
                Outcome::Ready(Ok(echo(&call)))
            }
            "SlowHere" => {
                let reply = self.when_released(call);
                return Outcome::Waiting(Box::pin(async {
                    let reply = reply.await;
                    std::thread::sleep(SLOW);
                    reply
                }));
            }
            "Answered" => Outcome::Ready(Ok(answered(&self.answers))),
            "AnsweredHere" => {
                let (answers, released) = (Arc::clone(&self.answers), self.when_released(call));
                return Outcome::Waiting(Box::pin(async move {
                    released.await?;
                    Ok(answered(&answers))
                }));
            }
            "Panic" => panic!("oh no"),
            "PanicLater" => Outcome::pending(async { panic!("oh no, later") }),
            "PanicLaterHere" => Outcome::Waiting(Box::pin(async { panic!("oh no, later") })),
            other => Outcome::exception(exceptions::unsupported_operation(other)),
        };
        self.ended.fetch_add(1, Ordering::SeqCst);
        outcome
    }

    fn kind(&self, call: &Call) -> CallKind {
        if call.method.as_str() == "Later" { CallKind::Scan } else { CallKind::Read }
    }
}

fn echo(call: &Call) -> Reply {
    Reply { message: call.param.to_vec(), cells: call.cells.to_vec(), ..Reply::default() }
}

fn count_actions(multi: &pb::MultiRequest) -> Reply {
    let actions: usize = multi.region_action.iter().map(|region| region.action.len()).sum();
    Reply { message: actions.to_string().into_bytes(), ..Reply::default() }
}

/// `count` cells of 1 KiB.
pub fn key_values(count: usize) -> Vec<u8> {
    let mut cell = Vec::new();
    cell.extend_from_slice(&1020u32.to_be_bytes());
    cell.extend_from_slice(&15u32.to_be_bytes());
    cell.extend_from_slice(&997u32.to_be_bytes());
    cell.extend_from_slice(b"\0\x01r\x01fq\0\0\0\0\0\0\0\x01\x04");
    cell.resize(1024, b'v');
    cell.repeat(count)
}

/// A running server.
pub struct Running {
    pub echo: Arc<Echo>,
    pub server: Server,
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Running {
    pub fn start(limits: Limits) -> Self {
        Self::start_with(limits, Some(CLUSTER_ID))
    }

    pub fn start_with(limits: Limits, cluster_id: Option<&str>) -> Self {
        let echo = Arc::new(Echo::default());
        let mut builder =
            Server::builder().name("here,1,2").service(Arc::clone(&echo) as Arc<dyn Service>).limits(limits);
        if let Some(id) = cluster_id {
            builder = builder.cluster_id(id);
        }
        let server = builder.build();
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = server.clone();
        let task = tokio::spawn(async move {
            let shutdown = async {
                let _ = stopped.await;
            };
            serving.serve(listener, shutdown).await;
        });
        Self { echo, server, address, stop: Some(stop), task }
    }

    /// Tells the server to stop.
    pub fn stop(&mut self) {
        let _ = self.stop.take().expect("stopped once").send(());
    }

    /// Waits until the server has stopped.
    pub async fn stopped(self) {
        tokio::time::timeout(LONG, self.task).await.expect("does not stop").unwrap();
    }

    pub async fn raw(&self) -> Raw {
        Raw { stream: TcpStream::connect(self.address).await.unwrap(), buffer: Vec::new() }
    }

    /// A client that has sent its preamble and header.
    pub async fn client(&self) -> Raw {
        let mut raw = self.raw().await;
        raw.send(&opening("EchoService", "org.apache.hadoop.hbase.codec.KeyValueCodec")).await;
        raw
    }
}

/// Waits until `condition` holds.
pub async fn until(what: &str, condition: impl Fn() -> bool) {
    let end = tokio::time::Instant::now() + LONG;
    while !condition() {
        assert!(tokio::time::Instant::now() < end, "never: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// A response frame.
#[derive(Debug, PartialEq, Eq)]
pub struct Response {
    pub call_id: u32,
    pub result: Result<(Bytes, Bytes), RpcException>,
}

/// A client of raw bytes.
pub struct Raw {
    pub stream: TcpStream,
    buffer: Vec<u8>,
}

impl Raw {
    /// Another handle of the same socket, to send by while this one reads.
    pub fn sender(&self) -> TcpStream {
        use std::os::fd::AsFd;
        let socket = self.stream.as_fd().try_clone_to_owned().unwrap();
        TcpStream::from_std(socket.into()).unwrap()
    }

    pub async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// The next `count` bytes.
    pub async fn bytes(&mut self, count: usize) -> Vec<u8> {
        self.buffer.resize(count, 0);
        let read = self.stream.read_exact(&mut self.buffer);
        tokio::time::timeout(LONG, read).await.expect("nothing comes").unwrap();
        std::mem::take(&mut self.buffer)
    }

    /// The next frame, without its length.
    pub async fn frame(&mut self) -> Bytes {
        let length = u32::from_be_bytes(self.bytes(4).await.try_into().unwrap());
        self.bytes(length as usize).await.into()
    }

    pub async fn response(&mut self) -> Response {
        let mut frame = self.frame().await;
        let header: pb::ResponseHeader = delimited::decode_delimited(&mut frame, "header").unwrap();
        let call_id = header.call_id.unwrap();
        if let Some(exception) = header.exception {
            assert!(frame.is_empty());
            return Response { call_id, result: Err(RpcException::from_response(exception)) };
        }
        let message = delimited::take_delimited(&mut frame).unwrap();
        match header.cell_block_meta {
            None => assert!(frame.is_empty()),
            Some(meta) => assert_eq!(meta.length() as usize, frame.len()),
        }
        Response { call_id, result: Ok((message, frame)) }
    }

    pub async fn exception(&mut self) -> (u32, RpcException) {
        let response = self.response().await;
        (response.call_id, response.result.expect_err("no exception"))
    }

    /// Checks that the server closes, having sent nothing more.
    pub async fn closes(mut self) {
        let mut rest = Vec::new();
        let end = tokio::time::timeout(LONG, self.stream.read_to_end(&mut rest)).await;
        // A reset is an end as well.
        let _ = end.expect("the server does not close");
        assert_eq!(rest, b"", "{}", rest.escape_ascii());
    }
}

/// Preamble and connection header.
pub fn opening(service: &str, codec: &str) -> Vec<u8> {
    opening_compressed(service, codec, "")
}

/// The preamble and the connection header of a client whose cell blocks a class of `compressor` compresses.
pub fn opening_compressed(service: &str, codec: &str, compressor: &str) -> Vec<u8> {
    let header = pb::ConnectionHeader {
        user_info: Some(pb::UserInformation { effective_user: "root".into(), real_user: None }),
        service_name: Some(service.into()),
        cell_block_codec_class: (!codec.is_empty()).then(|| codec.into()),
        cell_block_compressor_class: (!compressor.is_empty()).then(|| compressor.into()),
        version_info: Some(pb::VersionInfo {
            version_major: Some(2),
            version_minor: Some(6),
            ..Default::default()
        }),
        ..Default::default()
    };
    [b"HBas\0\x50", &framed(header.encode_to_vec())[..]].concat()
}

pub fn framed(body: Vec<u8>) -> Vec<u8> {
    [&(body.len() as u32).to_be_bytes()[..], &body].concat()
}

pub fn header(call_id: u32, method: &str) -> pb::RequestHeader {
    pb::RequestHeader {
        call_id: Some(call_id),
        method_name: Some(method.into()),
        request_param: Some(true),
        ..Default::default()
    }
}

/// A request frame.
pub fn request(header: pb::RequestHeader, param: &[u8], cells: &[u8]) -> Vec<u8> {
    let mut header = header;
    if !cells.is_empty() {
        header.cell_block_meta = Some(pb::CellBlockMeta { length: Some(cells.len() as u32) });
    }
    let mut body = header.encode_length_delimited_to_vec();
    delimited::write_length(param.len(), &mut body);
    body.extend_from_slice(param);
    body.extend_from_slice(cells);
    framed(body)
}

pub fn echo_of(call_id: u32, param: &[u8]) -> Response {
    Response { call_id, result: Ok((Bytes::copy_from_slice(param), Bytes::new())) }
}
