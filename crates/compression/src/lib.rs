//! HBase's compression codecs, and Hadoop's framing around them, as they stand in the blocks of HFiles and around the values
//! of write-ahead logs. One payload, a block or a value, becomes one stream:
//!
//! ```text
//! GZ             ┌─────────────────────────┐
//!                │ one gzip member         │
//!                └─────────────────────────┘
//! ZSTD           ┌─────────────────────────┐   as Hadoop's native codec writes it; empty for an empty payload.
//!                │ one zstd frame          │   HBase's optional codec writes frames as chunks of the framing below:
//!                └─────────────────────────┘   whichever begins with a frame's magic is the first
//! SNAPPY, LZ4    ┌─────────────────┬──────────────────┬───────┬─────────────────────────┐
//!                │ payload's       │ compressed       │ chunk │ more chunks, and then   │
//!                │ length      u32 │ length       u32 │       │ more segments like this │
//!                └─────────────────┴──────────────────┴───────┴─────────────────────────┘
//! ```
//!
//! Streams are anyone's bytes: what is said about a payload's length is believed only as far as the stream can bear it out.
//! This crate does not know what it compresses.

mod snappy_encoder;
mod stream_codec;
mod zstd_form;

use flate2::bufread::GzDecoder;
use snappy_encoder::SnappyEncoder;
use std::cell::RefCell;
use std::io::{Read, Write};
pub use stream_codec::{NO_ROOM, StreamCodec};
pub use zstd_form::ZstdForm;

/// A codec of HBase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Compression {
    /// As they are.
    #[default]
    None,
    /// gzip.
    Gz,
    /// Snappy, in Hadoop's block framing.
    Snappy,
    /// LZ4 blocks, in Hadoop's block framing.
    Lz4,
    /// Zstandard, in one of two [forms](ZstdForm).
    Zstd,
}

/// HBase's names of codecs, by their number.
const NAMES: [&str; 9] = ["LZO", "GZ", "NONE", "SNAPPY", "LZ4", "BZIP2", "ZSTD", "LZMA", "BROTLI"];
/// First bytes of a zstd frame. As the first word of the block framing they would be a segment of 683 MB.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Hadoop's default, `io.compression.codec.zstd.level`.
const ZSTD_LEVEL: i32 = 3;
/// Bytes of a payload that Hadoop compresses as one chunk: its buffers are 256 KiB, less what each codec may add.
const SNAPPY_CHUNK: usize = 218_422;
const LZ4_CHUNK: usize = 261_100;
const ZSTD_CHUNK: usize = 261_120;

/// The longest payload that is decompressed, in bytes: a quarter more than the longest that is written. HBase refuses cells
/// above 10 MB.
const MAX_LENGTH: usize = 5 << 28;

/// Why a payload cannot be decompressed.
pub type BadStream = &'static str;

impl Compression {
    /// The codec of a number in HBase's files; `Err` is the name of one that is not supported.
    pub fn from_code(code: u32) -> Result<Self, String> {
        Ok(match code {
            1 => Self::Gz,
            2 => Self::None,
            3 => Self::Snappy,
            4 => Self::Lz4,
            6 => Self::Zstd,
            _ => {
                let name = NAMES.get(code as usize);
                return Err(name.map_or_else(|| format!("number {code}"), |&name| name.to_owned()));
            }
        })
    }

    /// The number in HBase's files.
    pub fn code(self) -> u32 {
        match self {
            Self::Gz => 1,
            Self::None => 2,
            Self::Snappy => 3,
            Self::Lz4 => 4,
            Self::Zstd => 6,
        }
    }

