//! Hadoop's codecs over whole streams: what a stream decompresses to ends where the stream ends, and nothing else says how
//! long it is. So cells travel between clients and servers.
//!
//! ```text
//! GzipCodec                   gzip members
//! DefaultCodec, DeflateCodec  one zlib stream
//! ZStandardCodec              zstd frames
//! SnappyCodec, Lz4Codec,      the block framing, segment behind segment; one of length zero ends the stream
//! HBase's ZstdCodec
//! ```

mod payload;

use crate::{BadStream, Compression, Compressor, LZ4_CHUNK, SNAPPY_CHUNK, ZSTD_CHUNK, take_length};
pub use payload::NO_ROOM;
use payload::Payload;
use std::io::{self, Write};

/// The logarithm of the longest window of a zstd frame, which its reader must have as a buffer: 16 MiB. Up to level 19 none is
/// longer than 8 MiB.
const MAX_ZSTD_WINDOW_LOG: u32 = 24;
/// Bytes that the result is first given, for each byte of the stream.
const EXPECTED_RATIO: usize = 4;

/// A codec of Hadoop, or of HBase's for Hadoop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamCodec {
    /// `GzipCodec`.
    Gzip,
    /// `DefaultCodec` and `DeflateCodec`.
    Zlib,
    /// `SnappyCodec`.
    Snappy,
    /// `Lz4Codec`.
    Lz4,
    /// Hadoop's `ZStandardCodec`: bare frames.
    Zstd,
    /// HBase's `ZstdCodec`: a frame for each chunk of the block framing.
    ZstdChunks,
}

impl StreamCodec {
    /// The codec of a Java class; none if it is not known.
    pub fn of_class(class: &str) -> Option<Self> {
        if let Some(name) = class.strip_prefix("org.apache.hadoop.io.compress.") {
            return Some(match name {
                "GzipCodec" => Self::Gzip,
                "DefaultCodec" | "DeflateCodec" => Self::Zlib,
                "SnappyCodec" => Self::Snappy,
                "Lz4Codec" => Self::Lz4,
                "ZStandardCodec" => Self::Zstd,
                _ => return None,
            });
        }
        match class.strip_prefix("org.apache.hadoop.hbase.io.compress.")? {
            "xerial.SnappyCodec" | "aircompressor.SnappyCodec" => Some(Self::Snappy),
            "lz4.Lz4Codec" | "aircompressor.Lz4Codec" => Some(Self::Lz4),
            "zstd.ZstdCodec" | "aircompressor.ZstdCodec" => Some(Self::ZstdChunks),
            _ => None,
        }
    }

    /// What a stream decompresses to, if that is at most `limit` bytes. However much it is said to be, memory is taken for
    /// what has come out.
    ///
    /// # Errors
    /// Not a stream of this codec, or one of more than `limit` bytes.
    pub fn decompress(self, stream: &[u8], limit: usize) -> Result<Vec<u8>, BadStream> {
        self.decompress_within(stream, limit, &mut |_| true)
    }

    /// The same, where `room` is asked each time before memory for so many more bytes is taken.
    ///
    /// # Errors
    /// As above, or [`NO_ROOM`].
    pub fn decompress_within(
        self,
        stream: &[u8],
        limit: usize,
        room: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<u8>, BadStream> {
        let mut out = Payload::new(stream.len().saturating_mul(EXPECTED_RATIO), limit, room);
        if stream.is_empty() {
            return Ok(out.into_bytes());
        }
        match self {
            Self::Gzip => out.read_all(flate2::bufread::MultiGzDecoder::new(stream))?,
            Self::Zlib => out.read_all(flate2::bufread::ZlibDecoder::new(stream))?,
            Self::Zstd => {
                let mut frames = zstd::stream::read::Decoder::with_buffer(stream)
                    .map_err(|_| "no memory for a zstd context")?;
                frames.window_log_max(MAX_ZSTD_WINDOW_LOG).map_err(|_| "no such zstd window")?;
                out.read_all(frames)?;
            }
            Self::Snappy => read_segments(Compression::Snappy, stream, &mut out)?,
            Self::Lz4 => read_segments(Compression::Lz4, stream, &mut out)?,
            Self::ZstdChunks => read_segments(Compression::Zstd, stream, &mut out)?,
        }
        Ok(out.into_bytes())
    }

    /// The stream of a payload.
    ///
    /// # Errors
    /// The codec's; none is known for payloads below 2 GiB.
    pub fn compress(self, payload: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::with_capacity(payload.len() / EXPECTED_RATIO);
        match self {
            Self::Gzip => Compressor::new(Compression::Gz)?.compress(payload, &mut out)?,
            Self::Zlib => {
                let mut encoder = flate2::write::ZlibEncoder::new(&mut out, flate2::Compression::default());
                encoder.write_all(payload)?;
                encoder.finish()?;
            }
            Self::Zstd => Compressor::new(Compression::Zstd)?.compress(payload, &mut out)?,
            Self::Snappy => Compressor::new(Compression::Snappy)?.frame(payload, SNAPPY_CHUNK, &mut out)?,
            Self::Lz4 => Compressor::new(Compression::Lz4)?.frame(payload, LZ4_CHUNK, &mut out)?,
            Self::ZstdChunks => Compressor::new(Compression::Zstd)?.frame(payload, ZSTD_CHUNK, &mut out)?,
        }
        Ok(out)
    }
}

/// Undoes the block framing of a whole stream.
fn read_segments(codec: Compression, mut stream: &[u8], out: &mut Payload<'_>) -> Result<(), BadStream> {
    while !stream.is_empty() {
        let segment = take_length(&mut stream)?;
        if segment == 0 {
            return Ok(());
        }
        if segment > out.left() {
            return Err("a longer payload");
        }
        codec.check_length(stream, segment)?;
        codec.unframe_segment(&mut stream, out.append(segment)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
