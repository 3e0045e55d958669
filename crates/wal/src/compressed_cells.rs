//! The cells of a compressed entry.
//!
//! ```text
//! ┌────────────────┬──────────────────┬─────────────────┬─────┬────────┬───────────┬───────────────┬─────────┐
//! │ varint key     │ varint value     │ varint tags     │ row │ family │ qualifier │ i64 timestamp │ u8 type │
//! │ length         │ length           │ length          │     coded by dictionary  │               │         │
//! └────────────────┴──────────────────┴─────────────────┴─────┴────────┴───────────┴───────────────┴─────────┘
//! ┌─────────────────────────────────────────┬───────────────────────────────────────────────────────────────┐
//! │ value, or compressed: varint bytes, and │ tags, if any: as they are, or compressed: each tag (type and  │
//! │ the stream                              │ value) coded, until their lengths make up the tags' length    │
//! └─────────────────────────────────────────┴───────────────────────────────────────────────────────────────┘
//! ```
//! The lengths are those of the KeyValue.

use std::path::Path;

use finback_cell::{Cell, MAX_FAMILY_LENGTH, MAX_ROW_LENGTH, MAX_TAGS_LENGTH, block, cell};
use finback_compression::ZstdForm;

use crate::{
    MAX_ENTRY_BYTES, WalCompression,
    dictionary::{Dictionaries, ReadDictionary, SPELLED_OUT, WriteDictionary},
    entry_head::NoEntry,
    value_codec::{ValueCompressor, ValueDecompressor},
    varint::{get_varint, put_varint},
    window::FileWindow,
};

/// Timestamp and type, at the end of a key.
const STAMP_BYTES: usize = 8 + 1;
/// Bytes of a tag's length in the tags of a cell.
const TAG_LENGTH_BYTES: usize = 2;
/// The longest varint of a u32.
const MAX_LENGTH_BYTES: usize = 5;
/// The most that the dictionaries of one file may hold. Those of a log that Finback wrote hold an eighth of it; HBase puts
/// the worst case at 160 MB.
const MAX_DICTIONARY_BYTES: usize = 512 << 20;

/// Compresses the cells of one file.
#[derive(Debug)]
pub(crate) struct CellCompressor {
    pub(crate) dictionaries: Dictionaries<WriteDictionary>,
    tags: bool,
    values: Option<ValueCompressor>,
}

impl CellCompressor {
    pub(crate) fn new(path: &Path, compression: WalCompression) -> std::io::Result<Self> {
        let values = compression.values.map(ValueCompressor::new).transpose()?;
        Ok(Self { dictionaries: Dictionaries::of_file(path), tags: compression.tags, values })
    }

    /// Chooses the form in which ZSTD compresses values from now on.
    pub(crate) fn set_zstd_form(&mut self, zstd_form: ZstdForm) {
        if let Some(values) = &mut self.values {
            values.set_zstd_form(zstd_form);
        }
    }

    /// Appends the cells of a block `u32 length | KeyValue`, repeated. After an error the dictionaries are not those of the
    /// file any more.
    pub(crate) fn put(&mut self, mut cells: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
        let invalid = |error: String| std::io::Error::new(std::io::ErrorKind::InvalidInput, error);
        while !cells.is_empty() {
            let (cell, rest) = block::split_first(cells).map_err(|error| invalid(error.to_string()))?;
            cells = rest;
            self.put_cell(cell, out)?;
        }
        Ok(())
    }

    fn put_cell(&mut self, cell: Cell<'_>, out: &mut Vec<u8>) -> std::io::Result<()> {
        let tags = cell.tags();
        for length in [cell.key_length(), cell.value_length(), tags.len()] {
            put_varint(out, length as u64);
        }
        self.dictionaries.row.put(cell.row(), out);
        self.dictionaries.family.put(cell.family(), out);
        self.dictionaries.qualifier.put(cell.qualifier(), out);
        out.extend_from_slice(&cell.key()[cell.key_length() - STAMP_BYTES..]);
        match &mut self.values {
            Some(values) => values.put(cell.value(), out)?,
            None => out.extend_from_slice(cell.value()),
        }
        if self.tags {
            return self.put_tags(tags, out);
        }
        out.extend_from_slice(tags);
        Ok(())
    }

    fn put_tags(&mut self, mut tags: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
        while !tags.is_empty() {
            let (tag, rest) = split_tag(tags).ok_or_else(|| {
                std::io::Error::new(std::io::ErrorKind::InvalidInput, "tags whose lengths disagree")
            })?;
            self.dictionaries.tag.put(tag, out);
            tags = rest;
        }
        Ok(())
    }
}

