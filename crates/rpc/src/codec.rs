//! How a client writes cells: the codec that it names in the connection header.
//!
//! Inside the server a cell block has one layout, that of KeyValueCodecWithTags.

mod cell;
mod decoded;
mod message;
mod strip_tags;

use bytes::Bytes;
pub(crate) use decoded::Room;
use finback_cell::CellError;

/// A codec of HBase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Codec {
    /// The client takes no cell blocks.
    None,
    KeyValue,
    KeyValueWithTags,
    Cell,
    CellWithTags,
    Message,
}

/// Why a cell block cannot be translated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CodecError {
    #[error("a cell block, but no codec")]
    NoCodec,
    #[error("a cell block that is more than {limit} bytes in this server's layout")]
    TooLarge { limit: usize },
    #[error("a cell block that there is no room for in this server's layout")]
    NoRoom,
    #[error("a compressed cell block that cannot be read or made: {0}")]
    Compressed(finback_compression::BadStream),
    #[error("malformed cell {index} of a cell block")]
    Malformed { index: usize },
    #[error("cell {index} of a cell block: {source}")]
    Cell { index: usize, source: CellError },
}

impl Codec {
    /// The codec of a Java class; none if it is not known.
    pub(crate) fn of_class(class: &str) -> Option<Self> {
        Some(match class.strip_prefix("org.apache.hadoop.hbase.codec.") {
            None if class.is_empty() => Self::None,
            Some("KeyValueCodec") => Self::KeyValue,
            Some("KeyValueCodecWithTags") => Self::KeyValueWithTags,
            Some("CellCodec") => Self::Cell,
            Some("CellCodecWithTags") => Self::CellWithTags,
            Some("MessageCodec") => Self::Message,
            _ => return None,
        })
    }

    /// The client's cell block in our layout, if there is room for it: in some codecs small cells take a fraction of what
    /// they take in ours. What is in that layout already is not checked.
    pub(crate) fn decode(self, block: Bytes, room: &mut Room<'_>) -> Result<Bytes, CodecError> {
        if block.is_empty() {
            return Ok(block);
        }
        match self {
            Self::None => Err(CodecError::NoCodec),
            Self::KeyValue | Self::KeyValueWithTags => Ok(block),
            Self::Cell => cell::decode(&block, false, room),
            Self::CellWithTags => cell::decode(&block, true, room),
            Self::Message => message::decode(block, room),
        }
    }

    /// Our cell block in the client's layout. `is_untagged`: none of its cells has tags.
    pub(crate) fn encode(self, block: Vec<u8>, is_untagged: bool) -> Result<Vec<u8>, CodecError> {
        if block.is_empty() {
            return Ok(block);
        }
        match self {
            Self::None => Err(CodecError::NoCodec),
            Self::KeyValueWithTags => Ok(block),
            Self::KeyValue if is_untagged => Ok(block),
            Self::KeyValue => strip_tags::strip(block),
            Self::Cell => cell::encode(&block, false),
            Self::CellWithTags => cell::encode(&block, true),
            Self::Message => message::encode(&block),
        }
    }
}

/// Calls `each` with every cell of a block in our layout.
fn for_each_cell(block: &[u8], mut each: impl FnMut(finback_cell::Cell<'_>)) -> Result<(), CodecError> {
    let (mut rest, mut index) = (block, 0);
    while !rest.is_empty() {
        let (cell, after) =
            finback_cell::block::split_first(rest).map_err(|source| CodecError::Cell { index, source })?;
        each(cell);
        rest = after;
        index += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
