//! Decodes blocks of PREFIX, DIFF and FAST_DIFF.
//!
//! ```text
//! PREFIX     ┌───────────┬──────────┬────────┬──────────┬───────┬──────┐
//!            │ rest len  │ value len│ common │ rest of  │ value │ tail │
//!            │ varint    │ varint   │ varint │ the key  │       │      │
//!            └───────────┴──────────┴────────┴──────────┴───────┴──────┘
//! DIFF       ┌──────┬──────────┬───────────┬────────┬──────────┬────────────┬────────┬───────┬──────┐
//!            │ flag │ key len  │ value len │ common │ rest of  │ timestamp  │ type u8│ value │ tail │
//!            │ u8   │ varint ? │ varint ?  │ varint │ the key  │ 1..8 bytes │      ? │       │      │
//!            └──────┴──────────┴───────────┴────────┴──────────┴────────────┴────────┴───────┴──────┘
//!            the first record stands after: family length u8, family
//! FAST_DIFF  like DIFF with other flags; timestamp of 1..8 bytes, those that differ; value left out if it repeats.
//!            The first record has the whole key, with timestamp and type, and flag 0
//! tail       ┌──────────────────┬──────┬───────────────────┐
//!            │ tags len varint  │ tags │ sequence id vlong │  what the file includes
//!            └──────────────────┴──────┴───────────────────┘
//! ```
//! `?`: only if it is not the same as in the cell before. `common`: bytes shared with the key before.

use crate::data_block::CellLayout;
use crate::encoding::{BadEncoding, DataBlockEncoding};
use crate::tag_dictionary::TagDecoder;
use crate::{varint, vlong};
use finback_cell::cell::{KEY_OVERHEAD, LENGTHS_SIZE, check_key};
use finback_cell::key::Key;

/// Flags of DIFF.
pub(crate) mod diff_flag {
    pub(crate) const SAME_KEY_LENGTH: u8 = 0x01;
    pub(crate) const SAME_VALUE_LENGTH: u8 = 0x02;
    pub(crate) const SAME_TYPE: u8 = 0x04;
    pub(crate) const TIMESTAMP_IS_DIFFERENCE: u8 = 0x08;
    /// Where the number of timestamp bytes, less 1, begins: three bits.
    pub(crate) const TIMESTAMP_BYTES_SHIFT: u8 = 4;
    pub(crate) const NEGATIVE: u8 = 0x80;
}

/// Flags of FAST_DIFF.
pub(crate) mod fast_diff_flag {
    /// Number of leading timestamp bytes that are as before.
    pub(crate) const SAME_TIMESTAMP_BYTES: u8 = 0x07;
    pub(crate) const SAME_KEY_LENGTH: u8 = 0x08;
    pub(crate) const SAME_VALUE_LENGTH: u8 = 0x10;
    pub(crate) const SAME_TYPE: u8 = 0x20;
    pub(crate) const SAME_VALUE: u8 = 0x40;
}

/// Timestamp and type, at the end of a key.
const AFTER_QUALIFIER: usize = 9;

/// A block of more cells than this comes from no writer, but for those that spell out so many bytes ([`DECODED_PER_BYTE`]).
/// HBase ends a block at its BLOCKSIZE without encoding, 16 MiB at most, and one cell more, whose bytes are spelled out in
/// it. Only where it is told to go by encoded bytes alone (`hbase.writer.unified.encoded.blocksize.ratio`) there can be
/// more.
const MOST_DECODED_BYTES: usize = 64 << 20;
/// What each encoded byte may become beyond that.
const DECODED_PER_BYTE: usize = 16;

/// What is reserved at first for each encoded byte. More is taken as decoded cells need it.
const RESERVED_PER_BYTE: usize = 4;

