//! A client that sends whatever bytes it likes.

use bytes::Bytes;
use finback_proto::{Message, delimited, pb};
use finback_rpc::RpcException;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::running_server::LONG;

/// Messages of a response: the result and its cells, or an exception.
pub(crate) type Answer = Result<(Bytes, Bytes), RpcException>;

pub(crate) struct RawClient {
    stream: TcpStream,
}

impl RawClient {
    /// A connection on which nothing was sent.
    pub(crate) async fn silent(address: SocketAddr) -> Self {
        Self { stream: TcpStream::connect(address).await.unwrap() }
    }

    /// A connection whose preamble and header were sent.
    pub(crate) async fn connect(address: SocketAddr, service: &str) -> Self {
        let mut client = Self::silent(address).await;
        client.send(&opening(service)).await;
        client
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// Sends as much as the other end takes.
    pub(crate) async fn send_until_refused(&mut self, bytes: &[u8]) {
        // The other end may close in the middle of it.
        let _ = self.stream.write_all(bytes).await;
    }

    /// The next response.
    pub(crate) async fn response(&mut self) -> (u32, Answer) {
        self.try_response().await.expect("the connection was closed")
    }

    /// The next response, or nothing when the connection is closed.
    pub(crate) async fn try_response(&mut self) -> Option<(u32, Answer)> {
        let reading = async {
            let length = self.stream.read_u32().await.ok()?;
            let mut frame = vec![0; length as usize];
            self.stream.read_exact(&mut frame).await.ok()?;
            Some(Bytes::from(frame))
        };
        let mut frame = tokio::time::timeout(LONG, reading).await.expect("nothing comes")?;
        let header: pb::ResponseHeader = delimited::decode_delimited(&mut frame, "header").unwrap();
        let answer = match header.exception {
            Some(exception) => Err(RpcException::from_response(exception)),
            None => Ok((delimited::take_delimited(&mut frame).unwrap(), frame)),
        };
        Some((header.call_id.unwrap(), answer))
    }

    /// Checks that the server closes the connection, whatever it says before.
    pub(crate) async fn closes(mut self) {
        let mut rest = Vec::new();
        let end = tokio::time::timeout(LONG, self.stream.read_to_end(&mut rest)).await;
        // A reset is an end as well.
        let _ = end.expect("the server does not close");
    }
}

/// Preamble and connection header.
pub(crate) fn opening(service: &str) -> Vec<u8> {
    let header = pb::ConnectionHeader {
        user_info: Some(pb::UserInformation { effective_user: "tester".into(), real_user: None }),
        service_name: Some(service.into()),
        cell_block_codec_class: Some("org.apache.hadoop.hbase.codec.KeyValueCodec".into()),
        version_info: Some(pb::VersionInfo { version: "2.5.11".into(), ..Default::default() }),
        ..Default::default()
    };
    [b"HBas\0\x50", &framed(&header.encode_to_vec())[..]].concat()
}

/// A frame of these bytes.
pub(crate) fn framed(body: &[u8]) -> Vec<u8> {
    [&u32::try_from(body.len()).unwrap().to_be_bytes()[..], body].concat()
}

/// A request frame.
pub(crate) fn request(call_id: u32, method: &str, param: &[u8]) -> Vec<u8> {
    let header = pb::RequestHeader {
        call_id: Some(call_id),
        method_name: Some(method.into()),
        request_param: Some(true),
        ..Default::default()
    };
    let mut body = header.encode_length_delimited_to_vec();
    delimited::write_length(param.len(), &mut body);
    body.extend_from_slice(param);
    framed(&body)
}