    /// HBase's name.
    pub fn name(self) -> &'static str {
        NAMES[self.code() as usize]
    }

    /// The codec of HBase's name, in upper or lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::None, Self::Gz, Self::Snappy, Self::Lz4, Self::Zstd]
            .into_iter()
            .find(|codec| codec.name().eq_ignore_ascii_case(name))
    }

    /// How many times its compressed length a payload can have: what is said to be longer is not even allocated.
    /// A deflate match of 258 bytes takes 2 bits; a Snappy copy of 64 bytes takes 3 bytes; an LZ4 match grows by 255
    /// a byte; a zstd block of 128 KiB of one byte takes 4.
    fn max_ratio(self) -> usize {
        match self {
            Self::None => 1,
            Self::Gz => 1032,
            Self::Snappy => 22,
            Self::Lz4 => 255,
            Self::Zstd => 32 << 10,
        }
    }

    /// Whether `stream` can be of a payload of `length` bytes, before any memory is found for it.
    ///
    /// # Errors
    /// It cannot.
    pub fn check_length(self, stream: &[u8], length: usize) -> Result<(), BadStream> {
        if length > stream.len().saturating_mul(self.max_ratio()) {
            return Err("a stream too short for its payload");
        }
        if length > MAX_LENGTH {
            return Err("a payload of more than 1.25 GiB");
        }
        Ok(())
    }

    /// Whether a stream, which must be one of this codec, has the form in which a [`Compressor`] writes it whose form
    /// of Zstandard is `zstd_form`.
    pub fn is_written_so(self, stream: &[u8], zstd_form: ZstdForm) -> bool {
        self != Self::Zstd || ZstdForm::of_stream(stream) == zstd_form
    }

    /// Decompresses a stream whose payload is exactly as long as `target`.
    ///
    /// # Errors
    /// Not a stream of this codec, or not of this length. `target` may have changed.
    pub fn decompress_into(self, stream: &[u8], target: &mut [u8]) -> Result<(), BadStream> {
        if target.is_empty() {
            // Whatever the codec writes for nothing.
            return Ok(());
        }
        match self {
            Self::None if stream.len() == target.len() => target.copy_from_slice(stream),
            Self::None => return Err("another length"),
            Self::Gz => gunzip(stream, target)?,
            Self::Zstd if stream.starts_with(&ZSTD_MAGIC) => {
                if unzstd(stream, target)? != target.len() {
                    return Err("a frame of another length");
                }
            }
            Self::Snappy | Self::Lz4 | Self::Zstd => self.unframe(stream, target)?,
        }
        Ok(())
    }

    /// Undoes Hadoop's block framing. What follows when `target` is full is ignored: the stock codecs leave an extra
    /// word there.
    fn unframe(self, stream: &[u8], target: &mut [u8]) -> Result<(), BadStream> {
        let mut rest = stream;
        let mut at = 0;
        while at < target.len() {
            let segment = take_length(&mut rest)?;
            if segment == 0 || segment > target.len() - at {
                return Err("a segment of nothing, or of more than the payload");
            }
            let end = at + segment;
            self.unframe_segment(&mut rest, &mut target[at..end])?;
            at = end;
        }
        Ok(())
    }

    /// Takes the chunks of a segment, whose payload is `target`.
    fn unframe_segment(self, stream: &mut &[u8], target: &mut [u8]) -> Result<(), BadStream> {
        let mut at = 0;
        while at < target.len() {
            let length = take_length(stream)?;
            let (chunk, after) = stream.split_at_checked(length).ok_or("a chunk is cut off")?;
            *stream = after;
            let produced = self.decompress_chunk(chunk, &mut target[at..])?;
            if produced == 0 {
                return Err("an empty chunk");
            }
            at += produced;
        }
        Ok(())
    }

    /// Decompresses a chunk into the beginning of `target`; gives how much.
    fn decompress_chunk(self, chunk: &[u8], target: &mut [u8]) -> Result<usize, BadStream> {
        match self {
            Self::Snappy => {
                snap::raw::Decoder::new().decompress(chunk, target).map_err(|_| "not a Snappy chunk")
            }
            Self::Lz4 => lz4_flex::block::decompress_into(chunk, target).map_err(|_| "not an LZ4 block"),
            Self::Zstd => unzstd(chunk, target),
            Self::None | Self::Gz => Err("a codec without chunks"),
        }
    }
}

fn take_length(stream: &mut &[u8]) -> Result<usize, BadStream> {
    let (word, rest) = stream.split_first_chunk::<4>().ok_or("a length is cut off")?;
    *stream = rest;
    Ok(u32::from_be_bytes(*word) as usize)
}

/// Decompresses a gzip member that is exactly as long as `target`.
fn gunzip(stream: &[u8], target: &mut [u8]) -> Result<(), BadStream> {
    let mut decoder = GzDecoder::new(stream);
    decoder.read_exact(target).map_err(|_| "not a gzip member, or a short one")?;
    // Only the end of the member tells whether its checksum is right.
    match decoder.read(&mut [0]) {
        Ok(0) => Ok(()),
        _ => Err("a longer gzip member, or a wrong checksum in it"),
    }
}

/// Decompresses zstd frames into the beginning of `target`; gives how much.
fn unzstd(stream: &[u8], target: &mut [u8]) -> Result<usize, BadStream> {
    thread_local! {
        /// Kept, because a context is 150 KiB and costs more than a block.
        static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
    }
    DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            None => kept.insert(zstd::bulk::Decompressor::new().map_err(|_| "no memory for a zstd context")?),
        };
        decompressor.decompress_to_buffer(stream, target).map_err(|_| "not a zstd frame, or a longer one")
    })
}