/// Appends the cells of a block.
pub(crate) fn decode(
    encoding: DataBlockEncoding,
    body: &[u8],
    layout: CellLayout,
    tags_compressed: bool,
    out: &mut Vec<u8>,
) -> Result<(), BadEncoding> {
    let (length, rest) = body.split_first_chunk::<4>().ok_or("no unencoded length")?;
    let length = usize::try_from(i32::from_be_bytes(*length)).map_err(|_| "a negative unencoded length")?;
    if length > MOST_DECODED_BYTES.saturating_add(body.len().saturating_mul(DECODED_PER_BYTE)) {
        return Err("an unencoded length that is more than any writer makes of these bytes");
    }
    out.reserve(length.min(body.len().saturating_mul(RESERVED_PER_BYTE)));
    let limit = out.len() + length;
    let tags = tags_compressed.then(TagDecoder::new);
    let mut decoder = DeltaDecoder { rest, out, limit, layout, tags, family: &[], previous: None };
    if encoding == DataBlockEncoding::Diff {
        let length = usize::from(decoder.byte()?);
        decoder.family = decoder.bytes(length)?;
    }
    while !decoder.rest.is_empty() {
        let cell = match encoding {
            DataBlockEncoding::Prefix => decoder.prefix()?,
            DataBlockEncoding::Diff => decoder.diff()?,
            _ => decoder.fast_diff()?,
        };
        decoder.tail()?;
        decoder.previous = Some(cell);
    }
    // The writer counted it from the cells: it is as good as a checksum.
    if out.len() != limit { Err("another unencoded length") } else { Ok(()) }
}

struct DeltaDecoder<'a, 'o> {
    rest: &'a [u8],
    out: &'o mut Vec<u8>,
    /// Where the cells end in `out`: a record of a few bytes can repeat a long key and value.
    limit: usize,
    layout: CellLayout,
    tags: Option<TagDecoder<'a>>,
    /// Of all cells of the block.
    family: &'a [u8],
    previous: Option<Decoded>,
}

/// A cell that was decoded: where its parts are.
#[derive(Clone, Copy)]
struct Decoded {
    key_at: usize,
    key_length: usize,
    row_length: usize,
    value_length: usize,
    timestamp: i64,
    type_code: u8,
}

/// Lengths of the parts of a key, and how much of its row is as before.
struct KeyShape {
    row_length: usize,
    qualifier_length: usize,
    common_row: usize,
}

