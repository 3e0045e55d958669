//! HBase's wire messages, and their conversion to and from [`finback_cell`].
//!
//! What is here:
//! * [`pb`]: every message of HBase's services and files, compiled from this crate's own `.proto`
//!   files (protobuf package `hbase.pb`), all in one flat module;
//! * [`pbuf`]: the `PBUF` magic in front of messages in files and ZooKeeper nodes;
//! * [`delimited`]: messages behind a varint length, with every length checked;
//! * [`footprint`]: how much memory a message takes, told before it is decoded;
//! * [`convert`]: names, schemas, reads, mutations and results to and from the types of [`finback_cell`].
//!
//! Guarantees: decoding never panics; [`footprint::decode`] takes no more memory than a small multiple of the bytes.
//! `bytes` fields share the memory of the buffer they were decoded from.
//!
//! One caveat comes from the protobuf library: a *missing required* field decodes as its default. Whoever
//! needs one must look (the conversions do).
//!
//! This crate does not know about sockets, files or regions.

pub mod any;
pub mod convert;
pub mod delimited;
mod error;
pub mod footprint;
pub mod pbuf;

pub use error::ProtoError;
pub use prost::Message;

/// The messages of protobuf package `hbase.pb`, generated from the `.proto` files of this crate.
#[allow(missing_docs, unreachable_pub, clippy::all)]
pub mod pb {
    include!(concat!(env!("OUT_DIR"), "/hbase.pb.rs"));
}
