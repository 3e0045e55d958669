//! One connection of a client: frames are passed on as they are, or refused.

use crate::script::{Fate, Script, Seen};
use bytes::Bytes;
use finback_proto::{Message, delimited, pb};
use std::collections::HashSet;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// Longest frame that is passed on, as long as the longest that servers take.
const MAX_FRAME_BYTES: u32 = 256 << 20;
/// Frames on their way to a client.
const MAX_QUEUED_FRAMES: usize = 64;
/// What a connection begins with, without authentication.
const PREAMBLE: &[u8; 6] = b"HBas\0\x50";

/// Calls whose replies are to be lost.
type Lost = Mutex<HashSet<u32>>;

/// Takes connections until the listener fails.
pub(crate) async fn listen(listener: TcpListener, front: Ipv4Addr, back: SocketAddr, script: Arc<Script>) {
    while let Ok((client, _)) = listener.accept().await {
        // An error ends this connection, which is all there is to do.
        tokio::spawn(relay(client, front, back, Arc::clone(&script)));
    }
}

async fn relay(
    mut client: TcpStream,
    front: Ipv4Addr,
    back: SocketAddr,
    script: Arc<Script>,
) -> io::Result<()> {
    let mut server = TcpStream::connect(back).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let mut preamble = [0; PREAMBLE.len()];
    client.read_exact(&mut preamble).await?;
    server.write_all(&preamble).await?;
    if &preamble != PREAMBLE {
        // Not a connection with calls: a question for the registry.
        return tokio::io::copy_bidirectional(&mut client, &mut server).await.map(drop);
    }
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let (answers, queue) = mpsc::channel(MAX_QUEUED_FRAMES);
    let lost = Lost::default();
    let writing = tokio::spawn(write(to_client, queue));
    // The first to end ends both: either side sees the connection closed, after what was said before.
    tokio::select! {
        end = requests(from_client, to_server, front, &script, &answers, &lost) => end,
        end = responses(from_server, &answers, &lost) => end,
    }
    // Whichever way it ended.
    .unwrap_or_default();
    drop(answers);
    writing.await?
}

async fn read_frame(from: &mut OwnedReadHalf) -> io::Result<Bytes> {
    let length = from.read_u32().await?;
    if length > MAX_FRAME_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut frame = Vec::new();
    from.take(length.into()).read_to_end(&mut frame).await?;
    if frame.len() < length as usize { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(frame.into()) }
}

async fn write_frame(to: &mut OwnedWriteHalf, frame: &[u8]) -> io::Result<()> {
    to.write_all(&[&(frame.len() as u32).to_be_bytes(), frame].concat()).await
}

async fn write(mut to: OwnedWriteHalf, mut queue: mpsc::Receiver<Bytes>) -> io::Result<()> {
    while let Some(frame) = queue.recv().await {
        write_frame(&mut to, &frame).await?;
    }
    Ok(())
}

async fn requests(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    front: Ipv4Addr,
    script: &Script,
    answers: &mpsc::Sender<Bytes>,
    lost: &Lost,
) -> io::Result<()> {
    let connection_header = read_frame(&mut from).await?;
    write_frame(&mut to, &connection_header).await?;
    loop {
        let frame = read_frame(&mut from).await?;
        let mut rest = frame.clone();
        let header: pb::RequestHeader =
            delimited::decode_delimited(&mut rest, "RequestHeader").map_err(io::Error::other)?;
        let param = delimited::take_delimited(&mut rest).map_err(io::Error::other)?;
        let method = method(&header, &param);
        let answer = match script.fate(&Seen { front, method, param: &param }) {
            None => None,
            Some(Fate::HungUp) => return Ok(()),
            Some(Fate::ReplyLost) => {
                lost.lock().unwrap_or_else(PoisonError::into_inner).insert(header.call_id());
                None
            }
            Some(Fate::Refused(exception)) => Some(refusal(&header, exception.to_response())),
            Some(Fate::ActionsRefused(exception)) => {
                let refuse = |action: &pb::Action| pb::ResultOrException {
                    index: action.index,
                    exception: Some(Box::new(exception.to_action_result())),
                    ..Default::default()
                };
                Some(multi(&header, param, |part| pb::RegionActionResult {
                    result_or_exception: part.action.iter().map(refuse).collect(),
                    ..Default::default()
                })?)
            }
            Some(Fate::RegionsRefused(exception)) => {
                Some(multi(&header, param, |_| pb::RegionActionResult {
                    exception: Some(Box::new(exception.to_action_result())),
                    ..Default::default()
                })?)
            }
        };
        match answer {
            // An error: the client has gone, which the writer notices as well.
            Some(answer) => answers.send(answer).await.map_err(io::Error::other)?,
            None => write_frame(&mut to, &frame).await?,
        }
    }
}

fn method<'a>(header: &'a pb::RequestHeader, param: &Bytes) -> &'a str {
    if header.method_name() != "Scan" {
        return header.method_name();
    }
    match pb::ScanRequest::decode(param.clone()) {
        Ok(request) if request.scanner_id.is_none() => "Scan/open",
        Ok(request) if request.renew() => "Scan/renew",
        Ok(request) if request.close_scanner() && request.number_of_rows() == 0 => "Scan/close",
        _ => "Scan/next",
    }
}

fn refusal(header: &pb::RequestHeader, exception: pb::ExceptionResponse) -> Bytes {
    let header =
        pb::ResponseHeader { call_id: header.call_id, exception: Some(exception), ..Default::default() };
    let mut frame = Vec::new();
    delimited::encode_delimited(&header, &mut frame);
    frame.into()
}

fn multi(
    header: &pb::RequestHeader,
    param: Bytes,
    answer: impl Fn(&pb::RegionAction) -> pb::RegionActionResult,
) -> io::Result<Bytes> {
    let request = pb::MultiRequest::decode(param).map_err(io::Error::other)?;
    let response = pb::MultiResponse {
        region_action_result: request.region_action.iter().map(answer).collect(),
        ..Default::default()
    };
    let header = pb::ResponseHeader { call_id: header.call_id, ..Default::default() };
    let mut frame = Vec::new();
    delimited::encode_delimited(&header, &mut frame);
    delimited::encode_delimited(&response, &mut frame);
    Ok(frame.into())
}

async fn responses(mut from: OwnedReadHalf, answers: &mpsc::Sender<Bytes>, lost: &Lost) -> io::Result<()> {
    loop {
        let frame = read_frame(&mut from).await?;
        let header: pb::ResponseHeader =
            delimited::decode_delimited(&mut frame.clone(), "ResponseHeader").map_err(io::Error::other)?;
        if lost.lock().unwrap_or_else(PoisonError::into_inner).remove(&header.call_id()) {
            continue;
        }
        answers.send(frame).await.map_err(io::Error::other)?;
    }
}
