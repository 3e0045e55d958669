//! Calls over TCP: one connection to one service, requests pipelined.

use crate::channel::{Channel, RawReply, RawReplyFuture, Request};
use crate::exception::RpcException;
use crate::exceptions;
use crate::frame::{FrameBuffer, Next};
use bytes::Bytes;
use finback_proto::{Message, ProtoError, delimited, pb};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// Requests waiting to be written; a caller beyond waits.
const MAX_QUEUED_REQUESTS: usize = 256;
/// Longest response, as long as the longest request that servers take.
const MAX_RESPONSE_BYTES: usize = 256 << 20;
/// Cell blocks are sent and received as they are.
const CODEC_CLASS: &str = "org.apache.hadoop.hbase.codec.KeyValueCodecWithTags";
/// Call ids are positive in Java.
const CALL_ID_MASK: u32 = u32::MAX >> 1;

/// What to tell the server about ourselves.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// Name of the service to call.
    pub service: String,
    /// Name of the user.
    pub user: String,
}

/// A connection to a service of another process. When it breaks, all calls fail, those to come too: connect again.
pub struct SocketChannel {
    requests: mpsc::Sender<Vec<u8>>,
    waiting: Arc<Waiting>,
    next_call_id: AtomicU32,
    tasks: [JoinHandle<()>; 2],
}

impl SocketChannel {
    /// Connects.
    ///
    /// # Errors
    /// Of the system: nobody listens there, or it is out of reach.
    pub async fn connect(address: SocketAddr, options: &ConnectOptions) -> io::Result<Self> {
        let mut stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        stream.write_all(&opening(options)).await?;
        let (reader, writer) = stream.into_split();
        let (requests, queue) = mpsc::channel(MAX_QUEUED_REQUESTS);
        let waiting = Arc::new(Waiting::default());
        let tasks = [
            tokio::spawn(write_requests(writer, queue, Arc::clone(&waiting))),
            tokio::spawn(read_responses(reader, Arc::clone(&waiting))),
        ];
        Ok(Self { requests, waiting, next_call_id: AtomicU32::new(0), tasks })
    }

    async fn exchange(&self, request: Request) -> Result<RawReply, RpcException> {
        let call_id = self.next_call_id.fetch_add(1, Ordering::Relaxed) & CALL_ID_MASK;
        let answer = self.waiting.register(call_id)?;
        let _guard = Forget { waiting: &self.waiting, call_id };
        let frame = request_frame(call_id, &request)?;
        self.requests.send(frame).await.map_err(|_| self.waiting.reason())?;
        answer.await.unwrap_or_else(|_| Err(self.waiting.reason()))
    }
}

impl Channel for SocketChannel {
    fn call_encoded(&self, request: Request) -> RawReplyFuture<'_> {
        Box::pin(async move {
            let (method, timeout) = (request.method, request.timeout);
            let exchange = self.exchange(request);
            match timeout {
                None => exchange.await,
                Some(timeout) => tokio::time::timeout(timeout, exchange).await.unwrap_or_else(|_| {
                    Err(exceptions::call_timeout(format!("no answer to {method} within {timeout:?}")))
                }),
            }
        })
    }
}

impl Drop for SocketChannel {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// The calls that wait for their answers.
#[derive(Default)]
struct Waiting {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    calls: HashMap<u32, oneshot::Sender<Result<RawReply, RpcException>>>,
    /// Why the connection is gone.
    gone: Option<RpcException>,
}

impl Waiting {
    fn register(
        &self,
        call_id: u32,
    ) -> Result<oneshot::Receiver<Result<RawReply, RpcException>>, RpcException> {
        let mut state = self.state.lock();
        if let Some(reason) = &state.gone {
            return Err(reason.clone());
        }
        let (sender, receiver) = oneshot::channel();
        state.calls.insert(call_id, sender);
        Ok(receiver)
    }

    fn answer(&self, call_id: u32, answer: Result<RawReply, RpcException>) {
        // Nobody waits any more for a call that has timed out.
        let sender = self.state.lock().calls.remove(&call_id);
        if let Some(sender) = sender {
            let _ = sender.send(answer);
        }
    }

    /// Fails all calls, and those to come.
    fn close(&self, reason: RpcException) {
        let calls = {
            let mut state = self.state.lock();
            state.gone.get_or_insert(reason.clone());
            std::mem::take(&mut state.calls)
        };
        for sender in calls.into_values() {
            let _ = sender.send(Err(reason.clone()));
        }
    }

    fn reason(&self) -> RpcException {
        let gone = self.state.lock().gone.clone();
        gone.unwrap_or_else(|| exceptions::connection_closed("the connection is gone"))
    }
}

/// Takes a call off the waiting ones when its caller has gone.
struct Forget<'a> {
    waiting: &'a Waiting,
    call_id: u32,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.waiting.state.lock().calls.remove(&self.call_id);
    }
}

