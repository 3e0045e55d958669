//! The other end: a client that reads nodes of a ZooKeeper, be it a real one or the responder of this crate.
//!
//! It opens a session, reads, and closes it. No watches, no pings: a reader that does not read for as long as its session
//! lasts is told so by the next read.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::{Buf, BufMut, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::Error;
use crate::jute::{JuteReader, put_buffer};
use crate::protocol::{ErrorCode, LENGTH_BYTES, begin_frame, end_frame, frame_length};

/// Longest frame that is taken: ZooKeeper's `jute.maxbuffer`, and room for what is around it.
const MAX_FRAME_BYTES: usize = (1 << 20) + (4 << 10);
const GET_DATA: i32 = 4;
const GET_CHILDREN: i32 = 8;
const CLOSE_SESSION: i32 = -11;
/// `xid` of what the server says by itself, and of what is about the session.
const FIRST_UNASKED_XID: i32 = -1;

/// A session that reads.
pub struct Reader {
    stream: TcpStream,
    received: BytesMut,
    next_xid: i32,
    timeout: Duration,
}

impl Reader {
    /// Opens a session.
    ///
    /// # Errors
    /// The server is out of reach, does not answer within `timeout`, or makes no sense. The same time holds for each read.
    pub async fn connect(address: SocketAddr, timeout: Duration) -> Result<Self, Error> {
        within(timeout, async {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            let mut reader = Self { stream, received: BytesMut::new(), next_xid: 1, timeout };
            let mut out = BytesMut::new();
            let frame = begin_frame(&mut out);
            out.put_i32(0); // protocolVersion
            out.put_i64(0); // lastZxidSeen
            out.put_i32(i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX));
            out.put_i64(0); // sessionId: a new one
            put_buffer(&mut out, &[0; 16]);
            out.put_u8(0); // readOnly
            end_frame(&mut out, frame);
            reader.stream.write_all(&out).await?;
            let answer = reader.frame().await?;
            let mut fields = JuteReader::new(&answer);
            fields.int("protocolVersion")?;
            match fields.int("timeOut")? {
                ..=0 => Err(Error::SessionExpired),
                _ => Ok(reader),
            }
        })
        .await
    }

    /// The value of a node; none if there is no such node.
    ///
    /// # Errors
    /// As [`Reader::connect`], and [`Error::Refused`].
    pub async fn data(&mut self, path: &str) -> Result<Option<Vec<u8>>, Error> {
        let Some(answer) = self.ask(GET_DATA, path).await? else { return Ok(None) };
        let data = JuteReader::new(&answer).buffer("data")?;
        Ok(Some(data.unwrap_or_default().to_vec()))
    }

    /// The names of a node's children; none if there is no such node.
    ///
    /// # Errors
    /// As [`Reader::connect`], and [`Error::Refused`].
    pub async fn children(&mut self, path: &str) -> Result<Option<Vec<String>>, Error> {
        let Some(answer) = self.ask(GET_CHILDREN, path).await? else { return Ok(None) };
        let names = JuteReader::new(&answer).ustrings("children")?;
        Ok(Some(names.into_iter().map(str::to_owned).collect()))
    }

    /// Closes the session, so that the server need not wait for its end.
    pub async fn close(mut self) {
        let mut out = BytesMut::new();
        let frame = begin_frame(&mut out);
        out.put_i32(self.next_xid);
        out.put_i32(CLOSE_SESSION);
        end_frame(&mut out, frame);
        // The server forgets the session in any case, if later.
        let closing = async { self.stream.write_all(&out).await.map_err(Error::from) };
        let _ = within(self.timeout, closing).await;
    }

    /// The body of the answer to a read; none if there is no such node.
    async fn ask(&mut self, op_code: i32, path: &str) -> Result<Option<BytesMut>, Error> {
        let xid = self.next_xid;
        self.next_xid = self.next_xid.checked_add(1).unwrap_or(1);
        let mut out = BytesMut::new();
        let frame = begin_frame(&mut out);
        out.put_i32(xid);
        out.put_i32(op_code);
        put_buffer(&mut out, path.as_bytes());
        out.put_u8(0); // watch
        end_frame(&mut out, frame);
        within(self.timeout, async {
            self.stream.write_all(&out).await?;
            loop {
                let mut answer = self.frame().await?;
                let mut fields = JuteReader::new(&answer);
                let (answered, _zxid) = (fields.int("xid")?, fields.long("zxid")?);
                let error = fields.int("err")?;
                match answered {
                    ..=FIRST_UNASKED_XID => continue,
                    _ if answered != xid => return Err(Error::OutOfOrder { asked: xid, answered }),
                    _ if error == ErrorCode::NoNode as i32 => return Ok(None),
                    _ if error != 0 => return Err(Error::Refused { path: path.to_owned(), error }),
                    _ => {}
                }
                answer.advance(4 + 8 + 4);
                return Ok(Some(answer));
            }
        })
        .await
    }

    /// The payload of the next frame.
    async fn frame(&mut self) -> Result<BytesMut, Error> {
        loop {
            if let Some(length) = frame_length(&self.received, MAX_FRAME_BYTES)?
                && self.received.len() >= LENGTH_BYTES + length
            {
                self.received.advance(LENGTH_BYTES);
                return Ok(self.received.split_to(length));
            }
            if self.stream.read_buf(&mut self.received).await? == 0 {
                return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
            }
        }
    }
}

async fn within<T>(timeout: Duration, doing: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    tokio::time::timeout(timeout, doing).await.unwrap_or(Err(Error::Idle(timeout)))
}
