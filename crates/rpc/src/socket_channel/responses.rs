//! Responses as they come, each handed to the call that it answers.

use super::calling_frames::{answered_call, response};
use super::waiting::Waiting;
use crate::exception::RpcException;
use crate::exceptions;
use crate::frame::{FrameBuffer, LENGTH_BYTES, Next, READ_CHUNK};
use std::sync::Arc;
use tokio::io::AsyncReadExt;
use tokio::net::tcp::OwnedReadHalf;

/// Bytes of a response that is too long within which its header must stand.
const MAX_PASSED_OVER_HEADER_BYTES: usize = 64 << 10;

/// Reads until the connection is gone.
pub(super) async fn read_responses(reader: OwnedReadHalf, waiting: Arc<Waiting>, max_response_bytes: usize) {
    let frames = FrameBuffer::of_server();
    let mut responses = Responses { reader, frames, waiting, max_response_bytes };
    let Err(reason) = responses.read_all().await;
    responses.waiting.close(reason);
}

struct Responses {
    reader: OwnedReadHalf,
    frames: FrameBuffer,
    waiting: Arc<Waiting>,
    max_response_bytes: usize,
}

impl Responses {
    /// # Errors
    /// Why there are no more.
    async fn read_all(&mut self) -> Result<std::convert::Infallible, RpcException> {
        loop {
            match self.frames.next(self.max_response_bytes) {
                Next::Frame(frame) => {
                    let (call_id, answer) = response(frame)?;
                    self.waiting.answer(call_id, answer);
                }
                Next::Partial { missing } => self.read(missing).await?,
                Next::TooBig { length } => self.pass_over(length).await?,
                Next::Negative => return Err(exceptions::connection_closed("a response of negative length")),
            }
        }
    }

    /// Reads some of what is missing of a frame.
    async fn read(&mut self, missing: usize) -> Result<(), RpcException> {
        self.frames.make_room(self.frames.room_wanted(missing));
        match self.reader.read_buf(self.frames.bytes_mut()).await {
            Ok(0) => Err(exceptions::connection_closed("the server has closed the connection")),
            Ok(_) => {
                self.waiting.heard();
                Ok(())
            }
            Err(error) => Err(exceptions::connection_closed(format!("cannot receive: {error}"))),
        }
    }

    /// Fails the call whose response is too long, once and for all: the next one would be as long. What comes behind it is for others.
    async fn pass_over(&mut self, length: usize) -> Result<(), RpcException> {
        let most = self.max_response_bytes;
        let what = format!("a response of {length} bytes, of which {most} are the most");
        let call_id = loop {
            if let Some(call_id) = answered_call(self.frames.front(MAX_PASSED_OVER_HEADER_BYTES)) {
                break call_id?;
            }
            if self.frames.len() >= LENGTH_BYTES + length.min(MAX_PASSED_OVER_HEADER_BYTES) {
                return Err(exceptions::connection_closed(what));
            }
            self.read(READ_CHUNK).await?;
        };
        self.waiting.answer(call_id, Err(exceptions::do_not_retry(what)));
        let mut rest = LENGTH_BYTES + length;
        loop {
            rest -= self.frames.skip(rest);
            if rest == 0 {
                return Ok(());
            }
            self.read(rest.min(READ_CHUNK)).await?;
        }
    }
}