/// Compresses the payloads of one file.
pub struct Compressor {
    codec: Compression,
    snappy: snap::raw::Encoder,
    thorough_snappy: SnappyEncoder,
    /// Whether time matters less than the length of the stream.
    thorough: bool,
    zstd: Option<zstd::bulk::Compressor<'static>>,
    zstd_form: ZstdForm,
}

impl Compressor {
    /// # Errors
    /// When there is no memory for a context.
    pub fn new(codec: Compression) -> std::io::Result<Self> {
        let zstd = match codec {
            Compression::Zstd => Some(zstd::bulk::Compressor::new(ZSTD_LEVEL)?),
            _ => None,
        };
        Ok(Self {
            codec,
            snappy: snap::raw::Encoder::new(),
            thorough_snappy: SnappyEncoder::default(),
            thorough: false,
            zstd,
            zstd_form: ZstdForm::default(),
        })
    }

    /// The codec.
    pub fn codec(&self) -> Compression {
        self.codec
    }

    /// Whether streams of payloads from now on are to be as small as the codec can have them, for ten to twenty times the
    /// effort. Only Snappy has a choice.
    pub fn set_thorough(&mut self, thorough: bool) {
        self.thorough = thorough;
    }

    /// Chooses the form of streams of Zstandard from now on; until then they are bare frames.
    pub fn set_zstd_form(&mut self, zstd_form: ZstdForm) {
        self.zstd_form = zstd_form;
    }

    /// Appends the stream of a payload to `out`.
    ///
    /// # Errors
    /// The codec's; none is known for payloads below 2 GiB.
    pub fn compress(&mut self, payload: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
        match self.codec {
            Compression::None => {
                out.extend_from_slice(payload);
                Ok(())
            }
            Compression::Gz => {
                // System 0 ("FAT"), like Java.
                let gzip = flate2::GzBuilder::new().operating_system(0);
                let mut encoder = gzip.write(out, flate2::Compression::default());
                encoder.write_all(payload)?;
                encoder.finish().map(drop)
            }
            Compression::Zstd if self.zstd_form == ZstdForm::Chunks => self.frame(payload, ZSTD_CHUNK, out),
            Compression::Zstd if payload.is_empty() => Ok(()),
            Compression::Zstd => self.add_chunk(payload, out),
            Compression::Snappy => self.frame(payload, SNAPPY_CHUNK, out),
            Compression::Lz4 => self.frame(payload, LZ4_CHUNK, out),
        }
    }

    /// Appends one segment of Hadoop's block framing.
    fn frame(&mut self, payload: &[u8], chunk_size: usize, out: &mut Vec<u8>) -> std::io::Result<()> {
        out.extend_from_slice(&(payload.len() as u32).to_be_bytes());
        for chunk in payload.chunks(chunk_size) {
            let length_at = out.len();
            out.extend_from_slice(&[0; 4]);
            self.add_chunk(chunk, out)?;
            let length = (out.len() - length_at - 4) as u32;
            out[length_at..length_at + 4].copy_from_slice(&length.to_be_bytes());
        }
        Ok(())
    }

    /// Appends a chunk without its length.
    fn add_chunk(&mut self, chunk: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
        if self.codec == Compression::Snappy && self.thorough {
            self.thorough_snappy.compress(chunk, out);
            return Ok(());
        }
        let at = out.len();
        let most = match self.codec {
            Compression::Snappy => snap::raw::max_compress_len(chunk.len()),
            Compression::Zstd => zstd::zstd_safe::compress_bound(chunk.len()),
            _ => lz4_flex::block::get_maximum_output_size(chunk.len()),
        };
        out.resize(at + most, 0);
        let target = &mut out[at..];
        let written = match (self.codec, &mut self.zstd) {
            (Compression::Snappy, _) => self.snappy.compress(chunk, target).map_err(std::io::Error::other)?,
            (Compression::Zstd, Some(zstd)) => zstd.compress_to_buffer(chunk, target)?,
            _ => lz4_flex::block::compress_into(chunk, target).map_err(std::io::Error::other)?,
        };
        out.truncate(at + written);
        Ok(())
    }
}

impl std::fmt::Debug for Compressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Compressor({})", self.codec.name())
    }
}

#[cfg(test)]
mod tests;