impl<'a> DeltaDecoder<'a, '_> {
    fn byte(&mut self) -> Result<u8, BadEncoding> {
        let (&byte, rest) = self.rest.split_first().ok_or("a record is cut off")?;
        self.rest = rest;
        Ok(byte)
    }

    fn bytes(&mut self, length: usize) -> Result<&'a [u8], BadEncoding> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or("a record is cut off")?;
        self.rest = rest;
        Ok(bytes)
    }

    fn length(&mut self) -> Result<usize, BadEncoding> {
        varint::take(&mut self.rest).ok_or("a malformed length")
    }

    /// Begins a cell, if there is room for it.
    fn begin(&mut self, key_length: usize, value_length: usize) -> Result<(), BadEncoding> {
        let cell = LENGTHS_SIZE.saturating_add(key_length).saturating_add(value_length);
        if cell > self.limit - self.out.len() {
            return Err("more than the unencoded length");
        }
        let lengths = (key_length as u64) << 32 | value_length as u64;
        self.out.extend_from_slice(&lengths.to_be_bytes());
        Ok(())
    }

    fn prefix(&mut self) -> Result<Decoded, BadEncoding> {
        let (rest_length, value_length, common) = (self.length()?, self.length()?, self.length()?);
        let previous =
            self.previous.map_or(0..0, |previous| previous.key_at..previous.key_at + previous.key_length);
        if common > previous.len() {
            return Err("more in common than there was");
        }
        let key_length = common + rest_length;
        self.begin(key_length, value_length)?;
        let key_at = self.out.len();
        self.out.extend_from_within(previous.start..previous.start + common);
        let rest = self.bytes(rest_length)?;
        self.out.extend_from_slice(rest);
        let value = self.bytes(value_length)?;
        self.out.extend_from_slice(value);
        Ok(Decoded { key_at, key_length, row_length: 0, value_length, timestamp: 0, type_code: 0 })
    }

    fn diff(&mut self) -> Result<Decoded, BadEncoding> {
        let flag = self.byte()?;
        let is = |bits: u8| flag & bits != 0;
        let key_length =
            self.length_unless(is(diff_flag::SAME_KEY_LENGTH), |previous| previous.key_length)?;
        let value_length =
            self.length_unless(is(diff_flag::SAME_VALUE_LENGTH), |previous| previous.value_length)?;
        self.begin(key_length, value_length)?;
        let key_at = self.out.len();
        let row_length = self.key_fragment(key_length)?;
        let stored = self.bytes(usize::from(flag >> diff_flag::TIMESTAMP_BYTES_SHIFT & 7) + 1)?;
        let magnitude = stored.iter().rev().fold(0u64, |all, &byte| all << 8 | u64::from(byte)) as i64;
        let number = if is(diff_flag::NEGATIVE) { magnitude.wrapping_neg() } else { magnitude };
        let timestamp = if is(diff_flag::TIMESTAMP_IS_DIFFERENCE) {
            self.previous()?.timestamp.wrapping_sub(number)
        } else {
            number
        };
        let type_code = if is(diff_flag::SAME_TYPE) { self.previous()?.type_code } else { self.byte()? };
        self.end_key(timestamp, type_code);
        let value = self.bytes(value_length)?;
        self.out.extend_from_slice(value);
        Ok(Decoded { key_at, key_length, row_length, value_length, timestamp, type_code })
    }

    fn fast_diff(&mut self) -> Result<Decoded, BadEncoding> {
        let flag = self.byte()?;
        let is = |bits: u8| flag & bits != 0;
        let key_length =
            self.length_unless(is(fast_diff_flag::SAME_KEY_LENGTH), |previous| previous.key_length)?;
        let value_length =
            self.length_unless(is(fast_diff_flag::SAME_VALUE_LENGTH), |previous| previous.value_length)?;
        self.begin(key_length, value_length)?;
        let Some(previous) = self.previous else {
            return self.first_of_fast_diff(flag, key_length, value_length);
        };
        let key_at = self.out.len();
        let row_length = self.key_fragment(key_length)?;
        let mut timestamp = previous.timestamp.to_be_bytes();
        let same = usize::from(flag & fast_diff_flag::SAME_TIMESTAMP_BYTES);
        let differing = self.bytes(timestamp.len() - same)?;
        timestamp[same..].copy_from_slice(differing);
        let timestamp = i64::from_be_bytes(timestamp);
        let type_code = if is(fast_diff_flag::SAME_TYPE) { previous.type_code } else { self.byte()? };
        self.end_key(timestamp, type_code);
        if is(fast_diff_flag::SAME_VALUE) {
            if value_length != previous.value_length {
                return Err("the value before with another length");
            }
            let value_at = previous.key_at + previous.key_length;
            self.out.extend_from_within(value_at..value_at + value_length);
        } else {
            let value = self.bytes(value_length)?;
            self.out.extend_from_slice(value);
        }
        Ok(Decoded { key_at, key_length, row_length, value_length, timestamp, type_code })
    }

    fn first_of_fast_diff(
        &mut self,
        flag: u8,
        key_length: usize,
        value_length: usize,
    ) -> Result<Decoded, BadEncoding> {
        if flag != 0 || self.length()? != 0 {
            return Err("a first record that refers to one before");
        }
        let key_at = self.out.len();
        let flat = self.bytes(key_length)?;
        check_key(flat).map_err(|_| "a malformed key")?;
        let key = Key::from_checked(flat);
        self.family = key.family;
        self.out.extend_from_slice(flat);
        let value = self.bytes(value_length)?;
        self.out.extend_from_slice(value);
        let (row_length, timestamp, type_code) = (key.row.len(), key.timestamp, key.type_code);
        Ok(Decoded { key_at, key_length, row_length, value_length, timestamp, type_code })
    }

    fn previous(&self) -> Result<Decoded, BadEncoding> {
        self.previous.ok_or("a first record that refers to one before")
    }

    fn length_unless(&mut self, same: bool, of: impl Fn(&Decoded) -> usize) -> Result<usize, BadEncoding> {
        if same { self.previous().map(|previous| of(&previous)) } else { self.length() }
    }

    /// Appends a key up to its timestamp; gives its row's length.
    fn key_fragment(&mut self, key_length: usize) -> Result<usize, BadEncoding> {
        let common = self.length()?;
        if let Some(previous) = self.previous
            && common >= 2 + previous.row_length + 1 + self.family.len()
        {
            return self.qualifier_of_same_row(key_length, common, &previous);
        }
        let shape = self.key_shape(key_length, common)?;
        // Without a cell before nothing is in common.
        let previous_row = self.previous.map_or(0, |previous| previous.key_at + 2);
        self.out.extend_from_slice(&(shape.row_length as u16).to_be_bytes());
        self.out.extend_from_within(previous_row..previous_row + shape.common_row);
        let rest = self.bytes(shape.row_length - shape.common_row)?;
        self.out.extend_from_slice(rest);
        self.out.push(self.family.len() as u8);
        self.out.extend_from_slice(self.family);
        let qualifier = self.bytes(shape.qualifier_length)?;
        self.out.extend_from_slice(qualifier);
        Ok(shape.row_length)
    }

    /// The same for a cell of the same row: what is in common is in one piece.
    fn qualifier_of_same_row(
        &mut self,
        key_length: usize,
        common: usize,
        previous: &Decoded,
    ) -> Result<usize, BadEncoding> {
        let end_of = |key_length: usize| key_length.saturating_sub(AFTER_QUALIFIER);
        if common > end_of(key_length).min(end_of(previous.key_length)) {
            return Err("more in common than there was");
        }
        let rest = self.bytes(end_of(key_length) - common)?;
        self.out.extend_from_within(previous.key_at..previous.key_at + common);
        self.out.extend_from_slice(rest);
        Ok(previous.row_length)
    }

    /// Of a cell of another row than the one before it, or the first.
    fn key_shape(&mut self, key_length: usize, common: usize) -> Result<KeyShape, BadEncoding> {
        let previous_row_length = self.previous.map_or(0, |previous| previous.row_length);
        let row_length = match (self.previous, common) {
            (None, 1..) => return Err("more in common than there was"),
            (_, 0) => usize::from(u16::from_be_bytes([self.byte()?, self.byte()?])),
            (_, 1) => previous_row_length & 0xff00 | usize::from(self.byte()?),
            _ => previous_row_length,
        };
        let fixed = KEY_OVERHEAD + row_length + self.family.len();
        let qualifier_length = key_length.checked_sub(fixed).ok_or("a key shorter than its row")?;
        // All of the row is in common, and not all of the family.
        if self.previous.is_some() && common >= 2 + row_length {
            return Err("a family that differs");
        }
        Ok(KeyShape { row_length, qualifier_length, common_row: common.saturating_sub(2) })
    }

    fn end_key(&mut self, timestamp: i64, type_code: u8) {
        let mut end = [type_code; AFTER_QUALIFIER];
        end[..8].copy_from_slice(&timestamp.to_be_bytes());
        self.out.extend_from_slice(&end);
    }

    fn tail(&mut self) -> Result<(), BadEncoding> {
        if self.layout.tags {
            let length = self.length()?;
            let length_bytes =
                u16::try_from(length).map_err(|_| "tags longer than 65535 bytes")?.to_be_bytes();
            if 2 + length > self.limit - self.out.len() {
                return Err("more than the unencoded length");
            }
            self.out.extend_from_slice(&length_bytes);
            match &mut self.tags {
                Some(tags) => tags.take(&mut self.rest, length, self.out).ok_or("malformed tags")?,
                None => {
                    let tags = self.bytes(length)?;
                    self.out.extend_from_slice(tags);
                }
            }
        }
        if self.layout.mvcc {
            let (_, length) = vlong::read(self.rest).ok_or("a sequence id is cut off")?;
            if length > self.limit - self.out.len() {
                return Err("more than the unencoded length");
            }
            let id = self.bytes(length)?;
            self.out.extend_from_slice(id);
        }
        Ok(())
    }
}