fn split_tag(tags: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = tags.split_first_chunk::<TAG_LENGTH_BYTES>()?;
    rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))
}

/// Bytes that a cell may take more than it has, for lengths and for what is in no dictionary yet.
const MOST_GROWTH: usize = 16;
/// For the headers of a value that is compressed by itself.
const MOST_HEADERS: usize = 48;
/// For a tag that is in no dictionary yet.
const MOST_TAG_GROWTH: usize = 2;
/// That part of a value it may take more: Snappy allows itself a sixth, and other codecs less; the rest is for what frames each chunk.
const MOST_VALUE_GROWTH: usize = 5;

/// The most that a block of cells may take when it is compressed, with its values or without; none if some cell cannot be, as it or its tags are not whole.
pub(crate) fn most_bytes(mut cells: &[u8], with_values: bool) -> Option<usize> {
    let mut most = cells.len();
    while !cells.is_empty() {
        let (cell, rest) = block::split_first(cells).ok()?;
        cells = rest;
        most = most.saturating_add(MOST_GROWTH);
        if with_values {
            most = most.saturating_add(MOST_HEADERS + cell.value_length() / MOST_VALUE_GROWTH);
        }
        let mut tags = cell.tags();
        while !tags.is_empty() {
            tags = split_tag(tags)?.1;
            most = most.saturating_add(MOST_TAG_GROWTH);
        }
    }
    Some(most)
}

/// Bytes of a file from an offset on, taken one part after the other.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    window: &'a mut FileWindow,
    pub(crate) offset: u64,
    /// Nothing at or after it belongs to the entry.
    end: u64,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(window: &'a mut FileWindow, offset: u64, end: u64) -> Self {
        Self { window, offset, end }
    }

    fn left(&self) -> usize {
        usize::try_from(self.end.saturating_sub(self.offset)).unwrap_or(usize::MAX)
    }

    fn take(&mut self, length: usize) -> Result<&[u8], NoEntry> {
        let left = self.left();
        if length > left {
            return Err(NoEntry::Invalid(format!("{length} bytes of a cell where {left} are left")));
        }
        let bytes = self.window.slice(self.offset, length)?;
        self.offset += length as u64;
        Ok(bytes)
    }

    fn take_u8(&mut self) -> Result<u8, NoEntry> {
        Ok(self.take(1)?.first().copied().unwrap_or_default())
    }

    /// A length of Java: a varint that fits an i32.
    fn take_length(&mut self) -> Result<usize, NoEntry> {
        let most = MAX_LENGTH_BYTES.min(self.left());
        match get_varint(self.window.slice(self.offset, most)?) {
            Some((length, n)) if length <= i32::MAX as u64 => {
                self.offset += n as u64;
                Ok(length as usize)
            }
            _ => Err(NoEntry::Invalid("a length in a cell that is none".to_owned())),
        }
    }
}

/// Decompresses the cells of one file.
#[derive(Debug)]
pub(crate) struct CellDecompressor {
    pub(crate) dictionaries: Dictionaries<ReadDictionary>,
    tags: bool,
    values: Option<ValueDecompressor>,
}

impl CellDecompressor {
    pub(crate) fn new(path: &Path, compression: WalCompression) -> Self {
        Self {
            dictionaries: Dictionaries::of_file(path),
            tags: compression.tags,
            values: compression.values.map(ValueDecompressor::new),
        }
    }

    /// How ZSTD has compressed the last value that is not empty.
    pub(crate) fn zstd_form(&self) -> ZstdForm {
        self.values.as_ref().map(ValueDecompressor::zstd_form).unwrap_or_default()
    }

    /// Appends `count` cells to `out`, each as `u32 length | KeyValue`. After an error the dictionaries are not those of
    /// the file any more.
    pub(crate) fn take(
        &mut self,
        from: &mut Cursor<'_>,
        count: u32,
        out: &mut Vec<u8>,
    ) -> Result<(), NoEntry> {
        for _ in 0..count {
            self.take_cell(from, out)?;
        }
        if self.dictionaries.bytes() > MAX_DICTIONARY_BYTES {
            let reason = format!("the dictionaries are above the limit of {MAX_DICTIONARY_BYTES} bytes");
            return Err(NoEntry::AboveLimit(reason));
        }
        Ok(())
    }

