//! Calling a service, wherever it is.

use crate::cell_pieces::CellPieces;
use crate::exception::RpcException;
use crate::exceptions;
use bytes::Bytes;
use finback_proto::Message;
use finback_proto::footprint::{self, Measured};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// A call to make.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Name of the method.
    pub method: &'static str,
    /// The encoded request message.
    pub param: Bytes,
    /// Cell block in the layout of KeyValueCodecWithTags, or empty.
    pub cells: CellPieces,
    /// HBase's priority of the call.
    pub priority: u32,
    /// How long to wait for the answer; none is for ever.
    pub timeout: Option<Duration>,
}

/// The encoded response message and the cell block of an answer.
pub type RawReply = (Bytes, Bytes);

/// The future of an answer.
pub type RawReplyFuture<'a> = Pin<Box<dyn Future<Output = Result<RawReply, RpcException>> + Send + 'a>>;

/// A way to one service: within this process ([`crate::Loopback`]) or over a socket
/// ([`crate::SocketChannel`]).
pub trait Channel: Send + Sync {
    /// Makes a call of encoded bytes. The convenient way is [`ChannelExt::call`].
    fn call_encoded(&self, request: Request) -> RawReplyFuture<'_>;
}

/// Calls with messages instead of bytes.
pub trait ChannelExt: Channel {
    /// Makes a call that waits for its answer for ever.
    fn call<Req: Message, Resp: Message + Default>(
        &self,
        method: &'static str,
        message: &Req,
        cells: Bytes,
    ) -> impl Future<Output = Result<(Resp, Bytes), RpcException>> + Send {
        self.call_with(Request { method, cells: cells.into(), ..Request::default() }, message)
    }

    /// Makes a call with a timeout.
    fn call_within<Req: Message, Resp: Message + Default>(
        &self,
        timeout: Duration,
        method: &'static str,
        message: &Req,
        cells: Bytes,
    ) -> impl Future<Output = Result<(Resp, Bytes), RpcException>> + Send {
        self.call_with(
            Request { method, cells: cells.into(), timeout: Some(timeout), ..Request::default() },
            message,
        )
    }

    /// Makes the call that `request` describes, with `message` as its parameter.
    fn call_with<Req: Message, Resp: Message + Default>(
        &self,
        request: Request,
        message: &Req,
    ) -> impl Future<Output = Result<(Resp, Bytes), RpcException>> + Send {
        self.call_decoded(request, message, |answer| Resp::decode(answer).map_err(|error| error.to_string()))
    }

    /// Makes the call that `request` describes, of somebody who is not trusted: an answer that would take many times its
    /// length in memory is refused.
    fn call_measured<Req: Message, Resp: Measured>(
        &self,
        request: Request,
        message: &Req,
    ) -> impl Future<Output = Result<(Resp, Bytes), RpcException>> + Send {
        self.call_decoded(request, message, |answer| {
            footprint::decode(answer).map_err(|error| error.to_string())
        })
    }

    /// Makes the call that `request` describes, and decodes the answer so.
    fn call_decoded<Req: Message, Resp>(
        &self,
        request: Request,
        message: &Req,
        decode: impl FnOnce(Bytes) -> Result<Resp, String> + Send,
    ) -> impl Future<Output = Result<(Resp, Bytes), RpcException>> + Send {
        let method = request.method;
        let answer = self.call_encoded(Request { param: message.encode_to_vec().into(), ..request });
        async move {
            let (message, cells) = answer.await?;
            match decode(message) {
                Ok(message) => Ok((message, cells)),
                Err(e) => Err(exceptions::io(format!("malformed answer of {method}: {e}"))),
            }
        }
    }
}

impl<C: Channel + ?Sized> ChannelExt for C {}