/// Preamble and connection header.
fn opening(options: &ConnectOptions) -> Vec<u8> {
    let header = pb::ConnectionHeader {
        user_info: Some(pb::UserInformation { effective_user: options.user.clone(), real_user: None }),
        service_name: Some(options.service.clone()),
        cell_block_codec_class: Some(CODEC_CLASS.to_owned()),
        ..Default::default()
    };
    let mut bytes = b"HBas\0\x50".to_vec();
    bytes.extend_from_slice(&(header.encoded_len() as u32).to_be_bytes());
    bytes.extend_from_slice(&header.encode_to_vec());
    bytes
}

fn request_frame(call_id: u32, request: &Request) -> Result<Vec<u8>, RpcException> {
    let too_big = |bytes: usize| exceptions::request_too_big(format!("a request of {bytes} bytes"));
    let cell_bytes = request.cells.len();
    let header = pb::RequestHeader {
        call_id: Some(call_id),
        method_name: Some(request.method.to_owned()),
        request_param: Some(true),
        cell_block_meta: (cell_bytes > 0)
            .then(|| u32::try_from(cell_bytes).map(|length| pb::CellBlockMeta { length: Some(length) }))
            .transpose()
            .map_err(|_| too_big(cell_bytes))?,
        priority: Some(request.priority),
        timeout: request.timeout.map(|timeout| u32::try_from(timeout.as_millis()).unwrap_or(0)),
        ..Default::default()
    };
    let mut frame = vec![0; 4];
    frame.reserve(64 + request.param.len() + cell_bytes);
    delimited::encode_delimited(&header, &mut frame);
    delimited::write_length(request.param.len(), &mut frame);
    frame.extend_from_slice(&request.param);
    frame.extend_from_slice(&request.cells);
    let length = i32::try_from(frame.len() - 4).map_err(|_| too_big(frame.len()))?;
    frame[..4].copy_from_slice(&length.to_be_bytes());
    Ok(frame)
}

/// Writes what is queued, as much as there is in one go.
async fn write_requests(
    mut writer: OwnedWriteHalf,
    mut queue: mpsc::Receiver<Vec<u8>>,
    waiting: Arc<Waiting>,
) {
    let mut frames = Vec::new();
    while queue.recv_many(&mut frames, MAX_QUEUED_REQUESTS).await > 0 {
        let written = match &frames[..] {
            [frame] => writer.write_all(frame).await,
            _ => writer.write_all(&frames.concat()).await,
        };
        frames.clear();
        if let Err(error) = written {
            waiting.close(exceptions::connection_closed(format!("cannot send: {error}")));
            return;
        }
    }
}

async fn read_responses(mut reader: OwnedReadHalf, waiting: Arc<Waiting>) {
    let mut frames = FrameBuffer::default();
    let reason = loop {
        match frames.next(MAX_RESPONSE_BYTES) {
            Next::Frame(frame) => match response(frame) {
                Ok((call_id, answer)) => waiting.answer(call_id, answer),
                Err(reason) => break reason,
            },
            Next::Partial { missing } => {
                frames.make_room(frames.room_wanted(missing));
                match reader.read_buf(frames.bytes_mut()).await {
                    Ok(0) => break exceptions::connection_closed("the server has closed the connection"),
                    Ok(_) => {}
                    Err(error) => break exceptions::connection_closed(format!("cannot receive: {error}")),
                }
            }
            Next::TooBig { length } => {
                break exceptions::connection_closed(format!("a response of {length} bytes"));
            }
            Next::Negative => break exceptions::connection_closed("a response of negative length"),
        }
    };
    waiting.close(reason);
}

/// The call that a response answers, and the answer; an error if the connection is of no use any more.
fn response(mut frame: Bytes) -> Result<(u32, Result<RawReply, RpcException>), RpcException> {
    let malformed = |e: ProtoError| exceptions::connection_closed(format!("malformed response: {e}"));
    let header: pb::ResponseHeader =
        delimited::decode_delimited(&mut frame, "ResponseHeader").map_err(malformed)?;
    let call_id = header.call_id();
    if let Some(exception) = header.exception {
        let exception = RpcException::from_response(exception);
        // A call id that no call has: it is about the connection.
        return if call_id > CALL_ID_MASK { Err(exception) } else { Ok((call_id, Err(exception))) };
    }
    let message = delimited::take_delimited(&mut frame).map_err(malformed)?;
    let length = header.cell_block_meta.map_or(0, |meta| meta.length()) as usize;
    if length > frame.len() {
        let available = frame.len();
        return Err(malformed(ProtoError::Length { offset: 0, declared: length as u64, available }));
    }
    Ok((call_id, Ok((message, frame.split_to(length)))))
}
