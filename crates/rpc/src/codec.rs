//! How a client writes cells: the codec that it names in the connection header.
//!
//! Inside the server a cell block has one layout, that of KeyValueCodecWithTags.

mod cell;
mod message;
mod strip_tags;

use bytes::Bytes;
use finback_cell::cell::CellParts;
use finback_cell::{CellBlockBuilder, CellError};

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

    /// The client's cell block in our layout, in which it may take `limit` bytes: in some codecs small cells take a
    /// fraction of what they take in ours. What is in that layout already is not checked.
    pub(crate) fn decode(self, block: Bytes, limit: usize) -> Result<Bytes, CodecError> {
        if block.is_empty() {
            return Ok(block);
        }
        match self {
            Self::None => Err(CodecError::NoCodec),
            Self::KeyValue | Self::KeyValueWithTags => Ok(block),
            Self::Cell => cell::decode(&block, false, limit),
            Self::CellWithTags => cell::decode(&block, true, limit),
            Self::Message => message::decode(block, limit),
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

/// Appends a cell that a client has sent.
fn push_checked(
    out: &mut CellBlockBuilder,
    parts: &CellParts<'_>,
    index: usize,
    limit: usize,
) -> Result<(), CodecError> {
    parts.check().map_err(|source| CodecError::Cell { index, source })?;
    if out.len() + parts.size() > limit {
        return Err(CodecError::TooLarge { limit });
    }
    out.push_parts(parts);
    Ok(())
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
