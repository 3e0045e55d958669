//! `google.protobuf.Any`, the one message that HBase borrows from protobuf itself.

use bytes::Bytes;

/// A message of some type, serialized (the state of a procedure).
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct Any {
    /// `type.googleapis.com/<full message name>`.
    #[prost(string, tag = "1")]
    pub type_url: String,
    /// The serialized message.
    #[prost(bytes = "bytes", tag = "2")]
    pub value: Bytes,
}