    fn take_cell(&mut self, from: &mut Cursor<'_>, out: &mut Vec<u8>) -> Result<(), NoEntry> {
        let disagree = || NoEntry::Invalid("a cell whose lengths disagree".to_owned());
        let (key, value, tags) = (from.take_length()?, from.take_length()?, from.take_length()?);
        if tags > MAX_TAGS_LENGTH || key < cell::KEY_OVERHEAD {
            return Err(disagree());
        }
        let tags_area = if tags == 0 { 0 } else { TAG_LENGTH_BYTES + tags };
        let size = cell::LENGTHS_SIZE + key + value + tags_area;
        if out.len() + 4 + size > MAX_ENTRY_BYTES {
            let reason = format!("with a cell of {size} bytes it is above the limit of {MAX_ENTRY_BYTES}");
            // What a compressed value takes of the file is not known yet.
            let fits = self.values.is_some() || value <= from.left();
            return Err(if fits { NoEntry::AboveLimit(reason) } else { NoEntry::Invalid(reason) });
        }
        for word in [size, key, value] {
            out.extend_from_slice(&(word as u32).to_be_bytes());
        }
        let row_length_at = out.len();
        out.extend_from_slice(&[0; 2]);
        let columns = key - cell::KEY_OVERHEAD;
        let row = take_coded(from, &mut self.dictionaries.row, columns.min(MAX_ROW_LENGTH), out)?;
        out[row_length_at..row_length_at + 2].copy_from_slice(&(row as u16).to_be_bytes());
        let family_length_at = out.len();
        out.push(0);
        let most = (columns - row).min(MAX_FAMILY_LENGTH);
        let family = take_coded(from, &mut self.dictionaries.family, most, out)?;
        out[family_length_at] = family as u8;
        let left = columns - row - family;
        if take_coded(from, &mut self.dictionaries.qualifier, left, out)? != left {
            return Err(disagree());
        }
        out.extend_from_slice(from.take(STAMP_BYTES)?);
        self.take_value(from, value, out)?;
        if tags > 0 {
            out.extend_from_slice(&(tags as u16).to_be_bytes());
            self.take_tags(from, tags, out)?;
        }
        Ok(())
    }

    fn take_value(&mut self, from: &mut Cursor<'_>, length: usize, out: &mut Vec<u8>) -> Result<(), NoEntry> {
        match &mut self.values {
            Some(values) => {
                let bytes = from.take_length()?;
                let stream = from.take(bytes)?;
                values.take(stream, length, out).map_err(|why| NoEntry::Invalid(format!("a value: {why}")))
            }
            None => {
                out.extend_from_slice(from.take(length)?);
                Ok(())
            }
        }
    }

    fn take_tags(&mut self, from: &mut Cursor<'_>, length: usize, out: &mut Vec<u8>) -> Result<(), NoEntry> {
        if !self.tags {
            out.extend_from_slice(from.take(length)?);
            return Ok(());
        }
        let end = out.len() + length;
        while out.len() < end {
            let left = (end - out.len()).checked_sub(TAG_LENGTH_BYTES);
            let left = left.ok_or_else(|| NoEntry::Invalid("tags of another length".to_owned()))?;
            let length_at = out.len();
            out.extend_from_slice(&[0; TAG_LENGTH_BYTES]);
            let tag = take_coded(from, &mut self.dictionaries.tag, left, out)?;
            out[length_at..length_at + TAG_LENGTH_BYTES].copy_from_slice(&(tag as u16).to_be_bytes());
        }
        Ok(())
    }
}

/// Appends what a code stands for, which must not be longer than `most`; gives its length.
fn take_coded(
    from: &mut Cursor<'_>,
    dictionary: &mut ReadDictionary,
    most: usize,
    out: &mut Vec<u8>,
) -> Result<usize, NoEntry> {
    let too_long =
        |length| NoEntry::Invalid(format!("a part of {length} bytes in a cell that has {most} for it"));
    let status = from.take_u8()?;
    if status == SPELLED_OUT {
        let length = from.take_length()?;
        if length > most {
            return Err(too_long(length));
        }
        let bytes = from.take(length)?;
        out.extend_from_slice(bytes);
        if length > 0 {
            dictionary.add(bytes.into());
        }
        return Ok(length);
    }
    let index = u16::from_be_bytes([status, from.take_u8()?]);
    let entry = dictionary
        .get(index)
        .ok_or_else(|| NoEntry::Invalid(format!("index {index} of a dictionary is not given out")))?;
    if entry.len() > most {
        return Err(too_long(entry.len()));
    }
    out.extend_from_slice(entry);
    Ok(entry.len())
}

#[cfg(test)]
mod tests;
