//! From the first byte of a connection to its header.
//!
//! ```text
//! preamble | [ SASL token, answered by "no need" ] | u32 length | ConnectionHeader
//! ```

use crate::cell_format::CellFormat;
use crate::exceptions;
use crate::frame::{FrameBuffer, Next, READ_CHUNK};
use crate::in_flight::InFlight;
use crate::preamble::{self, PREAMBLE_BYTES, Preamble};
use crate::response::{CONNECTION_CALL_ID, connection_frame, exception_frame};
use crate::server::Shared;
use crate::service::{ConnectionInfo, Service};
use bytes::Bytes;
use finback_proto::{Message, pb};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Longest connection header, and longest SASL token: a Kerberos ticket is at most 64 KiB.
const MAX_HEADER_BYTES: usize = 128 << 10;
/// Longest name of a user, who is known by it as long as the connection is there.
const MAX_NAME_BYTES: usize = 4 << 10;
/// Preambles in a row: the question for the principal, and the real one. More make no sense.
const MAX_PREAMBLES: usize = 4;
/// SASL status 0, and a token length that stands for "go on without authentication".
const SWITCH_TO_SIMPLE: [u8; 8] = [0, 0, 0, 0, 0xff, 0xff, 0xff, 0xa8];

/// A connection that has said what it wants.
pub(crate) struct Session {
    pub(crate) service: Arc<dyn Service>,
    pub(crate) info: Arc<ConnectionInfo>,
    pub(crate) cells: CellFormat,
}

/// How a handshake ends.
pub(crate) enum Handshake {
    /// Requests follow.
    Session(Session),
    /// The connection is to be closed after these bytes.
    Close(Vec<u8>),
}

/// Reads preamble and header. The caller limits the time.
pub(crate) async fn handshake(
    stream: &mut TcpStream,
    frames: &mut FrameBuffer,
    shared: &Shared,
    remote: SocketAddr,
) -> io::Result<Handshake> {
    for _ in 0..MAX_PREAMBLES {
        let bytes = read_preamble(stream, frames).await?;
        match preamble::parse(&bytes, remote) {
            Err(exception) => return Ok(Handshake::Close(exception_frame(CONNECTION_CALL_ID, &exception))),
            Ok(Preamble::Registry) => return Ok(Handshake::Close(registry_answer(shared, &bytes, remote))),
            Ok(Preamble::Security) => {
                let exception = exceptions::security_not_enabled("this server has no principal");
                stream.write_all(&exception_frame(CONNECTION_CALL_ID, &exception)).await?;
                continue;
            }
            Ok(Preamble::Simple) => {}
            Ok(Preamble::Sasl) => {
                stream.write_all(&SWITCH_TO_SIMPLE).await?;
                read_frame(stream, frames, &shared.in_flight).await?;
            }
        }
        let header = read_frame(stream, frames, &shared.in_flight).await?;
        return Ok(match session(header, shared, remote) {
            Some(session) => Handshake::Session(session),
            None => Handshake::Close(Vec::new()),
        });
    }
    Ok(Handshake::Close(Vec::new()))
}

fn registry_answer(shared: &Shared, preamble: &[u8; PREAMBLE_BYTES], remote: SocketAddr) -> Vec<u8> {
    match &shared.cluster_id {
        Some(id) => connection_frame(&pb::GetConnectionRegistryResponse { cluster_id: id.clone() }),
        None => exception_frame(CONNECTION_CALL_ID, &preamble::unexpected_header(preamble, remote)),
    }
}

/// None, as HBase closes without a word, if the header asks for something that is not there.
fn session(header: Bytes, shared: &Shared, remote: SocketAddr) -> Option<Session> {
    let header = match pb::ConnectionHeader::decode(header) {
        Ok(header) => header,
        Err(error) => {
            tracing::warn!(%remote, %error, "malformed connection header");
            return None;
        }
    };
    let Some(service) = shared.services.get(header.service_name()) else {
        tracing::warn!(%remote, "refused: unknown service {:?}", header.service_name());
        return None;
    };
    let cells = match CellFormat::of_header(&header) {
        Ok(cells) => cells,
        Err(unknown) => {
            tracing::warn!(%remote, "refused: {unknown}");
            return None;
        }
    };
    let version = header.version_info.as_ref().map_or((0, 0), version);
    let (user, real_user) = match header.user_info {
        Some(user) => (user.effective_user, user.real_user),
        None => (String::new(), None),
    };
    let names = [Some(&user), real_user.as_ref()];
    if names.into_iter().flatten().any(|name| name.len() > MAX_NAME_BYTES) {
        tracing::warn!(%remote, "refused: the user's name has more than {MAX_NAME_BYTES} bytes");
        return None;
    }
    let info = ConnectionInfo::new(service.name(), user, real_user, version, remote, cells.has_blocks());
    Some(Session { service: Arc::clone(service), info: Arc::new(info), cells })
}

/// Major and minor version of a client, zero where it does not say, or not in numbers. Those that have no fields for them have the
/// text.
fn version(info: &pb::VersionInfo) -> (u32, u32) {
    if let (Some(major), Some(minor)) = (info.version_major, info.version_minor) {
        return (major, minor);
    }
    let mut parts = info.version.split(['.', '-']).map(str::parse);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor),
        (Some(Ok(major)), None) => (major, 0),
        _ => (0, 0),
    }
}

async fn read_preamble(stream: &mut TcpStream, frames: &mut FrameBuffer) -> io::Result<[u8; PREAMBLE_BYTES]> {
    loop {
        if let Some(preamble) = frames.bytes_mut().first_chunk::<PREAMBLE_BYTES>() {
            let preamble = *preamble;
            frames.skip(PREAMBLE_BYTES);
            return Ok(preamble);
        }
        read_more(stream, frames, PREAMBLE_BYTES).await?;
    }
}

/// Reads a header or a token. What a long one takes counts like a request, as it comes.
async fn read_frame(
    stream: &mut TcpStream,
    frames: &mut FrameBuffer,
    in_flight: &Arc<InFlight>,
) -> io::Result<Bytes> {
    let (share, mut counted) = (in_flight.share(), 0);
    loop {
        match frames.next(MAX_HEADER_BYTES) {
            Next::Frame(frame) => return Ok(frame),
            Next::Partial { missing } => {
                let bytes = frames.bytes_mut().len() + frames.room_wanted(missing);
                if bytes > READ_CHUNK.max(counted) {
                    if !share.try_grow(bytes - counted) {
                        return Err(io::Error::other(share.refusal()));
                    }
                    counted = bytes;
                }
                read_more(stream, frames, missing).await?;
            }
            Next::TooBig { .. } | Next::Negative => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

async fn read_more(stream: &mut TcpStream, frames: &mut FrameBuffer, missing: usize) -> io::Result<()> {
    frames.make_room(frames.room_wanted(missing));
    match stream.read_buf(frames.bytes_mut()).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
