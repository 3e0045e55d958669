//! The values of a compressed log.
//!
//! ```text
//! ┌──────────────┬────────────────────────────────┐
//! │ varint bytes │ the value as one codec stream  │     an empty value: 0, and nothing
//! └──────────────┴────────────────────────────────┘
//! ```
//!
//! HBase reads GZ as one stream through all values of a file, one gzip member each; the header of a member may stand at
//! the end of the value before.

use finback_compression::{Compression, Compressor, ZstdForm};
use flate2::{Crc, Decompress, FlushDecompress, Status};

use crate::varint::put_varint;

/// Values up to this length are given room before anything is known about them; for a longer one the system finds
/// memory page by page, as it is decompressed.
const ROOM_BYTES: usize = 64 << 10;
/// A gzip member's header without options, which nobody writes here.
const GZIP_HEADER: [u8; 4] = [0x1f, 0x8b, 8, 0];
const GZIP_HEADER_BYTES: usize = 10;
/// Checksum and length.
const GZIP_END_BYTES: usize = 8;

/// Compresses the values of one file.
#[derive(Debug)]
pub(crate) struct ValueCompressor {
    compressor: Compressor,
    stream: Vec<u8>,
}

impl ValueCompressor {
    pub(crate) fn new(codec: Compression) -> std::io::Result<Self> {
        Ok(Self { compressor: Compressor::new(codec)?, stream: Vec::new() })
    }

    /// Chooses the form of ZSTD from now on.
    pub(crate) fn set_zstd_form(&mut self, zstd_form: ZstdForm) {
        self.compressor.set_zstd_form(zstd_form);
    }

    /// Appends a value to `out`.
    pub(crate) fn put(&mut self, value: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
        self.stream.clear();
        if !value.is_empty() {
            self.compressor.compress(value, &mut self.stream)?;
        }
        put_varint(out, self.stream.len() as u64);
        out.extend_from_slice(&self.stream);
        self.stream.shrink_to(ROOM_BYTES);
        Ok(())
    }
}

/// Decompresses the values of one file, in their order.
#[derive(Debug)]
pub(crate) struct ValueDecompressor {
    codec: Compression,
    inflate: Decompress,
    /// The header of the next member was at the end of the value before.
    header_was_there: bool,
    zstd_form: ZstdForm,
}

impl ValueDecompressor {
    pub(crate) fn new(codec: Compression) -> Self {
        let (inflate, zstd_form) = (Decompress::new(false), ZstdForm::default());
        Self { codec, inflate, header_was_there: false, zstd_form }
    }

    /// The form of ZSTD that the last value has that is not empty.
    pub(crate) fn zstd_form(&self) -> ZstdForm {
        self.zstd_form
    }

    /// Appends to `out` the value of `length` bytes whose stream this is. After an error the rest of the file cannot be
    /// decompressed.
    pub(crate) fn take(
        &mut self,
        stream: &[u8],
        length: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), &'static str> {
        if length == 0 {
            // HBase ignores what a codec makes of nothing; but that may end with the header of the next member.
            if self.codec == Compression::Gz && !stream.is_empty() {
                let end = stream.last_chunk::<GZIP_HEADER_BYTES>();
                self.header_was_there = end.is_some_and(|end| end.starts_with(&GZIP_HEADER));
            }
            return Ok(());
        }
        self.codec.check_length(stream, length)?;
        if self.codec == Compression::Zstd {
            self.zstd_form = ZstdForm::of_stream(stream);
        }
        if self.codec == Compression::Gz {
            return self.take_member(stream, length, out);
        }
        let start = out.len();
        if length <= ROOM_BYTES {
            out.resize(start + length, 0);
            return self.codec.decompress_into(stream, &mut out[start..]);
        }
        let mut value = vec![0; length];
        self.codec.decompress_into(stream, &mut value)?;
        out.extend_from_slice(&value);
        Ok(())
    }

    fn take_member(&mut self, stream: &[u8], length: usize, out: &mut Vec<u8>) -> Result<(), &'static str> {
        let mut rest = stream;
        if !self.header_was_there {
            rest = after_header(rest)?;
        }
        let start = out.len();
        rest = self.inflate(rest, length, out)?;
        let (end, rest) = rest.split_at_checked(GZIP_END_BYTES).ok_or("a gzip member without its end")?;
        let mut crc = Crc::new();
        crc.update(&out[start..]);
        let expected = [crc.sum().to_le_bytes(), (length as u32).to_le_bytes()].concat();
        if end != expected {
            return Err("a gzip member whose checksum or length is wrong");
        }
        self.header_was_there = !rest.is_empty();
        if self.header_was_there && !after_header(rest)?.is_empty() {
            return Err("more than one gzip member in a value");
        }
        Ok(())
    }

    /// Appends what a deflate stream of exactly `length` bytes holds to `out`; gives what follows it.
    fn inflate<'a>(
        &mut self,
        stream: &'a [u8],
        length: usize,
        out: &mut Vec<u8>,
    ) -> Result<&'a [u8], &'static str> {
        self.inflate.reset(false);
        let end = out.len() + length;
        loop {
            // One byte more than is left, to see a longer stream, and the end of this one.
            out.reserve((end + 1 - out.len()).min(ROOM_BYTES));
            let (read, written) = (self.inflate.total_in(), out.len());
            let status = self.inflate.decompress_vec(&stream[read as usize..], out, FlushDecompress::None);
            let status = status.map_err(|_| "not a deflate stream")?;
            if out.len() > end {
                return Err("a deflate stream of a longer value");
            }
            if status == Status::StreamEnd {
                break;
            }
            if self.inflate.total_in() == read && out.len() == written {
                return Err("a deflate stream that is cut off");
            }
        }
        if out.len() != end {
            return Err("a deflate stream of a shorter value");
        }
        Ok(&stream[self.inflate.total_in() as usize..])
    }
}

fn after_header(stream: &[u8]) -> Result<&[u8], &'static str> {
    match stream.split_at_checked(GZIP_HEADER_BYTES) {
        Some((header, rest)) if header.starts_with(&GZIP_HEADER) => Ok(rest),
        _ => Err("not a gzip member"),
    }
}

#[cfg(test)]
mod tests;
