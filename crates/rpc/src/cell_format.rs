//! How a client writes cell blocks: its codec, and what compresses whole blocks, both named in the connection header.

use crate::codec::{Codec, CodecError, Room};
use bytes::Bytes;
use finback_compression::{NO_ROOM, StreamCodec};
use finback_proto::pb;

/// What may stay unused of a block's memory, which a call keeps until it ends.
const MOST_SPARE_BYTES: usize = 64 << 10;

/// What a connection's cell blocks are written in, in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CellFormat {
    codec: Codec,
    compressor: Option<StreamCodec>,
}

impl CellFormat {
    /// What the header asks for.
    ///
    /// # Errors
    /// What of it is not known, for the log.
    pub(crate) fn of_header(header: &pb::ConnectionHeader) -> Result<Self, String> {
        let codec = header.cell_block_codec_class();
        let compressor = header.cell_block_compressor_class();
        Ok(Self {
            codec: Codec::of_class(codec).ok_or_else(|| format!("unknown codec {codec:?}"))?,
            compressor: match compressor {
                "" => None,
                class => {
                    let known = StreamCodec::of_class(class);
                    Some(known.ok_or_else(|| format!("unknown compressor {class:?}"))?)
                }
            },
        })
    }

    /// Whether the client takes cell blocks at all.
    pub(crate) fn has_blocks(self) -> bool {
        self.codec != Codec::None
    }

    /// The client's cell block in our layout, if there is room for what it decompresses to, and for our layout of it.
    pub(crate) fn decode(self, block: Bytes, room: &mut Room<'_>) -> Result<Bytes, CodecError> {
        let plain = match self.compressor {
            Some(compressor) if !block.is_empty() => {
                let plain = compressor.decompress_within(&block, room.limit, room.take);
                let mut plain = plain.map_err(|bad| match bad {
                    NO_ROOM => CodecError::NoRoom,
                    bad => CodecError::Compressed(bad),
                })?;
                if plain.capacity() - plain.len() > MOST_SPARE_BYTES {
                    plain.shrink_to_fit();
                }
                Bytes::from(plain)
            }
            _ => block,
        };
        self.codec.decode(plain, room)
    }

    /// Our cell block in the client's layout. `is_untagged`: none of its cells has tags.
    pub(crate) fn encode(self, block: Vec<u8>, is_untagged: bool) -> Result<Vec<u8>, CodecError> {
        let plain = self.codec.encode(block, is_untagged)?;
        match self.compressor {
            Some(compressor) if !plain.is_empty() => {
                compressor.compress(&plain).map_err(|_| CodecError::Compressed("no memory to compress it"))
            }
            _ => Ok(plain),
        }
    }
}
